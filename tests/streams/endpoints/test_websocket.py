"""The socket shell against a real websocket server in the same loop, in simulated time."""

from __future__ import annotations

import asyncio
import base64
import json
import logging

import pytest
from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.audio import AudioFormat, Frame
from streams.endpoints.events import (
    AudioReceived,
    Closed,
    EndpointEvent,
    Notice,
    NoticeLevel,
    Party,
    ResponseStarted,
    UserSpeech,
)
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.protocol import Message
from streams.endpoints.websocket import Direction, WebsocketEndpoint
from tests.streams.endpoints.realtime_messages import created, delta, server, speech_started, updated
from tests.streams.endpoints.sockets import (
    CANARY,
    collect,
    listen,
    listen_raw,
    pcm,
    realtime,
    run,
    set_up,
    shake_hands,
    tell,
)


def test_a_session_opens_talks_and_closes_from_our_side() -> None:
    async def main() -> None:
        got: list[Message] = []

        async def handler(connection: ServerConnection) -> None:
            await set_up(connection)
            got.extend([message async for message in connection])

        made, port = await listen(handler)
        async with made:
            endpoint = realtime(port)
            ready = await endpoint.open()
            assert (ready.session, ready.model) == ("s1", "m")
            await endpoint.send(Frame(b"\1\2" * 480, 24000))
            await endpoint.close("goodbye")
            await endpoint.close("again")
            (closed,) = await collect(endpoint)
            assert closed == Closed(at=closed.at, by=Party.US, code=1000, reason="goodbye")
            assert json.loads(got[0])["audio"] == base64.b64encode(b"\1\2" * 480).decode()

    run(main())


def test_events_during_set_up_are_kept_and_numbered() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            limits = server("rate_limits.updated", rate_limits=[])
            await tell(connection, server("session.created", session={}), limits, created("r0"))
            await connection.recv()
            await tell(connection, updated(), created("r1"))

        made, port = await listen(handler)
        async with made:
            endpoint = realtime(port)
            assert (await endpoint.open()).raw == 3
            events = await collect(endpoint)
            assert [(type(e), e.raw) for e in events] == [
                (Notice, 1),
                (ResponseStarted, 2),
                (ResponseStarted, 4),
                (Closed, -1),
            ]

    run(main())


def test_messages_are_stamped_on_arrival_however_slow_the_consumer() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            for _ in range(4):
                await connection.send(b"\1\0")
                await asyncio.sleep(0.125)

        made, port = await listen(handler)
        async with made:
            endpoint = pcm(port)
            await endpoint.open()
            start, stamps = clock.now(), []
            async for event in endpoint.events():
                if isinstance(event, AudioReceived):
                    stamps.append(event.at - start)
                    await asyncio.sleep(10)
            assert stamps == [0.0, 0.125, 0.25, 0.375]

    run(main())


@pytest.mark.parametrize("seconds", [15, 20])
def test_a_whole_reply_in_one_message_is_accepted(seconds: int) -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await set_up(connection)
            message = delta(bytes(48000 * seconds), "a1", "r1")
            await tell(connection, message)
            assert len(json.dumps(message)) > 64000 * seconds  # 20 s are 1.28 MB in base64

        made, port = await listen(handler)
        async with made:
            endpoint = realtime(port)
            await endpoint.open()
            audio = [e for e in await collect(endpoint) if isinstance(e, AudioReceived)]
            assert [len(each.pcm) // 2 for each in audio] == [24000 * seconds]

    run(main())


def test_pings_that_are_not_answered_close_nothing() -> None:
    async def main() -> None:
        async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            """Shakes hands, never answers a ping, and sends audio after five minutes."""
            protocol = await shake_hands(reader, writer)
            await asyncio.sleep(300)
            protocol.send_binary(b"\1\0")
            writer.writelines(protocol.data_to_send())
            await writer.drain()
            await asyncio.sleep(1)
            writer.close()

        async with listen_raw(deaf) as port:
            endpoint = pcm(port)
            await endpoint.open()
            audio, closed = await collect(endpoint)
            assert isinstance(audio, AudioReceived)
            assert isinstance(closed, Closed)
            assert (closed.by, closed.code) == (Party.ENDPOINT, 1006)  # gone without a close frame

    run(main())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (1000, ""),
        (1001, "Your session hit the maximum duration of 60 minutes."),
        (1011, "deadline"),
        (4000, "x"),
    ],
)
def test_a_close_from_the_endpoint_is_the_last_event_with_its_code(code: int, reason: str) -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await connection.send(b"\1\0")
            await connection.close(code, reason)

        made, port = await listen(handler)
        async with made:
            endpoint = pcm(port)
            await endpoint.open()
            events = await collect(endpoint)
            assert [type(each) for each in events] == [AudioReceived, Closed]
            assert events[-1] == Closed(at=events[-1].at, by=Party.ENDPOINT, code=code, reason=reason)
            await endpoint.close()

    run(main())


def test_sending_on_a_closed_socket_does_nothing_and_takes_no_time() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await connection.close(1011, "over")

        made, port = await listen(handler)
        async with made:
            endpoint = pcm(port)
            await endpoint.open()
            await collect(endpoint)
            before = clock.now()
            for _ in range(3):
                await endpoint.send(Frame(b"\1\0" * 320, 16000))
                await endpoint.text("x")
            assert clock.now() == before

    run(main())


def test_sending_during_a_slow_goodbye_does_nothing_and_takes_no_time() -> None:
    async def main() -> None:
        async def lingering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            """Sends a close frame, and ends the connection only two seconds later."""
            protocol = await shake_hands(reader, writer)
            protocol.send_close(1001, "going")
            writer.writelines([each for each in protocol.data_to_send() if each])
            await asyncio.sleep(2)
            writer.close()

        async with listen_raw(lingering) as port:
            endpoint = pcm(port)
            await endpoint.open()
            await asyncio.sleep(1)
            await endpoint.send(Frame(b"\1\0" * 320, 16000))
            assert clock.now() == 1.0
            (closed,) = await collect(endpoint)
            assert closed == Closed(at=2.0, by=Party.ENDPOINT, code=1001, reason="going")

    run(main())


def test_an_endpoint_that_does_not_read_does_not_hold_up_the_sender() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            connection.transport.pause_reading()
            await asyncio.sleep(100)
            connection.transport.abort()

        made, port = await listen(handler)
        async with made:
            endpoint = pcm(port)
            await endpoint.open()
            for _ in range(600):  # ten minutes of audio, 19 MB: more than the sockets hold
                await endpoint.send(Frame(b"\1\0" * 16000, 16000))
            assert clock.now() < 1
            await collect(endpoint)

    run(main())


def test_no_key_gets_out_of_a_session(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def main() -> None:
        wire: list[tuple[Direction, Message]] = []
        seen: list[str] = []

        async def handler(connection: ServerConnection) -> None:
            request = connection.request
            assert request is not None
            seen.extend([request.path, request.headers["Authorization"]])
            await set_up(connection)
            echo = f"key {CANARY} is about to expire"
            await tell(connection, server("error", error={"code": "expiring", "message": echo}))
            await connection.close(1008, f"bye {CANARY}")

        made, port = await listen(handler, logger=logging.Logger("server"))
        async with made:
            url = f"ws://127.0.0.1:{port}/v1/realtime?model=m&api-key={CANARY}"
            endpoint = WebsocketEndpoint(
                RealtimeCodec(DIALECTS["openai"]),
                url,
                address=f"openai+{url}",
                headers={"Authorization": f"Bearer {CANARY}"},
                raw_log=lambda at, direction, message: wire.append((direction, message)),
            )
            ready = await endpoint.open()
            events = await collect(endpoint)
            assert seen == [f"/v1/realtime?model=m&api-key={CANARY}", f"Bearer {CANARY}"]
            shown = f"{ready} {events} {wire} {endpoint!r} {endpoint.address} {caplog.text}"
            assert CANARY not in shown
            assert [each[0] for each in wire] == ["sent", "received", "received", "received"]
            assert isinstance(events[0], Notice)
            assert events[0].message == "key *** is about to expire"
            assert isinstance(events[1], Closed)
            assert events[1].reason == "bye ***"

    run(main())


def test_the_raw_log_has_every_message_under_the_number_of_its_events() -> None:
    async def main() -> None:
        log: list[tuple[float, Direction, Message]] = []

        async def handler(connection: ServerConnection) -> None:
            await set_up(connection)
            await asyncio.sleep(0.25)
            await tell(connection, speech_started())

        made, port = await listen(handler)
        async with made:
            endpoint = realtime(port, raw_log=lambda *entry: log.append(entry))
            await endpoint.open()
            events = await collect(endpoint)
            received = [(at, json.loads(m)) for at, direction, m in log if direction == "received"]
            start = next(each for each in events if isinstance(each, UserSpeech))
            at, message = received[start.raw]
            assert (at, message["type"]) == (start.at, "input_audio_buffer.speech_started")

    run(main())


def test_a_fault_of_our_own_in_a_codec_is_raised_to_the_consumer() -> None:
    class Broken(PcmCodec):
        def receive(self, message: Message, *, at: float, raw: int) -> list[EndpointEvent]:
            raise ZeroDivisionError

    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await connection.send(b"\1\0")
            await connection.wait_closed()

        made, port = await listen(handler)
        async with made:
            codec = Broken(AudioFormat(16000))
            endpoint = WebsocketEndpoint(codec, f"ws://127.0.0.1:{port}/", address="pcm+ws://test")
            await endpoint.open()
            with pytest.raises(ZeroDivisionError):
                await collect(endpoint)
            await endpoint.close()

    run(main())


def test_a_protocol_violation_does_not_end_the_session() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            await set_up(connection)
            await connection.send("{broken")
            await tell(connection, created("r1"))

        made, port = await listen(handler)
        async with made:
            endpoint = realtime(port)
            await endpoint.open()
            notice, started, _ = await collect(endpoint)
            assert isinstance(notice, Notice)
            assert (notice.level, notice.code) == (NoticeLevel.ERROR, "protocol_violation")
            assert isinstance(started, ResponseStarted)

    run(main())
