"""Which reply a heard sample belongs to: the pieces of audio that arrived, put together again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from recordings.format import ReceivedPiece
from scoring.audible import Segment

LONGEST_HOLE_S = 1.0
"""A stall up to this long is a hole in a delivery; after a longer one a new delivery begins."""


@dataclass(slots=True)
class Delivery:
    """The pieces of one response; without responses, pieces of one item that follow each other.

    Attributes:
        response: The endpoint's id of the response, "" where the protocol has none.
        arrival: When its first piece arrived, in seconds.
        start: Where its first piece was played, on the endpoint's track; None if it never was.
        end: One past the last sample placed.
        pieces: Positions in the list of received pieces.
        items: Item ids, in order of their first piece.
    """

    response: str
    arrival: float
    start: int | None
    end: int
    pieces: list[int] = field(default_factory=list)
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a stretch of heard samples comes from.

    Attributes:
        start: First sample on the endpoint's track.
        end: One past the last sample that was played.
        delivery: The delivery, by its position in `Deliveries.all`.
        arrival: When the piece arrived, in seconds.
    """

    start: int
    end: int
    delivery: int
    arrival: float


class Deliveries:
    """The received pieces of one episode, grouped, and where each of them was heard.

    Args:
        pieces: In order of arrival.
        rate: Of the endpoint's track.
    """

    def __init__(self, pieces: Sequence[ReceivedPiece], rate: int) -> None:
        self.all: list[Delivery] = []
        self._hole = round(LONGEST_HOLE_S * rate)
        self._origins: list[Origin] = []
        latest: dict[tuple[str, str], int] = {}
        for position, piece in enumerate(pieces):
            name = (piece.response, "" if piece.response else piece.item)
            index = latest.get(name)
            if index is None or not self._continues(self.all[index], piece):
                index = latest[name] = len(self.all)
                self.all.append(Delivery(piece.response, piece.t, piece.start, piece.start or 0))
            self._add(index, position, piece)
        self._starts = [origin.start for origin in self._origins]

    def at(self, sample: int) -> Origin | None:
        """Where the sound at a sample of the endpoint's track comes from."""
        found = bisect_right(self._starts, sample) - 1
        if found < 0 or sample >= self._origins[found].end:
            return None
        return self._origins[found]

    def split(self, segment: Segment) -> list[Segment]:
        """Cut a segment where one delivery takes over from another."""
        origin = self.at(segment.start)
        previous = None if origin is None else origin.delivery
        cuts = [segment.start]
        for origin in self._origins[bisect_right(self._starts, segment.start) :]:
            if origin.start >= segment.end:
                break
            if previous is not None and origin.delivery != previous:
                cuts.append(origin.start)
            previous = origin.delivery
        return [Segment(a, b) for a, b in zip(cuts, [*cuts[1:], segment.end], strict=True)]

    def _continues(self, delivery: Delivery, piece: ReceivedPiece) -> bool:
        if delivery.response or piece.start is None or delivery.start is None:
            return True
        return piece.start - delivery.end <= self._hole

    def _add(self, index: int, position: int, piece: ReceivedPiece) -> None:
        delivery = self.all[index]
        delivery.pieces.append(position)
        if piece.item not in delivery.items:
            delivery.items.append(piece.item)
        if piece.start is None:
            return
        if delivery.start is None:
            delivery.start = piece.start
        delivery.end = piece.start + piece.samples
        # playback was cut where a later piece is placed before the end of an earlier one
        while self._origins and self._origins[-1].end > piece.start:
            cut = self._origins.pop()
            if cut.start < piece.start:
                self._origins.append(Origin(cut.start, piece.start, cut.delivery, cut.arrival))
        if piece.samples:
            self._origins.append(Origin(piece.start, delivery.end, index, piece.t))
