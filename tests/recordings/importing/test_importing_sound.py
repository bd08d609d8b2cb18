from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from recordings.errors import RecordingError
from recordings.importing.sound import read_sound
from tests.scoring.episodes import tone


def write(path: Path, data: object, rate: int = 16000, **kind: str) -> Path:
    soundfile.write(path, data, rate, **kind)
    return path


@pytest.mark.parametrize(
    ("name", "subtype", "most"),
    [
        ("a.wav", "PCM_16", 0),
        ("a.flac", "PCM_16", 0),
        ("a.wav", "PCM_24", 0),  # written from 16 bits, it holds 16 bits
        ("a.wav", "PCM_32", 0),
        ("a.wav", "FLOAT", 0),
        ("a.aiff", "PCM_16", 0),
        ("a.wav", "PCM_U8", 255),  # a step of 256: libsndfile rounds down when it writes
        ("a.wav", "ULAW", 1024),
        ("a.ogg", "VORBIS", 2500),
    ],
)
def test_every_kind_of_file_becomes_16_bits(tmp_path: Path, name: str, subtype: str, most: int) -> None:
    pcm = tone(0.5, 16000)
    # libsndfile scales integers that become floats, but not by full scale: floats are given as floats
    data = pcm / np.float32(32768) if subtype == "FLOAT" else pcm
    sound = read_sound(write(tmp_path / name, data, subtype=subtype))
    assert (sound.rate, len(sound.channels), sound.channels[0].size) == (16000, 1, pcm.size)
    assert int(np.abs(sound.channels[0].astype(int) - pcm).max()) <= most
    assert sound.source.name == name


def test_an_mp3_is_read_and_its_start_is_doubted(tmp_path: Path) -> None:
    sound = read_sound(write(tmp_path / "a.mp3", tone(0.5, 16000).astype(np.float32) / 32768))
    assert abs(sound.channels[0].size - 8000) <= 1152 * 2  # frames of 1152 samples
    assert sound.notes == (
        "a.mp3: MP3: its encoder may have put some milliseconds of silence before the first sample",
    )


def test_the_channels_stay_apart(tmp_path: Path) -> None:
    left, right = tone(0.1, 16000), tone(0.1, 16000, hz=1000.0)
    sound = read_sound(write(tmp_path / "a.wav", np.column_stack([left, right])))
    assert [np.array_equal(a, b) for a, b in zip(sound.channels, (left, right), strict=True)] == [
        True,
        True,
    ]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_sample_that_is_no_number_is_named(tmp_path: Path, value: float) -> None:
    data = np.zeros(400_000, np.float32)
    data[300_001] = value
    with pytest.raises(RecordingError, match="holds what is no number, at sample 300001"):
        read_sound(write(tmp_path / "a.wav", data, subtype="FLOAT"))


def test_what_is_over_full_scale_is_clipped_and_counted(tmp_path: Path) -> None:
    # 1.0 is 32768, one more than there is; -1.0 is -32768 to the step, and was not clipped
    data = np.array([0, 2, -3, 0.5, 1, -1, 32767 / 32768], np.float32)
    halves = np.array([32767.5, -32768.5], np.float32) / 32768  # to the even one: 32768 and -32768
    data = np.concatenate([data, halves])
    sound = read_sound(write(tmp_path / "a.wav", data, subtype="FLOAT"))
    assert sound.channels[0].tolist() == [0, 32767, -32768, 16384, 32767, -32768, 32767, 32767, -32768]
    assert sound.notes == ("a.wav: 4 samples over full scale were clipped",)


def test_a_file_of_many_channels_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", np.zeros((10, 1000), np.int16))
    with pytest.raises(RecordingError, match="has 1000 channels, expected 1 or 2"):
        read_sound(path)


def test_a_mix_is_no_two_sides(tmp_path: Path) -> None:
    path = write(tmp_path / "a.wav", np.zeros(100, np.int16))
    with pytest.raises(RecordingError, match=r"has 1 channels, expected two .* cannot be parted"):
        read_sound(path, 2)
    path = write(tmp_path / "b.wav", np.zeros((100, 2), np.int16))
    with pytest.raises(RecordingError, match=r"has 2 channels, expected one .* never mixed"):
        read_sound(path, 1)


@pytest.mark.parametrize("size", [0, 1, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_wav_whose_header_lies_is_read_as_far_as_it_goes_or_refused(tmp_path: Path, size: int) -> None:
    path = write(tmp_path / "a.wav", tone(0.1, 16000))
    data = bytearray(path.read_bytes())
    data[40:44] = struct.pack("<I", size)
    path.write_bytes(data)
    try:
        assert 0 < read_sound(path).channels[0].size <= 1600
    except RecordingError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize(
    ("content", "found"),
    [(b"", "cannot be read as audio"), (b"nonsense" * 99, "cannot be read as audio")],
)
def test_what_is_no_audio_is_said(tmp_path: Path, content: bytes, found: str) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    with pytest.raises(RecordingError, match=found):
        read_sound(tmp_path / "a.wav")


def test_a_file_without_samples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="holds no samples"):
        read_sound(write(tmp_path / "a.wav", np.zeros(0, np.int16)))


@pytest.mark.parametrize("rate", [100, 400_000])
def test_a_rate_that_no_call_has_is_refused(tmp_path: Path, rate: int) -> None:
    with pytest.raises(RecordingError, match=f"has {rate} Hz, expected 4000 to 192000"):
        read_sound(write(tmp_path / "a.wav", np.zeros(100, np.int16), rate))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.wav")
    with pytest.raises(RecordingError, match="is no file"):
        read_sound(tmp_path / "a.wav")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"none\.wav: cannot be read \(No such file"):
        read_sound(tmp_path / "none.wav")
