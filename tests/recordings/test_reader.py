from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from recordings.errors import RecordingError
from recordings.format import SessionEnded
from recordings.reader import Episode, find_episodes, read_scores, write_scores
from tests.recordings.calls import Call, Delivery, noise, record


def change_info(folder: Path, **changes: object) -> None:
    path = folder / "episode.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))


def test_an_episode_is_read_as_it_was_recorded(tmp_path: Path) -> None:
    record(
        Call(
            tmp_path / "e", deliveries=[Delivery(1.5, "i1", noise(2400)), Delivery(1.6, "i1", noise(1200))]
        )
    )
    episode = Episode.load(tmp_path / "e")
    assert episode.scenario == {"id": "greeting", "turns": [{"text": "Größe?"}]}
    assert [(piece.offset, piece.samples, piece.start) for piece in episode.received] == [
        (0, 2400, 36000),
        (2400, 1200, 38400),  # arrives at 1.6 s = 38400, where the first ends
    ]
    assert episode.track("received")[0].tobytes() == noise(2400) + noise(1200)
    assert isinstance(episode.events[-1], SessionEnded)
    assert episode.torn == 0


def test_samples_are_kept_and_cannot_be_changed_by_a_reader(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    episode = Episode.load(tmp_path / "e")
    samples, _ = episode.track("user")
    assert samples.dtype == np.int16
    assert episode.track("user")[0] is samples
    with pytest.raises(ValueError, match="read-only"):
        samples[0] = 1


def test_a_newer_version_says_to_upgrade(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    change_info(tmp_path / "e", schema_version=2, new_field=1)
    with pytest.raises(
        RecordingError, match=r"has schema version 2\. This vivavoce reads version 1; upgrade it\."
    ):
        Episode.load(tmp_path / "e")


@pytest.mark.parametrize("version", [0, "1", None])
def test_a_version_that_never_was_is_refused(tmp_path: Path, version: object) -> None:
    record(Call(tmp_path / "e"))
    change_info(tmp_path / "e", schema_version=version)
    with pytest.raises(RecordingError, match=r"This vivavoce reads version 1\.$"):
        Episode.load(tmp_path / "e")


def test_a_field_that_is_not_known_is_named(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    change_info(tmp_path / "e", colour="red")
    with pytest.raises(RecordingError, match=r"episode\.json: is not valid \(colour: Extra inputs"):
        Episode.load(tmp_path / "e")


@pytest.mark.parametrize("content", ["", "[]", "{}", "{"])
def test_what_is_no_episode_is_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "episode.json").write_text(content)
    with pytest.raises(RecordingError, match="is no JSON object with a schema_version"):
        Episode.load(tmp_path)


def test_a_folder_without_an_episode_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        RecordingError, match=r"episode\.json: cannot be read .* Expected the folder of an episode"
    ):
        Episode.load(tmp_path)


def test_a_torn_last_line_is_left_out_and_counted(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    whole = len(Episode.load(tmp_path / "e").events)
    path = tmp_path / "e/events.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    episode = Episode.load(tmp_path / "e")
    assert (len(episode.events), episode.torn) == (whole - 1, 1)


def test_a_last_line_that_only_lacks_its_end_is_read(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    whole = len(Episode.load(tmp_path / "e").events)
    path = tmp_path / "e/events.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    episode = Episode.load(tmp_path / "e")
    assert (len(episode.events), episode.torn) == (whole, 0)


def test_a_bad_line_in_the_middle_is_an_error_with_its_number(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    path = tmp_path / "e/events.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[1] = b'{"t": 0.0, "kind": "unheard_of"}'
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(RecordingError, match=r"events\.jsonl:2: is not valid"):
        _ = Episode.load(tmp_path / "e").events


def test_a_missing_file_of_a_finished_episode_is_an_error(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    (tmp_path / "e/user.wav").unlink()
    with pytest.raises(RecordingError, match=r"user\.wav: there is no such file"):
        Episode.load(tmp_path / "e").track("user")


def test_an_episode_whose_process_died_at_once_reads_as_empty(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))
    change_info(tmp_path / "e", outcome="unfinished")
    for path in (tmp_path / "e").iterdir():
        if path.name != "episode.json":
            path.unlink()
    (tmp_path / "e/user.wav").write_bytes(b"RIFF")
    episode = Episode.load(tmp_path / "e")
    assert (episode.events, episode.turns, episode.received, episode.duration_s) == ([], [], [], 0.0)
    assert episode.track("endpoint")[0].size == 0


def test_episodes_are_found_alone_in_a_run_and_in_a_tree(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a/3"):
        record(Call(tmp_path / name, seconds=0.1))
    assert find_episodes(tmp_path / "b/1") == [tmp_path / "b/1"]
    assert find_episodes(tmp_path / "b") == [tmp_path / "b/1", tmp_path / "b/2"]
    assert find_episodes(tmp_path) == [tmp_path / "a/3", tmp_path / "b/1", tmp_path / "b/2"]


def test_a_folder_with_no_episode_in_it_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="holds no episode"):
        find_episodes(tmp_path)
    with pytest.raises(RecordingError, match="is no folder"):
        find_episodes(tmp_path / "gone")


def test_scores_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_scores(tmp_path, "timing", {"latency": {"value": np.float64(0.5), "n": 3}})
    path = write_scores(tmp_path, "timing", {"latency": {"value": None, "unscored": "no_reply"}})
    assert path == tmp_path / "scores/timing.json"
    assert read_scores(tmp_path, "timing") == {"latency": {"value": None, "unscored": "no_reply"}}


def test_a_score_that_is_not_a_number_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(
        RecordingError, match=r"scores/text\.json: cannot be written: wer\.value is inf; what could"
    ):
        write_scores(tmp_path, "text", {"wer": {"value": math.inf}})
    assert not list((tmp_path / "scores").iterdir())


def test_scores_that_are_not_there_say_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="`viva score` writes them"):
        read_scores(tmp_path, "text")
