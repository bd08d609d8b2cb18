"""What a client sends, byte for byte; and when a message arrived is noted before any message is parsed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from streams.audio import AudioFormat
from streams.clock import SimulatedLoop
from streams.endpoints.arrivals import client_frame, masking_keys
from streams.endpoints.events import AudioReceived, EndpointEvent
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.protocol import Message
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints.sockets import collect, listen, run


def read(data: bytes) -> Frame:
    """A frame as a server of the library reads it."""
    reader = StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    parsing = Frame.parse(reader.read_exact, mask=True)
    with pytest.raises(StopIteration) as done:
        next(parsing)
    frame: Frame = done.value.value
    assert next_is_the_end(reader)
    return frame


def next_is_the_end(reader: StreamReader) -> bool:
    with pytest.raises(StopIteration) as done:
        next(reader.at_eof())
    return bool(done.value.value)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 640, 65535, 65536])
@pytest.mark.parametrize("opcode", [Opcode.TEXT, Opcode.BINARY])
def test_a_frame_of_any_length_is_read_back_by_the_library(opcode: Opcode, size: int) -> None:
    payload = bytes(number % 251 for number in range(size))
    frame = read(client_frame(opcode, payload, b"\x01\x80\xfe\x00"))
    assert (frame.opcode, frame.fin, bytes(frame.data)) == (opcode, True, payload)


def test_the_example_of_the_standard() -> None:
    # RFC 6455, section 5.7: a single-frame masked text message that contains "Hello"
    expected = bytes.fromhex("81 85 37 fa 21 3d 7f 9f 4d 51 58")
    assert client_frame(Opcode.TEXT, b"Hello", bytes.fromhex("37 fa 21 3d")) == expected


def test_masking_keys_are_four_bytes_and_do_not_come_again() -> None:
    keys = list(islice(masking_keys(), 1000))  # of 2^32: 1000 draws hold two alike once in 8,600 times
    assert {len(key) for key in keys} == {4}
    assert len(set(keys)) >= 999


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
