from __future__ import annotations

import struct
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from recordings.errors import RecordingError
from recordings.wav import GrowingWav, let_go, map_wav, read_wav, wav_layout


def written(path: Path, samples: list[int], rate: int = 16000) -> Path:
    wav = GrowingWav(path, rate)
    wav.append(np.array(samples, np.int16).tobytes())
    wav.close()
    return path


def patched(path: Path, at: int, size: int) -> Path:
    data = bytearray(path.read_bytes())
    data[at : at + 4] = struct.pack("<I", size)
    path.write_bytes(data)
    return path


@given(st.lists(st.lists(st.integers(-32768, 32767), max_size=50), max_size=8))
def test_what_was_appended_in_pieces_is_read_as_a_whole(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[list[int]]
) -> None:
    path = tmp_path_factory.mktemp("wav") / "x.wav"
    wav = GrowingWav(path, 24000)
    for piece in pieces:
        wav.append(np.array(piece, np.int16).tobytes())
    wav.close()
    samples, rate = read_wav(path)
    assert (samples.tolist(), rate) == ([s for piece in pieces for s in piece], 24000)


def test_other_readers_open_the_file_at_every_moment_of_its_growth(tmp_path: Path) -> None:
    wav = GrowingWav(tmp_path / "x.wav", 8000)
    for length in (0, 3, 6):
        with wave.open(str(wav.path)) as opened:
            assert (opened.getnframes(), opened.getframerate(), opened.getnchannels()) == (length, 8000, 1)
        assert soundfile.info(wav.path).frames == length
        wav.append(np.array([1, -2, 3], np.int16).tobytes())
    wav.close()


def test_padding_adds_silence_and_never_shortens(tmp_path: Path) -> None:
    wav = GrowingWav(tmp_path / "x.wav", 8000)
    wav.append(np.array([5, 6], np.int16).tobytes())
    wav.pad(4)
    wav.pad(1)
    wav.append(np.array([7], np.int16).tobytes())
    wav.close()
    assert read_wav(wav.path)[0].tolist() == [5, 6, 0, 0, 7]


@pytest.mark.parametrize(
    ("riff", "data"),
    [(0, 0), (0xFFFFFFFF, 0xFFFFFFFF), (36, 0), (38, 2), (4036, 4000), (44, 0), (44, 4000)],
)
def test_a_header_with_wrong_sizes_gives_way_to_the_size_of_the_file(
    tmp_path: Path, riff: int, data: int
) -> None:
    path = written(tmp_path / "x.wav", [1, 2, 3, -32768])  # right are 36 + 8 and 8
    patched(path, 4, riff)
    patched(path, 40, data)
    assert read_wav(path)[0].tolist() == [1, 2, 3, -32768]


def test_half_a_sample_at_the_end_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "x.wav", [1, 2])
    path.write_bytes(path.read_bytes() + b"\x07")
    assert read_wav(path)[0].tolist() == [1, 2]


def test_chunks_before_and_behind_the_samples_are_no_samples(tmp_path: Path) -> None:
    data = written(tmp_path / "x.wav", [1, 2]).read_bytes()
    note = b"LIST" + struct.pack("<I", 3) + b"abc\0"  # an odd size is padded
    content = data[:36] + note + data[36:] + note
    (tmp_path / "y.wav").write_bytes(b"RIFF" + struct.pack("<I", len(content) - 8) + content[8:])
    assert read_wav(tmp_path / "y.wav")[0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("subtype", "named"), [("FLOAT", "32-bit float"), ("PCM_24", "24-bit PCM"), ("ULAW", "μ-law")]
)
def test_other_encodings_are_named_and_refused(tmp_path: Path, subtype: str, named: str) -> None:
    soundfile.write(tmp_path / "x.wav", np.zeros(10), 8000, subtype=subtype)
    with pytest.raises(RecordingError, match=rf"x\.wav: holds {named}, expected 16-bit PCM"):
        read_wav(tmp_path / "x.wav")


def test_stereo_is_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "x.wav", np.zeros((10, 2)), 8000, subtype="PCM_16")
    with pytest.raises(RecordingError, match="has 2 channels, expected 1"):
        read_wav(tmp_path / "x.wav")


def test_an_extensible_header_around_pcm16_is_read(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "x.wav", np.array([1, -2], np.int16), 8000, subtype="PCM_16", format="WAVEX")
    assert read_wav(tmp_path / "x.wav")[0].tolist() == [1, -2]


@pytest.mark.parametrize(
    ("content", "found"),
    [(b"", "is no WAV file"), (b"OggS" * 9, "is no WAV file"), (b"RIFF\0\0\0\0WAVEfmt ", "ends before")],
)
def test_what_is_no_wav_file_is_said(tmp_path: Path, content: bytes, found: str) -> None:
    (tmp_path / "x.wav").write_bytes(content)
    with pytest.raises(RecordingError, match=found):
        read_wav(tmp_path / "x.wav")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"gone\.wav: there is no such file"):
        read_wav(tmp_path / "gone.wav")


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    written(tmp_path / "x.wav", [1])
    with pytest.raises(FileExistsError):
        GrowingWav(tmp_path / "x.wav", 8000)


def test_half_a_sample_is_refused(tmp_path: Path) -> None:
    wav = GrowingWav(tmp_path / "x.wav", 8000)
    with pytest.raises(ValueError, match=r"x\.wav: 3 bytes are no whole number of 16-bit samples"):
        wav.append(b"abc")
    wav.close()


@given(pcm=st.lists(st.integers(-32768, 32767), max_size=500))
def test_a_mapped_file_holds_what_a_read_one_does_also_after_its_memory_was_given_back(
    pcm: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "mapped.wav"
    path.unlink(missing_ok=True)
    wav = GrowingWav(path, 16000)
    wav.append(np.array(pcm, "<i2").tobytes())
    wav.close()
    mapped, rate = map_wav(path)
    assert (mapped.tolist(), rate) == (pcm, 16000)
    let_go(mapped[len(pcm) // 2 :])
    assert mapped.tolist() == read_wav(path)[0].tolist() == pcm
    layout = wav_layout(path)
    assert (layout.rate, layout.start, layout.samples) == (16000, 44, len(pcm))


def test_memory_of_samples_that_lie_nowhere_else_is_kept() -> None:
    pcm = np.arange(10, dtype=np.int16)
    let_go(pcm)
    assert pcm.tolist() == list(range(10))
