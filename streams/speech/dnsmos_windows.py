"""Which windows of a clip DNSMOS is asked about, by integer arithmetic, and what of them is shared.

The model hears 9.01 s. Its authors' program moves that window on by 1 s; it leaves out the last window that
fits and what lies behind it. Here every window that fits is scored, and one more that ends with the clip if
the others leave a rest. A clip shorter than a window is repeated, doubling, and scored where the original
scores it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from streams.audio import Samples

FRAME = 160
"""Samples (at 16 kHz) from one frame of the models' spectra to the next: 10 ms."""

WINDOW_FRAMES = 900
WINDOW = WINDOW_FRAMES * FRAME + FRAME
"""Samples that the model hears: 9.01 s."""

HOP = 16000
"""Samples from one window to the next: 1 s."""

GRID = 4 * FRAME
"""Windows whose starts differ by a multiple of this (40 ms) share most of their work."""

_MOST = 64
"""Windows scored together: bounds memory, however long the clip is."""


@dataclass(frozen=True, slots=True)
class Material:
    """A stretch of a clip whose windows are scored together.

    Attributes:
        first: Its first sample in the clip.
        frames: Its length.
        starts: First frame of each window, all multiples of `GRID`.
        cyclic: After its last frame the first one follows: a clip that is repeated without end.
    """

    first: int
    frames: int
    starts: tuple[int, ...]
    cyclic: bool = False

    def samples(self, clip: Samples) -> Samples:
        """Its samples, one frame more than `frames` (frames overlap by one), and one frame before."""
        places = np.arange(self.first - FRAME, self.first + (self.frames + 1) * FRAME)
        return clip.take(places, mode="wrap")


def window_starts(samples: int) -> list[int]:
    """First samples of the windows of a clip; a clip shorter than a window is meant to be repeated."""
    if samples < 1:
        return []
    if samples < WINDOW:
        repeated = samples
        while repeated < WINDOW:
            repeated *= 2
        # the original's count: int(floor(seconds) - 9.01) + 1
        return [HOP * index for index in range(max(1, repeated // HOP - 9))]
    starts = list(range(0, samples - WINDOW + 1, HOP))
    if starts[-1] + WINDOW < samples:
        starts.append(samples - WINDOW)
    return starts


def scored_samples(samples: int) -> int:
    """How many samples of a clip are in at least one window."""
    end = covered = 0
    for start in window_starts(samples):
        last = min(start + WINDOW, samples)
        covered += max(0, last - max(start, end))
        end = max(end, last)
    return covered


def materials(samples: int) -> Iterator[Material]:
    """The windows of a clip in order, in groups that share their work."""
    starts = window_starts(samples)
    if not starts:
        return
    if samples < WINDOW and samples % GRID == 0:
        period = samples // FRAME
        yield Material(0, period, tuple(start // FRAME % period for start in starts), cyclic=True)
        return
    tail = starts.pop() if starts[-1] % GRID else None
    for index in range(0, len(starts), _MOST):
        yield _linear(starts[index : index + _MOST])
    if tail is not None:
        yield _linear([tail])


def _linear(starts: Sequence[int]) -> Material:
    frames = [(start - starts[0]) // FRAME for start in starts]
    return Material(starts[0], frames[-1] + WINDOW_FRAMES, tuple(frames))
