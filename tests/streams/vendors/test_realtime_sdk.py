"""OpenAI's own client against our double of its servers: it proves the double."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import openai.types.beta.realtime as beta
import openai.types.realtime as ga
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel, TypeAdapter
from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.realtime import KINDS, RealtimeVendor
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import PlaybackTold, Reply

REPLY = Reply("resp-a", "item-a")
NESTED: Any = {
    "type": "realtime",
    "audio": {
        "input": {"format": {"type": "audio/pcm", "rate": 24000}},
        "output": {"format": {"type": "audio/pcmu"}},
    },
}
SERVERS_OWN = {".session.id", ".session.object"}
"""What servers say of a session, and the client's types leave out."""

FLAT: Any = {"input_audio_format": "pcm16", "output_audio_format": "g711_ulaw"}


def run(main: Any) -> None:
    clock.run(main, simulate=True)


@asynccontextmanager
async def called(vendor: RealtimeVendor) -> AsyncIterator[tuple[Any, ServerConnection]]:
    """The client's connection, and the server's end of it."""
    ours: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

    async def script(socket: ServerConnection) -> None:
        ours.set_result(socket)

    async with serving(vendor, script=script) as host:
        client = AsyncOpenAI(api_key="sk-canary-0123456789", websocket_base_url=f"ws://{host}/v1")
        realtime: Any = client.realtime if vendor.kind.nested else client.beta.realtime
        async with realtime.connect(model="m") as connection:
            yield connection, await ours
        await client.close()


def everything(vendor: RealtimeVendor) -> Iterator[Message]:
    """Every kind of event that the double ever sends of itself."""
    for messages in (
        vendor.user_speech(Edge.START),
        vendor.user_speech(Edge.STOP),
        vendor.begin(REPLY),
        vendor.audio(REPLY, b"\x10\x27" * 480),
        vendor.text(REPLY, "Good ", final=False),
        vendor.text(REPLY, "Good morning.", final=True),
        vendor.tool("call-1", "weather", "{}"),
        vendor.usage(tokens=30),
        vendor.end(REPLY),
        vendor.user_text("hello", item="user-1"),
        vendor.begin(REPLY),
        vendor.end(REPLY, ResponseStatus.CANCELLED),
        vendor.error("no", fatal=False),
        vendor.ending(1.0),
    ):
        yield from messages


def surprises(value: object, path: str = "") -> Iterator[str]:
    """Fields that the client's types do not know, wherever they are in an event."""
    if isinstance(value, BaseModel):
        yield from (f"{path}.{name}" for name in value.model_extra or {})
        for name, inner in value:
            if name not in (value.model_extra or {}):
                yield from surprises(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from surprises(inner, f"{path}[]")


async def received(connection: Any, count: int) -> list[Any]:
    return [await connection.recv() for _ in range(count)]


@pytest.mark.parametrize("dialect", ["openai", "openai-beta"])
def test_every_event_of_the_double_is_one_of_the_clients_types(dialect: str) -> None:
    async def main() -> None:
        vendor = RealtimeVendor(dialect)
        async with called(vendor) as (connection, socket):
            await connection.session.update(session=NESTED if vendor.kind.nested else FLAT)
            events = await received(connection, 2)
            assert [event.type for event in events] == ["session.created", "session.updated"]
            messages = list(everything(vendor))
            for message in messages:
                await socket.send(message)
            events += await received(connection, len(messages))
            assert {found for event in events for found in surprises(event)} <= SERVERS_OWN
            union: Any = ga.RealtimeServerEvent if vendor.kind.nested else beta.RealtimeServerEvent
            types = TypeAdapter(union)
            for event in events:  # the client itself does not check the types of fields
                again = types.validate_python(event.model_dump(mode="json", exclude_unset=True))
                assert type(again) is type(event)

    run(main())


@pytest.mark.parametrize("dialect", ["openai", "openai-beta"])
def test_sound_and_words_cross_in_both_directions(dialect: str) -> None:
    async def main() -> None:
        vendor = RealtimeVendor(dialect)
        pcm = b"\x01\x02" * 480
        async with called(vendor) as (connection, socket):
            await connection.session.update(session=NESTED if vendor.kind.nested else FLAT)
            for _ in range(3):
                await connection.input_audio_buffer.append(audio=base64.b64encode(pcm).decode())
            await connection.input_audio_buffer.commit()
            events = await received(connection, 3)
            assert events[-1].type == "input_audio_buffer.committed"
            assert bytes(vendor.heard) == 3 * pcm
            assert (vendor.input_rate, vendor.output_rate) == (24000, 8000)
            reply: Sequence[Iterable[Message]] = (
                vendor.audio(REPLY, b"\x10\x27" * 160),
                vendor.text(REPLY, "Good ", final=False),
            )
            for message in (message for messages in reply for message in messages):
                await socket.send(message)
            sound, words = await received(connection, 2)
            assert len(base64.b64decode(sound.delta)) == 160  # mu-law: a byte a sample
            assert (sound.item_id, words.delta) == ("item-a", "Good ")

    run(main())


def test_what_the_client_says_was_heard_is_understood() -> None:
    async def main() -> None:
        vendor = RealtimeVendor()
        async with called(vendor) as (connection, socket):
            await connection.session.update(session=NESTED)
            for message in vendor.audio(REPLY, bytes(2 * 800)):
                await socket.send(message)
            await received(connection, 3)
            await connection.conversation.item.truncate(item_id="item-a", content_index=0, audio_end_ms=50)
            await connection.conversation.item.delete(item_id="item-a")
            item: Any = {"type": "function_call_output", "call_id": "call-1", "output": "{}"}
            await connection.conversation.item.create(item=item)
            await connection.response.create()
            await connection.response.cancel()
            kinds = [event.type for event in await received(connection, 3)]
            assert kinds == [
                "conversation.item.truncated",
                "conversation.item.deleted",
                "conversation.item.added",
            ]
            # 50 ms at 8000 samples a second
            assert vendor.told == [PlaybackTold("item-a", 400), PlaybackTold("item-a", 0)]
            assert vendor.tool_results == [("call-1", "{}")]

    run(main())


def test_every_dialect_of_ours_has_its_double() -> None:
    from streams.endpoints.openai_realtime.dialects import DIALECTS

    assert KINDS.keys() == DIALECTS.keys()
