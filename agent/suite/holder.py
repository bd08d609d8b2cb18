"""Where the calls of a run are held: in this process, in workers of this machine, or on other machines."""

from __future__ import annotations

from typing import Protocol

from agent.pacing import recent_lateness_ms
from agent.suite.hold import Order, Result, Workplace, hold
from agent.suite.pressure import Pressure
from streams.clock import now, simulated


class Holder(Protocol):
    """Holds calls."""

    async def hold(self, order: Order) -> Result:
        """Hold one call; see `agent.suite.hold.hold`.

        Raises:
            HolderLost: What held it is gone.
        """

    def holds_back(self) -> float:
        """Seconds for which no call should begin; 0 if one may begin now."""

    def began(self) -> None:
        """A call is about to begin: its `hold` is awaited in a moment."""

    def disk_failed(self) -> bool:
        """A call could not be recorded, or what held it is gone; returns True if no other can be held."""


class Here:
    """Holds calls on the loop of the run itself.

    Args:
        place: What they are held with.
    """

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._pressure = Pressure()

    async def hold(self, order: Order) -> Result:
        """Hold one call."""
        return await hold(order, self._place)

    def holds_back(self) -> float:
        """Seconds for which no call should begin; simulated time is never late."""
        if simulated():
            return 0.0
        self._pressure.note(now(), recent_lateness_ms())
        return self._pressure.wait(now())

    def began(self) -> None:
        """A call is about to begin."""
        self._pressure.began(now())

    def disk_failed(self) -> bool:
        """There is no other disk."""
        return True
