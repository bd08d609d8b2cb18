"""A session that outlives its connection: socket shell, Gemini codec, and a server that goes away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from websockets.asyncio.server import Server, ServerConnection
from websockets.exceptions import ConnectionClosed

from streams import clock
from streams.audio import AudioFormat, Frame
from streams.endpoints.events import (
    AudioReceived,
    Closed,
    Ending,
    EndpointEvent,
    Notice,
    NoticeLevel,
    Party,
    Ready,
    ResponseEnded,
    ResponseStatus,
    Resumed,
)
from streams.endpoints.gemini.codec import GeminiCodec
from streams.endpoints.gemini.setup import GeminiOptions
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.protocol import Message
from streams.endpoints.websocket import RESUME_TIMEOUT_S, WebsocketEndpoint
from tests.streams.endpoints.sockets import CANARY, collect, listen, listen_raw, run, shake_hands
from tests.streams.vendors.gemini import GeminiVendor
from tests.streams.vendors.vendor import Reply

REPLY = Reply("response-1", "item-1")
PCM = b"\x10\x27" * 2400  # 100 ms
SPEECH = Frame(b"\x10\x27" * 320, 16000)
SILENCE = Frame(bytes(640), 16000)

Script = Callable[[ServerConnection], Awaitable[None]]


def endpoint(port: int, **options: Any) -> WebsocketEndpoint:
    codec = GeminiCodec(GeminiOptions(model="gemini-double"))
    return WebsocketEndpoint(codec, f"ws://127.0.0.1:{port}/ws", address="gemini+ws://test", **options)


async def vendor_at(vendor: GeminiVendor, *scripts: Script) -> tuple[Server, int]:
    """Serve a vendor; the first connection plays the first script once it is set up, and so on."""
    connections = iter(scripts)

    async def handler(connection: ServerConnection) -> None:
        script = next(connections)
        for answer in vendor.take(await connection.recv()):
            await connection.send(answer)
        playing = asyncio.ensure_future(script(connection))
        try:
            async for message in connection:
                for answer in vendor.take(message):
                    await connection.send(answer)
        except ConnectionClosed:
            pass
        await playing

    return await listen(handler)


async def send(connection: ServerConnection, *messages: Message) -> None:
    for message in messages:
        await connection.send(message)


async def stay(connection: ServerConnection) -> None:
    """Nothing happens on this connection."""


def kinds(events: list[EndpointEvent]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_a_lost_connection_is_replaced_by_one_with_the_handle_and_everybody_is_told() -> None:
    async def main() -> None:
        vendor = GeminiVendor(handles=True)

        async def lose(connection: ServerConnection) -> None:
            await asyncio.sleep(1)
            connection.transport.abort()

        async def answer(connection: ServerConnection) -> None:
            await asyncio.sleep(1)
            await send(connection, *vendor.audio(REPLY, PCM), *vendor.end(REPLY))
            await asyncio.sleep(1)
            await connection.close(1000, "bye")

        made, port = await vendor_at(vendor, lose, answer)
        async with made:
            called = endpoint(port)
            await called.open()
            left, resumed, *rest = await collect(called)
            assert isinstance(left, Notice)
            assert (left.level, left.code, left.at) == (NoticeLevel.WARNING, "connection_left", 1.0)
            assert "code 1006" in left.message
            assert resumed == Resumed(at=1.0, gap_s=0.0, held=0)
            assert kinds(rest) == [
                "ResponseStarted",
                "AudioReceived",
                "ItemEnded",
                "ResponseEnded",
                "Closed",
            ]
            assert rest[-1] == Closed(at=3.0, by=Party.ENDPOINT, code=1000, reason="bye")
            first, second = vendor.setups
            assert first["sessionResumption"] == {}
            assert second == {**first, "sessionResumption": {"handle": "handle-1"}}

    run(main())


def test_what_the_user_says_meanwhile_arrives_in_order_and_whole() -> None:
    async def main() -> None:
        vendor = GeminiVendor(handles=True)
        frames = [Frame(bytes([number, 0]) * 320, 16000) for number in range(100)]

        async def lose(connection: ServerConnection) -> None:
            await asyncio.sleep(0.5)
            await connection.close(1011, "deadline expired")

        async def late(connection: ServerConnection) -> None:
            await asyncio.sleep(5)

        made, port = await vendor_at(vendor, lose, late)
        async with made:
            called = endpoint(port)
            await called.open()
            for frame in frames:  # two seconds of it; the connection is lost after half a second
                await called.send(frame)
                await asyncio.sleep(0.02)
            await asyncio.sleep(1)
            assert bytes(vendor.heard) == b"".join(frame.pcm for frame in frames)
            await called.close()
            events = await collect(called)
            assert sum(isinstance(event, Resumed) for event in events) == 1

    run(main())


def test_frames_wait_while_the_new_connection_is_being_set_up() -> None:
    async def main() -> None:
        heard: list[str] = []
        ready = asyncio.Event()

        async def handler(connection: ServerConnection) -> None:
            setup = json.loads(await connection.recv())["setup"]
            again = bool(setup["sessionResumption"])
            if again:
                await ready.wait()
            update = {"newHandle": "h1", "resumable": True}
            await connection.send(json.dumps({"setupComplete": {}}))
            if not again:
                await connection.send(json.dumps({"sessionResumptionUpdate": update}))
                await asyncio.sleep(1)
                await connection.close(1001)
                return
            heard.extend([next(iter(json.loads(each)["realtimeInput"])) async for each in connection])

        made, port = await listen(handler)
        async with made:
            called = endpoint(port)
            await called.open()
            await asyncio.sleep(2)
            await called.send(SPEECH)
            await called.text("hello")
            await called.send(SPEECH)
            assert heard == []
            await asyncio.sleep(1)
            ready.set()
            await asyncio.sleep(1)
            await called.close()
            events = await collect(called)
            assert heard == ["audio", "text", "audio"]
            (resumed,) = (event for event in events if isinstance(event, Resumed))
            assert (resumed.at, resumed.gap_s, resumed.held) == (3.0, 2.0, 3)  # lost at 1 s, ready at 3 s

    run(main())


def test_after_go_away_the_session_moves_as_soon_as_nobody_talks_and_the_state_can_be_kept() -> None:
    async def main() -> None:
        vendor = GeminiVendor(handles=True)
        closed: list[float] = []

        async def go_away(connection: ServerConnection) -> None:
            await asyncio.sleep(1)
            await send(connection, *vendor.audio(REPLY, PCM), *vendor.ending(50.0))
            await asyncio.sleep(1)
            await send(connection, *vendor.end(REPLY))  # with a new handle
            await connection.wait_closed()
            closed.append(clock.now())

        made, port = await vendor_at(vendor, go_away, stay)
        async with made:
            called = endpoint(port)
            await called.open()
            await asyncio.sleep(5)
            await called.close()
            events = await collect(called)
            (ending,) = (event for event in events if isinstance(event, Ending))
            assert (ending.at, ending.time_left_s, ending.resumable) == (1.0, 50.0, True)
            (left,) = (event for event in events if isinstance(event, Notice))
            assert (left.at, "is about to end" in left.message) == (2.0, True)
            (resumed,) = (event for event in events if isinstance(event, Resumed))
            assert (resumed.at, closed) == (2.0, [2.0])
            (ended,) = (event for event in events if isinstance(event, ResponseEnded))
            assert ended.status is ResponseStatus.COMPLETED  # the move waited for the reply
            assert vendor.setups[1]["sessionResumption"] == {"handle": "handle-2"}

    run(main())


def test_the_user_is_not_cut_off_by_a_move() -> None:
    async def main() -> None:
        vendor = GeminiVendor(handles=True)

        async def go_away(connection: ServerConnection) -> None:
            await asyncio.sleep(1)
            await send(connection, *vendor.ending(50.0))
            await asyncio.sleep(1)
            await send(connection, *vendor.user_text("hello", item="user-1"))
            await asyncio.sleep(0.5)
            await send(connection, *vendor.handle())
            await connection.wait_closed()

        made, port = await vendor_at(vendor, go_away, stay)
        async with made:
            called = endpoint(port)
            await called.open()
            for number in range(100):  # talks for 1.5 s, then is silent
                await called.send(SPEECH if number < 75 else SILENCE)
                await asyncio.sleep(0.02)
            await asyncio.sleep(1)
            await called.close()
            (resumed,) = (e for e in await collect(called) if isinstance(e, Resumed))
            # at 2 s the user is silent, but the only handle is older than its words; the next comes at 2.5
            assert (resumed.at, vendor.setups[1]["sessionResumption"]["handle"]) == (2.5, "handle-2")

    run(main())


def test_a_reply_that_was_under_way_is_incomplete() -> None:
    async def main() -> None:
        vendor = GeminiVendor(handles=True)

        async def lose(connection: ServerConnection) -> None:
            await send(connection, *vendor.audio(REPLY, PCM))
            await asyncio.sleep(1)
            connection.transport.abort()

        async def answer(connection: ServerConnection) -> None:
            await send(connection, *vendor.audio(REPLY, PCM), *vendor.end(REPLY))
            await asyncio.sleep(1)

        made, port = await vendor_at(vendor, lose, answer)
        async with made:
            called = endpoint(port)
            await called.open()
            await asyncio.sleep(3)
            await called.close()
            events = await collect(called)
            statuses = [event.status for event in events if isinstance(event, ResponseEnded)]
            assert statuses == [ResponseStatus.INCOMPLETE, ResponseStatus.COMPLETED]
            items = [event.item for event in events if isinstance(event, AudioReceived)]
            assert items == ["item-1", "item-2"]

    run(main())


@pytest.mark.parametrize(("code", "reason"), [(1000, "bye"), (1007, "bad request"), (1008, "policy")])
def test_a_hang_up_and_a_refusal_are_no_lost_connection(code: int, reason: str) -> None:
    async def main() -> None:
        vendor = GeminiVendor(handles=True)

        async def hang_up(connection: ServerConnection) -> None:
            await asyncio.sleep(1)
            await connection.close(code, reason)

        made, port = await vendor_at(vendor, hang_up)
        async with made:
            called = endpoint(port)
            await called.open()
            assert await collect(called) == [Closed(at=1.0, by=Party.ENDPOINT, code=code, reason=reason)]

    run(main())


def test_without_a_handle_the_session_ends_with_its_connection() -> None:
    async def main() -> None:
        vendor = GeminiVendor()

        async def go_away(connection: ServerConnection) -> None:
            await send(connection, *vendor.ending(2.0))
            await asyncio.sleep(2)
            await connection.close(1011, "deadline expired")

        made, port = await vendor_at(vendor, go_away)
        async with made:
            called = endpoint(port)
            await called.open()
            ending, closed = await collect(called)
            assert ending == Ending(at=0.0, raw=1, time_left_s=2.0, reason="goAway", resumable=False)
            assert closed == Closed(at=2.0, by=Party.ENDPOINT, code=1011, reason="deadline expired")

    run(main())


async def lose_and_refuse(connection: ServerConnection) -> None:
    """The first connection is lost after a second; the second refuses the handle."""
    setup = json.loads(await connection.recv())["setup"]
    if setup["sessionResumption"]:
        await connection.close(1007, f"handle expired, {CANARY}")
        return
    await connection.send(json.dumps({"setupComplete": {}}))
    await connection.send(json.dumps({"sessionResumptionUpdate": {"newHandle": "h", "resumable": True}}))
    await asyncio.sleep(1)
    await connection.close(1011, "deadline expired")


def test_a_handle_that_is_refused_ends_the_session_as_the_old_connection_ended() -> None:
    async def main() -> None:
        made, port = await listen(lose_and_refuse)
        async with made:
            called = endpoint(port, headers={"x-goog-api-key": CANARY})
            await called.open()
            left, failed, closed = await collect(called)
            assert isinstance(left, Notice) and isinstance(failed, Notice)
            assert (failed.level, failed.code) == (NoticeLevel.ERROR, "resumption_failed")
            assert "1007: handle expired, ***" in failed.message
            assert closed == Closed(at=1.0, by=Party.ENDPOINT, code=1011, reason="deadline expired")
            before = clock.now()
            await called.send(SPEECH)  # nothing is held any more, and nothing is sent
            assert clock.now() == before

    run(main())


def test_a_server_that_is_gone_ends_the_session() -> None:
    async def main() -> None:
        servers: list[Server] = []

        async def handler(connection: ServerConnection) -> None:
            await connection.recv()
            await connection.send(json.dumps({"setupComplete": {}}))
            update = {"newHandle": "h", "resumable": True}
            await connection.send(json.dumps({"sessionResumptionUpdate": update}))
            servers[0].close(close_connections=False)
            await asyncio.sleep(1)
            connection.transport.abort()

        made, port = await listen(handler)
        servers.append(made)
        async with made:
            called = endpoint(port)
            await called.open()
            _, failed, closed = await collect(called)
            assert isinstance(failed, Notice) and "nothing listens" in failed.message
            assert isinstance(closed, Closed) and closed.code == 1006

    run(main())


def test_a_server_that_never_gets_ready_again_is_given_up_in_time() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            setup = json.loads(await connection.recv())["setup"]
            if not setup["sessionResumption"]:
                await connection.send(json.dumps({"setupComplete": {}}))
                update = {"newHandle": "h", "resumable": True}
                await connection.send(json.dumps({"sessionResumptionUpdate": update}))
                await asyncio.sleep(1)
                connection.transport.abort()
            await connection.wait_closed()

        made, port = await listen(handler)
        async with made:
            called = endpoint(port)
            await called.open()
            _, failed, closed = await collect(called)
            assert (failed.at, closed.at) == (1 + RESUME_TIMEOUT_S, 1 + RESUME_TIMEOUT_S)
            assert isinstance(failed, Notice) and "not within 10 s" in failed.message

    run(main())


def test_a_handle_is_used_once() -> None:
    async def main() -> None:
        connections = 0

        async def handler(connection: ServerConnection) -> None:
            nonlocal connections
            connections += 1
            await connection.recv()
            await connection.send(json.dumps({"setupComplete": {}}))
            if connections == 1:
                update = {"newHandle": "h", "resumable": True}
                await connection.send(json.dumps({"sessionResumptionUpdate": update}))
            await asyncio.sleep(1)
            connection.transport.abort()

        made, port = await listen(handler)
        async with made:
            called = endpoint(port)
            await called.open()
            events = await collect(called)
            assert kinds(events) == ["Notice", "Resumed", "Closed"]
            assert (connections, events[-1].at) == (2, 2.0)

    run(main())


def test_hanging_up_on_the_way_to_another_connection_takes_no_time() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            setup = json.loads(await connection.recv())["setup"]
            if not setup["sessionResumption"]:
                await connection.send(json.dumps({"setupComplete": {}}))
                update = {"newHandle": "h", "resumable": True}
                await connection.send(json.dumps({"sessionResumptionUpdate": update}))
                await asyncio.sleep(1)
                connection.transport.abort()
            await connection.wait_closed()

        made, port = await listen(handler)
        async with made:
            called = endpoint(port)
            await called.open()
            await asyncio.sleep(2)
            await called.close("enough")
            assert clock.now() == 2.0
            events = await collect(called)
            assert isinstance(events[-1], Closed)
            assert (events[-1].by, events[-1].reason) == (Party.US, "enough")

    run(main())


def test_protocols_without_resumption_end_with_their_connection() -> None:
    async def main() -> None:
        connections = 0

        async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal connections
            connections += 1
            await shake_hands(reader, writer)
            await asyncio.sleep(1)
            writer.transport.abort()

        async with listen_raw(drop) as port:
            codec = PcmCodec(AudioFormat(16000))
            called = WebsocketEndpoint(codec, f"ws://127.0.0.1:{port}/", address="pcm+ws://test")
            ready = await called.open()
            assert isinstance(ready, Ready)
            (closed,) = await collect(called)
            assert isinstance(closed, Closed) and (closed.code, connections) == (1006, 1)

    run(main())
