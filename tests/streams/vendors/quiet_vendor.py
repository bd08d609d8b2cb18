"""Base of vendors: what a protocol does not have raises `Absent`; a vendor overrides what it has."""

from __future__ import annotations

from collections.abc import Sequence

from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.vendor import Absent, Concept, PlaybackTold, Reply


class QuietVendor:
    """What every vendor keeps."""

    concepts: frozenset[Concept] = frozenset()

    def __init__(self) -> None:
        self.heard = bytearray()
        self.told: list[PlaybackTold] = []
        self.tool_results: list[tuple[str, str]] = []
        self.goodbye = False
        self.pongs = 0

    def greet(self) -> Sequence[Message]:
        return []

    def begin(self, reply: Reply) -> Sequence[Message]:
        return []

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        raise Absent

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        return []

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        raise Absent

    def user_speech(self, edge: Edge) -> Sequence[Message]:
        raise Absent

    def flush(self) -> Sequence[Message]:
        raise Absent

    def mark(self, name: str) -> Sequence[Message]:
        raise Absent

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        raise Absent

    def tool_cancel(self, call: str) -> Sequence[Message]:
        raise Absent

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        raise Absent

    def ending(self, seconds: float) -> Sequence[Message]:
        raise Absent

    def ping(self) -> Sequence[Message]:
        raise Absent

    def usage(self, *, tokens: int) -> Sequence[Message]:
        raise Absent
