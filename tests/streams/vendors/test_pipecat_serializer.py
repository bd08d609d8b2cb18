"""pipecat-ai's own serializer and models of messages, against our double of a bot and our adapter."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from streams import clock
from streams.audio import AudioFormat, Frame
from streams.endpoints.events import Edge
from streams.endpoints.fake import tone
from streams.endpoints.pipecat.codec import PipecatCodec
from streams.endpoints.protocol import Message
from tests.streams.vendors import pipecat_library as pipecat
from tests.streams.vendors.pipecat import PipecatVendor, rtvi
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Reply

frames = pipecat.frames
PCM = tone(0.02, rate=16000)


def read(message: Message) -> Any:
    """What pipecat-ai makes of a message; it returns None for what it cannot read."""
    return asyncio.run(pipecat.ProtobufFrameSerializer().deserialize(message))


def written(frame: Any) -> bytes:
    data: bytes = asyncio.run(pipecat.ProtobufFrameSerializer().serialize(frame))
    return data


def everything(vendor: PipecatVendor) -> Iterator[Message]:
    """Every kind of message that the double sends of itself."""
    reply = Reply()
    yield from vendor.begin(reply)
    yield from vendor.audio(reply, PCM)
    yield from vendor.text(reply, "Good morning.", final=False)
    yield from vendor.text(reply, "Good morning.", final=True)
    yield from vendor.end(reply)
    yield from vendor.user_text("Hello.", item="")
    yield from vendor.user_speech(Edge.START)
    yield from vendor.user_speech(Edge.STOP)
    yield from vendor.flush()
    yield from vendor.tool("call-1", "weather", '{"city": "Bern"}')
    yield from vendor.tool_cancel("call-1")
    yield from vendor.error("out of memory", fatal=True)
    yield from vendor.usage(tokens=321)
    yield from vendor.take(rtvi("client-ready", {"version": "2.2.0", "about": {"library": "x"}}, id="1"))


def models() -> dict[str, type[BaseModel]]:
    """RTVI's message models by type."""
    found: dict[str, type[BaseModel]] = {}
    for each in vars(pipecat.rtvi).values():
        fields = getattr(each, "model_fields", {})
        if {"label", "type"} <= set(fields) and isinstance(fields["type"].default, str):
            found[fields["type"].default] = each
    return found


def test_every_message_of_the_double_is_one_that_the_library_would_send() -> None:
    kinds, known = [], models()
    for message in everything(PipecatVendor()):
        frame = read(message)
        if isinstance(frame, frames.InputTransportMessageFrame):
            content = frame.message
            model = known[content["type"]].model_validate(content)
            # nothing is missing, nothing is invented, nothing has another type
            assert model.model_dump(exclude_none=True) == content
            kinds.append(content["type"])
        else:
            assert isinstance(frame, frames.InputAudioRawFrame | frames.InterruptionFrame)
    assert {"bot-ready", "bot-output", "user-input", "metrics", "error"} <= set(kinds)


def test_the_audio_of_the_double_is_what_the_library_hears() -> None:
    message, _ = PipecatVendor().audio(Reply(), PCM)
    frame = read(message)
    assert (frame.audio, frame.sample_rate, frame.num_channels) == (PCM, 24000, 1)


def test_a_client_made_with_the_library_holds_a_call_with_the_double() -> None:
    vendor = PipecatVendor()
    data = {"version": pipecat.rtvi.PROTOCOL_VERSION, "about": {"library": "pipecat"}}
    ready = {"label": "rtvi-ai", "type": "client-ready", "id": "1", "data": data}
    dtmf = {"label": "rtvi-ai", "type": "dtmf", "id": "2", "data": {"buttons": ["5"]}}

    async def main() -> None:
        from websockets.asyncio.client import connect

        serializer = pipecat.ProtobufFrameSerializer()
        async with serving(vendor) as host, connect(f"ws://{host}/ws") as socket:
            for frame in (
                frames.OutputTransportMessageFrame(message=ready),
                frames.OutputAudioRawFrame(PCM, 16000, 1),
                frames.OutputTransportMessageFrame(message=dtmf),
                frames.InterruptionFrame(),
            ):
                await socket.send(await serializer.serialize(frame))
            answers = [await serializer.deserialize(await socket.recv()) for _ in range(2)]
            assert answers[0].message["type"] == "bot-ready"
            assert isinstance(answers[1], frames.InterruptionFrame)

    clock.run(main(), simulate=True)
    assert (bytes(vendor.heard), vendor.keys, vendor.interruptions) == (PCM, ["5"], 1)


def codec() -> PipecatCodec:
    return PipecatCodec(AudioFormat(16000), AudioFormat(24000))


def data_of(messages: Sequence[Message], kind: str) -> Any:
    """The data of one RTVI message of ours, as the library's processor reads it."""
    (message,) = messages
    frame = read(message)
    assert isinstance(frame, frames.InputTransportMessageFrame)
    whole = pipecat.rtvi.Message.model_validate(frame.message)
    assert whole.type == kind
    return whole.data


def test_what_our_adapter_sends_is_what_the_library_takes() -> None:
    ours = codec()
    (audio,) = ours.audio(Frame(PCM, 16000))
    heard = read(audio)
    assert (heard.audio, heard.sample_rate, heard.num_channels) == (PCM, 16000, 1)
    (interruption,) = ours.cancel()
    assert isinstance(read(interruption), frames.InterruptionFrame)
    ready = pipecat.rtvi.ClientReadyData.model_validate(data_of(ours.opening(), "client-ready"))
    assert ready.version == pipecat.rtvi.PROTOCOL_VERSION
    text = pipecat.rtvi.SendTextData.model_validate(data_of(ours.text("Hello."), "send-text"))
    assert (text.content, text.options.run_immediately) == ("Hello.", True)
    keys = pipecat.rtvi.DTMFInputData.model_validate(data_of(ours.dtmf("#"), "dtmf"))
    assert keys.buttons == [pipecat.KeypadEntry.POUND]


@pytest.mark.parametrize(("error", "result"), [(False, "sunny"), (True, {"error": "sunny"})])
def test_the_answer_to_a_tool_call_names_the_call_as_the_library_wants_it(error: bool, result: Any) -> None:
    ours = codec()
    call = pipecat.rtvi.LLMFunctionCallInProgressMessage(
        data=pipecat.rtvi.LLMFunctionCallInProgressMessageData(
            function_name="weather", tool_call_id="call-1", arguments={"city": "Bern"}
        )
    )
    take(ours, written(frames.OutputTransportMessageFrame(message=call.model_dump())))
    data = data_of(ours.tool_result("call-1", "sunny", error=error), "llm-function-call-result")
    answer = pipecat.rtvi.LLMFunctionCallResultData.model_validate(data)
    assert (answer.function_name, answer.tool_call_id) == ("weather", "call-1")
    assert (answer.arguments, answer.result) == ({"city": "Bern"}, result)


def take(ours: PipecatCodec, *messages: Message) -> Iterable[Any]:
    return [event for message in messages for event in ours.receive(message, at=0.0, raw=0)]


def test_every_type_that_the_library_knows_is_read_or_known_to_say_nothing_new() -> None:
    from streams.endpoints.pipecat import rtvi as ours

    handled = set(ours.READERS) | ours.NOTED | ours.SILENT | {"bot-ready"}
    from_clients = {"ui-event", "ui-snapshot", "ui-cancel-job-group"}
    assert set(models()) - handled - from_clients == set()


def test_words_in_frames_count_until_better_ones_come() -> None:
    ours = codec()
    said = written(frames.TextFrame("Hello."))
    heard = written(frames.TranscriptionFrame("Hi.", "user", "2026-11-30T08:13:30"))
    texts = [event.text for event in take(ours, said, heard)]
    assert texts == ["Hello.", "Hi."]
    take(ours, rtvi("user-transcription", json.loads('{"text": "Hi.", "final": true}')))
    assert take(ours, heard) == []
