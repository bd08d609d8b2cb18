"""A server of Cartesia Line's Calls API: JSON with base64, a stream that it names, `clear`."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from streams.endpoints.protocol import Message
from tests.streams.vendors.declared_vendor import DeclaredVendor, Json, base64_of, said
from tests.streams.vendors.vendor import Concept, Reply


class CartesiaVendor(DeclaredVendor):
    """PCM16 at the rate that `start` asks for, both ways."""

    name = "Cartesia Line"
    scheme = "cartesia"
    path = "/agents/stream/agent-1?rate=24000"
    concepts = frozenset({Concept.FLUSH, Concept.ERRORS, Concept.BASE64})
    input_rate = output_rate = 24000
    stream = "sid_1"

    def take_json(self, message: Json) -> Sequence[Message]:
        if message["event"] == "start":
            config = message["config"]
            assert config["input_format"] == f"pcm_{self.input_rate}"
            self.ready = True
            return said(event="ack", stream_id=self.stream, config=config)
        assert self.ready, "start is the first message"
        assert message["stream_id"] == self.stream
        match message["event"]:
            case "media_input":
                self.heard += base64.b64decode(message["media"]["payload"], validate=True)
                return []
            case "dtmf":
                assert message["dtmf"] in "0123456789*#"
                return []
        return super().take_json(message)

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        return said(event="media_output", stream_id=self.stream, media={"payload": base64_of(pcm)})

    def flush(self) -> Sequence[Message]:
        return said(event="clear", stream_id=self.stream)

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        return said(event="error", stream_id=self.stream, message=message)

    def malformed(self) -> Sequence[Message]:
        return [
            *super().malformed(),
            *said(event="media_output", stream_id=self.stream),
            *said(event="media_output", stream_id=self.stream, media={"payload": "A?"}),
        ]
