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
    """

    total: int
    done: int
    void: int
    left_s: float | None

    def __str__(self) -> str:
        void = f", {self.void} void" if self.void else ""
        left = "" if self.left_s is None or self.done == self.total else f", {span(self.left_s)} left"
        return f"{self.done} of {self.total} calls{void}{left}"


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
        self._done = self._void = 0

    def ended(self, now: float, *, void: bool, settled: bool) -> Standing:
        """A call has ended.

        Args:
            now: The time, in seconds.
            void: It was void.
            settled: It is not held again.
        """
        self._done += settled
        self._void += void
        left = None
        if self._done >= ENOUGH:
            left = (now - self._began) / self._done * (self._total - self._before - self._done)
        return Standing(self._total, self._before + self._done, self._void, left)


def span(seconds: float) -> str:
    """A length of time for people: "2 h 05 min", "12 min", "40 s"."""
    minutes = round(seconds / 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes} min" if seconds >= 90 else f"{round(seconds)} s"
