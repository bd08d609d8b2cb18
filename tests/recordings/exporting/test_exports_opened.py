"""Every export is opened again by the program or library that it is for."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from recordings.errors import RecordingError
from recordings.exporting.cues import Cue, apart, cues_of, one_line
from recordings.exporting.formats import ENDINGS, TABLES, export_one, targets
from recordings.exporting.labels import audacity, rttm, webvtt
from recordings.exporting.rows import COLUMNS
from recordings.exporting.sound import stereo
from recordings.exporting.tiers import elan, textgrid
from recordings.exporting.whole import whole
from recordings.format import Role, Side
from recordings.importing.words import read_words
from recordings.reader import Episode
from tests.scoring.episodes import CallMaker, tone

HOSTILE = 'He said "no" & <b>went</b> --> away\t{1} ' + "\u202eüß\x00\x1b\n\u2028日本"
"""Quotes, markup, an arrow of WebVTT, a tab, a line break, control characters, another script."""


@pytest.fixture
def episode(tmp_path: Path) -> Episode:
    call = CallMaker(user_rate=16000, endpoint_rate=24000, length=8.0)
    call.user(0.5, 1.25, "Hello there.").reply(2.0, tone(2.0, 24000))
    call.turn(Side.ENDPOINT, 2.0, 4.0, intended="Good day.", heard="good day")
    call.user(4.5, 5.0, HOSTILE, role=Role.BACKCHANNEL)
    return Episode.load(call.write(tmp_path / "run/call"))


TIMES = [(Side.USER, 0.5, 1.25), (Side.ENDPOINT, 2.0, 4.0), (Side.USER, 4.5, 5.0)]

CLEAN = 'He said "no" & <b>went</b> --> away {1} \u202eüß 日本'


def test_cues_hold_the_best_that_is_known_of_the_words(episode: Episode) -> None:
    cues = cues_of(episode.turns)
    assert [(cue.side, cue.start_s, cue.end_s) for cue in cues] == TIMES
    assert [cue.text for cue in cues] == ["Hello there.", "good day", CLEAN]


def test_stereo_keeps_every_sample_of_the_faster_side(episode: Episode, tmp_path: Path) -> None:
    both, rate = stereo(episode)
    assert (rate, both.shape) == (24000, (192000, 2))
    assert np.array_equal(both[:, 1], episode.track("endpoint")[0])
    for to in ("wav", "flac"):
        export_one(episode, to, tmp_path / f"c{ENDINGS[to]}")
        read, found = soundfile.read(tmp_path / f"c{ENDINGS[to]}", dtype="int16")
        assert found == rate
        assert np.array_equal(read, both)


def test_opus_sounds_alike_and_keeps_its_place(episode: Episode, tmp_path: Path) -> None:
    export_one(episode, "opus", tmp_path / "c.opus")
    info = soundfile.info(tmp_path / "c.opus")
    assert (info.format, info.subtype, info.channels) == ("OGG", "OPUS", 2)
    read, rate = soundfile.read(tmp_path / "c.opus", dtype="int16")
    both, _ = stereo(episode)
    assert rate == 24000
    assert abs(len(read) - len(both)) <= 24000 * 0.02
    for channel in range(2):
        ours, theirs = both[:190000, channel].astype(float), read[:190000, channel].astype(float)
        assert np.corrcoef(ours, theirs)[0, 1] > 0.99


def test_praat_opens_the_textgrid(episode: Episode, tmp_path: Path) -> None:
    parselmouth = pytest.importorskip("parselmouth")
    export_one(episode, "textgrid", tmp_path / "c.TextGrid")
    grid = parselmouth.read(str(tmp_path / "c.TextGrid"))
    call = parselmouth.praat.call
    assert (call(grid, "Get number of tiers"), call(grid, "Get end time")) == (2, 8.0)
    found = []
    for tier, side in enumerate(Side, 1):
        assert call(grid, "Get tier name", tier) == side
        for number in range(1, call(grid, "Get number of intervals", tier) + 1):
            if label := call(grid, "Get label of interval", tier, number):
                start = call(grid, "Get start time of interval", tier, number)
                found.append((side, start, call(grid, "Get end time of interval", tier, number), label))
    assert sorted(found, key=lambda one: one[1]) == [
        (*times, text) for times, text in zip(TIMES, ("Hello there.", "good day", CLEAN), strict=True)
    ]


def test_elan_reads_its_file(episode: Episode, tmp_path: Path) -> None:
    pympi = pytest.importorskip("pympi")
    export_one(episode, "elan", tmp_path / "c.eaf")
    file = pympi.Elan.Eaf(str(tmp_path / "c.eaf"))
    assert [media["MEDIA_URL"] for media in file.get_linked_files()] == ["c.wav"]
    assert sorted(file.get_tier_names()) == ["endpoint", "user"]
    assert file.get_annotation_data_for_tier("user") == [(500, 1250, "Hello there."), (4500, 5000, CLEAN)]
    assert file.get_annotation_data_for_tier("endpoint") == [(2000, 4000, "good day")]


def test_a_reader_of_webvtt_finds_voices_and_words(episode: Episode, tmp_path: Path) -> None:
    import webvtt as reader

    export_one(episode, "webvtt", tmp_path / "c.vtt")
    cues = list(reader.read(str(tmp_path / "c.vtt")))
    assert [(cue.voice, cue.start, cue.end) for cue in cues] == [
        ("user", "00:00:00.500", "00:00:01.250"),
        ("endpoint", "00:00:02.000", "00:00:04.000"),
        ("user", "00:00:04.500", "00:00:05.000"),
    ]
    assert [line.text for line in read_words(tmp_path / "c.vtt")][2] == CLEAN


def test_the_rttm_is_an_annotation_of_speakers(episode: Episode, tmp_path: Path) -> None:
    core = pytest.importorskip("pyannote.core")
    export_one(episode, "rttm", tmp_path / "c.rttm")
    annotation = core.Annotation()
    for row in (tmp_path / "c.rttm").read_text().splitlines():
        kind, name, channel, start, length, _, _, speaker, *_ = row.split()
        assert (kind, name, channel) == ("SPEAKER", "c", "1")
        annotation[core.Segment(float(start), float(start) + float(length))] = speaker
    assert annotation.label_duration("user") == pytest.approx(1.25)  # 0.75 + 0.5
    assert annotation.label_duration("endpoint") == pytest.approx(2.0)


def test_audacity_has_a_label_a_line(episode: Episode, tmp_path: Path) -> None:
    export_one(episode, "audacity", tmp_path / "c.txt")
    rows = [row.split("\t") for row in (tmp_path / "c.txt").read_text(encoding="utf-8").splitlines()]
    assert rows[0] == ["0.500000", "1.250000", "user: Hello there."]
    assert [len(row) for row in rows] == [3, 3, 3]


def test_a_row_a_turn_as_jsonl_and_parquet(episode: Episode, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert TABLES["jsonl"]([episode, episode], tmp_path / "c.jsonl") == 6
    rows = [
        json.loads(row) for row in (tmp_path / "c.jsonl").read_text(encoding="utf-8").split("\n") if row
    ]
    assert TABLES["parquet"]([episode, episode], tmp_path / "c.parquet") == 6
    table = parquet.read_table(tmp_path / "c.parquet")
    assert (tuple(table.column_names), tuple(rows[0])) == (COLUMNS, COLUMNS)
    assert table.to_pylist() == rows
    assert [row["text"] for row in rows[:3]] == ["Hello there.", "good day", HOSTILE]
    assert rows[1]["intended"] == "Good day."


def test_an_audio_folder_has_a_clip_a_turn_and_its_metadata(episode: Episode, tmp_path: Path) -> None:
    # https://huggingface.co/docs/datasets/audio_dataset: metadata.csv names its files in file_name
    assert TABLES["hf"]([episode], tmp_path / "hf") == 3
    with (tmp_path / "hf/metadata.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["side"] for row in rows] == ["user", "endpoint", "user"]
    clip, rate = soundfile.read(tmp_path / "hf" / rows[1]["file_name"], dtype="int16")
    assert rate == 24000
    assert np.array_equal(clip, episode.track("endpoint")[0][48000:96000])
    assert rows[2]["intended"] == HOSTILE


@pytest.mark.parametrize("to", [name for name in ENDINGS if name not in TABLES])
def test_nothing_is_overwritten(episode: Episode, tmp_path: Path, to: str) -> None:
    path = tmp_path / f"c{ENDINGS[to]}"
    path.mkdir() if not ENDINGS[to] else path.write_bytes(b"mine")
    with pytest.raises(RecordingError, match="exists already"):
        export_one(episode, to, path)
    assert path.is_dir() or path.read_bytes() == b"mine"


@pytest.mark.parametrize("to", list(TABLES))
def test_no_table_is_overwritten(episode: Episode, tmp_path: Path, to: str) -> None:
    path = tmp_path / f"c{ENDINGS[to]}"
    path.joinpath("audio").mkdir(parents=True) if not ENDINGS[to] else path.write_bytes(b"mine")
    with pytest.raises(RecordingError, match="exists already"):
        TABLES[to]([episode], path)


def broken(folder: Path) -> Episode:
    """An episode of whose files the last ones cannot be read."""
    call = CallMaker(user_rate=16000, endpoint_rate=24000, length=4.0)
    call.user(0.5, 1.25, "Hello there.").reply(2.0, tone(1.0, 24000))
    path = call.write(folder / "broken")
    for name in ("endpoint.wav", "turns.jsonl"):
        (path / name).write_bytes(b"nonsense\n")
    return Episode.load(path)


@pytest.mark.parametrize("to", list(ENDINGS))
def test_what_fails_in_the_middle_leaves_nothing(episode: Episode, tmp_path: Path, to: str) -> None:
    bad, out = broken(tmp_path), tmp_path / "out"
    out.mkdir()
    with pytest.raises(RecordingError, match="broken"):
        if to in TABLES:
            TABLES[to]([episode, bad], out / f"c{ENDINGS[to]}")
        else:
            export_one(bad, to, out / f"c{ENDINGS[to]}")
    assert list(out.iterdir()) == []


def test_what_appears_meanwhile_is_not_overwritten_either(tmp_path: Path) -> None:
    path = tmp_path / "c.wav"
    with pytest.raises(RecordingError, match="exists already"), whole(path) as place:
        place.write_bytes(b"ours")
        path.write_bytes(b"theirs")
    assert path.read_bytes() == b"theirs" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(RecordingError, match="exists already"), whole(path):
        raise AssertionError("work for nothing")


def test_where_nothing_can_be_made_the_path_that_was_asked_for_is_named(
    episode: Episode, tmp_path: Path
) -> None:
    path = tmp_path / "missing/c.wav"
    with pytest.raises(FileNotFoundError) as failed:
        export_one(episode, "wav", path)
    assert failed.value.filename == str(path)


def test_many_episodes_go_into_a_folder_by_their_names(episode: Episode, tmp_path: Path) -> None:
    assert targets([episode], "wav", tmp_path / "c.wav") == [tmp_path / "c.wav"]
    assert targets([episode], "wav", tmp_path / "out") == [tmp_path / "out/call.wav"]
    many = targets([episode, episode], "wav", tmp_path / "out")
    assert many == [tmp_path / "out/call.wav", tmp_path / "out/call-2.wav"]
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RecordingError, match="2 episodes need a folder"):
        targets([episode, episode], "wav", tmp_path / "file")


texts = st.text(max_size=60)
cues = st.lists(
    st.builds(
        lambda side, start, length, text: Cue(side, start, start + length, one_line(text), Role.TURN),
        st.sampled_from(list(Side)),
        st.integers(0, 50_000).map(lambda ms: ms / 1000),
        st.integers(1, 3000).map(lambda ms: ms / 1000),
        texts,
    ),
    max_size=12,
).map(lambda found: sorted(found, key=lambda cue: (cue.start_s, cue.side)))


@given(cues)
def test_whatever_is_said_comes_back_from_a_textgrid(found: list[Cue]) -> None:
    from praatio.utilities import textgrid_io

    grid = textgrid_io.parseTextgridStr(textgrid(found, 60.0), includeEmptyIntervals=False)
    for tier, side in zip(grid["tiers"], Side, strict=True):
        expected = [(cue.start_s, cue.end_s, cue.text) for cue in apart(found, side) if cue.text.strip()]
        assert [(float(a), float(b), text) for a, b, text in tier["entries"]] == expected


@given(cues)
def test_whatever_is_said_comes_back_from_elan(found: list[Cue]) -> None:
    from xml.etree import ElementTree

    root = ElementTree.fromstring(elan(found, "c.wav", ""))
    for side in Side:
        tier = next(one for one in root.iter("TIER") if one.get("TIER_ID") == side)
        said = [value.text or "" for value in tier.iter("ANNOTATION_VALUE")]
        assert said == [cue.text for cue in apart(found, side)]


@given(cues)
def test_lines_stay_lines(found: list[Cue]) -> None:
    assert len(audacity(found).split("\n")) == len(found) + 1
    assert len(rttm(found, "c").split("\n")) == len(found) + 1
    said = [cue for cue in found if cue.text]
    assert sum(" --> " in row for row in webvtt(found).split("\n")) == len(said)


def test_a_turn_without_length_is_no_cue(episode: Episode) -> None:
    empty: list[Any] = [episode.turns[0].model_copy(update={"end": episode.turns[0].start})]
    assert cues_of(empty) == []


def test_parquet_without_pyarrow_says_what_to_install(
    episode: Episode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(RecordingError, match=r"needs pyarrow\. pip install 'vivavoce\[exchange\]'"):
        TABLES["parquet"]([episode], tmp_path / "c.parquet")


@pytest.mark.skipif(shutil.which("ffprobe") is None, reason="ffprobe is not installed")
@pytest.mark.parametrize("to", ["wav", "flac", "opus"])
def test_ffprobe_knows_the_sound(episode: Episode, tmp_path: Path, to: str) -> None:
    path = tmp_path / f"c{ENDINGS[to]}"
    export_one(episode, to, path)
    command = ["ffprobe", "-v", "error", "-show_streams", "-of", "json", str(path)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["streams"]
    assert [(stream["codec_type"], stream["channels"]) for stream in found] == [("audio", 2)]
    assert float(found[0]["duration"]) == pytest.approx(8.0, abs=0.03)
