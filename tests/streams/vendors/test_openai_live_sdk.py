"""OpenAI's own Live client against our double: it proves the double, and what our codec sends."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import openai.types.live as live
from openai import AsyncOpenAI
from pydantic import BaseModel, TypeAdapter
from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.audio import AudioFormat, Encoding, Frame
from streams.endpoints.openai_live.codec import LiveCodec, LiveOptions
from streams.endpoints.protocol import Message
from tests.streams.vendors.openai_live import OpenAILiveVendor
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Reply

REPLY = Reply("response-1", "item-1")
PCM = b"\x10\x27" * 480
SESSION: Any = {
    "model": "gpt-live-1",
    "instructions": "Be brief.",
    "audio": {"format": {"type": "audio/pcm", "rate": 24000}, "output": {"voice": "marin"}},
}


@asynccontextmanager
async def called(vendor: OpenAILiveVendor) -> AsyncIterator[tuple[Any, ServerConnection]]:
    """The client's connection, and the server's end of it."""
    ours: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

    async def script(socket: ServerConnection) -> None:
        ours.set_result(socket)

    async with serving(vendor, script=script) as host:
        client = AsyncOpenAI(api_key="sk-canary-0123456789", websocket_base_url=f"ws://{host}/v1")
        async with client.live.connect() as connection:
            yield connection, await ours
        await client.close()


def everything(vendor: OpenAILiveVendor) -> Iterator[Message]:
    """Every kind of event that the double ever sends of itself."""
    for messages in (
        vendor.audio(REPLY, PCM),
        vendor.text(REPLY, "Good morning.", final=True),
        vendor.user_text("hello", item="user-1"),
        vendor.delegate("dlg_2"),
        vendor.tool("call-1", "weather", "{}"),
        vendor.backend_usage(30),
        vendor.usage(tokens=30),
        vendor.error("no", fatal=False),
        vendor.ending(1.0),
    ):
        yield from messages


def surprises(value: object, path: str = "") -> Iterator[str]:
    """Fields that the client's types do not know, wherever they are."""
    if isinstance(value, BaseModel):
        extra = value.model_extra or {}
        yield from (f"{path}.{name}" for name in extra)
        for name, inner in value:
            if name not in extra:
                yield from surprises(inner, f"{path}.{name}")


def run(main: Any) -> None:
    clock.run(main, simulate=True)


def test_every_event_of_the_double_is_one_of_the_clients_types() -> None:
    async def main() -> None:
        vendor = OpenAILiveVendor()
        async with called(vendor) as (connection, socket):
            await connection.session.start(session=SESSION)
            events = [await connection.recv()]
            messages = list(everything(vendor))
            for message in messages:
                await socket.send(message)
            events += [await connection.recv() for _ in messages]
        assert events[0].type == "session.started"
        types: TypeAdapter[Any] = TypeAdapter(live.ServerEvent)
        for event in events:  # the client itself does not check the types of fields
            assert list(surprises(event)) == []
            again = types.validate_python(event.model_dump(mode="json", exclude_unset=True))
            assert type(again) is type(event)
        assert base64.b64decode(events[1].delta) == PCM

    run(main())


def test_what_the_client_sends_arrives() -> None:
    async def main() -> None:
        vendor = OpenAILiveVendor()
        async with called(vendor) as (connection, _):
            await connection.session.start(session=SESSION)
            for _ in range(3):
                await connection.session.input_audio.append(audio=base64.b64encode(PCM).decode())
            await connection.session.commentary.append(content="It is blue.", delegation_id="dlg_2")
            output: Any = {"type": "function_call_output", "call_id": "call-1", "output": "{}"}
            await connection.response.item.create(item=output)
            await connection.response.create()
            await connection.session.close()
            events = [await connection.recv() for _ in range(3)]
        kinds = ["session.started", "session.commentary.appended", "session.closed"]
        assert [event.type for event in events] == kinds
        assert bytes(vendor.heard) == 3 * PCM
        assert vendor.tool_results == [("dlg_2", "It is blue."), ("call-1", "{}")]
        assert (vendor.responses_asked, vendor.goodbye) == (1, True)

    run(main())


def test_every_command_of_our_codec_is_one_of_the_clients_types() -> None:
    types: TypeAdapter[Any] = TypeAdapter(live.ClientEvent)
    for audio in (AudioFormat(24000), AudioFormat(16000), AudioFormat(8000, Encoding.MULAW)):
        vendor = OpenAILiveVendor()
        codec = LiveCodec(
            LiveOptions(model="gpt-live-1", voice="marin", instructions="Be brief.", audio=audio)
        )
        sent = [*codec.opening()]
        for message in (*vendor.delegate("dlg_2"), *vendor.tool("call-1", "weather", "{}")):
            codec.receive(message, at=0.0, raw=0)
        sent += codec.audio(Frame(bytes(audio.frame_samples * 2), audio.rate))
        sent += codec.tool_result("dlg_2", "It is blue.", error=False)
        sent += codec.tool_result("call-1", "{}", error=True)
        sent += codec.closing("done")
        for message in sent:
            event = types.validate_python(json.loads(message))
            assert list(surprises(event)) == []
