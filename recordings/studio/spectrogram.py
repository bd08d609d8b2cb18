"""A spectrogram as a picture: time to the right, frequency upwards, louder is brighter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from recordings.studio.png import png
from recordings.studio.tracks import TrackFile
from streams.audio import FULL_SCALE, Pcm

WIDEST, HIGHEST = 4096, 1024
"""Pixels at most."""

QUIETEST_DB = -90.0
"""What is black; a sine at full scale is 0 dB and white."""

WINDOW_S = 0.025
"""Length of a window unless another is asked for: 40 Hz apart, fine enough for the harmonics of a voice."""

LONGEST_WINDOW = 8192

_LOOKS = 4
"""Windows a column that covers more than one: the loudest counts, so that no short sound is lost."""

_AT_ONCE = 1 << 22
"""Samples that are read at once, 8 MB."""

_COLOURS = (
    (0, 0, 4),
    (40, 11, 84),
    (101, 21, 110),
    (159, 42, 99),
    (212, 72, 66),
    (245, 125, 21),
    (252, 255, 164),
)
"""From quiet to loud, evenly spaced; lightness rises all the way: it can be read without colours."""


@dataclass(frozen=True, slots=True)
class Spectrogram:
    """A picture and its scale.

    Attributes:
        top_hz: Frequency of its upper edge; the lower one is 0 Hz.
    """

    png: bytes
    top_hz: float


def spectrogram(
    track: TrackFile,
    start: int,
    end: int,
    width: int,
    height: int,
    *,
    top_hz: float = 0.0,
    window: int = 0,
) -> Spectrogram:
    """Draw [start, end) of a track; beyond it there is silence.

    Args:
        track: The track.
        start: First sample.
        end: One past the last.
        width: Pixels.
        height: Pixels.
        top_hz: Frequency of the upper edge; 0 takes 8 kHz, and at most half the rate is taken.
        window: Samples of a window; 0 takes 25 ms.

    Raises:
        RecordingError: The track cannot be read.
    """
    size = window or round(WINDOW_S * track.rate)
    top = min(top_hz or 8000.0, track.rate / 2)
    levels = _levels(track, _middles(start, end, width, size), size)
    bins = np.linspace(top, 0.0, height) / track.rate * _transform(size)
    shown = _between(levels, bins)
    scaled = np.clip(shown / -QUIETEST_DB + 1.0, 0.0, 1.0)
    return Spectrogram(png((scaled * 255).astype(np.uint8), palette()), top)


def palette() -> npt.NDArray[np.uint8]:
    """The colours of all 256 levels, shape (256, 3)."""
    at = np.linspace(0, len(_COLOURS) - 1, 256)
    stops = np.array(_COLOURS, np.float64)
    mixed = [np.interp(at, np.arange(len(_COLOURS)), stops[:, channel]) for channel in range(3)]
    return np.column_stack(mixed).round().astype(np.uint8)


def _middles(start: int, end: int, width: int, size: int) -> npt.NDArray[np.int64]:
    """Middle samples of the windows of every column, shape (width, windows)."""
    per_column = (end - start) / width
    looks = min(_LOOKS, max(1, round(2 * per_column / size)))
    places = (np.arange(width * looks) + 0.5) * (per_column / looks)
    return (start + places).astype(np.int64).reshape(width, looks)


def _levels(track: TrackFile, middles: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.float32]:
    """Levels in dB of every bin, shape (bins, width)."""
    transform = _transform(size)
    shape = np.hanning(size + 1)[:-1].astype(np.float32)
    scale = 2.0 / (float(shape.sum()) * FULL_SCALE)
    columns = np.empty((len(middles), transform // 2 + 1), np.float32)
    read = _reader(track, int(middles[0, 0]) - size, int(middles[-1, -1]) + size)
    for column, own in enumerate(middles):
        windows = np.stack([_window(read, int(middle) - size // 2, size) for middle in own])
        power = np.abs(np.fft.rfft(windows * shape, transform, axis=1)).max(axis=0)
        columns[column] = 20 * np.log10(np.maximum(power * scale, 1e-6))
    return columns.T


def _reader(track: TrackFile, start: int, end: int) -> Callable[[int, int], Pcm]:
    """How to get at the samples between two places: a short stretch is read at once."""
    if end - start > _AT_ONCE:
        return track.read
    first = max(start, 0)
    pcm = track.read(first, end)
    return lambda low, high: pcm[max(low - first, 0) : max(high - first, 0)]


def _window(read: Callable[[int, int], Pcm], start: int, size: int) -> npt.NDArray[np.float32]:
    found = np.zeros(size, np.float32)
    pcm = read(start, start + size)
    first = max(-start, 0)
    found[first : first + pcm.size] = pcm
    return found


def _between(levels: npt.NDArray[np.float32], bins: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Levels at bins that need not be whole; where rows are further apart, the loudest between them."""
    step = max(1, round(float(abs(bins[0] - bins[-1])) / max(len(bins) - 1, 1)))
    if step > 1:
        places = np.clip(bins.astype(np.int64)[:, None] + np.arange(step), 0, len(levels) - 1)
        return np.asarray(levels[places].max(axis=1), np.float64)
    low = np.clip(bins.astype(np.int64), 0, len(levels) - 2)
    part = (bins - low)[:, None]
    return np.asarray(levels[low] * (1 - part) + levels[low + 1] * part, np.float64)


def _transform(size: int) -> int:
    """Length of the transform: the next power of two, twice as fine as the window."""
    return 1 << max(8, (2 * size - 1).bit_length())
