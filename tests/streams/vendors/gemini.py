"""A server of Gemini Live: `setup`, then JSON in binary frames; checked by the vendor's SDK beside it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.gemini.build import SERVICE
from streams.endpoints.protocol import Message
from tests.streams.vendors.quiet_vendor import QuietVendor
from tests.streams.vendors.vendor import Concept, Reply

Json = dict[str, Any]

_SETUP = {
    "model",
    "generationConfig",
    "systemInstruction",
    "tools",
    "realtimeInputConfig",
    "sessionResumption",
    "contextWindowCompression",
    "inputAudioTranscription",
    "outputAudioTranscription",
}
_OF_USERS = {"args", "response", "parameters"}
"""Below these the names are not the protocol's."""


class GeminiVendor(QuietVendor):
    """Audio in at 16 kHz, out at 24 kHz.

    Args:
        handles: Resumption handles are given out, one after each turn.
    """

    name = "Gemini Live"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.RESPONSE_BOUNDS,
            Concept.CANCELLED_BOUNDS,
            Concept.FLUSH,
            Concept.TOOLS,
            Concept.TOOL_CANCEL,
            Concept.ENDING,
            Concept.USAGE,
            Concept.BASE64,
            Concept.RATE_IN_AUDIO,
        }
    )
    input_rate = 16000
    output_rate = 24000

    def __init__(self, *, handles: bool = False) -> None:
        super().__init__()
        self._handles = handles
        self._given = 0
        self._texts: dict[str, str] = {}
        self.setups: list[Json] = []
        """One for each connection."""
        self.events: list[str] = []
        """Kinds of the messages that came in, audio left out."""

    def address(self, host: str) -> str:
        return f"gemini+ws://{host}/ws/{SERVICE}?model=gemini-double"

    def take(self, message: Message) -> Sequence[Message]:
        content = camel(json.loads(message))
        (kind,) = content
        if kind != "setup":
            assert self.setups, "the first message is the setup"
        match kind:
            case "setup":
                return self._take_setup(content[kind])
            case "realtimeInput":
                self._take_input(content[kind])
            case "clientContent":
                assert set(content[kind]) <= {"turns", "turnComplete"}
                self.events.append("clientContent")
            case "toolResponse":
                for answer in content[kind]["functionResponses"]:
                    assert set(answer) == {"id", "name", "response"}
                    self.tool_results.append((answer["id"], json.dumps(answer["response"])))
            case _:
                raise AssertionError(f"Gemini has no message {kind!r}")
        return []

    def _take_setup(self, setup: Json) -> Sequence[Message]:
        assert set(setup) <= _SETUP, set(setup) - _SETUP
        assert setup["model"].startswith("models/")
        handle = setup.get("sessionResumption", {}).get("handle")
        assert handle is None or handle == f"handle-{self._given}", "an old or unknown handle"
        self.setups.append(setup)
        done = wire({"setupComplete": {}})
        return [done, *self.handle()] if "sessionResumption" in setup else [done]

    def _take_input(self, content: Json) -> None:
        (kind,) = content
        match kind:
            case "audio":
                assert content["audio"]["mimeType"] == "audio/pcm;rate=16000"
                self.heard += base64.b64decode(content["audio"]["data"], validate=True)
                return
            case "activityStart" | "activityEnd":
                detection = self.setups[-1].get("realtimeInputConfig", {})
                assert detection["automaticActivityDetection"]["disabled"], "detection is automatic"
            case "text" | "audioStreamEnd":
                pass
            case _:
                raise AssertionError(f"no realtimeInput {kind!r}")
        self.events.append(kind)

    def handle(self, *, resumable: bool = True) -> Sequence[Message]:
        """A new handle, or the word that the state cannot be kept just now."""
        if not self._handles:
            return []
        if not resumable:
            return [wire({"sessionResumptionUpdate": {}})]
        self._given += 1
        return [
            wire({"sessionResumptionUpdate": {"newHandle": f"handle-{self._given}", "resumable": True}})
        ]

    def audio(self, reply: Reply, pcm: bytes, *, rate: int = 24000) -> Sequence[Message]:
        blob = {"mimeType": f"audio/pcm;rate={rate}", "data": base64.b64encode(pcm).decode()}
        return [content({"modelTurn": {"role": "model", "parts": [{"inlineData": blob}]}})]

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        said = self._texts.get(reply.response, "")
        piece = text.removeprefix(said) if final else text
        self._texts[reply.response] = said + piece
        return [content({"outputTranscription": {"text": piece, **({"finished": True} if final else {})}})]

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        complete = content({"turnComplete": True})
        if status is ResponseStatus.CANCELLED:
            return [complete, *self.handle()]
        return [content({"generationComplete": True}), complete, *self.handle()]

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        return [content({"inputTranscription": {"text": text, "finished": True}})]

    def user_speech(self, edge: Edge) -> Sequence[Message]:
        kind = "ACTIVITY_START" if edge is Edge.START else "ACTIVITY_END"
        return [wire({"voiceActivity": {"type": kind, "audioOffset": "1.500s"}})]

    def flush(self) -> Sequence[Message]:
        return [content({"interrupted": True})]

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        function = {"id": call, "name": name, "args": json.loads(arguments)}
        return [*self.handle(resumable=False), wire({"toolCall": {"functionCalls": [function]}})]

    def tool_cancel(self, call: str) -> Sequence[Message]:
        return [wire({"toolCallCancellation": {"ids": [call]}})]

    def ending(self, seconds: float) -> Sequence[Message]:
        return [wire({"goAway": {"timeLeft": f"{seconds:g}s"}})]

    def usage(self, *, tokens: int) -> Sequence[Message]:
        details = [{"modality": "AUDIO", "tokenCount": tokens - 1}]
        counts = {"promptTokenCount": 100, "responseTokenCount": tokens, "totalTokenCount": tokens + 100}
        return [wire({"usageMetadata": {**counts, "responseTokensDetails": details}})]

    def unknown(self) -> Sequence[Message]:
        return [wire({"sceneDescription": {"text": "a room"}})]

    def malformed(self) -> Sequence[Message]:
        broken: list[object] = [
            model_turn({"inlineData": {"mimeType": "audio/pcm", "data": "!"}}),
            model_turn({"inlineData": {"mimeType": "video/mp4", "data": "AA=="}}),
            model_turn("none"),
            {"serverContent": {"outputTranscription": {"text": 7}}},
            {"toolCall": {"functionCalls": [{"name": "no id"}]}},
            {"goAway": {"timeLeft": "soon"}},
            {"usageMetadata": [1, 2]},
            [1, 2],
        ]
        return [*(json.dumps(each).encode() for each in broken), b"\xff\xfe{", "{"]


def wire(message: Mapping[str, object]) -> bytes:
    """A message as the server sends it: JSON, in a binary frame."""
    return json.dumps(message).encode()


def content(fields: Mapping[str, object]) -> bytes:
    """A `serverContent`."""
    return wire({"serverContent": fields})


def model_turn(*parts: object) -> Json:
    """A piece of what the model says."""
    return {"serverContent": {"modelTurn": {"role": "model", "parts": list(parts)}}}


def camel(value: object) -> Any:
    """proto3 JSON takes names with underscores too, and the SDK sends some so: here as documented."""
    if isinstance(value, list):
        return [camel(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {_joined(name): each if name in _OF_USERS else camel(each) for name, each in value.items()}


def _joined(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(each.capitalize() for each in rest)
