"""Where the user's turns begin and end, by level alone. Pure: frames in, turns out."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from streams.audio import FULL_SCALE, Samples, dbfs, rms

ONSET_S = 0.06
"""So much sound without a break begins a turn: a click does not."""

LEAD_S = 0.2
"""What was heard before the onset and belongs to the turn."""

LONGEST_S = 120.0
"""A turn is over after so long, so that memory stays flat."""


@dataclass(frozen=True, slots=True)
class Began:
    """The user has begun to talk."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The turn is over; `audio` is all of it, mono in [-1, 1)."""

    audio: Samples


class TurnFinder:
    """Finds turns in a stream of frames.

    Args:
        rate: Samples per second.
        silence_s: Silence that ends a turn, in seconds.
        threshold_dbfs: A frame whose level (RMS) is higher is speech.
    """

    def __init__(self, rate: int, *, silence_s: float = 0.6, threshold_dbfs: float = -45.0) -> None:
        self._rate = rate
        self._silence = round(silence_s * rate)
        self._threshold = threshold_dbfs
        self._before: deque[Samples] = deque()
        self._turn: list[Samples] = []
        self._loud = self._quiet = 0

    @property
    def talking(self) -> bool:
        """True within a turn."""
        return bool(self._turn)

    def push(self, frame: Samples) -> Began | Ended | None:
        """The next frame, of any length."""
        loud = dbfs(rms(frame) * FULL_SCALE) > self._threshold
        if self._turn:
            self._turn.append(frame)
            self._quiet = 0 if loud else self._quiet + frame.size
            too_long = sum(part.size for part in self._turn) > LONGEST_S * self._rate
            return self.end() if self._quiet >= self._silence or too_long else None
        self._before.append(frame)
        self._loud = self._loud + frame.size if loud else 0
        kept = round((LEAD_S + ONSET_S) * self._rate)
        while sum(part.size for part in self._before) - self._before[0].size >= kept:
            self._before.popleft()
        if self._loud < ONSET_S * self._rate:
            return None
        self._turn = list(self._before)
        self._before.clear()
        self._quiet = 0
        return Began()

    def end(self) -> Ended | None:
        """End the turn now; None if there is none."""
        if not self._turn:
            return None
        audio: Samples = np.concatenate(self._turn)
        self._turn, self._loud, self._quiet = [], 0, 0
        return Ended(audio)
