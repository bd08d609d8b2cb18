"""An endpoint that plays back what was recorded: each event at its time since the session's start."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterable, Sequence

from streams.audio import FRAME_S, Frame
from streams.clock import now
from streams.endpoints.events import Closed, EndpointEvent, Party, Ready
from streams.endpoints.protocol import Capabilities, Played, Tool


class ReplayEndpoint:
    """Repeats recorded events whatever the user does; see `Endpoint` for the methods.

    The session starts 20 ms before its first frame is sent. Events keep their recorded distance from
    that start, also those from before it (set-up), which come at once; a `Ready` among them is what
    `open` returns. A recording without `Closed` stays silent at its end until `close`.

    Args:
        events: Recorded events, `at` in seconds since the session's start.
        capabilities: Of the endpoint that was recorded.
        address: Its name.
    """

    def __init__(self, events: Iterable[EndpointEvent], capabilities: Capabilities, address: str) -> None:
        ordered = sorted(events, key=lambda event: event.at)
        self._ready = next((each for each in ordered if isinstance(each, Ready)), Ready(at=0.0))
        self._events = [each for each in ordered if not isinstance(each, Ready)]
        self._capabilities = capabilities
        self._address = address
        self._start: float | None = None
        self._moved = asyncio.Event()
        self._hung_up: str | None = None

    @property
    def address(self) -> str:
        """Its name."""
        return self._address

    @property
    def capabilities(self) -> Capabilities:
        """Of the endpoint that was recorded."""
        return self._capabilities

    async def open(self) -> Ready:
        """The recorded `Ready`, stamped anew."""
        return dataclasses.replace(self._ready, at=now())

    async def events(self) -> AsyncIterator[EndpointEvent]:
        """The recorded events, up to the one `Closed`."""
        start = await self._started()
        for event in self._events:
            if start is None or await self._hung_up_before(start + event.at):
                break
            yield dataclasses.replace(event, at=start + event.at)
            if isinstance(event, Closed):
                return
        else:
            await self._moved.wait()
        yield Closed(at=now(), by=Party.US, code=1000, reason=self._hung_up or "")

    async def _started(self) -> float | None:
        """The session's start, None if it was closed before."""
        await self._moved.wait()
        if self._hung_up is None:
            self._moved.clear()
        return self._start

    async def _hung_up_before(self, deadline: float) -> bool:
        try:
            async with asyncio.timeout_at(deadline):
                await self._moved.wait()
        except TimeoutError:
            return False
        return True

    async def send(self, frame: Frame) -> None:
        """The first frame starts the session; nothing is heard."""
        if self._start is None and self._hung_up is None:
            self._start = now() - FRAME_S
            self._moved.set()

    async def close(self, reason: str = "") -> None:
        """Ends the playback."""
        if self._hung_up is None:
            self._hung_up = reason
        self._moved.set()

    def offer(self, tools: Sequence[Tool]) -> None:
        """Without effect."""

    async def begin_turn(self) -> None:
        """Without effect."""

    async def end_turn(self) -> None:
        """Without effect."""

    async def played(self, report: Played) -> None:
        """Without effect."""

    async def cancel(self) -> None:
        """Without effect."""

    async def tool_result(self, call: str, output: str, *, error: bool = False) -> None:
        """Without effect."""

    async def text(self, text: str) -> None:
        """Without effect."""

    async def dtmf(self, digit: str) -> None:
        """Without effect."""
