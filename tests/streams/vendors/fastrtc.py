"""A server of FastRTC's websocket: mu-law at the rate of its handler, and little else."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from streams import g711
from streams.audio import Encoding
from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import DeclaredVendor, Json, base64_of, said
from tests.streams.vendors.vendor import Concept, Reply


class FastRTCVendor(DeclaredVendor):
    """mu-law at 24 kHz both ways."""

    name = "FastRTC"
    scheme = "fastrtc"
    concepts = frozenset({Concept.ERRORS, Concept.BASE64})
    input_rate = output_rate = 24000

    def take_json(self, message: Json) -> Sequence[Message]:
        match message["event"]:
            case "start":
                assert message["websocket_id"]
                self.ready = True
                return []
            case "media":
                assert self.ready
                data = base64.b64decode(message["media"]["payload"], validate=True)
                self.heard += g711.decode(data, Encoding.MULAW)
                return []
            case "ping":
                return said(event="pong")
            case "stop":
                self.goodbye = True
                return []
        return super().take_json(message)

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        payload = base64_of(g711.encode(pcm, Encoding.MULAW))
        return said(event="media", media={"payload": payload})

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        return said(type="error", data=message)

    def malformed(self) -> Sequence[Message]:
        return [
            *super().malformed(),
            *said(event="media"),
            *said(event="media", media={"payload": "A?"}),
        ]
