"""Waveforms, spectrograms and pictures of the studio, against sums made another way."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from recordings.errors import RecordingError
from recordings.studio.peaks import BLOCK, Peaks, Pyramid, columns
from recordings.studio.png import png
from recordings.studio.spectrogram import palette, spectrogram
from recordings.studio.tracks import TrackFile, open_track
from recordings.wav import GrowingWav
from streams.audio import Pcm
from tests.scoring.episodes import CallMaker, tone

RNG = np.random.default_rng(7)


def written(folder: Path, pcm: Pcm, rate: int = 8000) -> TrackFile:
    folder.mkdir(exist_ok=True)
    path = folder / "user.wav"
    path.unlink(missing_ok=True)
    wav = GrowingWav(path, rate)
    wav.append(pcm.astype("<i2").tobytes())
    wav.close()
    return open_track(folder, "user")


def noise(samples: int) -> Pcm:
    return RNG.integers(-32768, 32767, samples, endpoint=True).astype(np.int16)


def by_hand(pcm: Pcm, start: int, end: int, width: int) -> list[list[int]]:
    """Column by column, sample by sample."""
    found = []
    for column in range(width):
        low = start + (end - start) * column // width
        high = max(start + (end - start) * (column + 1) // width, low + 1)
        part = pcm[max(low, 0) : max(high, 0)]
        found.append([int(part.min()), int(part.max())] if part.size else [0, 0])
    return found


@given(
    samples=st.integers(0, 700),
    start=st.integers(-300, 800),
    length=st.integers(1, 511),  # nearer than two blocks a column
    width=st.integers(1, 60),
)
def test_near_peaks_are_those_of_the_samples(
    samples: int, start: int, length: int, width: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pcm = noise(samples)
    track = written(tmp_path_factory.getbasetemp() / "near", pcm)
    found = columns(track, Pyramid(), start, start + length, width)
    assert found.tolist() == by_hand(pcm, start, start + length, width)


@pytest.mark.parametrize("blocks", [3, 4, 5, 64, 257])
def test_far_peaks_are_those_of_the_samples_where_columns_are_whole_blocks(
    blocks: int, tmp_path: Path
) -> None:
    # 2 x 256 samples a column: the lowest level; columns end where blocks end
    pcm = noise(2 * BLOCK * blocks - 100)
    track = written(tmp_path, pcm)
    found = Peaks().columns(track, 0, 2 * BLOCK * blocks, blocks)
    assert found.tolist() == by_hand(pcm, 0, 2 * BLOCK * blocks, blocks)


def test_the_highest_levels_hold_the_highest_sample(tmp_path: Path) -> None:
    pcm = np.zeros(3_000_000, np.int16)
    pcm[1_234_567], pcm[2_999_999] = 12345, -23456
    track = written(tmp_path, pcm)
    found = Peaks().columns(track, 0, pcm.size, 10)
    assert found[4].tolist() == [0, 12345]  # 1,234,567 / 300,000 = 4.1
    assert found[9].tolist() == [-23456, 0]
    assert np.count_nonzero(found) == 2


@given(lengths=st.lists(st.integers(0, 3 * BLOCK), min_size=2, max_size=6))
def test_a_track_that_grew_has_the_peaks_of_one_that_was_always_there(
    lengths: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "growing"
    folder.mkdir(exist_ok=True)
    (folder / "user.wav").unlink(missing_ok=True)
    wav, peaks = GrowingWav(folder / "user.wav", 8000), Pyramid()
    for length in lengths:
        wav.append(noise(length).astype("<i2").tobytes())
        peaks.extend(open_track(folder, "user"))
    wav.close()
    whole = Pyramid()
    whole.extend(open_track(folder, "user"))
    assert peaks.samples == whole.samples == sum(lengths)
    assert all(np.array_equal(grown, made) for grown, made in zip(peaks.levels, whole.levels, strict=True))


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    peaks = Peaks()
    loud = np.full(BLOCK * 40, 9000, np.int16)
    assert peaks.columns(written(tmp_path, loud), 0, loud.size, 4).max() == 9000
    soft = np.full(BLOCK * 50, 7, np.int16)
    assert peaks.columns(written(tmp_path, soft), 0, soft.size, 4).max() == 7


def test_what_is_no_sound_says_so(tmp_path: Path) -> None:
    CallMaker().user(0.5, 1.0).write(tmp_path / "call")
    (tmp_path / "call" / "user.wav").write_bytes(b"RIFF" + bytes(100))
    with pytest.raises(RecordingError, match="is no WAV file"):
        open_track(tmp_path / "call", "user")


def test_a_picture_is_read_back_by_another_library_pixel_by_pixel() -> None:
    pixels = RNG.integers(0, 255, (7, 13), endpoint=True).astype(np.uint8)
    colours = palette()
    picture = Image.open(io.BytesIO(png(pixels, colours)))
    assert picture.size == (13, 7)
    assert np.array_equal(np.asarray(picture.convert("RGB")), colours[pixels])


def test_the_palette_becomes_lighter_all_the_way() -> None:
    # luma of ITU-R BT.601
    luma = palette().astype(float) @ [0.299, 0.587, 0.114]
    assert np.all(np.diff(luma) > -0.5)
    assert luma[0] < 2
    assert luma[-1] > 230


@pytest.mark.parametrize("hz", [500.0, 1000.0, 3500.0])
def test_a_tone_is_brightest_in_its_own_row(hz: float, tmp_path: Path) -> None:
    track = written(tmp_path, tone(1.0, 16000, -6.0, hz), 16000)
    drawn = spectrogram(track, 0, 16000, 50, 401)
    assert drawn.top_hz == 8000.0
    rows = np.asarray(Image.open(io.BytesIO(drawn.png)))[:, 25]
    # row 400 is 0 Hz, row 0 is 8 kHz: 20 Hz a row
    assert abs(int(rows.argmax()) - (400 - hz / 20)) <= 1


def test_a_full_scale_tone_is_white_and_silence_is_black(tmp_path: Path) -> None:
    pcm = np.concatenate([tone(0.5, 16000, -0.01, 1000.0), np.zeros(8000, np.int16)])
    drawn = spectrogram(written(tmp_path, pcm, 16000), 0, 16000, 40, 161)
    pixels = np.asarray(Image.open(io.BytesIO(drawn.png)))
    assert pixels[:, 10].max() >= 250
    assert pixels[:, 35].max() == 0


def test_a_click_between_two_windows_of_an_hour_is_seen(tmp_path: Path) -> None:
    # 320 samples a column, windows of 400: every sample is in one of them
    pcm = np.zeros(16000 * 4, np.int16)
    pcm[30000:30320] = tone(0.02, 16000, -6.0, 1000.0)
    track = written(tmp_path, pcm, 16000)
    pixels = np.asarray(Image.open(io.BytesIO(spectrogram(track, 0, pcm.size, 200, 81).png)))
    assert pixels[:, 30000 // 320].max() > 200


def test_a_stretch_before_the_beginning_and_after_the_end_is_black(tmp_path: Path) -> None:
    track = written(tmp_path, tone(0.5, 16000, -6.0), 16000)
    pixels = np.asarray(Image.open(io.BytesIO(spectrogram(track, -16000, 24000, 50, 41).png)))
    assert pixels[:, :18].max() == 0
    assert pixels[:, 22:28].max(axis=0).min() > 200  # 800 samples a column: the tone is in 20 to 29
    assert pixels[:, 34:].max() == 0
