"""The highest and lowest sample of every column of a waveform, at any zoom.

A *pyramid* keeps them for blocks of 256 samples, and for blocks of blocks: an hour at 24 kHz is read once,
and takes 2 MB. Closer than that, the samples themselves are read: few are in sight then. A file that has
grown is read from where it was left.
"""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from recordings.studio.tracks import TrackFile
from streams.audio import Pcm

BLOCK = 256
"""Samples of a block of the lowest level."""

FACTOR = 4
"""Blocks of one level that make a block of the next."""

LEVELS = 8

WIDEST = 8192
"""Columns at most."""

CLOSE = 2 * BLOCK
"""Samples a column below which the samples themselves are looked at."""

_AT_ONCE = 1 << 20
"""Samples read at once; whole blocks of every level."""

_END = 1 << 16
"""Samples at either end by which a file that has grown is known again."""

_KEPT = 64
"""Pyramids in memory at most: those that were asked for last."""

Pairs = npt.NDArray[np.int16]
"""Lowest and highest sample, shape (n, 2)."""


@dataclass(slots=True)
class Pyramid:
    """The peaks of one track as far as it has been read.

    Attributes:
        samples: How far.
        levels: Of blocks of 256, 1024, 4096 ... samples; the last block of each may be a part of one.
    """

    samples: int = 0
    levels: list[Pairs] = field(default_factory=lambda: [np.zeros((0, 2), np.int16)] * LEVELS)

    def extend(self, track: TrackFile) -> None:
        """Read what has been added to a track.

        Raises:
            RecordingError: It cannot be read.
        """
        begin = self.samples // BLOCK * BLOCK
        found: list[Pairs] = []
        at = begin
        while at < track.samples:
            pcm = track.read(at, at + _AT_ONCE)
            if not pcm.size:
                break  # shorter than it promised
            found.append(pairs_of(pcm, BLOCK))
            at += pcm.size
        self.samples = at
        level = np.concatenate([self.levels[0][: begin // BLOCK], *found])
        self.levels = [level]
        while len(self.levels) < LEVELS:
            level = _coarser(level)
            self.levels.append(level)


def pairs_of(pcm: Pcm, size: int) -> Pairs:
    """Lowest and highest of each block of `size` samples; the last block may be shorter."""
    whole = pcm.size // size * size
    blocks = pcm[:whole].reshape(-1, size)
    found = np.column_stack((blocks.min(axis=1), blocks.max(axis=1)))
    if whole < pcm.size:
        rest = pcm[whole:]
        found = np.concatenate((found, [[rest.min(), rest.max()]]))
    return found.astype(np.int16, copy=False)


def _coarser(level: Pairs) -> Pairs:
    padding = -len(level) % FACTOR
    padded = np.concatenate((level, np.repeat(level[-1:], padding, axis=0))) if padding else level
    groups = padded.reshape(-1, FACTOR, 2)
    return np.column_stack((groups[:, :, 0].min(axis=1), groups[:, :, 1].max(axis=1)))


def columns(track: TrackFile, pyramid: Pyramid, start: int, end: int, width: int) -> Pairs:
    """The peaks of `width` columns that share [start, end) evenly; beyond the track there is silence.

    Columns narrower than a sample repeat it. Wide ones are right to a block of the level that they are read
    from, which is a small part of a column.

    Raises:
        RecordingError: The track cannot be read.
    """
    edges = start + (end - start) * np.arange(width + 1, dtype=np.int64) // width
    level, size, origin = _source(track, pyramid, start, end, width)
    first = (edges[:-1] - origin) // size
    last = np.maximum(-((origin - edges[1:]) // size), first + 1)
    found = np.zeros((width, 2), np.int16)
    inside = (first < len(level)) & (last > 0)
    if len(level) and inside.any():
        begins = np.maximum(first[inside], 0)
        ends = np.minimum(last[inside], len(level))
        found[inside, 0] = _reduced(np.minimum, level[:, 0], begins, ends)
        found[inside, 1] = _reduced(np.maximum, level[:, 1], begins, ends)
    return found


def _source(track: TrackFile, pyramid: Pyramid, start: int, end: int, width: int) -> tuple[Pairs, int, int]:
    """Peaks to look at, samples a pair, first sample: the coarsest level that is fine enough."""
    per_column = (end - start) / width
    if per_column < CLOSE:
        origin = max(start, 0)
        pcm = track.read(origin, end)
        return np.column_stack((pcm, pcm)), 1, origin
    number = 0
    while number + 1 < LEVELS and 8 * BLOCK * FACTOR ** (number + 1) <= per_column:
        number += 1
    return pyramid.levels[number], BLOCK * FACTOR**number, 0


def _reduced(
    best: np.ufunc,
    values: npt.NDArray[np.int16],
    begins: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
) -> npt.NDArray[np.int16]:
    """The best of values[begin:end], for each pair of bounds."""
    bounds = np.empty(2 * len(begins), np.int64)
    bounds[::2], bounds[1::2] = begins, ends
    # reduceat needs bounds inside the values; the last end may be one past them
    padded = np.append(values, values[-1:])
    return np.asarray(best.reduceat(padded, bounds)[::2], np.int16)


class Peaks:
    """The pyramids of the tracks that were looked at last; safe to use from several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Path, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def columns(self, track: TrackFile, start: int, end: int, width: int) -> Pairs:
        """See `columns`; the first look at a track reads it."""
        close = (end - start) / width < CLOSE
        pyramid = Pyramid() if close else self._pyramid(track)
        return columns(track, pyramid, start, end, width)

    def _pyramid(self, track: TrackFile) -> Pyramid:
        with self._lock:
            kept = self._kept.setdefault(track.path, _Kept())
            self._kept.move_to_end(track.path)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        with kept.lock:
            if kept.stamp != track.stamp:
                known = kept.pyramid.samples
                if known >= track.samples or kept.ends != _ends(track, known):
                    kept.pyramid = Pyramid()  # another file, or written anew
                kept.pyramid.extend(track)
                kept.stamp, kept.ends = track.stamp, _ends(track, kept.pyramid.samples)
            return kept.pyramid


@dataclass(slots=True)
class _Kept:
    pyramid: Pyramid = field(default_factory=Pyramid)
    stamp: tuple[int, int, int] | None = None
    ends: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def _ends(track: TrackFile, samples: int) -> int:
    """A checksum of both ends of the first samples: a file that has grown has it still."""
    last = track.read(max(samples - _END, 0), samples)
    return zlib.crc32(last.tobytes(), zlib.crc32(track.read(0, min(_END, samples)).tobytes()))
