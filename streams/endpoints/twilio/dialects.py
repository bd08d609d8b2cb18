"""Twilio Media Streams and its cousins, as data: what each message looks like, what each provider does.

Messages of ours are templates: a text that begins with `$` stands for a value, the key `*` for fields that
are spread at its place. Twilio was run against a Pipecat bot, and compared with streamdouble 0.3.0 message
by message. The cousins were run against Pipecat's serializers (pipecat-ai 1.14.0), Plivo also against its
own plivo-stream-sdk 0.1.1; none was compared with the provider itself. Read in November 2026:

- Twilio: twilio.com/docs/voice/media-streams/websocket-messages
- Telnyx: developers.telnyx.com/api-reference/websockets/stream-call-media-over-websocket. L16 is left out:
  as RTP payload it would be big-endian, which the page does not say.
- Plivo: plivo.com/docs/voice-agents/audio-streaming/concepts/audio-streaming-reference. A checkpoint is
  answered only if what stands before it was played. That L16 is little-endian is assumed.
- Exotel: developer.exotel.com/docs/agentstream/websocket-protocol. Audio comes every 100 ms. What becomes
  of marks after a clear is not said; it is done as Twilio does it.
- Vonage: developer.vonage.com/en/voice/voice-api/guides/websockets. That a clear cancels what was to be
  notified is not confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from streams.audio import Encoding

Template = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reads:
    """Where a message of the endpoint says what.

    Attributes:
        key: Field that names the kind of message.
        audio: Kind of audio; "" where audio is binary messages.
        mark: Kind that asks to be told when playback gets here.
        clear: Kind that drops what was not heard.
        name: Path to the name of a mark; a name that is no text is kept as JSON.
    """

    key: str = "event"
    audio: str = "media"
    mark: str = "mark"
    clear: str = "clear"
    name: tuple[str, ...] = ("mark", "name")


@dataclass(frozen=True, slots=True)
class Dialect:
    """One provider.

    Attributes:
        formats: The name of each encoding on the wire, and its rates; the first of all is the default.
        stream_field: Field of each message that names the stream; "" if there is none.
        opening: What we send when the socket is open.
        audio: Template of a piece of audio; None where audio is binary messages.
        echo: Playback has reached a mark.
        cleared: Answer to a clear; None if there is none.
        key: A telephone key.
        stop: The goodbye; None if there is none but closing the socket.
        ids: Prefixes of our ids for stream, call and account; "" stands for a UUID.
        text_counters: Sequence and chunk numbers are texts.
        pieces_ms: Audio goes out in pieces of that length.
        marks_return_on_clear: Marks that a clear drops are echoed at once; otherwise never.
        rate_in_query: Parameter of the socket's address that carries a rate other than the default; the
            call's parameters stand beside it.
    """

    name: str
    formats: Mapping[Encoding, tuple[str, tuple[int, ...]]]
    opening: tuple[Template, ...]
    audio: Template | None
    echo: Template
    key: Template
    cleared: Template | None = None
    stop: Template | None = None
    reads: Reads = field(default_factory=Reads)
    stream_field: str = ""
    ids: tuple[str, str, str] = ("", "", "")
    text_counters: bool = True
    pieces_ms: int = 20
    marks_return_on_clear: bool = True
    rate_in_query: str = ""


TWILIO = Dialect(
    name="twilio",
    formats={Encoding.MULAW: ("audio/x-mulaw", (8000,))},
    stream_field="streamSid",
    ids=("MZ", "CA", "AC"),
    opening=(
        {"event": "connected", "protocol": "Call", "version": "1.0.0"},
        {
            "event": "start",
            "sequenceNumber": "$sequence",
            "streamSid": "$stream",
            "start": {
                "accountSid": "$account",
                "streamSid": "$stream",
                "callSid": "$call",
                "tracks": ["inbound"],
                "mediaFormat": {"encoding": "$encoding", "sampleRate": "$rate", "channels": 1},
                "customParameters": "$parameters",
            },
        },
    ),
    audio={
        "event": "media",
        "sequenceNumber": "$sequence",
        "streamSid": "$stream",
        "media": {"track": "inbound", "chunk": "$chunk", "timestamp": "$ms", "payload": "$payload"},
    },
    echo={
        "event": "mark",
        "sequenceNumber": "$sequence",
        "streamSid": "$stream",
        "mark": {"name": "$name"},
    },
    key={
        "event": "dtmf",
        "sequenceNumber": "$sequence",
        "streamSid": "$stream",
        "dtmf": {"track": "inbound_track", "digit": "$digit"},
    },
    stop={
        "event": "stop",
        "sequenceNumber": "$sequence",
        "streamSid": "$stream",
        "stop": {"accountSid": "$account", "callSid": "$call"},
    },
)

TELNYX = Dialect(
    name="telnyx",
    formats={Encoding.MULAW: ("PCMU", (8000,)), Encoding.ALAW: ("PCMA", (8000,))},
    stream_field="stream_id",
    opening=(
        {"event": "connected", "version": "1.0.0"},
        {
            "event": "start",
            "sequence_number": "$sequence",
            "stream_id": "$stream",
            "start": {
                "user_id": "$account",
                "call_control_id": "$call",
                "call_session_id": "$stream",
                "from": "+15550100",
                "to": "+15550199",
                "custom_parameters": "$parameters",
                "media_format": {"encoding": "$encoding", "sample_rate": "$rate", "channels": 1},
            },
        },
    ),
    audio={
        "event": "media",
        "sequence_number": "$sequence",
        "stream_id": "$stream",
        "media": {"track": "inbound", "chunk": "$chunk", "timestamp": "$ms", "payload": "$payload"},
    },
    echo={
        "event": "mark",
        "sequence_number": "$sequence",
        "stream_id": "$stream",
        "mark": {"name": "$name"},
    },
    key={
        "event": "dtmf",
        "sequence_number": "$sequence",
        "stream_id": "$stream",
        "dtmf": {"digit": "$digit"},
    },
    stop={
        "event": "stop",
        "sequence_number": "$sequence",
        "stream_id": "$stream",
        "stop": {"user_id": "$account", "call_control_id": "$call"},
    },
)

PLIVO = Dialect(
    name="plivo",
    formats={Encoding.MULAW: ("audio/x-mulaw", (8000,)), Encoding.PCM16: ("audio/x-l16", (8000, 16000))},
    stream_field="streamId",
    text_counters=False,
    marks_return_on_clear=False,
    reads=Reads(audio="playAudio", mark="checkpoint", clear="clearAudio", name=("name",)),
    opening=(
        {
            "event": "start",
            "sequenceNumber": "$sequence",
            "start": {
                "callId": "$call",
                "streamId": "$stream",
                "accountId": "$account",
                "tracks": ["inbound"],
                "mediaFormat": {"encoding": "$encoding", "sampleRate": "$rate"},
            },
            "extra_headers": "$parameters_text",
        },
    ),
    audio={
        "event": "media",
        "sequenceNumber": "$sequence",
        "streamId": "$stream",
        "media": {"track": "inbound", "timestamp": "$ms", "chunk": "$chunk", "payload": "$payload"},
        "extra_headers": "$parameters_text",
    },
    echo={
        "event": "playedStream",
        "sequenceNumber": "$sequence",
        "streamId": "$stream",
        "name": "$name",
    },
    cleared={"event": "clearedAudio", "sequenceNumber": "$sequence", "streamId": "$stream"},
    key={
        "event": "dtmf",
        "sequenceNumber": "$sequence",
        "streamId": "$stream",
        "dtmf": {"track": "inbound", "digit": "$digit", "timestamp": "$ms"},
    },
)

EXOTEL = Dialect(
    name="exotel",
    formats={Encoding.PCM16: ("audio/x-raw", (8000, 16000, 24000))},
    stream_field="stream_sid",
    pieces_ms=100,
    rate_in_query="sample-rate",
    opening=(
        {"event": "connected"},
        {
            "event": "start",
            "sequence_number": "$sequence",
            "stream_sid": "$stream",
            "start": {
                "stream_sid": "$stream",
                "call_sid": "$call",
                "account_sid": "$account",
                "from": "+15550100",
                "to": "+15550199",
                "custom_parameters": "$parameters",
                "media_format": {"encoding": "$encoding", "sample_rate": "$rate_text", "bit_rate": "16"},
            },
        },
    ),
    audio={
        "event": "media",
        "sequence_number": "$sequence",
        "stream_sid": "$stream",
        "media": {"chunk": "$chunk", "timestamp": "$ms", "payload": "$payload"},
    },
    echo={
        "event": "mark",
        "sequence_number": "$sequence",
        "stream_sid": "$stream",
        "mark": {"name": "$name"},
    },
    key={
        "event": "dtmf",
        "sequence_number": "$sequence",
        "stream_sid": "$stream",
        "dtmf": {"digit": "$digit", "duration": "100"},
    },
    stop={
        "event": "stop",
        "sequence_number": "$sequence",
        "stream_sid": "$stream",
        "stop": {"call_sid": "$call", "account_sid": "$account", "reason": "callended"},
    },
)

VONAGE = Dialect(
    name="vonage",
    formats={Encoding.PCM16: ("audio/l16", (16000, 8000, 24000))},
    marks_return_on_clear=False,
    reads=Reads(key="action", audio="", mark="notify", name=("payload",)),
    opening=({"event": "websocket:connected", "content-type": "$content_type", "*": "$parameters"},),
    audio=None,
    echo={"event": "websocket:notify", "payload": "$name"},
    cleared={"event": "websocket:cleared"},
    key={"event": "websocket:dtmf", "digit": "$digit", "duration": 100},
)

DIALECTS: Mapping[str, Dialect] = {each.name: each for each in (TWILIO, TELNYX, PLIVO, EXOTEL, VONAGE)}
"""Every provider, by the name of its scheme."""
