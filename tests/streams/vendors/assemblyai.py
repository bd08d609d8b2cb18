"""A server of AssemblyAI Voice Agent: replies begin and end, and the end says if it was interrupted."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import DeclaredVendor, Json, base64_of, said
from tests.streams.vendors.vendor import Concept, Reply

_EDGES = {Edge.START: "input.speech.started", Edge.STOP: "input.speech.stopped"}


class AssemblyAIVendor(DeclaredVendor):
    """PCM16 at 24 kHz both ways."""

    name = "AssemblyAI Voice Agent"
    scheme = "assemblyai"
    path = "/v1/ws"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.USER_SPEECH,
            Concept.RESPONSE_BOUNDS,
            Concept.FLUSH,
            Concept.TOOLS,
            Concept.ERRORS,
            Concept.ENDING,
            Concept.BASE64,
        }
    )
    input_rate = output_rate = 24000

    def __init__(self) -> None:
        super().__init__()
        self._replying = False

    def take_json(self, message: Json) -> Sequence[Message]:
        match message["type"]:
            case "session.update":
                self.ready = True
                return said(type="session.ready", session_id="sess_1")
            case "input.audio":
                assert self.ready, "audio before session.ready"
                self.heard += base64.b64decode(message["audio"], validate=True)
                return []
            case "tool.result":
                assert not self._replying, "a result before reply.done"
                self.tool_results.append((message["call_id"], message["result"]))
                return []
            case "session.end":
                self.goodbye = True
                return said(type="session.ended", session_id="sess_1", reason="client")
        return super().take_json(message)

    def begin(self, reply: Reply) -> Sequence[Message]:
        self._replying = True
        return said(type="reply.started", reply_id=reply.response)

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        return said(type="reply.audio", data=base64_of(pcm))

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        if final:
            return said(type="transcript.agent", text=text, reply_id=reply.response, interrupted=False)
        return said(type="transcript.agent.delta", delta=self.rest(reply, text, final=False))

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        self._replying = False
        return said(type="reply.done") if status is ResponseStatus.COMPLETED else []

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        return said(type="transcript.user", text=text, item_id=item)

    def user_speech(self, edge: Edge) -> Sequence[Message]:
        return said(type=_EDGES[edge])

    def flush(self) -> Sequence[Message]:
        self._replying = False
        return said(type="reply.done", status="interrupted")

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        return said(type="tool.call", call_id=call, name=name, arguments=json.loads(arguments))

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        return said(type="session.error", code="internal_error", message=message)

    def ending(self, seconds: float) -> Sequence[Message]:
        return said(type="session.ended", session_id="sess_1", reason="max_session_duration")

    def malformed(self) -> Sequence[Message]:
        return [
            *super().malformed(),
            *said(type="reply.audio", data="A?"),
            *said(type="transcript.user"),
            *said(type="tool.call", call_id={}, name="x"),
        ]
