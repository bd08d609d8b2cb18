from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recordings.check import check
from recordings.errors import RecordingError
from recordings.exporting.pack import pack
from recordings.flac import LONGEST_S, read_flac, write_flac
from recordings.format import Absent
from recordings.reader import TRACK_FILES, Episode, track_path
from tests.recordings.calls import Call, Delivery, noise, record


@given(hnp.arrays(np.int16, st.integers(1, 3000)), st.sampled_from([8000, 16000, 22050, 24000, 48000]))
def test_a_track_comes_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, pcm: np.ndarray[tuple[int], np.dtype[np.int16]], rate: int
) -> None:
    path = tmp_path_factory.mktemp("flac") / "t.flac"
    write_flac(path, pcm, rate)
    samples, found = read_flac(path)
    assert found == rate
    assert samples.dtype == np.int16
    assert np.array_equal(samples, pcm)
    assert not samples.flags.writeable


def test_a_track_without_samples_cannot_be_flac(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        write_flac(tmp_path / "t.flac", np.zeros(0, np.int16), 16000)


def a_file(path: Path, **changes: object) -> Path:
    values: dict[str, object] = {"samplerate": 16000, "format": "FLAC", "subtype": "PCM_16"}
    data = np.random.default_rng(1).integers(-9000, 9000, (200_000, 1), dtype=np.int16)
    soundfile.write(path, changes.pop("data", data), **values | changes)
    return path


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"subtype": "PCM_24"}, "holds FLAC, PCM_24, 1 channels"),
        ({"data": np.zeros((100, 2), np.int16)}, "holds FLAC, PCM_16, 2 channels"),
        ({"format": "WAV"}, "holds WAV, PCM_16, 1 channels"),
    ],
)
def test_only_mono_flac_of_16_bits_is_a_track(
    tmp_path: Path, changes: dict[str, object], found: str
) -> None:
    with pytest.raises(RecordingError, match=found):
        read_flac(a_file(tmp_path / "t.flac", **changes))


def test_a_file_that_was_cut_off_is_no_shorter_track(tmp_path: Path) -> None:
    path = a_file(tmp_path / "t.flac")
    path.write_bytes(path.read_bytes()[:100_000])
    with pytest.raises(RecordingError, match="is no whole FLAC file"):
        read_flac(path)


def test_a_header_that_promises_other_lengths_is_not_believed(tmp_path: Path) -> None:
    path = a_file(tmp_path / "t.flac")
    data = bytearray(path.read_bytes())
    # the count of samples is the last 36 bits of bytes 18 to 25 (RFC 9639, section 8.2)
    data[21], data[22:26] = data[21] & 0xF0, (300_000).to_bytes(4, "big")
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=r"whole FLAC file|its header promises 300000"):
        read_flac(path)
    data[21] |= 0x0F  # 64 billion samples: nothing of that size is ever made
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=f"more than {LONGEST_S // 3600} h"):
        read_flac(path)


def test_what_is_no_flac_or_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "t.flac").write_bytes(b"nonsense")
    with pytest.raises(RecordingError, match="is no whole FLAC file"):
        read_flac(tmp_path / "t.flac")
    with pytest.raises(RecordingError, match="cannot be read"):
        read_flac(tmp_path / "none.flac")


def test_a_packed_episode_reads_and_checks_as_before(tmp_path: Path) -> None:
    record(Call(tmp_path / "e", deliveries=[Delivery(1.5, "i1", noise(2400))]))
    before = Episode.load(tmp_path / "e")
    pack(before, tmp_path / "p")
    after = Episode.load(tmp_path / "p")
    assert check(after) == []
    for track in TRACK_FILES:
        assert np.array_equal(before.track(track)[0], after.track(track)[0]), track
    assert (before.events, before.turns, before.received) == (after.events, after.turns, after.received)
    # the clean track was the one on the wire, and is not kept twice
    assert after.info.absent == (Absent.USER_CLEAN,)
    assert sorted(path.name for path in (tmp_path / "p").glob("*.*a*")) == [
        "endpoint.flac",
        "received.flac",
        "user.flac",
    ]


def test_an_episode_without_replies_is_packed_too(tmp_path: Path) -> None:
    record(Call(tmp_path / "e"))  # nothing arrived: received.wav is empty, which no FLAC file can be
    pack(Episode.load(tmp_path / "e"), tmp_path / "p")
    packed = Episode.load(tmp_path / "p")
    assert check(packed) == []
    assert track_path(tmp_path / "p", "received").name == "received.wav"


def test_damage_to_a_packed_track_is_found_where_it_is(tmp_path: Path) -> None:
    record(Call(tmp_path / "e", deliveries=[Delivery(1.5, "i1", noise(2400))]))
    pack(Episode.load(tmp_path / "e"), tmp_path / "p")
    pcm, rate = read_flac(tmp_path / "p/endpoint.flac")
    (tmp_path / "p/endpoint.flac").unlink()
    wrong = pcm.copy()
    wrong[36005] = 0  # within the reply, which is heard from 1.5 s = sample 36000 on
    write_flac(tmp_path / "p/endpoint.flac", wrong, rate)
    (problem,) = check(Episode.load(tmp_path / "p"))
    assert str(problem).startswith("error: endpoint.flac: sample 36005 (1.500 s): found 0")


def test_the_wav_goes_before_a_flac_beside_it(tmp_path: Path) -> None:
    (tmp_path / "user.flac").write_bytes(b"")
    assert track_path(tmp_path, "user").name == "user.flac"
    (tmp_path / "user.wav").write_bytes(b"")
    assert track_path(tmp_path, "user").name == "user.wav"


def test_an_unfinished_episode_is_not_packed(tmp_path: Path) -> None:
    writer = record(Call(tmp_path / "e"), finish=False)
    writer.abandon()
    with pytest.raises(RecordingError, match="is not finished"):
        pack(Episode.load(tmp_path / "e"), tmp_path / "p")
    assert not (tmp_path / "p").exists()
