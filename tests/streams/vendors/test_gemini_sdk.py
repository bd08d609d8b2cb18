"""Google's own client against our double of Gemini Live: it proves the double, and what our codec sends.

The client speaks `wss` only. It takes a TLS context as its documented `async_client_args`, so the double
has a certificate of an authority made for the test, and nothing of the client is patched.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trustme
from google import genai
from google.genai import types
from websockets.asyncio.server import ServerConnection

from streams import clock
from streams.audio import Frame
from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.gemini.codec import GeminiCodec
from streams.endpoints.gemini.setup import GeminiOptions
from streams.endpoints.protocol import Message, TurnMode
from tests.streams.vendors.gemini import GeminiVendor, content, wire
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Reply

REPLY = Reply("response-1", "item-1")
PCM = b"\x10\x27" * 480

PLAIN: dict[str, Any] = {
    "response_modalities": ["AUDIO"],
    "input_audio_transcription": {},
    "output_audio_transcription": {},
    "session_resumption": {},
}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@asynccontextmanager
async def called(
    vendor: GeminiVendor, authority: trustme.CA, config: Any
) -> AsyncIterator[tuple[Any, ServerConnection]]:
    """The client's session, and the server's end of it."""
    ours: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

    async def script(socket: ServerConnection) -> None:
        ours.set_result(socket)

    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(theirs)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    async with serving(vendor, script=script, tls=theirs) as host:
        options: Any = {"base_url": f"https://{host}", "async_client_args": {"ssl": trusting}}
        client = genai.Client(api_key="canary-0123456789", vertexai=False, http_options=options)
        async with client.aio.live.connect(model="gemini-double", config=config) as session:
            yield session, await ours
        await client.aio.aclose()


async def told(session: Any, socket: ServerConnection, *messages: Message) -> list[Any]:
    """What the client makes of what the server sends."""
    for message in messages:
        await socket.send(message)
    return [await session._receive() for _ in messages]


def run(main: Any) -> None:
    clock.run(main, simulate=True)


def everything(vendor: GeminiVendor) -> Iterator[Message]:
    """Every kind of message that the double ever sends of itself."""
    for messages in (
        vendor.audio(REPLY, PCM),
        vendor.text(REPLY, "Good ", final=False),
        vendor.text(REPLY, "Good morning.", final=True),
        vendor.user_text("hello", item="user-1"),
        vendor.user_speech(Edge.START),
        vendor.user_speech(Edge.STOP),
        vendor.flush(),
        vendor.end(REPLY),
        vendor.end(REPLY, ResponseStatus.CANCELLED),
        vendor.tool("call-1", "weather", '{"city": "Bern"}'),
        vendor.tool_cancel("call-1"),
        vendor.usage(tokens=30),
        vendor.ending(50.0),
        vendor.handle(),
        [content({"turnComplete": True, "turnCompleteReason": "NEED_MORE_INPUT"})],
        [content({"turnComplete": True, "interactionStatus": "IN_PROGRESS"})],
        [wire({"setupComplete": {"sessionId": "s-1"}})],
    ):
        yield from messages


def test_the_client_reads_every_message_of_the_double(authority: trustme.CA) -> None:
    async def main() -> None:
        vendor = GeminiVendor(handles=True)
        async with called(vendor, authority, PLAIN) as (session, socket):
            assert session.setup_complete is not None
            (handle,) = [await session._receive()]
            assert handle.session_resumption_update.new_handle == "handle-1"
            sent = list(everything(vendor))
            read = await told(session, socket, *sent)
        # what the client's strict types make of a message has every value that was in it
        for message, got in zip(sent, read, strict=True):
            assert got.model_dump(mode="json", exclude_none=True, by_alias=True) == expected(message)

    run(main())


def expected(message: Message) -> dict[str, Any]:
    """The message as the client's types write it down."""
    found: dict[str, Any] = json.loads(message)
    for part in found.get("serverContent", {}).get("modelTurn", {}).get("parts", []):
        blob = part["inlineData"]  # bytes are written with the other base64 alphabet
        blob["data"] = blob["data"].replace("+", "-").replace("/", "_")
    if "voiceActivity" in found:  # a name that the client changes
        found["voiceActivity"]["voiceActivityType"] = found["voiceActivity"].pop("type")
    return found


def test_what_the_client_sends_arrives(authority: trustme.CA) -> None:
    async def main() -> None:
        vendor = GeminiVendor()
        async with called(vendor, authority, PLAIN) as (session, socket):
            await session.send_realtime_input(audio=types.Blob(data=PCM, mime_type="audio/pcm;rate=16000"))
            await session.send_realtime_input(text="hello")
            await session.send_realtime_input(audio_stream_end=True)
            await session.send_tool_response(
                function_responses=types.FunctionResponse(
                    id="call-1", name="weather", response={"output": "blue"}
                )
            )
            await told(session, socket, *vendor.end(REPLY))
        assert bytes(vendor.heard) == PCM
        assert vendor.events == ["text", "audioStreamEnd"]
        assert vendor.tool_results == [("call-1", '{"output": "blue"}')]

    run(main())


def test_the_clients_turn_ends_with_the_doubles(authority: trustme.CA) -> None:
    async def main() -> None:
        vendor = GeminiVendor()
        async with called(vendor, authority, PLAIN) as (session, socket):
            for message in (*vendor.audio(REPLY, PCM), *vendor.audio(REPLY, PCM), *vendor.end(REPLY)):
                await socket.send(message)
            turn = [message async for message in session.receive()]
        assert b"".join(message.data or b"" for message in turn) == PCM + PCM
        assert turn[-1].server_content.turn_complete

    run(main())


@pytest.mark.parametrize(
    ("config", "options"),
    [
        (PLAIN, GeminiOptions(model="gemini-double")),
        (
            {
                **PLAIN,
                "speech_config": {
                    "language_code": "de-DE",
                    "voice_config": {"prebuilt_voice_config": {"voice_name": "Puck"}},
                },
                "system_instruction": {"parts": [{"text": "Be brief."}]},
                "tools": [{"function_declarations": [{"name": "weather", "description": "Of a city."}]}],
                "realtime_input_config": {"automatic_activity_detection": {"disabled": True}},
                "context_window_compression": {"sliding_window": {}},
            },
            GeminiOptions(
                model="gemini-double",
                voice="Puck",
                language="de-DE",
                instructions="Be brief.",
                turns=TurnMode.MANUAL,
                compression=True,
                tools=[{"type": "function", "name": "weather", "description": "Of a city."}],
            ),
        ),
    ],
)
def test_our_setup_is_the_clients(
    authority: trustme.CA, config: dict[str, Any], options: GeminiOptions
) -> None:
    async def main() -> None:
        theirs, ours = GeminiVendor(), GeminiVendor()
        async with called(theirs, authority, config):
            pass
        for message in GeminiCodec(options).opening():
            ours.take(message)
        assert ours.setups[0] == without_roles(theirs.setups[0])

    run(main())


def without_roles(setup: dict[str, Any]) -> dict[str, Any]:
    """The client writes that the system instruction is by the user, which says nothing."""
    setup.get("systemInstruction", {}).pop("role", None)
    return setup


def test_our_audio_and_turns_are_the_clients(authority: trustme.CA) -> None:
    async def main() -> None:
        manual = {**PLAIN, "realtime_input_config": {"automatic_activity_detection": {"disabled": True}}}
        theirs, ours = GeminiVendor(), GeminiVendor()
        async with called(theirs, authority, manual) as (session, socket):
            await session.send_realtime_input(activity_start=types.ActivityStart())
            await session.send_realtime_input(
                audio=types.Blob(data=PCM[:640], mime_type="audio/pcm;rate=16000")
            )
            await session.send_realtime_input(activity_end=types.ActivityEnd())
            await told(session, socket, *theirs.end(REPLY))
        codec = GeminiCodec(GeminiOptions(model="gemini-double", turns=TurnMode.MANUAL))
        frame = Frame(PCM[:640], 16000)
        for message in (
            *codec.opening(),
            *codec.audio(frame),  # before the turn: not sent
            *codec.begin_turn(),
            *codec.audio(frame),
            *codec.end_turn(),
            *codec.audio(frame),
        ):
            ours.take(message)
        assert (ours.events, ours.heard) == (theirs.events, theirs.heard)
        assert ours.events == ["activityStart", "activityEnd"]

    run(main())
