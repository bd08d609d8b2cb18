"""ElevenLabs' own client against our double of its servers: it proves the double."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import Json
from tests.streams.vendors.elevenlabs import ElevenLabsVendor
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Reply

with warnings.catch_warnings():  # it still names classes of the websockets library's legacy client
    warnings.simplefilter("ignore", DeprecationWarning)
    from elevenlabs.client import ElevenLabs
    from elevenlabs.conversational_ai.conversation import (
        AsyncAudioInterface,
        AsyncConversation,
        ClientTools,
    )

REPLY = Reply("resp-a", "item-a")
PCM = b"\x10\x27" * 480


class Sound(AsyncAudioInterface):
    """The client's microphone and loudspeaker."""

    def __init__(self) -> None:
        self.played: list[bytes] = []
        self.interrupted = 0
        self.speak: Callable[[bytes], Awaitable[None]]
        self.began = asyncio.Event()

    async def start(self, input_callback: Callable[[bytes], Awaitable[None]]) -> None:
        self.speak = input_callback
        self.began.set()

    async def stop(self) -> None:
        pass

    async def output(self, audio: bytes) -> None:
        self.played.append(audio)

    async def interrupt(self) -> None:
        self.interrupted += 1


class Answered(ElevenLabsVendor):
    """The double; tells when a ping was answered."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = asyncio.Event()

    def take_json(self, message: Json) -> Sequence[Message]:
        if message.get("type") == "pong":
            self.answered.set()
        return super().take_json(message)


class Call:
    """A conversation of the client with the double; `send` waits until the client has taken it all."""

    def __init__(self, vendor: Answered, socket: ServerConnection, sound: Sound) -> None:
        self.vendor = vendor
        self.sound = sound
        self.words: list[tuple[str, ...]] = []
        self._socket = socket

    async def send(self, *messages: Sequence[Message]) -> None:
        self.vendor.answered.clear()
        for each in [*messages, self.vendor.ping()]:
            for message in each:
                await self._socket.send(message)
        await self.vendor.answered.wait()  # the client takes messages in order


def run(play: Callable[[Call], Awaitable[None]]) -> None:
    async def main() -> None:
        vendor, sound = Answered(), Sound()
        ours: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

        async def script(socket: ServerConnection) -> None:
            ours.set_result(socket)

        words: list[tuple[str, ...]] = []

        async def note(*said: str) -> None:
            words.append(said)

        async with serving(vendor, script=script) as host:
            tools = ClientTools(loop=asyncio.get_running_loop())
            tools.register("weather", weather, is_async=True)
            talk: Any = AsyncConversation(
                ElevenLabs(base_url=f"http://{host}", api_key="sk-canary-0123456789"),
                "agent-1",
                requires_auth=False,
                audio_interface=sound,
                client_tools=tools,
                callback_agent_response=note,
                callback_agent_response_correction=note,
                callback_user_transcript=note,
            )
            await talk.start_session()
            await sound.began.wait()
            call = Call(vendor, await ours, sound)
            call.words = words
            await play(call)
            await talk.end_session()
            assert await talk.wait_for_session_end() == "conv-1"

    clock.run(main(), simulate=True)


async def weather(parameters: dict[str, Any]) -> str:
    assert parameters["city"] == "Bern"
    return "blue sky"


def test_the_client_and_the_double_hear_each_other() -> None:
    async def play(call: Call) -> None:
        await call.sound.speak(PCM)
        await call.send(call.vendor.audio(REPLY, PCM), call.vendor.audio(REPLY, PCM[:100]))
        assert bytes(call.vendor.heard) == PCM
        assert call.sound.played == [PCM, PCM[:100]]

    run(play)


def test_the_client_reads_the_double_s_words() -> None:
    async def play(call: Call) -> None:
        vendor = call.vendor
        await call.send(
            vendor.user_text("Good morning.", item="u"), vendor.text(REPLY, "Hello.", final=True)
        )
        assert call.words == [("Good morning.",), ("Hello.",)]

    run(play)


def test_the_client_drops_audio_up_to_the_double_s_interruption() -> None:
    async def play(call: Call) -> None:
        vendor = call.vendor
        late = vendor.audio(REPLY, PCM)
        await call.send(vendor.flush(), late, vendor.audio(REPLY, PCM[:100]))
        assert call.sound.interrupted == 1
        assert call.sound.played == [PCM[:100]]

    run(play)


def test_the_client_answers_the_double_s_tool_calls() -> None:
    async def play(call: Call) -> None:
        vendor = call.vendor
        await call.send(vendor.tool("call-1", "weather", '{"city": "Bern"}'))
        await call.send(vendor.tool("call-2", "nothing", "{}"))
        assert vendor.tool_results[0] == ("call-1", "blue sky")
        assert vendor.tool_results[1][0] == "call-2" and "not registered" in vendor.tool_results[1][1]

    run(play)


@pytest.mark.parametrize("number", range(3))
def test_the_client_goes_on_after_what_it_does_not_know(number: int) -> None:
    async def play(call: Call) -> None:
        messages = (call.vendor.unknown(), call.vendor.error("x", fatal=False), call.vendor.flush())
        await call.send(messages[number], call.vendor.audio(REPLY, PCM))
        assert call.sound.played == [PCM]

    run(play)
