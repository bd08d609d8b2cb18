"""At which pace a reply is delivered."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from enum import StrEnum

from streams.clock import now, sleep_until

BURST_MS = 200
"""Length of a piece when audio goes out as fast as it can."""

REALTIME_MS = 20
"""Length of a piece when audio goes out at 1x."""

LEAD_S = 0.06
"""How far ahead of playback pieces go out at 1x, so that a late one leaves no hole."""

RAGGED_MS = (10, 400)
"""Shortest and longest piece of a ragged delivery."""


class DeliveryPace(StrEnum):
    """How fast audio goes out."""

    BURST = "burst"  # as fast as it can, in pieces of 200 ms
    REALTIME = "realtime"  # at 1x, in pieces of 20 ms
    RAGGED = "ragged"  # uneven pieces at uneven times, never too late to be heard without a hole


@dataclass(frozen=True, slots=True)
class Parcel:
    """A piece of audio and when it is due, in seconds on the loop's clock."""

    due: float
    pcm: bytes


class Delivery:
    """Cuts the audio of one reply into parcels; all pieces together sound without a hole.

    Args:
        pace: How fast.
        rate: Samples per second.
        seed: Of the lengths and times of a ragged delivery.
    """

    def __init__(self, pace: DeliveryPace, rate: int, seed: int = 0) -> None:
        self._pace = pace
        self._rate = rate
        self._rng = random.Random(seed)  # noqa: S311 - timing, no secret
        self._heard_until = float("-inf")
        self._last_due = float("-inf")

    def parcels(self, pcm: bytes, *, at: float) -> Iterator[Parcel]:
        """The next stretch of the reply, which is ready at time `at`; its first parcel never waits."""
        start = max(at, self._heard_until)
        samples = len(pcm) // 2
        sent = 0
        while sent < samples:
            length = self._length()
            self._last_due = max(self._last_due, self._due(at, start, sent / self._rate))
            yield Parcel(self._last_due, pcm[2 * sent : 2 * (sent + length)])
            sent += length
        self._heard_until = start + samples / self._rate

    async def deliver(self, pcm: bytes) -> AsyncGenerator[bytes, None]:
        """The next stretch of the reply, each piece when it is due."""
        for parcel in self.parcels(pcm, at=now()):
            await sleep_until(parcel.due)
            yield parcel.pcm

    def _length(self) -> int:
        match self._pace:
            case DeliveryPace.BURST:
                length_ms = BURST_MS
            case DeliveryPace.REALTIME:
                length_ms = REALTIME_MS
            case DeliveryPace.RAGGED:
                length_ms = self._rng.randint(*RAGGED_MS)
        return self._rate * length_ms // 1000

    def _due(self, at: float, start: float, offset: float) -> float:
        """Not before `at`, and not after the sample at `offset` has to be heard."""
        match self._pace:
            case DeliveryPace.BURST:
                return at
            case DeliveryPace.REALTIME:
                return max(at, start + offset - LEAD_S)
            case DeliveryPace.RAGGED:
                return at + self._rng.random() * (start + offset - at)
