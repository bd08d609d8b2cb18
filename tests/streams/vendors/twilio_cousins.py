"""Servers that Twilio's cousins would call: what their providers document, where Twilio does otherwise.

`test_telephone_serializers.py` holds them against Pipecat's serializers and Plivo's own kit for servers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from streams.audio import Encoding
from streams.endpoints.protocol import Message
from tests.streams.vendors.twilio import TwilioVendor
from tests.streams.vendors.vendor import Concept, PlaybackTold, Reply

Json = dict[str, Any]


class TelnyxVendor(TwilioVendor):
    """Telnyx: other names; servers do not name the stream."""

    name = "Telnyx"
    scheme = "telnyx"
    stream_field, sequence_field = "stream_id", "sequence_number"
    wire = "PCMU"

    def _connected(self, content: Json) -> None:
        assert content == {"event": "connected", "version": "1.0.0"}

    def _start(self, content: Json) -> None:
        start = content["start"]
        self.stream, self.call = content["stream_id"], start["call_control_id"]
        assert start["media_format"] == {"encoding": self.wire, "sample_rate": 8000, "channels": 1}
        assert {"user_id", "call_session_id", "from", "to"} <= set(start)
        self.parameters = start["custom_parameters"]

    def _dtmf(self, content: Json) -> None:
        self.keys.append(content["dtmf"]["digit"])

    def _stop(self, content: Json) -> None:
        assert content["stop"]["call_control_id"] == self.call
        self.goodbye = True

    def _said(self, event: str, **content: object) -> str:
        return json.dumps({"event": event, **content})


class TelnyxAlawVendor(TelnyxVendor):
    """Telnyx with the G.711 of the rest of the world."""

    name = "Telnyx, A-law"
    query = "?encoding=alaw"
    encoding = Encoding.ALAW
    wire = "PCMA"


class PlivoVendor(TwilioVendor):
    """Plivo: no `connected`, counters that are numbers, no goodbye; what a clear drops is not told."""

    name = "Plivo"
    scheme = "plivo"
    concepts = TwilioVendor.concepts - {Concept.MARKS_ON_CLEAR}
    stream_field, sequence_field = "streamId", "sequenceNumber"
    counter = int
    wire = "audio/x-mulaw"

    def _start(self, content: Json) -> None:
        start = content["start"]
        self.stream, self.call = start["streamId"], start["callId"]
        assert self.events == ["start"] and start["accountId"] and start["tracks"] == ["inbound"]
        assert start["mediaFormat"] == {"encoding": self.wire, "sampleRate": self.input_rate}
        pairs = (pair.partition("=") for pair in content["extra_headers"].split(";") if pair)
        self.parameters = {name: value for name, _, value in pairs}

    def _playedStream(self, content: Json) -> None:
        self.told.append(PlaybackTold(content["name"]))

    def _clearedAudio(self, content: Json) -> None:
        self.cleared += 1

    def _dtmf(self, content: Json) -> None:
        assert content["dtmf"]["track"] == "inbound" and content["dtmf"]["timestamp"].isdecimal()
        self.keys.append(content["dtmf"]["digit"])

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        media = {
            "contentType": self.wire,
            "sampleRate": self.output_rate,
            "payload": self._payload(pcm),
        }
        return [self._said("playAudio", media=media)]

    def flush(self) -> Sequence[Message]:
        return [self._said("clearAudio")]

    def mark(self, name: str) -> Sequence[Message]:
        return [self._said("checkpoint", name=name)]

    def malformed(self) -> Sequence[Message]:
        return [
            self._said("playAudio", media={"contentType": "audio/mpeg", "payload": ""}),
            self._said("playAudio", media={"contentType": self.wire, "payload": "a*b"}),
            self._said("playAudio", media={"contentType": self.wire, "sampleRate": 1, "payload": "AAA="}),
            self._said("checkpoint"),
        ]


class PlivoWideVendor(PlivoVendor):
    """Plivo with linear audio at 16000/s."""

    name = "Plivo, L16"
    query = "?encoding=pcm16&rate=16000"
    input_rate = output_rate = 16000
    encoding = Encoding.PCM16
    wire = "audio/x-l16"


class ExotelVendor(TwilioVendor):
    """Exotel: linear audio in pieces of 100 ms; the rate stands in the socket's address too."""

    name = "Exotel"
    scheme = "exotel"
    encoding = Encoding.PCM16
    stream_field, sequence_field = "stream_sid", "sequence_number"

    def _connected(self, content: Json) -> None:
        assert content == {"event": "connected"}

    def _start(self, content: Json) -> None:
        start = content["start"]
        self.stream, self.call = start["stream_sid"], start["call_sid"]
        assert content["stream_sid"] == self.stream and start["account_sid"]
        rate = str(self.input_rate)
        assert start["media_format"] == {"encoding": "audio/x-raw", "sample_rate": rate, "bit_rate": "16"}
        self.parameters = start["custom_parameters"]

    def _media(self, content: Json) -> None:
        before = len(self.heard)
        super()._media(content)
        assert len(self.heard) - before <= self.input_rate // 10 * 2

    def _dtmf(self, content: Json) -> None:
        assert content["dtmf"]["duration"].isdecimal()
        self.keys.append(content["dtmf"]["digit"])

    def _stop(self, content: Json) -> None:
        assert content["stop"]["call_sid"] == self.call and content["stop"]["reason"]
        self.goodbye = True


class VonageVendor(TwilioVendor):
    """Vonage: audio in binary messages; no stream, no counters, no goodbye."""

    name = "Vonage"
    scheme = "vonage"
    concepts = frozenset({Concept.FLUSH, Concept.MARKS})
    encoding = Encoding.PCM16
    input_rate = output_rate = 16000

    def take(self, message: Message) -> Sequence[Message]:
        if isinstance(message, bytes):
            assert self.events and len(message) == self.input_rate // 50 * 2
            self.heard += message
            return []
        content = json.loads(message)
        event = content.pop("event")
        self.events.append(event)
        match event:
            case "websocket:connected":
                assert content.pop("content-type") == f"audio/l16;rate={self.input_rate}"
                self.parameters = content
            case "websocket:notify":
                self.told.append(PlaybackTold(content["payload"]["mark"]))
            case "websocket:cleared":
                self.cleared += 1
            case "websocket:dtmf":
                assert isinstance(content["duration"], int)
                self.keys.append(content["digit"])
            case _:
                raise AssertionError(f"Vonage sends no {event}")
        return []

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        return [pcm]

    def flush(self) -> Sequence[Message]:
        return [json.dumps({"action": "clear"})]

    def mark(self, name: str) -> Sequence[Message]:
        return [json.dumps({"action": "notify", "payload": {"mark": name}})]

    def unknown(self) -> Sequence[Message]:
        return [json.dumps({"action": "transfer"})]

    def malformed(self) -> Sequence[Message]:
        return ["{", "[]", json.dumps({"action": 7}), json.dumps({"action": "notify"})]


TELEPHONE_VENDORS: tuple[type[TwilioVendor], ...] = (
    TwilioVendor,
    TelnyxVendor,
    TelnyxAlawVendor,
    PlivoVendor,
    PlivoWideVendor,
    ExotelVendor,
    VonageVendor,
)
"""Twilio and its cousins."""
