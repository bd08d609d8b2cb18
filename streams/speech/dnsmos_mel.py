"""What the P.808 model hears: a mel spectrum in dB below the window's loudest cell.

The same as `librosa.feature.melspectrogram` (n_fft 321, hop 160, 120 bands) and `power_to_db` (ref the
maximum, 80 dB) give its authors' program, in numpy alone; a test compares them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech.dnsmos_windows import FRAME, WINDOW_FRAMES, Material
from streams.speech.interfaces import SPEECH_RATE

Floats = npt.NDArray[np.float32]

BANDS = 120
_LENGTH = 2 * FRAME + 1
_BINS = _LENGTH // 2 + 1
_RANGE_DB = 80.0
_FAINTEST = 1e-10


class MelWindows:
    """The windows of a stretch as the model wants them.

    Args:
        material: Where they are.
        samples: Its samples, with one frame before them and one behind (see `Material.samples`).
    """

    def __init__(self, material: Material, samples: Samples) -> None:
        self._cyclic = material.cyclic
        self._samples = samples
        self._power = _mel_power(np.lib.stride_tricks.sliding_window_view(samples, _LENGTH)[::FRAME])

    def window(self, start: int) -> Floats:
        """The window that begins at this frame, shape (900, 120).

        It is padded with silence: half of its first frame is, and the last sample of its last.
        """
        places = np.arange(start, start + WINDOW_FRAMES) % len(self._power)
        power = self._power[places]
        first, last = self._frame(start), self._frame(start + WINDOW_FRAMES - 1)
        first[:FRAME] = 0
        last[-1] = 0
        power[[0, -1]] = _mel_power(np.stack([first, last]))
        level = 10 * np.log10(np.maximum(power, _FAINTEST))
        level -= 10 * np.log10(max(float(power.max()), _FAINTEST))
        level = np.maximum(level, level.max() - _RANGE_DB)
        made: Floats = ((level + 40) / 40).astype(np.float32)
        return made

    def _frame(self, index: int) -> Floats:
        at = index % len(self._power) * FRAME
        return self._samples[at : at + _LENGTH].copy()


def _mel_power(frames: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Power in each band of frames of 321 samples, shape (n, 120)."""
    parts = frames @ _fourier()
    power = np.square(parts[:, :_BINS], dtype=np.float64) + np.square(parts[:, _BINS:], dtype=np.float64)
    made: npt.NDArray[np.float64] = power @ mel_filters().T
    return made


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
