"""A Pipecat bot behind its websocket transport: protobuf frames, and RTVI 2.2.0 inside, as pipecat-ai 1.14.

`test_pipecat_serializer.py` holds it against pipecat-ai's own serializer and message models.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from typing import Any

from loguru import logger

from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.quiet_vendor import QuietVendor
from tests.streams.vendors.vendor import Concept, Reply

Json = dict[str, Any]

logger.disable("pipecat")  # it greets when it is imported
frames_pb2 = importlib.import_module("pipecat.frames.protobufs.frames_pb2")

STAMP = "2026-11-30T08:13:30.267+00:00"


class PipecatVendor(QuietVendor):
    """A bot with Pipecat's own rates. A reply is told of in the order that a real bot was seen to use."""

    name = "Pipecat"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.USER_SPEECH,
            Concept.RESPONSE_BOUNDS,
            Concept.FLUSH,
            Concept.TOOLS,
            Concept.TOOL_CANCEL,
            Concept.ERRORS,
            Concept.FATAL_ERRORS,
            Concept.USAGE,
            Concept.RATE_IN_AUDIO,
        }
    )
    input_rate = 16000
    output_rate = 24000

    def __init__(self) -> None:
        super().__init__()
        self._speaking = False
        self._segment = 400
        self.keys: list[str] = []
        """Telephone keys that were pressed."""
        self.texts: list[str] = []
        """Messages of the user in text."""
        self.interruptions = 0
        """How often the client interrupted."""

    def address(self, host: str) -> str:
        return f"pipecat+ws://{host}/ws"

    def take(self, message: Message) -> Sequence[Message]:
        assert isinstance(message, bytes), "the serializer takes binary messages"
        frame = frames_pb2.Frame.FromString(message)
        match frame.WhichOneof("frame"):
            case "audio":
                assert (frame.audio.sample_rate, frame.audio.num_channels) == (self.input_rate, 1)
                self.heard += frame.audio.audio
            case "interruption":
                self.interruptions += 1
                return self.flush()
            case "message":
                return self._take_rtvi(json.loads(frame.message.data))
            case kind:
                raise AssertionError(f"a client sends no {kind}")
        return []

    def _take_rtvi(self, message: Json) -> Sequence[Message]:
        assert message["label"] == "rtvi-ai" and isinstance(message["id"], str)
        data = message["data"]
        match message["type"]:
            case "client-ready":
                assert data["version"] == "2.2.0" and data["about"]["library"]
                about = {"library": "pipecat-ai", "library_version": "1.14.0"}
                return [rtvi("bot-ready", {"version": "2.2.0", "about": about}, id=message["id"])]
            case "llm-function-call-result":
                assert set(data) == {"function_name", "tool_call_id", "arguments", "result"}
                result = data["result"]
                output = result if isinstance(result, str) else json.dumps(result)
                self.tool_results.append((data["tool_call_id"], output))
            case "send-text":
                self.texts.append(data["content"])
            case "dtmf":
                self.keys += data["buttons"]
            case kind:
                raise AssertionError(f"unsupported type {kind}")
        return []

    def begin(self, reply: Reply) -> Sequence[Message]:
        return [rtvi("bot-llm-started"), rtvi("bot-llm-stopped"), rtvi("bot-tts-started")]

    def audio(self, reply: Reply, pcm: bytes, *, rate: int = 24000) -> Sequence[Message]:
        message = sound(pcm, rate)
        if self._speaking:
            return [message]
        self._speaking = True
        return [message, rtvi("bot-started-speaking")]

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        """The pieces of the language model say nothing of the voice; a sentence is told twice."""
        if not final:
            return [rtvi("bot-llm-text", {"text": text})]
        self._segment += 1
        return [
            self._sentence(text, "new", spoken=False),
            self._sentence(text, "completed", spoken=True),
            rtvi("bot-tts-text", {"text": text}),
        ]

    def _sentence(self, text: str, status: str, *, spoken: bool) -> Message:
        progress = {"accumulated_text": text if spoken else "", "remaining_text": "" if spoken else text}
        kind = dict.fromkeys(("output_type", "text_type", "aggregated_by"), "sentence")
        data: Json = {"text": text, **kind, "segment_id": self._segment, "spoken": spoken}
        data |= {"will_be_spoken": True, "spoken_status": status, "spoken_progress": progress}
        return rtvi("bot-output", data)

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        self._speaking = False
        return [rtvi("bot-tts-stopped"), rtvi("bot-stopped-speaking")]

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        common = {"text": text, "user_id": "", "timestamp": STAMP, "final": True}
        return [
            rtvi("user-input", common | {"input_type": "transcription"}),
            rtvi("user-transcription", common),
        ]

    def user_speech(self, edge: Edge) -> Sequence[Message]:
        return [rtvi("user-started-speaking" if edge is Edge.START else "user-stopped-speaking")]

    def flush(self) -> Sequence[Message]:
        """A bot says so at each start of a user's turn, also while it is silent."""
        frame = frames_pb2.Frame()
        frame.interruption.id, frame.interruption.name = 208, "InterruptionFrame#0"
        return [frame.SerializeToString(), rtvi("bot-interrupted")]

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        data = {"tool_call_id": call, "function_name": name, "arguments": json.loads(arguments)}
        return [
            rtvi("llm-function-call-started", {"function_name": name}),
            rtvi("llm-function-call-in-progress", data),
        ]

    def tool_cancel(self, call: str) -> Sequence[Message]:
        return [rtvi("llm-function-call-stopped", {"tool_call_id": call, "cancelled": True})]

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        return [rtvi("error", {"error": message, "fatal": fatal})]

    def usage(self, *, tokens: int) -> Sequence[Message]:
        counted = {"prompt_tokens": 10, "completion_tokens": tokens - 10, "total_tokens": tokens}
        return [rtvi("metrics", {"tokens": [counted]}), rtvi("metrics", {})]

    def unknown(self) -> Sequence[Message]:
        return [rtvi("bot-thought", {"text": "hm"})]

    def malformed(self) -> Sequence[Message]:
        return [
            b"\xff\xff",
            b"\x12\x7f\x1a",  # audio whose length is not there
            _json_frame("{"),
            _json_frame("[]"),
            _json_frame(json.dumps({"label": "rtvi-ai", "type": 7})),
            _json_frame(json.dumps({"label": "rtvi-ai", "type": "bot-output", "data": {"spoken": True}})),
            _json_frame(json.dumps({"label": "rtvi-ai", "type": "metrics", "data": {"tokens": {"a": 1}}})),
            sound(b"\0\0", 1),
            sound(b"\0\0", 24000, channels=99),
        ]


def rtvi(kind: str, data: Json | None = None, **more: Any) -> Message:
    """A frame with an RTVI message."""
    content: Json = {"label": "rtvi-ai", "type": kind, **more}
    return _json_frame(json.dumps(content if data is None else content | {"data": data}))


def sound(pcm: bytes, rate: int, channels: int = 1) -> Message:
    """A frame with audio."""
    frame = frames_pb2.Frame()
    frame.audio.id, frame.audio.name, frame.audio.audio = 7, "OutputAudioRawFrame#7", pcm
    frame.audio.sample_rate, frame.audio.num_channels = rate, channels
    data: bytes = frame.SerializeToString()
    return data


def _json_frame(text: str) -> Message:
    frame = frames_pb2.Frame()
    frame.message.data = text
    data: bytes = frame.SerializeToString()
    return data
