"""Plain audio over a websocket as a `Codec`: binary messages are audio, both ways; no set-up.

Replies have no bounds on the wire: audio that comes after a gap in delivery, or after a flush, is a new
item. Text messages are taken for JSON; `{"type": "flush"}` and `{"type": "clear"}` drop what was not
heard yet, everything else is `Unknown`.
"""

from __future__ import annotations

from collections.abc import Sequence

from streams import g711
from streams.audio import AudioFormat, Frame
from streams.endpoints.events import AudioReceived, EndpointEvent, Flush, ItemEnded, Unknown
from streams.endpoints.pieces import FieldError, Fields, QuietCodec, SampleAligner
from streams.endpoints.protocol import Capabilities, Message

_FLUSHES = frozenset({"flush", "clear"})


class PcmCodec(QuietCodec):
    """The logic of one session; see `streams.endpoints.protocol.Codec` for the methods.

    Args:
        input: Audio that we send.
        output: Audio that we get; as `input` if not given.
        reply_gap_s: Audio that arrives at least so long after the audio before it is a new item.
    """

    def __init__(
        self, input: AudioFormat, output: AudioFormat | None = None, *, reply_gap_s: float = 0.8
    ) -> None:
        self._input = input
        self._output = output or input
        self._gap_s = reply_gap_s
        self._aligner = SampleAligner(self._output.bytes_per_sample)
        self._count = 0
        self._item = ""
        self._last_at = 0.0

    @property
    def capabilities(self) -> Capabilities:
        """Formats are as declared: nothing is negotiated."""
        return Capabilities(
            protocol="pcm", input=self._input, output=self._output, flush=True, ready_on_connect=True
        )

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """Audio, a flush, or something unknown."""
        if isinstance(message, bytes):
            return self._audio(message, at, raw)
        try:
            kind = Fields.parse(message).text("type")
        except FieldError:
            kind = "text"
        if kind not in _FLUSHES:
            return [Unknown(at=at, raw=raw, type=kind)]
        return [*self._end(at, raw), Flush(at=at, raw=raw)]

    def _audio(self, data: bytes, at: float, raw: int) -> Sequence[EndpointEvent]:
        events: list[EndpointEvent] = []
        if self._item and at - self._last_at >= self._gap_s:
            events += self._end(at, raw)
        if not self._item:
            self._count += 1
            self._item = f"reply-{self._count}"
        self._last_at = at
        whole = self._aligner.push(self._item, data)
        if whole:
            pcm = g711.decode(whole, self._output.encoding)
            events.append(AudioReceived(at=at, raw=raw, pcm=pcm, item=self._item))
        return events

    def _end(self, at: float, raw: int) -> Sequence[EndpointEvent]:
        item, self._item = self._item, ""
        self._aligner.end(item)
        return [ItemEnded(at=at, raw=raw, item=item)] if item else []

    def audio(self, frame: Frame) -> Sequence[Message]:
        """One binary message."""
        return [g711.encode(frame.pcm, self._input.encoding)]
