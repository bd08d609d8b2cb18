"""Levels, noise, clipping and drop-outs of a stretch, and where in it there is sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.audible import Segment, audible_segments, gaps
from streams.audio import FULL_SCALE, Pcm, Samples, dbfs, to_pcm, to_pcm16

CLIPPED = FULL_SCALE - 1
"""Magnitude in sample units from which a sample is at full scale."""

CLIPPED_RUN = 3
"""Samples at full scale in a row that are clipping, and no lone peak."""

SHORTEST_DROPOUT_S = 0.005
DROPOUT_BEFORE_S, DROPOUT_BELOW_SPEECH_DB = 0.002, -15.0
"""A run of zeros is a drop-out if the 2 ms before it are at most so much below the level of the speech:
even a hasty fade-out of 20 ms is quieter there."""

SHORTEST_FLOOR_S = 0.1
"""Less silence than this says nothing about the noise."""

_PIECE = 1 << 18
"""Samples looked at together: bounds memory."""

_BORDER_S = 0.05
"""Echo and breath beside speech are no background: so much of every gap is left out on either side."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A stretch as PCM16 and where it can be heard.

    Attributes:
        segments: In samples; pauses shorter than 0.2 s are inside them.
    """

    pcm: Pcm
    rate: int
    segments: tuple[Segment, ...]

    @property
    def speaking_s(self) -> float:
        """Seconds in which something can be heard."""
        return sum(segment.samples for segment in self.segments) / self.rate

    @property
    def pauses(self) -> tuple[Segment, ...]:
        """Silences between the first and the last sound."""
        if not self.segments:
            return ()
        inner = gaps(self.segments, self.segments[-1].end)
        return tuple(gap for gap in inner if gap.start >= self.segments[0].end)


def hear(samples: Samples, rate: int) -> Sound:
    """Find the sound in a clip (mono, full scale 1)."""
    pcm = np.empty(samples.size, np.int16)
    for at in range(0, samples.size, _PIECE):
        pcm[at : at + _PIECE] = to_pcm(to_pcm16(samples[at : at + _PIECE]))
    return Sound(pcm, rate, audible_segments(pcm, rate))


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels in dBFS; a full-scale square wave is 0.

    Attributes:
        noise: Between the sounds; minus infinity for zeros, None if there is too little between them.
    """

    peak: float
    speech: float
    noise: float | None


def levels(sound: Sound) -> Levels:
    """Levels of a stretch in which something can be heard."""
    border = round(_BORDER_S * sound.rate)
    background = [
        Segment(gap.start + border, gap.end - border)
        for gap in gaps(sound.segments, sound.pcm.size)
        if gap.samples > 2 * border
    ]
    enough = sum(segment.samples for segment in background) >= SHORTEST_FLOOR_S * sound.rate
    peak = max(int(sound.pcm.max()), -int(sound.pcm.min()))
    return Levels(
        dbfs(peak),
        dbfs(_rms(sound.pcm, sound.segments)),
        dbfs(_rms(sound.pcm, background)) if enough else None,
    )


def _rms(pcm: Pcm, segments: Sequence[Segment]) -> float:
    """AC level of some segments together, in sample units."""
    squares = count = 0.0
    for segment in segments:
        for at in range(segment.start, segment.end, _PIECE):
            part = pcm[at : min(at + _PIECE, segment.end)]
            squares += float(np.var(part, dtype=np.float64)) * part.size
            count += part.size
    return float(np.sqrt(squares / count))


def clipping(pcm: Pcm) -> tuple[float, int]:
    """Share of samples at full scale, and how many runs of three and more they make."""
    if not pcm.size:
        return 0.0, 0
    full = (pcm >= CLIPPED) | (pcm <= -CLIPPED)
    longer = sum(end - start >= CLIPPED_RUN for start, end in runs(full))
    return float(np.count_nonzero(full) / pcm.size), longer


def dropouts(sound: Sound, speech_dbfs: float) -> tuple[int, float]:
    """Runs of zeros that begin in the middle of sound: how many, and their seconds together.

    A pause of digital silence after a word that has died away is none.
    """
    if not sound.segments:
        return 0, 0.0
    shortest, before = (round(s * sound.rate) for s in (SHORTEST_DROPOUT_S, DROPOUT_BEFORE_S))
    first, last = sound.segments[0].start, sound.segments[-1].end
    lowest = FULL_SCALE * 10 ** ((speech_dbfs + DROPOUT_BELOW_SPEECH_DB) / 20)
    lost = [
        end - start
        for start, end in runs(sound.pcm[first:last] == 0)
        if end - start >= shortest
        and start >= before
        and _rms(sound.pcm, [Segment(first + start - before, first + start)]) >= lowest
    ]
    return len(lost), sum(lost) / sound.rate


def runs(flags: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Stretches of True: first index, and one past the last."""
    if not flags.any():
        return
    edges = (np.flatnonzero(flags[1:] != flags[:-1]) + 1).tolist()
    edges = [0] * bool(flags[0]) + edges + [flags.size] * bool(flags[-1])
    yield from zip(edges[::2], edges[1::2], strict=True)
