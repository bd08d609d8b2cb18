"""Websocket servers in the loop of a test, and endpoints that call them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request
from websockets.server import ServerProtocol

from streams import clock
from streams.audio import AudioFormat
from streams.endpoints.errors import EndpointError
from streams.endpoints.events import EndpointEvent
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints.realtime_messages import Json, server, updated

CANARY = "sk-canary-0123456789"
Handler = Callable[[ServerConnection], Awaitable[None]]


def run(main: Coroutine[Any, Any, None]) -> None:
    clock.run(main, simulate=True)


async def listen(handler: Handler, **options: Any) -> tuple[Server, int]:
    made = await serve(handler, "127.0.0.1", 0, ping_interval=None, **options)
    port: int = made.sockets[0].getsockname()[1]
    return made, port


@asynccontextmanager
async def listen_raw(
    handler: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any],
) -> AsyncIterator[int]:
    made = await asyncio.start_server(handler, "127.0.0.1", 0)
    async with made:
        yield made.sockets[0].getsockname()[1]
        await asyncio.sleep(1)  # simulated; the handler closes its socket


async def shake_hands(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> ServerProtocol:
    """The server's side of the handshake; what follows is up to the test."""
    protocol = ServerProtocol()
    protocol.receive_data(await reader.readuntil(b"\r\n\r\n"))
    (request,) = protocol.events_received()
    assert isinstance(request, Request)
    protocol.send_response(protocol.accept(request))
    writer.writelines(protocol.data_to_send())
    return protocol


def realtime(port: int, **options: Any) -> WebsocketEndpoint:
    url = f"ws://127.0.0.1:{port}/v1/realtime"
    return WebsocketEndpoint(RealtimeCodec(DIALECTS["openai"]), url, address="openai+ws://test", **options)


def pcm(port: int, **options: Any) -> WebsocketEndpoint:
    codec = PcmCodec(AudioFormat(16000))
    return WebsocketEndpoint(codec, f"ws://127.0.0.1:{port}/", address="pcm+ws://test", **options)


async def tell(connection: ServerConnection, *messages: Json) -> None:
    for each in messages:
        await connection.send(json.dumps(each))


async def set_up(connection: ServerConnection) -> None:
    await tell(connection, server("session.created", session={"id": "s1"}))
    assert json.loads(await connection.recv())["type"] == "session.update"
    await tell(connection, updated({"id": "s1", "model": "m"}))


async def collect(endpoint: WebsocketEndpoint) -> list[EndpointEvent]:
    return [event async for event in endpoint.events()]


async def failure(endpoint: WebsocketEndpoint) -> EndpointError:
    """How opening fails, having made sure that no key is in it."""
    with pytest.raises(EndpointError) as caught:
        await endpoint.open()
    chain: BaseException | None = caught.value
    while chain is not None:  # what a traceback would show
        assert CANARY not in f"{chain!r} {chain}"
        chain = chain.__cause__ or chain.__context__
    return caught.value
