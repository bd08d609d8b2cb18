"""How far a run has come, and how long it still takes. Pure."""

from __future__ import annotations

from dataclasses import dataclass

ENOUGH = 3
"""Calls from which on the time left is guessed: one call alone may be a short one."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A run at one moment.

    Attributes:
        total: Episodes of the plan.
        done: Of them, also those of earlier sittings.
        void: Calls of this sitting that were void.
        left_s: Seconds to the end at the pace of this sitting; None while that cannot be told.
        rests_s: Seconds for which the endpoint of the call that ended last gets no other, since it takes
            none now.
        again: Of the void calls, those that are held again.
    """

    total: int
    done: int
    void: int
    left_s: float | None
    rests_s: float = 0.0
    again: int = 0

    def __str__(self) -> str:
        again = f" ({self.again} held again)" if self.again else ""
        void = f", {self.void} void{again}" if self.void else ""
        left = "" if self.left_s is None or self.done == self.total else f", {span(self.left_s)} left"
        rests = f"; the endpoint takes none now: the next in {span(self.rests_s)}" if self.rests_s else ""
        return f"{self.done} of {self.total} calls{void}{left}{rests}"


class Progress:
    """Counts the calls of a sitting.

    Args:
        total: Episodes of the plan.
        done: Of them before this sitting.
        began: When it began, in seconds.
    """

    def __init__(self, total: int, done: int, began: float) -> None:
        self._total = total
        self._before = done
        self._began = began
        self._done = self._void = self._again = 0

    def ended(self, now: float, *, void: bool, settled: bool, rests_s: float = 0.0) -> Standing:
        """A call has ended.

        Args:
            now: The time, in seconds.
            void: It was void.
            settled: It is not held again.
            rests_s: See `Standing`.
        """
        self._done += settled
        self._void += void
        self._again += not settled
        left = None
        if self._done >= ENOUGH:
            left = (now - self._began) / self._done * (self._total - self._before - self._done)
        return Standing(self._total, self._before + self._done, self._void, left, rests_s, self._again)


def span(seconds: float) -> str:
    """A length of time for people: "2 h 05 min", "12 min", "40 s"."""
    minutes = round(seconds / 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes} min" if seconds >= 90 else f"{round(seconds)} s"
