"""The situations that need a socket, on every adapter: over loopback, and in real time of milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.audio import Frame
from streams.endpoints.errors import HandshakeTimeout
from streams.endpoints.events import AudioReceived, Closed, Party
from streams.endpoints.protocol import Message
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.conformance.adapters import VENDORS, codec_of
from tests.streams.conformance.line import sound
from tests.streams.conformance.situations import A
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Vendor

SOON_S = 10.0
"""What takes longer hangs."""

every_adapter = pytest.mark.parametrize("name", VENDORS)
pytestmark = pytest.mark.wall_clock


def endpoint_at(vendor: Vendor, host: str, ready_within_s: float = SOON_S) -> WebsocketEndpoint:
    codec = codec_of(vendor)
    return WebsocketEndpoint(
        codec, f"ws://{host}/", address=f"{vendor.name} {host}", handshake_timeout_s=ready_within_s
    )


@every_adapter
def test_a_close_without_goodbye_is_the_endpoints_and_is_never_mended_in_silence(name: str) -> None:
    async def main() -> None:
        vendor, opened = VENDORS[name](), asyncio.Event()

        async def script(socket: ServerConnection) -> None:
            await opened.wait()
            socket.transport.abort()

        async with asyncio.timeout(SOON_S), serving(vendor, script=script) as host:
            endpoint = endpoint_at(vendor, host)
            await endpoint.open()
            opened.set()
            events = [event async for event in endpoint.events()]
            (closed,) = (event for event in events if isinstance(event, Closed))
            assert (closed.by, events[-1]) == (Party.ENDPOINT, closed)
            await endpoint.close()

    clock.run(main())


@every_adapter
def test_a_socket_that_nobody_reads_does_not_hold_up_the_users_voice(name: str) -> None:
    async def main() -> None:
        vendor, opened, said = VENDORS[name](), asyncio.Event(), asyncio.Event()

        async def script(socket: ServerConnection) -> None:
            await opened.wait()
            socket.transport.pause_reading()
            await said.wait()
            socket.transport.resume_reading()

        async with asyncio.timeout(SOON_S), serving(vendor, script=script) as host:
            endpoint = endpoint_at(vendor, host)
            await endpoint.open()
            opened.set()
            rate = endpoint.capabilities.input.rate
            frame = Frame(sound("A", 0.02, rate), rate)
            for _ in range(50 * 60):  # a minute, of which the other side takes nothing
                await endpoint.send(frame)
            said.set()
            await endpoint.close()

    clock.run(main())


@every_adapter
def test_a_slow_consumer_changes_no_time_of_arrival(name: str) -> None:
    async def main() -> None:
        vendor, opened, sent = VENDORS[name](), asyncio.Event(), asyncio.Event()

        async def script(socket: ServerConnection) -> None:
            await opened.wait()
            rate = endpoint.capabilities.output.rate
            for message in [*vendor.begin(A), *vendor.audio(A, sound("A", 0.1, rate))]:
                await socket.send(message)
            await (await socket.ping())  # answered: all before it has arrived
            sent.set()

        async with asyncio.timeout(SOON_S), serving(vendor, script=script) as host:
            endpoint = endpoint_at(vendor, host)
            await endpoint.open()
            opened.set()
            await sent.wait()
            before = clock.now()
            async for event in endpoint.events():
                assert event.at <= before
                if isinstance(event, AudioReceived):
                    break
            await endpoint.close()

    clock.run(main())


@every_adapter
def test_a_message_above_the_libraries_usual_limit_of_1_mib_is_taken_whole(name: str) -> None:
    async def main() -> None:
        vendor, opened = VENDORS[name](), asyncio.Event()

        async def script(socket: ServerConnection) -> None:
            await opened.wait()
            for message in messages:
                await socket.send(message)

        async with asyncio.timeout(SOON_S), serving(vendor, script=script) as host:
            endpoint = endpoint_at(vendor, host)
            await endpoint.open()
            audio = endpoint.capabilities.output
            seconds = 1.1 * 2**20 / (audio.rate * audio.bytes_per_sample)
            pcm = sound("A", seconds, audio.rate)
            messages = [*vendor.begin(A), *vendor.audio(A, pcm), *vendor.end(A)]
            assert max(map(len, messages)) > 2**20
            opened.set()
            received = 0
            async for event in endpoint.events():
                if isinstance(event, AudioReceived):
                    received += len(event.pcm)
                    if received >= len(pcm):
                        break
            assert received == len(pcm)
            await endpoint.close()

    clock.run(main())


@every_adapter
def test_an_endpoint_that_says_nothing_at_all_is_not_waited_for(name: str) -> None:
    class Mute:
        """Takes everything, says nothing."""

        def greet(self) -> Sequence[Message]:
            return []

        def take(self, message: Message) -> Sequence[Message]:
            return []

    async def main() -> None:
        vendor = VENDORS[name]()
        async with asyncio.timeout(SOON_S), serving(Mute()) as host:
            endpoint = endpoint_at(vendor, host, ready_within_s=0.1)
            if endpoint.capabilities.ready_on_connect:
                await endpoint.open()
                await endpoint.close()
                events = [event async for event in endpoint.events()]
                assert [type(event) for event in events] == [Closed]
            else:
                with pytest.raises(HandshakeTimeout, match=r"not ready within 0\.1 s"):
                    await endpoint.open()

    clock.run(main())
