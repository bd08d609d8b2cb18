"""A server of ElevenLabs Agents: audio in JSON, each piece with a number, pings that want an answer."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import DeclaredVendor, Json, base64_of, said
from tests.streams.vendors.vendor import Concept, Reply

_OVERRIDES = {"conversation_config_override", "custom_llm_extra_body", "dynamic_variables"}


class ElevenLabsVendor(DeclaredVendor):
    """PCM16 at the rates that its metadata name."""

    name = "ElevenLabs Agents"
    scheme = "elevenlabs"
    path = "/v1/convai/conversation?agent_id=agent-1"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.FLUSH,
            Concept.TOOLS,
            Concept.ERRORS,
            Concept.PING,
            Concept.BASE64,
        }
    )
    output_rate = 24000

    def __init__(self) -> None:
        super().__init__()
        self.events = 0
        self._pinged: set[int] = set()

    def take_json(self, message: Json) -> Sequence[Message]:
        if "user_audio_chunk" in message:
            assert set(message) == {"user_audio_chunk"} and self.ready
            self.heard += base64.b64decode(message["user_audio_chunk"], validate=True)
            return []
        match message["type"]:
            case "conversation_initiation_client_data":
                assert message.keys() >= _OVERRIDES
                self.ready = True
                return said(
                    type="conversation_initiation_metadata",
                    conversation_initiation_metadata_event={
                        "conversation_id": "conv-1",
                        "agent_output_audio_format": f"pcm_{self.output_rate}",
                        "user_input_audio_format": f"pcm_{self.input_rate}",
                    },
                )
            case "pong":
                self._pinged.remove(message["event_id"])
                self.pongs += 1
                return []
            case "client_tool_result":
                assert isinstance(message["is_error"], bool)
                self.tool_results.append((message["tool_call_id"], str(message["result"])))
                return []
            case "user_message":
                return []
        return super().take_json(message)

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        self.events += 1
        return said(type="audio", audio_event={"audio_base_64": base64_of(pcm), "event_id": self.events})

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        event = {"agent_response": text, "event_id": self.events}
        return said(type="agent_response", agent_response_event=event) if final else []

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        event = {"user_transcript": text, "event_id": self.events}
        return said(type="user_transcript", user_transcription_event=event)

    def flush(self) -> Sequence[Message]:
        return said(type="interruption", interruption_event={"event_id": self.events})

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        called = {"tool_call_id": call, "tool_name": name, "parameters": json.loads(arguments)}
        return said(type="client_tool_call", client_tool_call={**called, "expects_response": True})

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        return said(type="client_error", client_error_event={"code": "internal", "message": message})

    def ping(self) -> Sequence[Message]:
        self.events += 1
        self._pinged.add(self.events)
        return said(type="ping", ping_event={"event_id": self.events, "ping_ms": 40})

    def malformed(self) -> Sequence[Message]:
        return [
            *super().malformed(),
            *said(type="audio"),
            *said(type="audio", audio_event={"audio_base_64": "A?", "event_id": 1}),
            *said(type="audio", audio_event={"audio_base_64": 5, "event_id": 1}),
            *said(type="user_transcript", user_transcription_event=[]),
        ]
