"""When a message arrived is noted before any message is parsed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from websockets.asyncio.server import ServerConnection

from streams.audio import AudioFormat
from streams.clock import SimulatedLoop
from streams.endpoints.events import AudioReceived, EndpointEvent
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.protocol import Message
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints.sockets import collect, listen, run


class SlowCodec(PcmCodec):
    """Needs 50 ms to parse a message."""

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimulatedLoop)
        loop._now += 0.05
        return super().receive(message, at=at, raw=raw)


def test_parsing_one_message_does_not_make_the_next_one_late() -> None:
    async def main() -> None:
        async def handler(connection: ServerConnection) -> None:
            for _ in range(3):
                await connection.send(bytes(960))
            await connection.close()

        made, port = await listen(handler)
        async with made:
            url = f"ws://127.0.0.1:{port}/"
            endpoint = WebsocketEndpoint(SlowCodec(AudioFormat(24000)), url, address="pcm")
            await endpoint.open()
            times = [e.at for e in await collect(endpoint) if isinstance(e, AudioReceived)]
            assert len(times) == 3
            assert max(times) - min(times) < 0.05  # stamped when taken up, they would be 50 ms apart

    run(main())
