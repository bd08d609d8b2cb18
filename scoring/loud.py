"""Which windows of a track are sound: one begins at every sample, and some are louder than its noise.

The variance of a window is what counts, so that a constant offset and slow drift are silence. All of it is
exact, in integers; only the threshold is a float.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from recordings.wav import let_go
from streams.audio import FULL_SCALE, Pcm

_Ints = npt.NDArray[np.int64]

T = TypeVar("T")

_BLOCK = 1 << 16
"""Samples handled at once: bounds memory, whatever the length of a track."""

_AT_ONCE = 64
"""Blocks or segments of a track on the disk that are in memory at a time: 8 MB of blocks."""

_FLOOR_PERCENTILE = 10
_ABOVE_FLOOR_DB = 12.0
_HIGHEST_THRESHOLD_DBFS = -32.0
"""What is louder is sound even if it never stops: a long reply must not become its own noise floor."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A track cut into cells as long as a window, the last samples left over.

    Attributes:
        window: Samples of a cell.
        sums: Of the samples of each cell.
        squares: Sums of their squares.
        levels: RMS of each cell without its mean, to single precision.
    """

    window: int
    sums: _Ints
    squares: _Ints
    levels: npt.NDArray[np.float32]

    def spread(self) -> _Ints:
        """window² times the variance of each cell."""
        return self.window * self.squares - self.sums * self.sums

    def spread_of_two(self) -> _Ints:
        """The same of each cell with the next one: 4 window² times their variance."""
        sums, squares = self.sums[:-1] + self.sums[1:], self.squares[:-1] + self.squares[1:]
        return 2 * self.window * squares - sums * sums


def cells_of(pcm: Pcm, window: int) -> Cells:
    """Cut a track, int16 of shape (n,), into cells of `window` samples."""
    whole = pcm.size // window * window
    sums, squares, levels = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
    step = max(_BLOCK // window, 1) * window
    for at in sparing(pcm, range(0, whole, step)):
        block = pcm[at : min(at + step, whole)].reshape(-1, window)
        wide = block.astype(np.float64)  # sums of integers are exact in it up to 2**53, and quick
        sums.append(wide.sum(axis=1).astype(np.int64))
        squares.append(np.einsum("ij,ij->i", wide, wide).astype(np.int64))
        levels.append(np.std(block, axis=1, dtype=np.float32))
    return Cells(window, np.concatenate(sums), np.concatenate(squares), np.concatenate(levels))


def threshold_and_noise(cells: Cells, lowest_dbfs: float) -> tuple[float, float]:
    """In sample units: the RMS from which a window is sound, and the RMS of the noise between sounds."""
    floor = float(np.percentile(cells.levels, _FLOOR_PERCENTILE)) if cells.levels.size else 0.0
    threshold = max(_amplitude(lowest_dbfs), floor * 10 ** (_ABOVE_FLOOR_DB / 20))
    highest = _amplitude(_HIGHEST_THRESHOLD_DBFS)
    # a track without a quiet tenth has no floor that could be told from its sound
    return (highest, 0.0) if threshold > highest else (threshold, floor)


def _amplitude(level_dbfs: float) -> float:
    return float(FULL_SCALE * 10 ** (level_dbfs / 20))


def loud_runs(pcm: Pcm, cells: Cells, threshold: float) -> list[tuple[int, int]]:
    """Unions of all windows whose RMS without their mean reaches a threshold, in order: from, to.

    Few windows have to be looked at. Two cells in a row that are sound cover all windows that begin in the
    first; and where two together hold less than a window must, none over both is sound.
    """
    if not pcm.size:
        return []
    window, least = cells.window, math.ceil((cells.window * threshold) ** 2)
    loud = cells.spread() >= least
    found = [np.flatnonzero(loud) * window]
    unknown = np.flatnonzero(~(loud[:-1] & loud[1:]) & (cells.spread_of_two() >= 2 * least)) * window
    for at in sparing(pcm, range(0, unknown.size, _BLOCK // window + 1)):
        begin = unknown[at : at + _BLOCK // window + 1]
        around = np.lib.stride_tricks.sliding_window_view(pcm, 2 * window - 1)[begin]
        found += _outermost(begin, _spread(around, window) >= least)
    last = max(loud.size - 1, 0) * window
    # the last sample goes on for one window, so that the track's end looks like any other place
    rest = np.pad(pcm[last:], (0, window - 1), mode="edge")
    found.append(last + np.flatnonzero(_spread(rest[None, :], window) >= least))
    return _united(np.sort(np.concatenate(found)), window, pcm.size)


def _spread(rows: Pcm, window: int) -> _Ints:
    """window² times the variance of the windows that begin at each sample of some rows."""
    wide = np.zeros((len(rows), rows.shape[1] + 1), np.int64)
    wide[:, 1:] = rows
    sums, squares = np.cumsum(wide, axis=1), np.cumsum(wide * wide, axis=1)
    mean = sums[:, window:] - sums[:, :-window]
    spread: _Ints = window * (squares[:, window:] - squares[:, :-window]) - mean * mean
    return spread


def _outermost(begin: _Ints, loud: npt.NDArray[np.bool_]) -> list[_Ints]:
    """The first and the last place of each row that is loud; windows between them are covered by theirs."""
    rows = np.flatnonzero(loud.any(axis=1))
    begin, loud = begin[rows], loud[rows]
    return [begin + loud.argmax(axis=1), begin + loud.shape[1] - 1 - loud[:, ::-1].argmax(axis=1)]


def _united(begin: _Ints, window: int, size: int) -> list[tuple[int, int]]:
    """Windows by where they begin, those that touch as one; they end where the track does."""
    if not begin.size:
        return []
    breaks = np.flatnonzero(np.diff(begin) > window)
    firsts = begin[np.append(0, breaks + 1)].tolist()
    lasts = begin[np.append(breaks, begin.size - 1)].tolist()
    return [(first, min(last + window, size)) for first, last in zip(firsts, lasts, strict=True)]


def sparing(pcm: Pcm, items: Iterable[T]) -> Iterator[T]:
    """The same items; while they are gone through, little of a track that lies on the disk is in memory."""
    for number, item in enumerate(items):
        yield item
        if number % _AT_ONCE == _AT_ONCE - 1:
            let_go(pcm)
