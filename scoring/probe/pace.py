"""How an endpoint delivers its sound: at once, at 1x, or so far ahead. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

from recordings.format import ReceivedPiece

Pace = Literal["burst", "realtime", "lead", "unknown"]

SHORTEST_S = 0.5
"""A reply that is shorter tells nothing of its pace."""

JITTER_S = 0.2
"""Sound that runs so far ahead of 1x, beyond one of its pieces, still counts as 1x."""

SETTLED = 0.8
"""From this share of the greatest lead on, an endpoint that keeps a lead delivers at 1x."""

SETTLED_FOR_S = 0.3
AT_1X = 1.25
"""At most so many seconds of sound in a second."""

SAME, MOST = 0.2, 0.7
"""Delivery is steady if so great a share of the pieces is within so much of the median speed."""

TOGETHER_S = 0.005
"""Pieces that come so close to each other were sent as one."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The pace of one reply.

    Attributes:
        ahead_s: The most that had arrived and was still to be played at 1x, from the first piece on.
        speed: Seconds of sound per second of delivery, from piece to piece: the median. None if too little
            came one after the other to tell.
        steady: Most pieces came at that speed: a clock paces them, not the making of the sound.
    """

    pace: Pace
    ahead_s: float = 0.0
    speed: float | None = None
    steady: bool = False


def delivered(pieces: Sequence[ReceivedPiece], rate: int) -> Delivered:
    """The pace of the pieces of one reply, in order of arrival; `rate` in samples per second."""
    parts = _parts(pieces, rate)
    total = sum(seconds for _, seconds in parts)
    if total < SHORTEST_S:
        return Delivered("unknown")
    first = parts[0][0]
    leads: list[tuple[float, float, float]] = []  # time since the first piece, sound so far, its lead
    sound = 0.0
    for at, seconds in parts:
        sound += seconds
        leads.append((at - first, sound, sound - (at - first)))
    ahead = max(lead for _, _, lead in leads)
    usual = median(piece.samples for piece in pieces) / rate
    speed, steady = _speed(parts)
    if len(parts) > 1 and ahead <= usual + JITTER_S:
        return Delivered("realtime", ahead, speed, steady)
    since, before, _ = next(each for each in leads if each[2] >= SETTLED * ahead)
    rest_s = leads[-1][0] - since
    settled = rest_s >= SETTLED_FOR_S and (total - before) / rest_s <= AT_1X
    return Delivered("lead" if settled else "burst", ahead, speed, steady)


def _parts(pieces: Sequence[ReceivedPiece], rate: int) -> list[tuple[float, float]]:
    """Time of arrival and seconds of sound; what came together is one."""
    parts: list[tuple[float, float]] = []
    latest = float("-inf")
    for piece in pieces:
        seconds = piece.samples / rate
        if parts and piece.t - latest <= TOGETHER_S:
            parts[-1] = parts[-1][0], parts[-1][1] + seconds
        else:
            parts.append((piece.t, seconds))
        latest = piece.t
    return parts


def _speed(parts: Sequence[tuple[float, float]]) -> tuple[float | None, bool]:
    """Sound per time from piece to piece, and whether it is much the same for all."""
    if sum(seconds for _, seconds in parts[:-1]) < SHORTEST_S:
        return None, False
    steps = [seconds / (later - at) for (at, seconds), (later, _) in pairwise(parts)]
    middle = median(steps)
    near = sum(abs(step / middle - 1) <= SAME for step in steps)
    return middle, near >= MOST * len(steps)
