"""What the ear heard, computed anew from what arrived: the proof of the heard track."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recordings.format import Event, Flushed, ReceivedPiece
from streams.audio import Pcm


@dataclass(frozen=True, slots=True)
class Accounts:
    """Where every received sample went: `received = heard + flushed + late + tail`.

    Attributes:
        kept: For each piece, how many of its samples, from its first, a flush left to be heard.
        flushed: Samples that a flush cut off.
        late: Samples that came for an item after it was cut.
        tail: Samples that were still waiting when the session ended.
    """

    kept: tuple[int, ...]
    received: int
    heard: int
    flushed: int
    late: int
    tail: int


def account(pieces: Sequence[ReceivedPiece], events: Sequence[Event], end: int) -> Accounts:
    """Follow every sample that arrived until the session ended at sample `end` of the heard timeline.

    An item that a flush cut was heard up to the count the flush gives, and no further.
    """
    limits = {
        item: heard for event in events if isinstance(event, Flushed) for item, heard, _ in event.items
    }
    given: Counter[str] = Counter()
    kept = []
    heard = 0
    for piece in pieces:
        room = limits[piece.item] - given[piece.item] if piece.item in limits else piece.samples
        take = 0 if piece.start is None else min(max(room, 0), piece.samples)
        given[piece.item] += take
        kept.append(take)
        if piece.start is not None:
            heard += min(take, max(end - piece.start, 0))
    received = sum(piece.samples for piece in pieces)
    late = sum(piece.samples for piece in pieces if piece.start is None)
    return Accounts(tuple(kept), received, heard, received - late - sum(kept), late, sum(kept) - heard)


def heard_track(pieces: Sequence[ReceivedPiece], kept: Sequence[int], received: Pcm, length: int) -> Pcm:
    """The heard track, `length` samples: each piece at its start, as far as it was kept."""
    track = np.zeros(length, np.int16)
    for piece, samples in zip(pieces, kept, strict=True):
        if piece.start is not None and piece.start < length:
            heard = received[piece.offset : piece.offset + min(samples, length - piece.start)]
            track[piece.start : piece.start + heard.size] = heard
    return track
