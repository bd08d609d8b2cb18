"""Back-pressure: a process whose ticks are late gets no other call for a while. Pure.

What is held back is always the start of a call. A call that goes on is left alone, whatever comes.
"""

from __future__ import annotations

LATE_MS = 5.0
"""If one tick in ten is later than this, the machine has enough to do."""

CALM_S = 2.0
"""So long after that was last so another call may begin."""

RAMP_S = 0.05
"""Between the beginnings of two calls: connecting costs more than going on."""

LONGEST_S = 30.0
"""A machine that is never calm gets its next call after so long all the same: its lateness is on record."""


class Pressure:
    """Of one process. Times are seconds on any clock that never goes back."""

    def __init__(self) -> None:
        self._began = -float("inf")
        self._late = -float("inf")
        self._waits_since: float | None = None

    def began(self, now: float) -> None:
        """A call begins."""
        self._began = now
        self._waits_since = None

    def note(self, now: float, lateness_ms: float) -> None:
        """By so much one in ten of the last ticks was late, or more."""
        if lateness_ms > LATE_MS:
            self._late = now

    def wait(self, now: float) -> float:
        """Seconds until another call may begin here, as far as is known now; 0 if it may."""
        ramp = self._began + RAMP_S - now
        calm = self._late + CALM_S - now
        if calm <= 0:
            self._waits_since = None
            return max(0.0, ramp)
        if self._waits_since is None:
            self._waits_since = now
        patience = self._waits_since + LONGEST_S - now
        return max(0.0, ramp, min(calm, patience))
