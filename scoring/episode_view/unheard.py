"""What arrived and was never heard: cut off by a flush, too late for its item, or left at the end. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from recordings.format import ReceivedPiece
from recordings.heard import account
from scoring.episode_view.axis import Axis, lane, span
from scoring.episode_view.spans import Lane, Source, Span
from scoring.view import EpisodeView

_WHY = {
    "flushed": "received, cut off before it was heard",
    "late": "received after its item was cut",
    "tail": "received, not heard when the call ended",
}


@dataclass(frozen=True, slots=True)
class _Lost:
    """A run of samples that were not heard.

    Attributes:
        at: Where they would have been heard, or arrived; in samples of the endpoint's track.
        first: Their first sample in received.wav.
    """

    kind: str
    item: str
    at: int
    first: int
    samples: int

    def followed_by(self, other: _Lost) -> bool:
        """True if the other goes on where this ends."""
        same = (self.kind, self.item, self.first + self.samples) == (other.kind, other.item, other.first)
        return same and (self.kind == "late" or self.at + self.samples == other.at)


def unheard_lane(view: EpisodeView, axis: Axis) -> Lane:
    """Each run of samples that arrived and was not heard, where it would have been heard."""
    return lane("unheard", (_span(lost, axis) for lost in _joined(_lost(view, axis))))


def _lost(view: EpisodeView, axis: Axis) -> Iterator[_Lost]:
    end = axis.timeline.duration // axis.timeline.endpoint_step
    kept = account(view.received, view.events, end).kept
    for piece, heard in zip(view.received, kept, strict=True):
        if piece.start is None:
            at = axis.seconds(piece.t) // axis.timeline.endpoint_step
            yield _Lost("late", piece.item, at, piece.offset, piece.samples)
            continue
        before_end = min(heard, max(end - piece.start, 0))
        yield from _part(piece, "tail", before_end, heard)
        yield from _part(piece, "flushed", heard, piece.samples)


def _part(piece: ReceivedPiece, kind: str, first: int, past: int) -> Iterator[_Lost]:
    if past > first:
        assert piece.start is not None
        yield _Lost(kind, piece.item, piece.start + first, piece.offset + first, past - first)


def _joined(found: Iterator[_Lost]) -> Iterator[_Lost]:
    last: _Lost | None = None
    for lost in found:
        if last is not None and last.followed_by(lost):
            last = replace(last, samples=last.samples + lost.samples)
        else:
            if last is not None:
                yield last
            last = lost
    if last is not None:
        yield last


def _span(lost: _Lost, axis: Axis) -> Span:
    latest = axis.timeline.duration
    start = min(axis.endpoint(lost.at), latest)
    end = start if lost.kind == "late" else min(axis.endpoint(lost.at + lost.samples), latest)
    length = axis.text(axis.endpoint(lost.samples))
    source = Source(track="received", start=lost.first, end=lost.first + lost.samples)
    return span(start, end, lost.kind, f"{_WHY[lost.kind]}, {length}", {"item": lost.item}, source)
