"""A server of OpenAI Live: one endless stream of sound, words beside it, seconds that only grow."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from streams.endpoints.events import ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.quiet_vendor import QuietVendor
from tests.streams.vendors.vendor import Concept, Reply

Json = dict[str, Any]

_SESSION = {"model", "instructions", "audio", "delegation"}


class OpenAILiveVendor(QuietVendor):
    """PCM16 at 24 kHz both ways."""

    name = "OpenAI Live"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.TOOLS,
            Concept.ERRORS,
            Concept.ENDING,
            Concept.USAGE,
            Concept.BASE64,
        }
    )
    input_rate = output_rate = 24000

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, str] = {}
        self._sent = 0
        self._ms = 0
        self.session: Json = {}
        self.appended: list[Json] = []
        """`session.commentary.append` and the like."""
        self.responses_asked = 0

    def address(self, host: str) -> str:
        return f"openai-live+ws://{host}/v1/live/sessions?model=gpt-live-1"

    def take(self, message: Message) -> Sequence[Message]:
        event = json.loads(message)
        kind = event["type"]
        assert self.session or kind == "session.start", "the first message is session.start"
        match kind:
            case "session.start":
                assert set(event["session"]) <= _SESSION, "unknown fields are refused"
                self.session = event["session"]
                return [self._event("session.started", session=self._resource())]
            case "session.input_audio.append":
                self.heard += base64.b64decode(event["audio"], validate=True)
            case "session.commentary.append" | "session.thinking.append":
                assert len(event["content"]) <= 500
                assert "delegation_id" in event
                self.appended.append(event)
                if event["delegation_id"]:
                    self.tool_results.append((event["delegation_id"], event["content"]))
                return [self._event(f"{kind}ed", start_ms=self._ms, end_ms=self._ms)]
            case "response.item.create":
                item = event["item"]
                assert item["type"] == "function_call_output"
                self.tool_results.append((item["call_id"], item["output"]))
            case "response.create":
                self.responses_asked += 1
            case "session.close":
                self.goodbye = True
                return [self._closed("close_requested")]
            case _:
                raise AssertionError(f"OpenAI Live has no command {kind!r}")
        return []

    def _resource(self) -> Json:
        return {"id": "live_1", "expires_at": 1790000000, "status": "active", **self.session}

    def _event(self, kind: str, **fields: object) -> str:
        self._sent += 1
        return json.dumps({"type": kind, "event_id": f"event_{self._sent}", **fields})

    def _closed(self, why: str) -> str:
        return self._event("session.closed", reason=why, session=self._resource(), usage={"seconds": 60})

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        self._ms += len(pcm) * 1000 // 2 // self.output_rate
        return [json.dumps({"type": "session.output_audio.delta", "delta": base64.b64encode(pcm).decode()})]

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        said = self._texts.get(reply.response, "")
        piece = text.removeprefix(said) if final else text
        self._texts[reply.response] = said + piece
        return [self._words("output", piece, self._ms)]

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        return []

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        self._ms += 2000
        return [self._words("input", text, self._ms)]

    def _words(self, side: str, text: str, start_ms: int) -> str:
        return self._event(
            f"session.{side}_transcript.delta", delta=text, start_ms=start_ms, end_ms=start_ms + 200
        )

    def delegate(self, call: str) -> Sequence[Message]:
        """Hand work over to the client."""
        delegation = {"id": call, "type": "delegation", "target": "client"}
        return [self._event("session.delegation.created", delegation=delegation, offset_ms=self._ms)]

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        item = {"type": "function_call", "call_id": call, "name": name, "arguments": arguments}
        delegation = {"id": "dlg_1", "type": "delegation", "target": "responses", "response_id": "resp_1"}
        done = {"type": "response.output_item.done", "output_index": 0, "item": item}
        return [
            self._event("session.delegation.created", delegation=delegation, offset_ms=self._ms),
            self._event("response.event", delegation_id="dlg_1", event=done),
        ]

    def backend_usage(self, tokens: int) -> Sequence[Message]:
        """What the Responses backend has used."""
        response = {"id": "resp_1", "usage": {"input_tokens": 7, "output_tokens": tokens}}
        done = {"type": "response.completed", "response": response}
        return [self._event("response.event", delegation_id="dlg_1", event=done)]

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        detail = {"code": "server_error", "message": message, "type": "server_error", "param": None}
        return [self._event("error", error=detail)]

    def ending(self, seconds: float) -> Sequence[Message]:
        return [self._closed("expired")]

    def usage(self, *, tokens: int) -> Sequence[Message]:
        window = {"usage_ratio": 0.1}
        return [self._event("session.usage.updated", usage={"seconds": tokens}, context_window=window)]

    def unknown(self) -> Sequence[Message]:
        return [self._event("session.mood.changed", mood="good")]

    def malformed(self) -> Sequence[Message]:
        return [
            self._event("session.output_audio.delta", delta="!"),
            self._event("session.output_audio.delta", delta=7),
            self._event("session.output_transcript.delta", delta=["a"]),
            self._event("session.input_transcript.delta", delta="a", start_ms="soon", end_ms=1),
            self._event("response.event", event="none"),
            self._event("session.delegation.created", delegation={"target": "client"}),
            "[]",
            "{",
        ]
