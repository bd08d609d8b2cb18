"""A holder whose recordings are kept at a URL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from agent.suite.hold import Order, Result
from agent.suite.holder import Holder
from recordings.disk import EPISODE
from recordings.errors import RecordingError
from recordings.store import Store


class Kept:
    """A `Holder`: as soon as a call is over, its recording is both here and at the URL.

    What became of a call is what became of it, also where its recording does not get there: then it stays
    in the folder of the run, and somebody is told.

    Args:
        holder: Holds the calls; it may record here, or at the URL.
        store: The run at its URL.
        failed: Told of the folder of each episode that did not get there, or from there, and why.
    """

    def __init__(
        self, holder: Holder, store: Store, failed: Callable[[Path, RecordingError], None]
    ) -> None:
        self._holder = holder
        self._store = store
        self._failed = failed
        self._left: list[Path] = []

    async def hold(self, order: Order) -> Result:
        """Hold one call."""
        try:
            return await self._holder.hold(order)
        finally:
            await self._kept(order.folder)

    async def catch_up(self) -> None:
        """Try once more with every recording that did not get where it belongs."""
        left, self._left = self._left, []
        for folder in left:
            await self._kept(folder)

    async def _kept(self, folder: Path) -> None:
        try:
            await asyncio.to_thread(self._keep, folder)
        except RecordingError as error:
            self._left.append(folder)
            self._failed(folder, error)

    def _keep(self, folder: Path) -> None:
        if (folder / EPISODE).is_file():
            self._store.put_episode(folder)
        else:
            self._store.get_episode(folder)
        self._store.put_manifest(folder.parent)

    def holds_back(self) -> float:
        """As the holder."""
        return self._holder.holds_back()

    def began(self) -> None:
        """As the holder."""
        self._holder.began()

    def disk_failed(self) -> bool:
        """As the holder."""
        return self._holder.disk_failed()
