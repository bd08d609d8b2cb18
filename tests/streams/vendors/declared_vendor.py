"""Base of the vendors whose protocol is a file of ours: JSON in text messages, audio in it or beside it."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from streams.endpoints.protocol import Message
from tests.streams.vendors.quiet_vendor import QuietVendor
from tests.streams.vendors.vendor import Reply

Json = dict[str, Any]


def said(**fields: Any) -> Sequence[Message]:
    """One JSON message."""
    return [json.dumps(fields)]


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


class DeclaredVendor(QuietVendor):
    """PCM16 as binary messages both ways, unless a vendor says otherwise.

    Attributes:
        path: What a person writes behind the host.
        ready: The handshake is over: audio may come.
    """

    name: str
    scheme: str
    path = ""
    input_rate = output_rate = 16000

    def __init__(self) -> None:
        super().__init__()
        self.ready = False
        self.texts: dict[str, str] = {}

    def address(self, host: str) -> str:
        return f"{self.scheme}+ws://{host}{self.path}"

    def take(self, message: Message) -> Sequence[Message]:
        if isinstance(message, bytes):
            assert self.ready, "audio before the handshake is over"
            assert len(message) % 2 == 0, "half a sample"
            self.heard += message
            return []
        return self.take_json(json.loads(message))

    def take_json(self, message: Json) -> Sequence[Message]:
        raise AssertionError(f"a message that {self.scheme} does not know: {message}")

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        return [pcm]

    def rest(self, reply: Reply, text: str, *, final: bool) -> str:
        """What is new in a text that is said piece by piece."""
        before = self.texts.get(reply.item, "")
        new = text.removeprefix(before) if final else text
        self.texts[reply.item] = before + new
        return new

    def unknown(self) -> Sequence[Message]:
        return said(type="brand_new_event", event="brand_new_event", value=1)

    def malformed(self) -> Sequence[Message]:
        return ["{", "[]", '"text"']
