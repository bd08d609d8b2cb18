"""`viva export`: what it writes where, and what it says."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile

from recordings.check import check
from recordings.reader import Episode
from tests.agent.cli_calls import Viva
from tests.scoring.episodes import CallMaker, tone


@pytest.fixture
def run(viva: Viva) -> Path:
    for name in ("a", "b"):
        call = CallMaker(user_rate=16000, endpoint_rate=16000)
        call.user(0.5, 1.5).reply(2.0, tone(1.0, 16000)).write(viva.folder / "run" / name)
    return viva.folder / "run"


def test_a_run_becomes_a_file_an_episode(viva: Viva, run: Path) -> None:
    done = viva("export", "run", "--to", "textgrid", "--out", "out/praat", "--json")
    assert done.code == 0, done.err
    files = ["out/praat/a.TextGrid", "out/praat/b.TextGrid"]
    assert done.json == {"format": "textgrid", "episodes": 2, "files": files}
    assert all((viva.folder / file).stat().st_size for file in files)


def test_one_episode_becomes_the_file_that_is_named(viva: Viva, run: Path) -> None:
    done = viva("export", "run/a", "--to", "flac", "--out", "call.flac")
    assert (done.code, done.out) == (0, "")
    assert done.err == "wrote 1 episode as flac: call.flac\n"
    assert soundfile.info(viva.folder / "call.flac").channels == 2


def test_a_table_holds_all_episodes(viva: Viva, run: Path) -> None:
    done = viva("export", "run", "--to", "jsonl", "--out", "turns.jsonl", "--json")
    assert done.json == {"format": "jsonl", "episodes": 2, "files": ["turns.jsonl"], "turns": 2}


def test_packed_episodes_score_as_before(viva: Viva, run: Path) -> None:
    viva("export", "run", "--to", "episode", "--out", "packed")
    before = viva("score", "run", "--recogniser", "none", "--json").json
    after = viva("score", "packed", "--recogniser", "none", "--json").json
    assert after["metrics"] == before["metrics"]
    assert [row["turns"] for row in after["episodes"]] == [row["turns"] for row in before["episodes"]]
    sizes = [
        sum(file.stat().st_size for file in folder.rglob("*.*a*"))
        for folder in (run, run.parent / "packed")
    ]
    assert sizes[1] < sizes[0] / 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("run", "--to", "docx", "--out", "x"), "the format is 'docx', expected wav, flac, opus"),
        (("none", "--to", "wav", "--out", "x"), "none: is no folder"),
        (("run", "--to", "jsonl", "--out", "hello.yaml"), "hello.yaml: exists already"),
        (("run", "--to", "wav", "--out", "hello.yaml"), "hello.yaml: is a file"),
        (("broken", "--to", "wav", "--out", "x"), "broken/a/user.wav"),
    ],
)
def test_what_cannot_be_exported_is_said(
    viva: Viva, run: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    CallMaker(length=1.0).write(viva.folder / "broken/a")
    (viva.folder / "broken/a/user.wav").write_bytes(b"nonsense")
    done = viva("export", *arguments)
    assert done.code == 2
    assert complaint in done.err


def test_a_name_in_an_episode_leads_nowhere(viva: Viva, run: Path) -> None:
    episode = run / "a/episode.json"
    episode.write_text(episode.read_text().replace('"id": "a"', '"id": "../../evil"'))
    assert viva("export", "run", "--to", "hf", "--out", "out/hf").code == 0
    assert viva("export", "run", "--to", "audacity", "--out", "out/labels").code == 0
    assert sorted(path.name for path in viva.folder.iterdir()) == ["hello.yaml", "out", "run"]


SAMPLES = Path(__file__).parents[2] / "recordings/samples"


@pytest.mark.parametrize(
    ("name", "heard"),
    [
        ("good-call", "complete"),
        ("wrong-fact", "wrong"),
        ("interruption", ""),
    ],
)
def test_the_samples_are_sound_and_small_and_of_interest(name: str, heard: str) -> None:
    folder = SAMPLES / name
    episode = Episode.load(folder)
    assert check(episode) == []
    assert sum(file.stat().st_size for file in folder.rglob("*.*")) <= 1_500_000
    assert max(episode.info.user_rate, episode.info.endpoint_rate) <= 16000
    assert {path.suffix for path in folder.iterdir() if path.is_file()} == {".json", ".jsonl", ".flac"}
    assert (folder / "scores/timing.json").is_file()
    labels = {verdict.label for turn in episode.turns for verdict in turn.verdicts}
    assert heard in labels or not heard
    if name == "interruption":
        assert [turn.role for turn in episode.turns if turn.side == "user"] == [
            "turn",
            "backchannel",
            "turn",
            "barge_in",
            "turn",
        ]
    assert np.abs(episode.track("endpoint")[0]).max() > 1000


def test_a_sample_is_scored_and_reported_by_its_path(viva: Viva) -> None:

    shutil.copytree(SAMPLES / "good-call", viva.folder / "good-call")
    done = viva("score", "good-call", "--recogniser", "none", "--json")
    assert done.code == 0, done.err
    assert len(done.json["episodes"][0]["turns"]) == 4
    assert viva("report", "good-call", "--html", "r.html").code == 0
    assert (viva.folder / "r.html").stat().st_size > 10_000
