"""Goodbyes that are answered, and keys in binary frames: the socket shell with OpenAI Live and Doubao."""

from __future__ import annotations

import asyncio
import json

from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.endpoints.address import connect
from streams.endpoints.doubao.codec import DoubaoCodec
from streams.endpoints.doubao.events import DoubaoOptions
from streams.endpoints.events import Closed, Notice, Party, Usage
from streams.endpoints.protocol import Message
from streams.endpoints.tap import Direction
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints.sockets import CANARY, collect, listen, run
from tests.streams.vendors.doubao import DoubaoVendor
from tests.streams.vendors.openai_live import OpenAILiveVendor
from tests.streams.vendors.serve import serving


def test_the_final_usage_that_answers_the_goodbye_is_among_the_events() -> None:
    async def main() -> None:
        vendor = OpenAILiveVendor()
        async with serving(vendor) as host:
            endpoint = connect(vendor.address(host), {})
            await endpoint.open()
            await endpoint.close("done")
            assert vendor.goodbye
            usage, closed = [event async for event in endpoint.events()]
            assert isinstance(usage, Usage) and (usage.values, usage.cumulative) == ({"seconds": 60}, True)
            assert isinstance(closed, Closed) and (closed.by, closed.reason) == (Party.US, "done")
            assert clock.now() == 0.0  # it was answered at once

    run(main())


def test_a_goodbye_in_two_steps_is_said_to_its_end() -> None:
    async def main() -> None:
        vendor = DoubaoVendor()
        async with serving(vendor) as host:
            endpoint = connect(vendor.address(host), {})
            ready = await endpoint.open()
            assert (ready.session, ready.model) == ("dialog-1", "1.2.1.1")
            await endpoint.close("done")
            assert vendor.events == [1, 100, 102, 2]  # FinishSession is answered before FinishConnection
            assert vendor.goodbye

    run(main())


def test_an_endpoint_that_does_not_answer_the_goodbye_is_waited_for_three_seconds() -> None:
    async def main() -> None:
        async def mute(connection: ServerConnection) -> None:
            await connection.recv()
            await connection.send(json.dumps({"type": "session.started", "session": {}}))
            async for _ in connection:
                pass

        made, port = await listen(mute)
        async with made:
            endpoint = connect(f"openai-live+ws://127.0.0.1:{port}/?model=m", {})
            await endpoint.open()
            await endpoint.close()
            await endpoint.close()
            assert clock.now() == 3.0

    run(main())


def test_an_endpoint_that_hangs_up_instead_of_answering_is_not_waited_for() -> None:
    async def main() -> None:
        async def abrupt(connection: ServerConnection) -> None:
            await connection.recv()
            await connection.send(json.dumps({"type": "session.started", "session": {}}))
            await connection.recv()
            await asyncio.sleep(0.5)
            connection.transport.abort()

        made, port = await listen(abrupt)
        async with made:
            endpoint = connect(f"openai-live+ws://127.0.0.1:{port}/?model=m", {})
            await endpoint.open()
            await endpoint.close()
            assert clock.now() == 0.5

    run(main())


def test_a_key_that_is_echoed_in_a_binary_frame_is_masked_and_its_lengths_stay_true() -> None:
    async def main() -> None:
        wire: list[tuple[float, Direction, Message]] = []
        vendor = DoubaoVendor()

        async def echo(connection: ServerConnection) -> None:
            await asyncio.sleep(1)
            for message in vendor.error(f"key {CANARY} is not valid", fatal=True):
                await connection.send(message)
            # in a payload that is compressed nobody finds it but the codec
            for message in vendor.error(f"key {CANARY} is not known", fatal=False):
                await connection.send(message)
            await connection.close()

        async with serving(vendor, script=echo) as host:
            endpoint = WebsocketEndpoint(
                DoubaoCodec(DoubaoOptions(), "session-1"),
                f"ws://{host}/",
                address="doubao+ws://test",
                headers={"X-Api-Access-Key": CANARY},
                raw_log=lambda *entry: wire.append(entry),
            )
            await endpoint.open()
            notices = [event for event in await collect(endpoint) if isinstance(event, Notice)]
            mask = "*" * len(CANARY)
            assert [notice.message for notice in notices] == [
                f"key {mask} is not valid",
                "key *** is not known",
            ]
            assert CANARY not in f"{wire}"

    run(main())
