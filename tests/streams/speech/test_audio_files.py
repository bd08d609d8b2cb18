from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from streams.speech.audio_files import read_clip
from streams.speech.interfaces import SpeechError

RAMP = np.linspace(-0.5, 0.5, 4410)


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 48000])
@pytest.mark.parametrize("name", ["clip.wav", "clip.flac"])
def test_lossless_files_come_back_sample_for_sample(tmp_path: Path, name: str, rate: int) -> None:
    samples = np.arange(-3000, 3000, dtype=np.int16)
    soundfile.write(tmp_path / name, samples, rate, subtype="PCM_16")
    clip = read_clip(tmp_path / name)
    assert clip.rate == rate
    assert clip.pcm == samples.astype("<i2").tobytes()


def test_an_ogg_file_is_read(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "clip.ogg", RAMP, 16000)
    clip = read_clip(tmp_path / "clip.ogg")
    assert (clip.rate, len(clip.pcm)) == (16000, 2 * RAMP.size)


def test_a_float_file_over_full_scale_clips_and_never_wraps(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "hot.wav", np.array([2.0, -2.0, 0.5]), 16000, subtype="FLOAT")
    assert np.frombuffer(read_clip(tmp_path / "hot.wav").pcm, "<i2").tolist() == [32767, -32768, 16384]


def test_stereo_is_refused_with_what_to_do(tmp_path: Path) -> None:
    # pitfall D26: 500 Hz on the left, 900 Hz on the right; a mix would be neither speaker
    path = tmp_path / "two.wav"
    soundfile.write(path, np.zeros((480, 2)), 48000)
    with pytest.raises(SpeechError, match="found 2 channels, expected 1") as caught:
        read_clip(path)
    assert str(path) in str(caught.value)
    assert "ffmpeg" in str(caught.value)


def test_one_channel_written_as_a_table_is_mono(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "one.wav", np.zeros((480, 1)), 48000)
    assert len(read_clip(tmp_path / "one.wav").pcm) == 960


@pytest.mark.parametrize(
    ("content", "found"),
    [(None, "found no readable file"), (b"hello", "expected WAV, FLAC or OGG"), (b"", "expected WAV")],
)
def test_what_is_no_recording_is_named(tmp_path: Path, content: bytes | None, found: str) -> None:
    path = tmp_path / "clip.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SpeechError, match=found) as caught:
        read_clip(path)
    assert str(path) in str(caught.value)
    assert caught.value.remedy


def test_an_empty_recording_is_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "empty.wav", np.zeros(0), 16000)
    with pytest.raises(SpeechError, match="found no samples"):
        read_clip(tmp_path / "empty.wav")


def test_samples_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "nan.wav", np.array([0.0, np.nan]), 16000, subtype="FLOAT")
    with pytest.raises(SpeechError, match="no numbers"):
        read_clip(tmp_path / "nan.wav")
