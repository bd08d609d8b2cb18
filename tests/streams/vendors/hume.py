"""A server of Hume EVI: every piece of audio is a WAV file of 48 kHz, with the id of its message."""

from __future__ import annotations

import base64
import io
import wave
from collections.abc import Sequence

from streams.endpoints.events import ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import DeclaredVendor, Json, base64_of, said
from tests.streams.vendors.vendor import Concept, Reply

MODELS: Json = {"prosody": None}


class HumeVendor(DeclaredVendor):
    """PCM16 at the rate of `session_settings` in, 48 kHz out."""

    name = "Hume EVI"
    scheme = "hume"
    path = "/v0/evi/chat"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.ITEM_IDS,
            Concept.FLUSH,
            Concept.TOOLS,
            Concept.ERRORS,
            Concept.BASE64,
            Concept.RATE_IN_AUDIO,
        }
    )
    output_rate = 48000

    def __init__(self) -> None:
        super().__init__()
        self._pieces = 0

    def greet(self) -> Sequence[Message]:
        return said(type="chat_metadata", chat_id="chat-1", chat_group_id="group-1", request_id="r-1")

    def take_json(self, message: Json) -> Sequence[Message]:
        match message["type"]:
            case "session_settings":
                audio = message["audio"]
                assert (audio["encoding"], audio["channels"]) == ("linear16", 1)
                assert audio["sample_rate"] == self.input_rate
                self.ready = True
                return []
            case "audio_input":
                assert self.ready, "raw audio needs session_settings"
                self.heard += base64.b64decode(message["data"], validate=True)
                return []
            case "tool_response":
                self.tool_results.append((message["tool_call_id"], message["content"]))
                return []
            case "tool_error":
                self.tool_results.append((message["tool_call_id"], message["error"]))
                return []
            case "user_input" | "pause_assistant_message":
                return []
        return super().take_json(message)

    def audio(self, reply: Reply, pcm: bytes, *, rate: int = 48000) -> Sequence[Message]:
        self._pieces += 1
        data = base64_of(wav(pcm, rate))
        return said(type="audio_output", id=reply.item, index=self._pieces, data=data)

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        if not final:
            return []
        message = {"role": "assistant", "content": text}
        flags = {"from_text": False, "is_quick_response": False}
        return said(type="assistant_message", id=reply.item, message=message, models=MODELS, **flags)

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        return said(type="assistant_end")

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        return self.user_message(text, interim=False)

    def user_message(self, text: str, *, interim: bool) -> Sequence[Message]:
        message = {"role": "user", "content": text}
        time = {"begin": 100, "end": 900}
        flags = {"from_text": False, "interim": interim}
        return said(type="user_message", message=message, models=MODELS, time=time, **flags)

    def flush(self) -> Sequence[Message]:
        return said(type="user_interruption", time=1764460800)

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        return said(
            type="tool_call",
            tool_call_id=call,
            name=name,
            parameters=arguments,
            response_required=True,
            tool_type="function",
        )

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        return said(type="error", code="E0700", slug="internal", message=message)

    def malformed(self) -> Sequence[Message]:
        return [
            *super().malformed(),
            *said(type="audio_output", id="x", index=0, data=base64_of(b"no WAV at all")),
            *said(type="audio_output", id="x", index=0, data=base64_of(wav(b"", 48000)[:20])),
            *said(type="audio_output", id="x", index=0, data="A?"),
        ]


def wav(pcm: bytes, rate: int) -> bytes:
    """A WAV file as the standard library writes it; what is behind its whole samples is left as it is."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm)
    return buffer.getvalue()
