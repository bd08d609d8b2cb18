"""Layers of a network on overlapping windows, each computed once for all windows that share it.

A convolution sees nothing but its neighbourhood: in the middle of a window it gives what it gives in the
window a second later. Only at a window's two edges, where zeros take the place of the neighbours, is it the
window's own. So each stage of a network is computed once along the whole stretch, and for every window a
few cells at either edge again. What comes out for a window is what the network makes of it alone, to
rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
F = TypeVar("F", np.float32, np.float64)

_BLOCK = 256
"""Cells computed at once: bounds memory, however long the stretch is."""


def cut(cells: npt.NDArray[F], start: int, end: int) -> npt.NDArray[F]:
    """Some cells in time; behind the last one the first follows."""
    if 0 <= start <= end <= len(cells):
        return cells[start:end]
    return cells.take(np.arange(start, end), axis=0, mode="wrap")


@dataclass(frozen=True, slots=True)
class Strip:
    """What was made of a stretch; all arrays have the shape (cells in time, cells in frequency, ...).

    Attributes:
        middle: As it is in the middle of a window.
        left: Of each window the first cells, where they are its own.
        right: Of each window the last cells.
        cyclic: Behind the end of the middle it begins again, and windows go on there.
    """

    middle: Floats
    left: Sequence[Floats] = ()
    right: Sequence[Floats] = ()
    cyclic: bool = False

    def part(self, start: int, end: int) -> Floats:
        """Cells of the middle; what lies beyond a stretch that is not cyclic is in no window's middle."""
        return cut(self.middle, start, end)

    def head(self, start: int, cells: int, index: int) -> Floats:
        """The first cells of a window."""
        return np.concatenate([*self.left[index : index + 1], self.part(start + self._edge, start + cells)])

    def tail(self, end: int, cells: int, index: int) -> Floats:
        """The last cells of a window."""
        return np.concatenate([self.part(end - cells, end - self._edge), *self.right[index : index + 1]])

    def window(self, start: int, cells: int, index: int) -> Floats:
        """All cells of a window."""
        head = self.head(start, cells - self._edge, index)
        return np.concatenate([head, *self.right[index : index + 1]])

    def from_cell(self, first: int, windows: Sequence[int]) -> Strip:
        """The strip from a cell on, with some of its windows, by index."""
        middle = np.roll(self.middle, -first, axis=0) if self.cyclic else self.middle[first:]
        left, right = ([edges[i] for i in windows] if edges else () for edges in (self.left, self.right))
        return Strip(middle, left, right, self.cyclic)

    @property
    def _edge(self) -> int:
        return len(self.left[0]) if self.left else 0


@dataclass(frozen=True, slots=True)
class Stage:
    """Some layers of a network.

    Attributes:
        layers: What they make of cells between borders of zeros.
        stride: Cells of the input for one of the output.
        reach: Cells of the input, beside its own, that an output cell depends on; a multiple of the stride.
        edge: Cells of the output at either end of a window that differ from the middle of another.
    """

    layers: Callable[[Floats], Floats]
    stride: int
    reach: int
    edge: int

    def apply(self, strip: Strip, starts: Sequence[int], length: int) -> Strip:
        """What the stage makes of a strip.

        Args:
            strip: The input.
            starts: First cells of the windows, multiples of the stride.
            length: Cells of a window.
        """
        cells = self.edge * self.stride + self.reach  # the far end does not reach the cells that are kept
        rest = length % self.stride  # what fills no tile at the end of a window is dropped
        heads = (strip.head(start, cells, index) for index, start in enumerate(starts))
        tails = (strip.tail(start + length, cells + rest, index) for index, start in enumerate(starts))
        return Strip(
            self._middle(strip),
            [self.layers(head)[: self.edge] for head in heads],
            [self.layers(tail[:cells])[-self.edge :] for tail in tails],
            strip.cyclic,
        )

    def _middle(self, strip: Strip) -> Floats:
        made: list[Floats] = []
        total, beside = len(strip.middle) // self.stride, self.reach // self.stride
        for at in range(0, total, _BLOCK // self.stride):
            end = min(at + _BLOCK // self.stride, total)
            part = strip.part(at * self.stride - self.reach, end * self.stride + self.reach)
            made.append(self.layers(part)[beside : beside + end - at])
        return np.concatenate(made)


def windows_after(
    stages: Sequence[Stage], strip: Strip, starts: Sequence[int], length: int
) -> list[Floats]:
    """Each window of a strip as the stages make it, with all its cells.

    Args:
        stages: One behind the other.
        strip: The input of the first.
        starts: First cells of the windows; in a cyclic strip within the first round.
        length: Cells of a window.
    """
    if not stages:
        return [strip.window(start, length, index) for index, start in enumerate(starts)]
    stage = stages[0]
    made: dict[int, Floats] = {}
    for part, places, indices in _aligned(strip, starts, stage.stride):
        after = stage.apply(part, places, length)
        places = [place // stage.stride for place in places]
        windows = windows_after(stages[1:], after, places, length // stage.stride)
        made |= zip(indices, windows, strict=True)
    return [made[index] for index in range(len(starts))]


def _aligned(
    strip: Strip, starts: Sequence[int], stride: int
) -> Iterator[tuple[Strip, list[int], list[int]]]:
    """The strip so that windows begin on a grid: its parts, the places of windows there, their indices."""
    cells = len(strip.middle)
    if strip.cyclic and cells % stride:  # after so many rounds the grid falls as in the first
        rounds = [start + cells * turn for start in starts for turn in range(stride)]
        starts = [place for place in rounds if place % stride == 0]
        strip = replace(strip, middle=np.concatenate([strip.middle] * stride))
    for phase in sorted({start % stride for start in starts}):
        indices = [index for index, start in enumerate(starts) if start % stride == phase]
        yield strip.from_cell(phase, indices), [starts[index] - phase for index in indices], indices
