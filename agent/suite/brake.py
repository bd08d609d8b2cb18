"""Holds back the calls of a run that have not begun: somebody wants it to pause, or to end early."""

from __future__ import annotations

import asyncio


class Brake:
    """On the loop of the run only.

    Attributes:
        reason: Why the run ends when the calls under way have; "" if it does not.
    """

    def __init__(self) -> None:
        self._on = False
        self._moved = asyncio.Event()
        self.reason = ""

    @property
    def on(self) -> bool:
        """True while no call may begin."""
        return self._on

    def pause(self) -> None:
        """No call begins until `resume`."""
        self._on = True
        self._moved.set()

    def resume(self) -> None:
        """Calls may begin again."""
        self._on = False
        self._moved.set()

    def stop(self, reason: str) -> None:
        """No call begins any more."""
        self.reason = reason
        self._moved.set()

    async def moved(self) -> None:
        """Wait until one of these is asked for."""
        await self._moved.wait()
        self._moved.clear()
