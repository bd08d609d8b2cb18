"""Twilio Media Streams as a `Codec`: telephone audio in JSON, with marks and `clear`.

The endpoint is the websocket server that Twilio would call; we are Twilio. Replies have no bounds on the
wire: audio after a gap in delivery, after a mark or after a `clear` is a new item. A mark is echoed when
playback has reached it, and at once if `clear` drops what stands before it or nothing does.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence

from streams import g711
from streams.audio import FRAME_MS, AudioFormat, Encoding, Frame
from streams.endpoints.events import AudioReceived, EndpointEvent, Flush, ItemEnded, Mark, Unknown
from streams.endpoints.pieces import FieldError, Fields, QuietCodec
from streams.endpoints.protocol import Capabilities, Message, PlaybackReport, PlaybackState, Played

FORMAT = AudioFormat(8000, Encoding.MULAW)
"""The one format of the protocol."""

REPLY_GAP_S = 0.8
"""Audio that arrives so long after the audio before it is a new item."""

_STREAM, _CALL, _ACCOUNT = "MZ" + 32 * "0", "CA" + 32 * "0", "AC" + 32 * "0"


class TwilioCodec(QuietCodec):
    """The logic of one call; see `streams.endpoints.protocol.Codec` for the methods.

    Args:
        parameters: What TwiML's `<Parameter>` elements would hand over.
    """

    def __init__(self, parameters: Mapping[str, str] | None = None) -> None:
        self._parameters = dict(parameters or {})
        self._sequence = 0
        self._chunks = 0
        self._items = 0
        self._item = ""
        self._last_at = 0.0
        self._unheard: set[str] = set()
        self._marks: dict[str, list[str]] = {}
        self._replies: list[Message] = []

    @property
    def capabilities(self) -> Capabilities:
        """Telephone audio both ways, nothing negotiated."""
        return Capabilities(
            protocol="twilio",
            input=FORMAT,
            output=FORMAT,
            playback_report=PlaybackReport.MARKS,
            flush=True,
            dtmf=True,
            ready_on_connect=True,
        )

    def opening(self) -> Sequence[Message]:
        """`connected`, then `start`."""
        start = {
            "accountSid": _ACCOUNT,
            "streamSid": _STREAM,
            "callSid": _CALL,
            "tracks": ["inbound"],
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
            "customParameters": self._parameters,
        }
        connected = json.dumps({"event": "connected", "protocol": "Call", "version": "1.0.0"})
        return [connected, self._message("start", start=start)]

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """Media, a mark, a clear, or something unknown."""
        try:
            fields = Fields.parse(message) if isinstance(message, str) else Fields({})
            kind = fields.text("event", "binary" if isinstance(message, bytes) else "")
            match kind:
                case "media":
                    return self._media(fields.child("media").audio("payload"), at, raw)
                case "mark":
                    return self._mark(fields.child("mark").text("name"), at, raw)
                case "clear":
                    return [*self._end(at, raw), Flush(at=at, raw=raw)]
                case _:
                    return [Unknown(at=at, raw=raw, type=kind)]
        except FieldError as error:
            return [Unknown(at=at, raw=raw, type=str(error))]

    def replies(self) -> Sequence[Message]:
        """Marks that have nothing before them to be heard."""
        replies, self._replies = self._replies, []
        return replies

    def audio(self, frame: Frame) -> Sequence[Message]:
        """One media message of 20 ms."""
        self._chunks += 1
        media = {
            "track": "inbound",
            "chunk": str(self._chunks),
            "timestamp": str((self._chunks - 1) * FRAME_MS),
            "payload": base64.b64encode(g711.encode(frame.pcm, Encoding.MULAW)).decode(),
        }
        return [self._message("media", media=media)]

    def played(self, report: Played) -> Sequence[Message]:
        """The marks behind an item, once it was heard or dropped."""
        if report.state is PlaybackState.PROGRESS:
            return []
        self._unheard.discard(report.item)
        return [self._echo(name) for name in self._marks.pop(report.item, [])]

    def dtmf(self, digit: str) -> Sequence[Message]:
        """A key."""
        return [self._message("dtmf", dtmf={"track": "inbound_track", "digit": digit})]

    def closing(self, reason: str) -> Sequence[Message]:
        """`stop`."""
        return [self._message("stop", stop={"accountSid": _ACCOUNT, "callSid": _CALL})]

    def _media(self, data: bytes, at: float, raw: int) -> Sequence[EndpointEvent]:
        events: list[EndpointEvent] = []
        if self._item and at - self._last_at >= REPLY_GAP_S:
            events += self._end(at, raw)
        if not data:
            return events
        if not self._item:
            self._items += 1
            self._item = f"reply-{self._items}"
            self._unheard.add(self._item)
        self._last_at = at
        pcm = g711.decode(data, Encoding.MULAW)
        return [*events, AudioReceived(at=at, raw=raw, pcm=pcm, item=self._item)]

    def _mark(self, name: str, at: float, raw: int) -> Sequence[EndpointEvent]:
        before = self._item or (f"reply-{self._items}" if f"reply-{self._items}" in self._unheard else "")
        if before:
            self._marks.setdefault(before, []).append(name)
        else:
            self._replies.append(self._echo(name))
        return [*self._end(at, raw), Mark(at=at, raw=raw, name=name)]

    def _end(self, at: float, raw: int) -> Sequence[EndpointEvent]:
        item, self._item = self._item, ""
        return [ItemEnded(at=at, raw=raw, item=item)] if item else []

    def _echo(self, name: str) -> Message:
        return self._message("mark", mark={"name": name})

    def _message(self, event: str, **content: object) -> Message:
        self._sequence += 1
        return json.dumps(
            {"event": event, "sequenceNumber": str(self._sequence), "streamSid": _STREAM, **content}
        )
