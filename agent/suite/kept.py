"""A holder whose recordings are kept at a URL."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from agent.suite.hold import Order, Result
from agent.suite.holder import Holder
from recordings.disk import EPISODE
from recordings.store import Store


@dataclass(frozen=True, slots=True)
class Kept:
    """A `Holder`: as soon as a call is over, its recording is both here and at the URL.

    Attributes:
        holder: Holds the calls; it may record here, or at the URL.
        store: The run at its URL.
    """

    holder: Holder
    store: Store

    async def hold(self, order: Order) -> Result:
        """Hold one call."""
        try:
            return await self.holder.hold(order)
        finally:
            await asyncio.to_thread(self._keep, order.folder)

    def _keep(self, folder: Path) -> None:
        self.store.put_manifest(folder.parent)
        if (folder / EPISODE).is_file():
            self.store.put_episode(folder)
        else:
            self.store.get_episode(folder)

    def holds_back(self) -> float:
        """As the holder."""
        return self.holder.holds_back()

    def began(self) -> None:
        """As the holder."""
        self.holder.began()

    def disk_failed(self) -> bool:
        """As the holder."""
        return self.holder.disk_failed()
