"""The websocket of the page's microphone, `/ws/mic`: what goes over it, not what is done with it.

The page first says what it has and wants, as JSON:

    {"type": "call", "rate": 48000, "mode": "free", "echo_cancellation": true}

then sends what its microphone captures, in binary: the number of the first sample since its audio began (8
bytes), then PCM16 mono, both little-endian, at the true rate of its audio. It gets back as many samples to
play, as PCM16, and JSON: {"type": "event", "event": {...}} for each event of the call, {"type": "levels",
...}, and at the end {"type": "ended", "outcome": ..., "reason": ..., "folder": ...}. Meanwhile it may send
{"type": "talk", "on": true}, {"type": "skip"} and {"type": "hang_up"}.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

LEAST_RATE, MOST_RATE = 8000, 192_000
MOST_BYTES = 2 * MOST_RATE
"""A second at the highest rate; more in one message is no capture."""

MODES = ("free", "guided", "co-pilot")
WAITING = 500
"""Messages that wait to be sent at most: a page that does not take them is gone."""

_FIRST = struct.Struct("<Q")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a page has and wants.

    Attributes:
        rate: Samples per second of its audio.
        mode: "free", "guided" or "co-pilot".
        echo_cancellation: Whether its browser takes the endpoint out of the microphone.
    """

    rate: int
    mode: str
    echo_cancellation: bool


@dataclass(frozen=True, slots=True)
class Captured:
    """Samples of the microphone; `first` is the number of the first since the page's audio began."""

    first: int
    pcm: bytes


@dataclass(frozen=True, slots=True)
class Command:
    """What the person does besides speaking: "talk" (`on` or not), "skip" or "hang_up"."""

    name: str
    on: bool = False


class BadMessage(ValueError):
    """A page sent what no page of ours sends."""


def read_wish(text: str) -> Wish:
    """The first message of a page.

    Raises:
        BadMessage: It is another.
    """
    values = _object(text)
    rate, mode = values.get("rate"), values.get("mode", "free")
    if values.get("type") != "call" or mode not in MODES:
        raise BadMessage("the first message is no call, or of a mode that is not known")
    if not isinstance(rate, int) or isinstance(rate, bool) or not LEAST_RATE <= rate <= MOST_RATE:
        raise BadMessage(f"rate {rate!r}: expected {LEAST_RATE} to {MOST_RATE} samples per second")
    return Wish(rate, str(mode), values.get("echo_cancellation") is True)


def read_message(data: bytes | str) -> Captured | Command:
    """Any later message.

    Raises:
        BadMessage: It is none.
    """
    if isinstance(data, bytes):
        size = len(data) - _FIRST.size
        if not 0 <= size <= MOST_BYTES or size % 2:
            raise BadMessage(f"{len(data)} bytes are no piece of PCM16")
        return Captured(_FIRST.unpack_from(data)[0], data[_FIRST.size :])
    values = _object(data)
    name = values.get("type")
    if name not in ("talk", "skip", "hang_up"):
        raise BadMessage(f"a message of type {name!r} is not known")
    return Command(str(name), values.get("on") is True)


def _object(text: str) -> Mapping[str, Any]:
    try:
        values = json.loads(text)
    except ValueError as error:
        raise BadMessage("no JSON") from error
    if not isinstance(values, dict):
        raise BadMessage("no JSON object")
    return values


class Line:
    """The line to one page."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._out: asyncio.Queue[bytes | dict[str, Any]] = asyncio.Queue(WAITING)

    def send(self, message: bytes | dict[str, Any]) -> None:
        """Samples to be heard, or something to be shown; what the page does not take in time is dropped."""
        if not self._out.full():
            self._out.put_nowait(message)

    async def messages(self) -> AsyncIterator[Captured | Command]:
        """What comes, until the page is gone.

        Raises:
            BadMessage: A message is none of ours.
        """
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            data = message.get("bytes")
            yield read_message(message.get("text") or "" if data is None else data)

    async def sending(self) -> None:
        """Send what is to be sent, until cancelled or the page is gone."""
        while True:
            await self._send(await self._out.get())

    async def close(self) -> None:
        """Send the rest and hang up."""
        while not self._out.empty():
            await self._send(self._out.get_nowait())
        await self._socket.close()

    async def _send(self, message: bytes | dict[str, Any]) -> None:
        if isinstance(message, bytes):
            await self._socket.send_bytes(message)
        else:
            await self._socket.send_text(json.dumps(message, allow_nan=False))


Take = Callable[[Wish, Line], Awaitable[None]]
"""Holds a call by a page; returns when it is over."""


def mic_routes(take: Take) -> list[BaseRoute]:
    """The route of the microphone; one call at a time."""
    busy = asyncio.Lock()

    async def mic(socket: WebSocket) -> None:
        await socket.accept()
        try:
            if busy.locked():
                await socket.close(1013, "another call is going on")
                return
            async with busy:
                wish = read_wish(await socket.receive_text())
                line = Line(socket)
                sender = asyncio.create_task(line.sending(), name="microphone page")
                try:
                    await take(wish, line)
                finally:
                    sender.cancel()
                    await asyncio.gather(sender, return_exceptions=True)
                await line.close()
        except BadMessage as error:
            await socket.close(1003, str(error)[:100])
        except WebSocketDisconnect:
            return
        except RuntimeError as error:
            if WebSocketState.DISCONNECTED in (socket.client_state, socket.application_state):
                return  # the page is gone: starlette says so in this way, too
            await socket.close(1011, str(error)[:100])  # our side: a model that cannot be loaded

    return [WebSocketRoute("/ws/mic", mic)]
