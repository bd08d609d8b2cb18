"""A server of Vapi's websocket transport: binary audio, and the messages that its clients get."""

from __future__ import annotations

from collections.abc import Sequence

from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import DeclaredVendor, Json, said
from tests.streams.vendors.vendor import Concept, Reply

_STATUS = {Edge.START: "started", Edge.STOP: "stopped"}


class VapiVendor(DeclaredVendor):
    """PCM16 at the rate that the call was made with."""

    name = "Vapi"
    scheme = "vapi"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.USER_SPEECH,
            Concept.RESPONSE_BOUNDS,
            Concept.FLUSH,
            Concept.ENDING,
        }
    )

    def __init__(self) -> None:
        super().__init__()
        self.ready = True

    def take_json(self, message: Json) -> Sequence[Message]:
        if message["type"] == "hangup":
            self.goodbye = True
            return []
        return super().take_json(message)

    def begin(self, reply: Reply) -> Sequence[Message]:
        return said(type="speech-update", role="assistant", status="started", turn=1)

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        return self._transcript("assistant", text, final=final)

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        return said(type="speech-update", role="assistant", status="stopped", turn=1)

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        return self._transcript("user", text, final=True)

    def user_speech(self, edge: Edge) -> Sequence[Message]:
        return said(type="speech-update", role="user", status=_STATUS[edge], turn=1)

    def flush(self) -> Sequence[Message]:
        return said(type="user-interrupted", turnId="turn-1")

    def ending(self, seconds: float) -> Sequence[Message]:
        return said(type="status-update", status="ended", endedReason="exceeded-max-duration")

    def _transcript(self, role: str, text: str, *, final: bool) -> Sequence[Message]:
        kind = "final" if final else "partial"
        return said(type="transcript", role=role, transcriptType=kind, transcript=text)

    def malformed(self) -> Sequence[Message]:
        return [
            *super().malformed(),
            *said(type="transcript", role="user", transcriptType="final", transcript=None),
            *said(type="speech-update", role="nobody"),
        ]
