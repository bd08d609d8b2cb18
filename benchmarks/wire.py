"""What an adapter adds between its socket and its events, and what ten minutes of call leave in its memory.

The rows are the adapters of the conformance suite, as in `benchmarks.codecs`.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import tracemalloc
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.codecs import adapters, noise
from streams import clock
from streams.audio import FRAME_MS, FRAME_S, Frame
from streams.endpoints.events import AudioReceived, EndpointEvent, ItemEnded, ResponseEnded
from streams.endpoints.protocol import Codec, Message, PlaybackState, Played

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from tests.streams.vendors.vendor import Vendor

PIECES = 200
EVERY_S = 0.005

CALL_S = 600
REPLY_S = 5
FLAT_KB = 100
"""Names of 120 replies may stay; their sound, 29 MB each way, may not."""


def socket_to_event() -> dict[str, Any]:
    """Milliseconds from the bytes at the socket to the event in the hands of the session."""
    found = {name: clock.run(_delays(name)) for name in adapters()}
    whole = np.concatenate(list(found.values()))
    slowest = max(found, key=lambda name: float(np.median(found[name])))
    return {
        "adapters": len(found),
        "events": whole.size,
        "median ms": _ms(np.median(whole)),
        "p99 ms": _ms(np.percentile(whole, 99)),
        "slowest median ms": f"{_ms(np.median(found[slowest]))} ({slowest})",
    }


def _ms(seconds: Any) -> float:
    return round(1000 * float(seconds), 3)


async def _delays(name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Of one message with 20 ms of sound after another over loopback, to a session that waits for them."""
    from streams.endpoints.websocket import WebsocketEndpoint
    from tests.streams.conformance.adapters import VENDORS, codec_of
    from tests.streams.vendors.serve import serving
    from tests.streams.vendors.vendor import Reply

    vendor, opened, reply = VENDORS[name](), asyncio.Event(), Reply()

    async def script(socket: ServerConnection) -> None:
        await opened.wait()
        piece = noise(vendor.output_rate * FRAME_MS // 1000)
        for message in vendor.begin(reply):
            await socket.send(message)
        for message in itertools.chain.from_iterable(vendor.audio(reply, piece) for _ in range(PIECES)):
            await socket.send(message)
            await asyncio.sleep(EVERY_S)
        await socket.close()

    async with serving(vendor, script=script) as host:
        endpoint = WebsocketEndpoint(codec_of(vendor), f"ws://{host}/", address=name)
        await endpoint.open()
        opened.set()
        taken = [clock.now() - e.at async for e in endpoint.events() if isinstance(e, AudioReceived)]
        await endpoint.close()
    assert len(taken) >= PIECES // 2, f"{name}: {len(taken)} events"
    return np.array(taken)


def ten_minutes() -> dict[str, Any]:
    """Ten minutes of sound both ways, as fast as it goes: what a codec keeps of the last nine."""
    grown = {name: _grown(name) for name in adapters()}
    most = max(grown, key=lambda name: grown[name])
    return {
        "adapters": len(grown),
        "minutes": CALL_S // 60,
        "most kept of the last nine": f"{grown[most]} kB ({most})",
        "over the bar": [name for name, kb in grown.items() if kb > FLAT_KB] or "none",
    }


def _grown(name: str) -> int:
    """Of one call, in kB."""
    from tests.streams.conformance.adapters import line_to

    line = line_to(name)
    codec, rate = line.codec, line.codec.capabilities.input.rate
    frame = Frame(noise(rate * FRAME_MS // 1000), rate)
    messages = list(_call(line.vendor))  # made before: what the double keeps is not the codec's
    ticks = round(CALL_S / FRAME_S)
    per_tick = -(-len(messages) // ticks)
    minute = 0
    tracemalloc.start()
    for tick in range(ticks):
        codec.audio(frame)
        for message in messages[tick * per_tick : (tick + 1) * per_tick]:
            _take(codec, codec.receive(message, at=tick * FRAME_S, raw=tick))
        if tick == ticks // (CALL_S // 60):
            minute = _traced()
    grown = _traced() - minute
    tracemalloc.stop()
    return round(grown / 1024)


def _traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def _take(codec: Codec, events: Iterable[EndpointEvent]) -> None:
    """As a session does: answer what wants an answer, and tell what was heard."""
    codec.replies()
    for event in events:
        match event:
            case ItemEnded(item=item) | ResponseEnded(response=item):
                codec.played(Played(item, 1, 1, PlaybackState.COMPLETED))
            case _:
                pass


def _call(vendor: Vendor) -> Iterator[Message]:
    """Reply after reply, each with its names, its words, and what it used."""
    from tests.streams.vendors.vendor import Concept, Reply

    piece = noise(vendor.output_rate * FRAME_MS // 1000)
    for number in range(CALL_S // REPLY_S):
        reply = Reply(f"resp-{number}", f"item-{number}")
        yield from vendor.begin(reply)
        for _ in range(round(REPLY_S / FRAME_S)):
            yield from vendor.audio(reply, piece)
        if Concept.TEXT in vendor.concepts:
            yield from vendor.text(reply, f"This is reply {number}.", final=True)
        if Concept.USER_TEXT in vendor.concepts:
            yield from vendor.user_text(f"And question {number}?", item=f"user-{number}")
        yield from vendor.end(reply)
