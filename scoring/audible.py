"""Where a track can be heard: segments exact to the sample, whatever the frame grid.

A stretch is audible where a window of 10 ms, taken at every sample, carries an alternating signal above
a threshold; the variance of the window is used, so that a constant offset and slow drift are silence.
The edges are then moved to the first and last sample that moves, by the rule of `streams.speech.audible`
that found the edges of the user's clips: the two ends of a latency are measured alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from recordings.wav import let_go
from scoring.loud import cells_of, loud_runs, sparing, threshold_and_noise
from streams.audio import Pcm
from streams.speech.audible import FLOOR as EDGE_FLOOR
from streams.speech.audible import RELATIVE as EDGE_RELATIVE
from streams.speech.audible import WINDOW_S as EDGE_WINDOW_S

_WINDOW_MS = 10
_EDGE_SIGMAS = 8.0
"""Peak to peak, in multiples of the noise's RMS: noise hardly ever moves so far within 2 ms."""

_REACH_S = 0.2
"""How far soft sound before a loud window, or after it, still belongs to it."""


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """A stretch of a track, in samples.

    Attributes:
        start: First sample.
        end: One past the last sample.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"a segment can't end at {self.end}, before its start at {self.start}")

    @property
    def samples(self) -> int:
        """Length in samples."""
        return self.end - self.start


def audible_segments(
    pcm: Pcm,
    rate: int,
    *,
    merge_gap_s: float = 0.2,
    threshold_dbfs: float = -50.0,
    min_s: float = 0.02,
) -> tuple[Segment, ...]:
    """Find where a mono track can be heard.

    Args:
        pcm: int16 samples, shape (n,).
        rate: Samples per second.
        merge_gap_s: Silence up to this long inside speech makes no new segment.
        threshold_dbfs: RMS level of a 10 ms window, without its mean, from which it is sound. With steady
            background noise the threshold is 12 dB above the noise instead, at most -32 dBFS.
        min_s: Shorter sounds, clicks above all, are dropped after merging.

    Returns:
        Segments in order; they neither touch nor overlap.
    """
    if pcm.ndim != 1:
        raise ValueError(f"audio of shape {pcm.shape}: a track is mono, shape (n,); split channels first")
    window = max(rate * _WINDOW_MS // 1000, 1)
    cells = cells_of(pcm, window)
    threshold, noise = threshold_and_noise(cells, threshold_dbfs)
    loud = [Segment(*run) for run in loud_runs(pcm, cells, threshold)]
    span = max(2, round(EDGE_WINDOW_S * rate))
    edge = max(EDGE_FLOOR, EDGE_RELATIVE * _highest_movement(pcm, loud, span), _EDGE_SIGMAS * noise)
    bounds = [Segment(0, 0), *loud, Segment(pcm.size, pcm.size)]
    runs = [
        _refined(pcm, run, _room(before, run, after, round(_REACH_S * rate)), edge, window, span)
        for before, run, after in sparing(pcm, zip(bounds, loud, bounds[2:], strict=False))
    ]
    let_go(pcm)
    merged = merge(runs, round(merge_gap_s * rate))
    return tuple(segment for segment in merged if segment.samples >= min_s * rate)


def merge(segments: Iterable[Segment], gap: int = 0) -> tuple[Segment, ...]:
    """Join segments that overlap or are at most `gap` samples apart."""
    merged: list[Segment] = []
    for segment in sorted(segments):
        if merged and segment.start - merged[-1].end <= gap:
            merged[-1] = Segment(merged[-1].start, max(merged[-1].end, segment.end))
        else:
            merged.append(segment)
    return tuple(merged)


def common(first: Iterable[Segment], second: Iterable[Segment]) -> tuple[Segment, ...]:
    """What two lists of segments have in common; each list is merged first."""
    left, right = merge(first), merge(second)
    shared: list[Segment] = []
    i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i].start, right[j].start), min(left[i].end, right[j].end)
        if start < end:
            shared.append(Segment(start, end))
        if left[i].end <= right[j].end:
            i += 1
        else:
            j += 1
    return tuple(shared)


def gaps(segments: Iterable[Segment], until: int) -> tuple[Segment, ...]:
    """What no segment covers in [0, until)."""
    free: list[Segment] = []
    position = 0
    for segment in merge(segments):
        if position < min(segment.start, until):
            free.append(Segment(position, min(segment.start, until)))
        position = max(position, segment.end)
    if position < until:
        free.append(Segment(position, until))
    return tuple(free)


def total(segments: Iterable[Segment]) -> int:
    """Samples covered, each counted once."""
    return sum(segment.samples for segment in merge(segments))


def _highest_movement(pcm: Pcm, runs: Sequence[Segment], span: int) -> int:
    """The largest peak-to-peak range within `span` samples of any run."""
    highest = 0
    for run in sparing(pcm, runs):
        part = pcm[run.start : run.end]
        if int(part.max()) - int(part.min()) > highest:  # else nothing within it is larger
            highest = max(highest, _movement(part, span))
    return highest


def _movement(pcm: Pcm, span: int) -> int:
    """The largest peak-to-peak range within `span` samples, on four grids of them."""
    largest = 0
    for shift in range(0, min(span, pcm.size), max(span // 4, 1)):
        part = pcm[shift:].astype(np.int32)
        width = min(span, part.size)
        largest = max(
            largest, int(np.ptp(part[: part.size // width * width].reshape(-1, width), axis=1).max())
        )
    return largest


def _room(before: Segment, run: Segment, after: Segment, reach: int) -> Segment:
    """Where the soft beginning and end of a run may lie: up to 0.2 s beside it, short of its neighbours."""
    return Segment(max(run.start - reach, before.end), min(run.end + reach, after.start))


def _refined(pcm: Pcm, run: Segment, room: Segment, edge: float, window: int, span: int) -> Segment:
    """Move both edges of a run to the first and last sample that moves."""
    first = _onset(pcm, room.start, run.start + window, edge, span)
    last = _onset(pcm[::-1], pcm.size - room.end, pcm.size - run.end + window, edge, span)
    start = run.start if first is None else first
    return Segment(start, max(start, run.end if last is None else pcm.size - last))


def _onset(pcm: Pcm, begin: int, end: int, edge: float, span: int) -> int | None:
    """The first sample in [begin, end) that has moved by more than `edge` within `span` samples."""
    before = min(begin, span - 1)
    clip = pcm[begin - before : end].astype(np.int32)
    if before < span - 1:
        clip = np.pad(clip, (span - 1 - before, 0), mode="edge")
    moving = np.flatnonzero(_running(np.maximum, clip, span) - _running(np.minimum, clip, span) > edge)
    if not begin and abs(float(pcm[0])) > edge and not (moving.size and moving[0] >= span):
        return 0  # sound from the very first sample can't be told by movement
    return begin + int(moving[0]) if moving.size else None


def _running(best: np.ufunc, values: npt.NDArray[np.int32], span: int) -> npt.NDArray[np.int32]:
    """The best of every `span` neighbours, from ever longer stretches: few passes, whatever the span."""
    have = 1
    while 2 * have <= span:
        values = best(values[:-have], values[have:])
        have *= 2
    rest = span - have
    return best(values[:-rest], values[rest:]) if rest else values
