"""Deepgram's own client against our double of its servers: it proves the double."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.endpoints.protocol import Message
from tests.streams.vendors.deepgram import DeepgramVendor
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Reply

with warnings.catch_warnings():  # it still uses the legacy client of the websockets library
    warnings.simplefilter("ignore", DeprecationWarning)
    import deepgram.agent.v1 as sdk
    from deepgram import AsyncDeepgramClient
    from deepgram.environment import DeepgramClientEnvironment

REPLY = Reply("resp-a", "item-a")
PCM = b"\x10\x27" * 480


def run(main: Any) -> None:
    clock.run(main, simulate=True)


@asynccontextmanager
async def called(vendor: DeepgramVendor, *messages: Sequence[Message]) -> AsyncIterator[Any]:
    """The client's connection; what is to be sent follows the settings."""
    sockets: list[ServerConnection] = []

    async def script(socket: ServerConnection) -> None:
        sockets.append(socket)

    async with serving(vendor, script=script) as host:
        address = f"ws://{host}"
        places = DeepgramClientEnvironment(
            base=f"http://{host}", production=address, agent=address, agent_rest=f"http://{host}"
        )
        client = AsyncDeepgramClient(api_key="canary-0123456789", environment=places)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            async with client.agent.v1.connect() as connection:
                assert isinstance(await connection.recv(), sdk.AgentV1Welcome)
                await connection.send_settings(settings(vendor))
                assert isinstance(await connection.recv(), sdk.AgentV1SettingsApplied)
                for each in messages:
                    for message in each:
                        await sockets[0].send(message)
                yield connection


def settings(vendor: DeepgramVendor) -> Any:
    audio = sdk.AgentV1SettingsAudio(
        input=sdk.AgentV1SettingsAudioInput(encoding="linear16", sample_rate=vendor.input_rate),
        output=sdk.AgentV1SettingsAudioOutput(
            encoding="linear16", sample_rate=vendor.output_rate, container="none"
        ),
    )
    return sdk.AgentV1Settings(audio=audio, agent=sdk.AgentV1SettingsAgent(greeting="Hello"))


def test_the_client_s_settings_are_taken_and_both_hear_each_other() -> None:
    async def main() -> None:
        vendor = DeepgramVendor()
        async with called(vendor, vendor.audio(REPLY, PCM)) as connection:
            await connection.send_media(PCM)
            assert await connection.recv() == PCM
            await connection.send_keep_alive()
        assert bytes(vendor.heard) == PCM
        assert vendor.settings["agent"]["greeting"] == "Hello"

    run(main())


def test_the_client_knows_every_event_of_the_double() -> None:
    async def main() -> None:
        vendor = DeepgramVendor()
        expected = [
            (vendor.begin(REPLY), sdk.AgentV1AgentStartedSpeaking),
            (vendor.text(REPLY, "Hello.", final=True), sdk.AgentV1ConversationText),
            (vendor.user_text("Good morning.", item="u"), sdk.AgentV1ConversationText),
            (vendor.end(REPLY), sdk.AgentV1AgentAudioDone),
            (vendor.flush(), sdk.AgentV1UserStartedSpeaking),
            (vendor.tool("call-1", "weather", "{}"), sdk.AgentV1FunctionCallRequest),
            (vendor.error("slow", fatal=False), sdk.AgentV1Warning),
            (vendor.error("broken", fatal=True), sdk.AgentV1Error),
        ]
        async with called(vendor, *(messages for messages, _ in expected)) as connection:
            for _, kind in expected:
                event = await connection.recv()
                assert type(event) is kind
                assert not event.model_extra, "fields that the vendor does not have"

    run(main())


def test_the_double_takes_the_client_s_tool_result() -> None:
    async def main() -> None:
        vendor = DeepgramVendor()
        async with called(vendor, vendor.tool("call-1", "weather", '{"city": "Bern"}')) as connection:
            request = await connection.recv()
            (function,) = (each for each in request.functions if each.client_side)
            answer = sdk.AgentV1SendFunctionCallResponse(id=function.id, name=function.name, content="blue")
            await connection.send_function_call_response(answer)
        assert vendor.tool_results == [("call-1", "blue")]

    run(main())
