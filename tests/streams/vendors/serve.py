"""A socket on loopback for a vendor: what the client sends is taken, what the vendor answers is sent."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from streams.endpoints.protocol import Message


class Speaks(Protocol):
    """What a socket needs of a vendor."""

    def greet(self) -> Sequence[Message]:
        """What it sends as soon as the socket is open."""

    def take(self, message: Message) -> Sequence[Message]:
        """What it answers."""


Script = Callable[[ServerConnection], Awaitable[None]]


@asynccontextmanager
async def serving(
    vendor: Speaks,
    *,
    script: Script | None = None,
    subprotocols: list[str] | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[str]:
    """Serve one vendor on loopback; gives `HOST:PORT`.

    Args:
        vendor: Its `greet` goes out first, then each client's message gets what `take` answers.
        script: Runs beside it once the client has connected, and may send on the connection.
        subprotocols: What the server offers.
        tls: Makes it a `wss` server, for clients that know nothing else.
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
        handle, "127.0.0.1", 0, compression=None, max_size=None, subprotocols=offered, ssl=tls
    ) as server:
        host, port = next(iter(server.sockets)).getsockname()[:2]
        yield f"{host}:{port}"
