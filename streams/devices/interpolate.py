"""Samples between samples: band-limited interpolation at any positions. Pure.

A device's rate is not quite what it says, and changes: a resampler of fixed ratio (soxr, as its Python
package gives it) would have to be restarted at each correction. Here each output sample has a position of
its own: x(p) = sum of x[n] h(p - n), h a sinc in a Kaiser window (Smith, Digital Audio Resampling, 2002).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from streams.audio import Samples

ZEROS = 16
"""Zero crossings of the sinc on each side: 1 ms of delay at 16 kHz."""

STEPS = 512
"""Filters between one sample and the next, with linear interpolation between them: error below -90 dB."""

BETA = 9.0
"""Of the Kaiser window: side lobes below -90 dB."""

ROLLOFF = 0.92
"""Where a rate is lowered: the pass band as a part of the lower rate's."""

Positions = npt.NDArray[np.float64]


def _filters(cutoff: float, reach: int) -> Samples:
    """Shape (STEPS + 1, 2 reach): row k is h around a position that stands k / `STEPS` behind a sample."""
    taps = np.arange(-reach + 1, reach + 1)
    x = np.abs(np.arange(STEPS + 1)[:, None] / STEPS - taps) * cutoff
    inside = np.clip(1 - (x / ZEROS) ** 2, 0, None)
    window = np.where(x <= ZEROS, np.i0(BETA * np.sqrt(inside)) / np.i0(BETA), 0)
    filters: Samples = (cutoff * np.sinc(x) * window).astype(np.float32)
    return filters


class Interpolator:
    """Reads a stream at positions between its samples.

    Args:
        source: Samples per second of what is pushed.
        target: Samples per second of what is read, about.
    """

    def __init__(self, source: int, target: int) -> None:
        cutoff = 1.0 if target >= source else ROLLOFF * target / source
        self.reach = int(np.ceil(ZEROS / cutoff))
        """Samples that must be there on both sides of a position."""
        self._filters = _filters(cutoff, self.reach)
        self._held = np.zeros(self.reach, np.float32)
        self._first = -self.reach

    @property
    def end(self) -> int:
        """Samples pushed so far."""
        return self._first + self._held.size

    @property
    def readable(self) -> int:
        """Positions before this one can be read."""
        return self.end - self.reach

    def push(self, samples: Samples) -> None:
        """The samples that follow."""
        self._held = np.concatenate([self._held, samples])

    def read(self, positions: Positions) -> Samples:
        """The signal at ascending positions; what was before the first is forgotten.

        Before the start of the stream there is silence; positions of `readable` or later are an error.
        """
        if not positions.size:
            return np.zeros(0, np.float32)
        if positions[-1] >= self.readable:
            raise ValueError(f"position {positions[-1]} was not pushed yet: {self.readable} is the limit")
        base = np.floor(positions).astype(np.int64)
        first = int(base[0]) - self.reach + 1
        if first < self._first:
            self._held = np.concatenate([np.zeros(self._first - first, np.float32), self._held])
            self._first = first
        around = sliding_window_view(self._held, 2 * self.reach)[base - self.reach + 1 - self._first]
        place = (positions - base) * STEPS
        step = place.astype(np.int64)
        part = (place - step).astype(np.float32)
        near, next_ = (np.einsum("ij,ij->i", around, self._filters[k]) for k in (step, step + 1))
        out: Samples = near * (1 - part) + next_ * part
        self._forget(first - 1)
        return out

    def _forget(self, before: int) -> None:
        drop = before - self._first
        if drop > 0:
            self._held = self._held[drop:]
            self._first = before
