"""A server of Ultravox: binary audio, states, a buffer that it asks to be cleared."""

from __future__ import annotations

import json
from collections.abc import Sequence

from streams.endpoints.events import ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import DeclaredVendor, Json, said
from tests.streams.vendors.vendor import Concept, Reply


class UltravoxVendor(DeclaredVendor):
    """PCM16 at the rate that the call was made with."""

    name = "Ultravox"
    scheme = "ultravox"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.RESPONSE_BOUNDS,
            Concept.FLUSH,
            Concept.TOOLS,
        }
    )
    input_rate = output_rate = 48000

    def __init__(self) -> None:
        super().__init__()
        self._ordinals = 0
        self.ready = True

    def greet(self) -> Sequence[Message]:
        return [*said(type="call_started", callId="call-1"), *said(type="state", state="listening")]

    def take_json(self, message: Json) -> Sequence[Message]:
        match message["type"]:
            case "client_tool_result":
                output = message.get("result") or message["errorMessage"]
                self.tool_results.append((message["invocationId"], output))
                return []
            case "hang_up":
                self.goodbye = True
                return []
            case "user_text_message":
                return []
        return super().take_json(message)

    def begin(self, reply: Reply) -> Sequence[Message]:
        return said(type="state", state="speaking")

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        if final:
            return self._transcript("agent", text=text, final=True)
        return self._transcript("agent", delta=self.rest(reply, text, final=False), final=False)

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        return said(type="state", state="listening")

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        return self._transcript("user", text=text, final=True)

    def flush(self) -> Sequence[Message]:
        return said(type="playback_clear_buffer")

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        parameters = json.loads(arguments)
        return said(type="client_tool_invocation", toolName=name, invocationId=call, parameters=parameters)

    def _transcript(self, role: str, **words: object) -> Sequence[Message]:
        self._ordinals += 1
        return said(type="transcript", role=role, medium="voice", ordinal=self._ordinals, **words)

    def malformed(self) -> Sequence[Message]:
        return [
            *super().malformed(),
            *said(type="transcript", role="agent", text=7, final=True),
            *said(type="transcript", role="user", delta=[], final=False),
            *said(type="client_tool_invocation", toolName="x"),
        ]
