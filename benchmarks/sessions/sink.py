"""A voice endpoint that costs next to nothing: it throws away what it gets, and talks in bursts.

`python -m benchmarks.sessions.sink` prints its port. `/pcm` speaks binary PCM (16 kHz), any other path
OpenAI Realtime (24 kHz). What it sends was framed once for all connections, and what it receives is not
parsed, so that on a machine with few cores it takes little from the client that is measured.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import struct
import sys

import numpy as np

PIECE_S = 0.1
SPEAKS_S = 4.0
RESTS_S = 2.0
"""The endpoint is heard two thirds of the time, as a voice assistant that explains something is."""

TEXT = (
    "The heart has four chambers, and each of them has its part: two receive the blood that comes back, "
    "and two send it on, the one to the lungs and the other to all the rest of the body."
)

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def frame(payload: bytes, *, text: bool = False) -> bytes:
    """One unmasked websocket message (RFC 6455, section 5.2)."""
    head = bytes([0x81 if text else 0x82])
    if len(payload) < 126:
        return head + bytes([len(payload)]) + payload
    return head + bytes([126]) + struct.pack(">H", len(payload)) + payload


def message(**fields: object) -> bytes:
    return frame(json.dumps(fields).encode(), text=True)


class Bursts:
    """What is sent, framed once for all connections.

    Args:
        speech: PCM16 of one burst, by rate.
    """

    def __init__(self, speech: dict[int, bytes]) -> None:
        self._pcm = [frame(piece) for piece in _cut(speech[16000], 16000)]
        self._base64 = [base64.b64encode(piece).decode() for piece in _cut(speech[24000], 24000)]
        self._realtime: dict[int, list[bytes]] = {}

    def pieces(self, path: str, number: int) -> list[bytes]:
        """The pieces of the n-th burst of a connection; each is a response with names of its own."""
        if path.startswith("/pcm"):
            return self._pcm
        if number not in self._realtime:
            self._realtime[number] = self._response(number)
        return self._realtime[number]

    def _response(self, number: int) -> list[bytes]:
        response, item = f"resp_{number}", f"item_{number}"
        ids = {"event_id": "event_1", "response_id": response, "output_index": 0}
        piece = {**ids, "item_id": item, "content_index": 0}
        content = {"id": item, "type": "message", "role": "assistant", "content": []}
        name = "response.output_audio"
        sounds = [message(type=f"{name}.delta", delta=sound, **piece) for sound in self._base64]
        begin = message(type="response.created", response={"id": response, "status": "in_progress"})
        added = message(type="response.output_item.added", item=content, **ids)
        done = message(type=f"{name}.done", **piece)
        end = message(type="response.done", response={"id": response, "status": "completed"})
        sounds[0] = begin + added + sounds[0]
        sounds[-1] += done + end
        return sounds


def _cut(speech: bytes, rate: int) -> list[bytes]:
    size = round(2 * rate * PIECE_S)
    return [speech[start : start + size] for start in range(0, len(speech), size)]


class Sink(asyncio.Protocol):
    """One connection."""

    def __init__(self, bursts: Bursts) -> None:
        self._bursts = bursts
        self._head: bytearray | None = bytearray()
        self._path = ""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._head is None:
            return  # sound of the user: nobody listens
        self._head += data
        if b"\r\n\r\n" not in self._head:
            return
        path = self._head.split(b" ", 2)[1].decode()
        key = next(
            line.split(b":", 1)[1].strip()
            for line in bytes(self._head).split(b"\r\n")
            if line.lower().startswith(b"sec-websocket-key:")
        )
        self._head = None
        accept = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode()
        self._transport.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept.encode() + b"\r\n\r\n"
        )
        realtime = not path.startswith("/pcm")
        if realtime:
            self._transport.write(message(type="session.created", event_id="event_0", session=SESSION))
            self._transport.write(message(type="session.updated", event_id="event_0", session=SESSION))
        self._path = path
        self._next(0, 0, asyncio.get_running_loop().time())

    def _next(self, burst: int, piece: int, due: float) -> None:
        if self._transport.is_closing():
            return
        pieces = self._bursts.pieces(self._path, burst)
        self._transport.write(pieces[piece])
        piece, due = piece + 1, due + PIECE_S
        if piece == len(pieces):
            burst, piece, due = burst + 1, 0, due + RESTS_S
        self._timer = asyncio.get_running_loop().call_at(due, self._next, burst, piece, due)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()


_FORMAT = {"type": "audio/pcm", "rate": 24000}
SESSION = {
    "id": "sess_1",
    "object": "realtime.session",
    "type": "realtime",
    "model": "sink",
    "audio": {"input": {"format": _FORMAT}, "output": {"format": _FORMAT}},
}


async def _speech() -> dict[int, bytes]:
    """Speech of `SPEAKS_S` seconds, by rate: whatever the voice that is installed says."""
    from streams.resample import resample
    from streams.speech import select

    said = await select.voice("default", {}).speak(TEXT)
    found = {}
    for rate in (16000, 24000):
        sound = np.frombuffer(await asyncio.to_thread(resample, said.pcm, said.rate, rate), "<i2")
        found[rate] = np.resize(sound, round(rate * SPEAKS_S)).tobytes()
    return found


async def main() -> None:
    bursts = Bursts(await _speech())
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Sink(bursts), "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
