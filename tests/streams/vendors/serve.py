"""A socket on loopback for a vendor: what the client sends is taken, what the vendor answers is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.streams.vendors.vendor import Vendor

Script = Callable[[ServerConnection], Awaitable[None]]


@asynccontextmanager
async def serving(
    vendor: Vendor, *, script: Script | None = None, subprotocols: list[str] | None = None
) -> AsyncIterator[str]:
    """Serve one vendor on loopback; gives `HOST:PORT`.

    Args:
        vendor: Its `greet` goes out first, then each client's message gets what `take` answers.
        script: Runs beside it once the client has connected, and may send on the connection.
        subprotocols: What the server offers.
    """

    async def handle(socket: ServerConnection) -> None:
        for message in vendor.greet():
            await socket.send(message)
        playing = asyncio.ensure_future(script(socket)) if script is not None else None
        try:
            async for message in socket:
                for answer in vendor.take(message):
                    await socket.send(answer)
        except ConnectionClosed:
            pass
        finally:
            if playing is not None:
                playing.cancel()

    offered = [Subprotocol(each) for each in subprotocols] if subprotocols else None
    async with serve(
        handle, "127.0.0.1", 0, compression=None, max_size=None, subprotocols=offered
    ) as server:
        host, port = next(iter(server.sockets)).getsockname()[:2]
        yield f"{host}:{port}"
