"""A server of Deepgram Voice Agent: binary audio, settings that it waits for, words in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from streams.endpoints.events import ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import DeclaredVendor, Json, said
from tests.streams.vendors.vendor import Concept, Reply

LATENCY = {"total_latency": 0.9, "tts_latency": 0.3, "ttt_latency": 0.4}


class DeepgramVendor(DeclaredVendor):
    """PCM16 at the rates that the client's settings name."""

    name = "Deepgram Voice Agent"
    scheme = "deepgram"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.RESPONSE_BOUNDS,
            Concept.FLUSH,
            Concept.TOOLS,
            Concept.TOOL_CANCEL,
            Concept.ERRORS,
            Concept.FATAL_ERRORS,
        }
    )
    input_rate = output_rate = 24000

    def __init__(self) -> None:
        super().__init__()
        self.settings: Json = {}
        self._called: dict[str, str] = {}

    def greet(self) -> Sequence[Message]:
        return said(type="Welcome", request_id="request-1")

    def take_json(self, message: Json) -> Sequence[Message]:
        match message["type"]:
            case "Settings":
                audio = message["audio"]
                assert audio["input"] == {"encoding": "linear16", "sample_rate": self.input_rate}
                assert audio["output"]["sample_rate"] == self.output_rate
                assert audio["output"].get("container", "none") == "none"
                self.settings, self.ready = message, True
                return said(type="SettingsApplied")
            case "FunctionCallResponse":
                assert message["name"] == self._called.pop(message["id"])
                self.tool_results.append((message["id"], message["content"]))
                return []
            case "KeepAlive" | "InjectUserMessage":
                return []
        return super().take_json(message)

    def begin(self, reply: Reply) -> Sequence[Message]:
        return said(type="AgentStartedSpeaking", **LATENCY)

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        content = self.rest(reply, text, final=final).strip()
        return said(type="ConversationText", role="assistant", content=content) if content else []

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        return said(type="AgentAudioDone") if status is ResponseStatus.COMPLETED else []

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        return said(type="ConversationText", role="user", content=text)

    def flush(self) -> Sequence[Message]:
        return said(type="UserStartedSpeaking")

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        self._called[call] = name
        function = {"id": call, "name": name, "arguments": arguments}
        others = {"id": "server-1", "name": "search", "arguments": "{}", "client_side": False}
        return said(type="FunctionCallRequest", functions=[{**function, "client_side": True}, others])

    def tool_cancel(self, call: str) -> Sequence[Message]:
        function = {"id": call, "name": self._called.pop(call)}
        return said(type="FunctionCallCancelled", functions=[function])

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        return said(type="Error" if fatal else "Warning", description=message, code="THINK_REQUEST_FAILED")

    def malformed(self) -> Sequence[Message]:
        return [
            *super().malformed(),
            *said(type="ConversationText", role="assistant", content=None),
            *said(type="ConversationText", role="nobody", content="x"),
            *said(type="Warning", code=[], description=1.5),
        ]
