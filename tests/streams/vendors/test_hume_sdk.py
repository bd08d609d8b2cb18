"""Hume's own client against our double of its servers: it proves the double."""

from __future__ import annotations

import base64
import io
import warnings
import wave
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.endpoints.protocol import Message
from tests.streams.vendors.hume import HumeVendor
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Reply

with warnings.catch_warnings():  # it still uses the legacy client of the websockets library
    warnings.simplefilter("ignore", DeprecationWarning)
    import hume.empathic_voice as sdk
    from hume import AsyncHumeClient
    from hume.environment import HumeClientEnvironment

REPLY = Reply("resp-a", "item-a")
PCM = b"\x10\x27" * 480


def run(main: Any) -> None:
    clock.run(main, simulate=True)


@asynccontextmanager
async def called(vendor: HumeVendor, *messages: Sequence[Message]) -> AsyncIterator[Any]:
    """The client's connection; what is to be sent follows the metadata."""

    async def script(socket: ServerConnection) -> None:
        for each in messages:
            for message in each:
                await socket.send(message)

    async with serving(vendor, script=script) as host:
        address = f"ws://{host}/v0/evi"
        places = HumeClientEnvironment(base=f"http://{host}", evi=address, tts=address, stream=address)
        client = AsyncHumeClient(api_key="canary-0123456789", environment=places)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            async with client.empathic_voice.chat.connect(config_id="c", session_settings={}) as connection:
                metadata = await connection.recv()
                assert (type(metadata), metadata.chat_id) == (sdk.ChatMetadata, "chat-1")
                audio = sdk.AudioConfiguration(sample_rate=vendor.input_rate, channels=1)
                await connection.send_publish(sdk.SessionSettings(audio=audio))
                yield connection


def test_the_client_and_the_double_hear_each_other() -> None:
    async def main() -> None:
        vendor = HumeVendor()
        async with called(vendor, vendor.audio(REPLY, PCM)) as connection:
            await connection.send_publish(sdk.AudioInput(data=base64.b64encode(PCM).decode()))
            output = await connection.recv()
            with wave.open(io.BytesIO(base64.b64decode(output.data))) as file:
                assert (file.getframerate(), file.readframes(1000)) == (48000, PCM)
        assert bytes(vendor.heard) == PCM

    run(main())


def test_the_client_knows_every_event_of_the_double() -> None:
    async def main() -> None:
        vendor = HumeVendor()
        expected = [
            (vendor.audio(REPLY, PCM), sdk.AudioOutput),
            (vendor.text(REPLY, "Hello.", final=True), sdk.AssistantMessage),
            (vendor.end(REPLY), sdk.AssistantEnd),
            (vendor.user_message("Good", interim=True), sdk.UserMessage),
            (vendor.user_text("Good morning.", item="u"), sdk.UserMessage),
            (vendor.flush(), sdk.UserInterruption),
            (vendor.tool("call-1", "weather", "{}"), sdk.ToolCallMessage),
            (vendor.error("broken", fatal=False), sdk.WebSocketError),
        ]
        async with called(vendor, *(messages for messages, _ in expected)) as connection:
            for _, kind in expected:
                event = await connection.recv()
                assert type(event) is kind
                assert not event.model_extra, "fields that the vendor does not have"

    run(main())


def test_the_double_takes_the_client_s_tool_results() -> None:
    async def main() -> None:
        vendor = HumeVendor()
        async with called(vendor) as connection:
            await connection.send_publish(sdk.ToolResponseMessage(tool_call_id="call-1", content="blue"))
            await connection.send_publish(sdk.ToolErrorMessage(tool_call_id="call-2", error="no such city"))
        assert vendor.tool_results == [("call-1", "blue"), ("call-2", "no such city")]

    run(main())
