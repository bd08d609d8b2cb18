"""What the P.808 model hears: a mel spectrum in dB below the window's loudest cell.

The same as `librosa.feature.melspectrogram` (n_fft 321, hop 160, 120 bands) and `power_to_db` (ref the
maximum, 80 dB) give its authors' program, in numpy alone; a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech.compiled import product
from streams.speech.dnsmos_strips import Floats, Strip, cut
from streams.speech.dnsmos_windows import FRAME, WINDOW_FRAMES, Material
from streams.speech.interfaces import SPEECH_RATE

BANDS = 120
_LENGTH = 2 * FRAME + 1
_BINS = _LENGTH // 2 + 1
_RANGE_DB = 80.0
_FAINTEST = 1e-10


class MelStretch:
    """The windows of a stretch as the model wants them.

    A window is loud or faint beside its own loudest cell alone. Windows in a row often have that cell in
    common: what such a group hears are parts of one spectrum.

    Args:
        material: Where they are.
        samples: Its samples, with one frame before them and one behind (see `Material.samples`).
    """

    def __init__(self, material: Material, samples: Samples) -> None:
        frames = np.lib.stride_tricks.sliding_window_view(samples, _LENGTH)[::FRAME]
        self._power = _mel_power(frames)
        self._starts = sorted(set(material.starts))
        self._cyclic = material.cyclic
        # a window is padded with silence: half of its first frame is, and the last sample of its last
        ends = [start + WINDOW_FRAMES - 1 for start in self._starts]
        firsts = frames.take(self._starts, axis=0)
        lasts = frames.take(ends, axis=0, mode="wrap")
        firsts[:, :FRAME] = 0
        lasts[:, -1] = 0
        self._first, self._last = _mel_power(firsts), _mel_power(lasts)

    def groups(self) -> Iterator[MelGroup]:
        """The windows in order, those together whose loudest cells are equally loud."""
        loudest = [self._loudest(index) for index in range(len(self._starts))]
        for level, group in groupby(range(len(self._starts)), key=loudest.__getitem__):
            yield self._group(level, list(group))

    def _loudest(self, index: int) -> float:
        start = self._starts[index]
        inside = cut(self._power, start + 1, start + WINDOW_FRAMES - 1)
        return float(max(inside.max(), self._first[index].max(), self._last[index].max()))

    def _group(self, loudest: float, indices: Sequence[int]) -> MelGroup:
        starts = [self._starts[index] for index in indices]
        begin = 0 if self._cyclic else starts[0]
        end = len(self._power) if self._cyclic else starts[-1] + WINDOW_FRAMES
        strip = Strip(
            _levels(cut(self._power, begin, end), loudest),
            [_levels(self._first[index : index + 1], loudest) for index in indices],
            [_levels(self._last[index : index + 1], loudest) for index in indices],
            self._cyclic,
        )
        return MelGroup(starts, [start - begin for start in starts], strip)


@dataclass(frozen=True, slots=True)
class MelGroup:
    """Windows of a stretch with one loudest level.

    Attributes:
        starts: First frame of each in the stretch.
        places: First frame of each in the strip.
        strip: Levels, shape (frames, 120); the first and the last frame of a window are its own.
    """

    starts: Sequence[int]
    places: Sequence[int]
    strip: Strip


def _levels(power: npt.NDArray[np.float64], loudest: float) -> Floats:
    """Power beside the loudest of the window, as the model wants it: 1 is as loud, -1 is 80 dB fainter."""
    level = 10 * np.log10(np.maximum(power, _FAINTEST)) - 10 * np.log10(max(loudest, _FAINTEST))
    made: Floats = ((np.maximum(level, -_RANGE_DB) + 40) / 40).astype(np.float32)
    return made


def _mel_power(frames: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Power in each band of frames of 321 samples, shape (n, 120)."""
    parts = product(frames, _fourier())
    power = np.square(parts[:, :_BINS], dtype=np.float64) + np.square(parts[:, _BINS:], dtype=np.float64)
    return product(power, mel_filters().T)


@cache
def _fourier() -> Floats:
    """Windowed Fourier transform as a matrix: real parts, then imaginary, shape (321, 322)."""
    n = np.arange(_LENGTH)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * n / _LENGTH)
    angles = 2 * np.pi * np.outer(n, np.arange(_BINS)) / _LENGTH
    made = np.concatenate([np.cos(angles), -np.sin(angles)], axis=1) * hann[:, np.newaxis]
    return made.astype(np.float32)


@cache
def mel_filters() -> npt.NDArray[np.float64]:
    """Triangles of equal area on Slaney's mel scale (linear below 1 kHz), shape (120, 161)."""
    hertz = np.arange(_BINS) * SPEECH_RATE / _LENGTH
    edges = _mel_to_hertz(np.linspace(0, _hertz_to_mel(SPEECH_RATE / 2), BANDS + 2))
    widths = np.diff(edges)
    ramps = edges[:, np.newaxis] - hertz
    rising = -ramps[:-2] / widths[:-1, np.newaxis]
    falling = ramps[2:] / widths[1:, np.newaxis]
    triangles = np.maximum(0, np.minimum(rising, falling))
    made: npt.NDArray[np.float64] = triangles * (2 / (edges[2:] - edges[:-2]))[:, np.newaxis]
    return made


_BEND_HZ, _HZ_PER_MEL = 1000.0, 200 / 3
_BEND_MEL = _BEND_HZ / _HZ_PER_MEL
_LOG_STEP = np.log(6.4) / 27


def _hertz_to_mel(hertz: float) -> float:
    return float(_BEND_MEL + np.log(hertz / _BEND_HZ) / _LOG_STEP)  # above the bend, all that is asked


def _mel_to_hertz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    above = _BEND_HZ * np.exp(_LOG_STEP * (mel - _BEND_MEL))
    return np.where(mel < _BEND_MEL, mel * _HZ_PER_MEL, above)
