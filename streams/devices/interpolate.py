"""Samples between samples: band-limited interpolation at any positions. Pure.

A device's rate is not quite what it says, and changes: a resampler of fixed ratio (soxr, as its Python
package gives it) would have to be restarted at each correction. Here each output sample has a position of
its own: x(p) = sum of x[n] h(p - n), h a sinc in a Kaiser window (Smith, Digital Audio Resampling, 2002).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streams.audio import Samples

ZEROS = 16
"""Zero crossings of the sinc on each side: 1 ms of delay at 16 kHz."""

STEPS = 512
"""Table entries between zero crossings, with linear interpolation between them: error below -90 dB."""

BETA = 9.0
"""Of the Kaiser window: side lobes below -90 dB."""

ROLLOFF = 0.92
"""Where a rate is lowered: the pass band as a part of the lower rate's."""

Positions = npt.NDArray[np.float64]


def _table() -> npt.NDArray[np.float64]:
    x = np.arange(ZEROS * STEPS + 2) / STEPS
    inside = np.clip(1 - (x / ZEROS) ** 2, 0, None)
    window = np.i0(BETA * np.sqrt(inside)) / np.i0(BETA)
    return np.sinc(x) * np.where(x <= ZEROS, window, 0)


_TABLE = _table()


class Interpolator:
    """Reads a stream at positions between its samples.

    Args:
        source: Samples per second of what is pushed.
        target: Samples per second of what is read, about.
    """

    def __init__(self, source: int, target: int) -> None:
        self._cutoff = 1.0 if target >= source else ROLLOFF * target / source
        self.reach = int(np.ceil(ZEROS / self._cutoff))
        """Samples that must be there on both sides of a position."""
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
        taps = np.arange(-self.reach + 1, self.reach + 1)
        index = base[:, None] + taps - self._first
        known = index >= 0
        distance = np.abs((positions - base)[:, None] - taps) * self._cutoff * STEPS
        distance = np.minimum(distance, ZEROS * STEPS)
        low = distance.astype(np.int64)
        part = distance - low
        weights = (_TABLE[low] * (1 - part) + _TABLE[low + 1] * part) * self._cutoff
        values = self._held[np.where(known, index, 0)] * known
        out: Samples = np.einsum("ij,ij->i", values, weights).astype(np.float32)
        self._forget(int(base[0]) - self.reach)
        return out

    def _forget(self, before: int) -> None:
        drop = before - self._first
        if drop > 0:
            self._held = self._held[drop:]
            self._first = before
