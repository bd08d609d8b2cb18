"""A server that Twilio would call: it takes the telephone company's messages, and answers.

It checks what comes in as Twilio documents it, with literals of its own. `test_streamdouble.py` holds it
against a simulator of Twilio by others, `test_telephone_serializers.py` against Pipecat's serializer. The
cousins of Twilio stand in `twilio_cousins.py`.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from streams import g711
from streams.audio import Encoding
from streams.endpoints.protocol import Message
from tests.streams.vendors.quiet_vendor import QuietVendor
from tests.streams.vendors.vendor import Concept, PlaybackTold, Reply

Json = dict[str, Any]


class TwilioVendor(QuietVendor):
    """Twilio: G.711 at 8000/s, counters that are texts."""

    name = "Twilio"
    scheme = "twilio"
    query = ""
    concepts = frozenset({Concept.FLUSH, Concept.MARKS, Concept.MARKS_ON_CLEAR, Concept.BASE64})
    input_rate = output_rate = 8000
    encoding = Encoding.MULAW
    stream_field, sequence_field = "streamSid", "sequenceNumber"
    counter: type = str
    stream_shape = r"MZ[0-9a-f]{32}"

    def __init__(self) -> None:
        super().__init__()
        self.started = asyncio.Event()
        self.stream = ""
        self.call = ""
        self.parameters: Mapping[str, str] = {}
        self.keys: list[str] = []
        """Telephone keys that were pressed."""
        self.events: list[str] = []
        """Kinds of what came in, audio left out."""
        self.cleared = 0
        """How often the telephone company said that it had dropped what was not heard."""
        self._sequence = self._chunk = 0

    def address(self, host: str) -> str:
        return f"{self.scheme}+ws://{host}/media{self.query}"

    def take(self, message: Message) -> Sequence[Message]:
        assert isinstance(message, str), "JSON in text messages only"
        content = json.loads(message)
        event = content["event"]
        if event != "media":
            self.events.append(event)
        if event != "connected":
            self._numbered(content)
        handler: Callable[[Json], None] = getattr(self, f"_{event}")
        handler(content)
        if event == "start":
            self.started.set()
        return []

    def _numbered(self, content: Json) -> None:
        self._sequence += 1
        assert content[self.sequence_field] == self.counter(self._sequence)
        if content["event"] != "start":
            assert content[self.stream_field] == self.stream, "every message names its stream"

    def _connected(self, content: Json) -> None:
        assert content == {"event": "connected", "protocol": "Call", "version": "1.0.0"}
        assert self.events == ["connected"]

    def _start(self, content: Json) -> None:
        start = content["start"]
        self.stream, self.call = start["streamSid"], start["callSid"]
        assert content["streamSid"] == self.stream
        assert re.fullmatch(self.stream_shape, self.stream)
        assert re.fullmatch(r"CA[0-9a-f]{32}", self.call)
        assert re.fullmatch(r"AC[0-9a-f]{32}", start["accountSid"])
        assert start["tracks"] == ["inbound"]
        assert start["mediaFormat"] == {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}
        self.parameters = start["customParameters"]

    def _media(self, content: Json) -> None:
        media = content["media"]
        self._chunk += 1
        assert media["chunk"] == self.counter(self._chunk)
        assert media["timestamp"] == str(len(self.heard) // 2 * 1000 // self.input_rate)
        assert media.get("track", "inbound") == "inbound"
        self.heard += self._decoded(base64.b64decode(media["payload"], validate=True))

    def _mark(self, content: Json) -> None:
        self.told.append(PlaybackTold(content["mark"]["name"]))

    def _dtmf(self, content: Json) -> None:
        assert content["dtmf"]["track"] == "inbound_track"
        self.keys.append(content["dtmf"]["digit"])

    def _stop(self, content: Json) -> None:
        assert content["stop"]["callSid"] == self.call
        self.goodbye = True

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        return [self._said("media", media={"payload": self._payload(pcm)})]

    def flush(self) -> Sequence[Message]:
        return [self._said("clear")]

    def mark(self, name: str) -> Sequence[Message]:
        return [self._said("mark", mark={"name": name})]

    def unknown(self) -> Sequence[Message]:
        return [self._said("transfer")]

    def malformed(self) -> Sequence[Message]:
        return [
            "{",
            "[]",
            json.dumps({"event": 7}),
            self._said("media", media={"payload": "a*b"}),
            self._said("media", media=[]),
            self._said("mark", mark={}),
            b"\x7f" * 160,
        ]

    def _said(self, event: str, **content: object) -> str:
        return json.dumps({"event": event, self.stream_field: self.stream, **content})

    def _payload(self, pcm: bytes) -> str:
        if self.encoding is not Encoding.PCM16:
            pcm = g711.encode(pcm, self.encoding)
        return base64.b64encode(pcm).decode()

    def _decoded(self, data: bytes) -> bytes:
        return data if self.encoding is Encoding.PCM16 else g711.decode(data, self.encoding)
