"""Ears of an endpoint with manners: it knows a pause from an end, and an mm-hm from an interruption.

It goes by level, as `LevelEars` does, and finds the edges of the user's speech by the rule that finds
those of the user's clips, so that what it plants is exact to the sample. For clean audio only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from streams.audio import FRAME_MS, sample_at, to_pcm
from streams.reference.ears import LEVEL, Began, Ended, Heard, Urged
from streams.speech.audible import audible_span

STILL_TALKING_S = 0.15
"""Within speech no silence is longer: after so much of it nobody is talking any more."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How the endpoint takes turns; seconds.

    Attributes:
        silence: Silence that ends the user's turn.
        yields_after: It takes the user to have begun a turn, and stops talking, after so much speech; None
            is never.
        shortest: What is shorter is no turn, and stops only who yields sooner.
        cuts_in: It talks into the user's pause after so much silence; None is never.
        talks_over: It talks after so much of the user's speech; None is never.
    """

    silence: float
    yields_after: float | None = 0.8
    shortest: float = 0.78
    cuts_in: float | None = None
    talks_over: float | None = None


class AttentiveEars:
    """Turn detection with manners; see `Ears`.

    Args:
        manners: When a turn begins and ends.
        rate: Samples per second of the stream.
        start_s: Where in the session this stream begins.
    """

    def __init__(self, manners: Manners, rate: int, start_s: float = 0.0) -> None:
        self._manners = manners
        self._rate = rate
        self._start_s = start_s
        self._frame = rate * FRAME_MS // 1000
        self._position = 0
        self._held = bytearray()  # from the frame before the first audible one
        self._held_from = 0
        self._end = 0
        self._talking = False
        self._announced = False
        self._talked_over = False
        self._cut_in = False

    async def hear(self, pcm: bytes) -> Sequence[Heard]:
        """See `Ears.hear`."""
        step = 2 * self._frame
        return [heard for at in range(0, len(pcm), step) for heard in self._hear(pcm[at : at + step])]

    def take(self) -> Ended | None:
        """Nothing: it decides itself when a turn is over."""
        return None

    def _hear(self, pcm: bytes) -> Iterator[Heard]:
        audible = np.flatnonzero(np.abs(to_pcm(pcm).astype(np.int32)) > LEVEL)
        if not self._talking and not audible.size:
            self._held, self._held_from = bytearray(pcm), self._position
            self._position += len(pcm) // 2
            return
        if not self._talking:
            self._talking, self._announced, self._talked_over = True, False, False
        self._held += pcm
        if audible.size:
            self._end, self._cut_in = self._position + int(audible[-1]) + 1, False
        self._position += len(pcm) // 2
        yield from self._while_talking()
        if self._position - self._end >= sample_at(self._manners.silence, self._rate):
            yield from self._over()

    def _while_talking(self) -> Iterator[Heard]:
        manners = self._manners
        if self._position - self._end >= STILL_TALKING_S * self._rate:
            if not self._cut_in and (due := self._due(1, manners.cuts_in)) is not None:
                self._cut_in = True
                yield Urged(self._seconds(due))
            return
        if not self._announced and (due := self._due(0, manners.yields_after)) is not None and self._a_turn:
            self._announced = True
            yield Began(self._seconds(self._audible()[0]), self._seconds(due))
        if not self._talked_over and (due := self._due(0, manners.talks_over)) is not None:
            self._talked_over = True
            yield Urged(self._seconds(due))

    def _due(self, edge: int, seconds: float | None) -> int | None:
        """The sample so long after the first (0) or last (1) audible one, before the next frame ends."""
        soonest = self._position + self._frame
        if seconds is None or self._held_from + sample_at(seconds, self._rate) >= soonest:
            return None
        due = self._audible()[edge] + sample_at(seconds, self._rate)
        return max(due, self._position) if due < soonest else None

    @property
    def _a_turn(self) -> bool:
        """Whether the user has spoken long enough for the endpoint to stop talking."""
        manners = self._manners
        eager = manners.yields_after is not None and manners.yields_after < manners.shortest
        return eager or self._end - self._audible()[0] >= sample_at(manners.shortest, self._rate)

    def _over(self) -> Iterator[Heard]:
        first, past = self._audible()
        self._talking, self._cut_in = False, False
        self._held, self._held_from = bytearray(), self._position
        if past - first >= sample_at(self._manners.shortest, self._rate):
            yield Ended(self._seconds(past), np.zeros(0, np.float32))
        elif self._announced:
            yield Urged(self._seconds(self._position), gives_way=True)

    def _audible(self) -> tuple[int, int]:
        """First and one past the last audible sample so far, on the stream."""
        span = audible_span(bytes(self._held), self._rate) or (0, 0)
        return self._held_from + span[0], self._held_from + span[1]

    def _seconds(self, sample: int) -> float:
        return self._start_s + sample / self._rate
