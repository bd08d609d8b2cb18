"""Twilio Media Streams and its cousins as a `Codec`: telephone audio in JSON, with marks and `clear`.

The endpoint is the websocket server that the telephone company would call; we are the telephone company.
Replies have no bounds on the wire: audio after a gap in delivery or after a `clear` is a new item. A mark
stands where it came, perhaps in the middle of an item; it is echoed when playback reaches it, at once if
nothing is before it to be heard, and after a `clear` as the dialect has it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streams import g711
from streams.audio import AudioFormat, Encoding, Frame
from streams.endpoints.events import (
    AudioReceived,
    EndpointEvent,
    Flush,
    ItemEnded,
    Mark,
    Notice,
    NoticeLevel,
    Unknown,
)
from streams.endpoints.pieces import FieldError, Fields, QuietCodec, SampleAligner, Stamp
from streams.endpoints.protocol import Capabilities, Message, PlaybackReport, PlaybackState, Played
from streams.endpoints.rates import RateKeeper, protocol_violation
from streams.endpoints.twilio.dialects import TWILIO, Dialect
from streams.endpoints.twilio.messages import CallIds, Messages

REPLY_GAP_S = 0.8
"""Audio that arrives so long after the audio before it is a new item."""


LONGEST_NAME = 2000
"""Characters of a mark's name: it is kept until playback gets there."""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A mark that playback has not come to: its name as it came, and the samples of its item before it."""

    item: str
    at: int
    name: object


class TwilioCodec(QuietCodec):
    """The logic of one call; see `streams.endpoints.protocol.Codec` for the methods.

    A message that breaks the protocol becomes a `Notice` with code `protocol_violation`.

    Args:
        ids: The provider's names for the call.
        parameters: What TwiML's `<Parameter>` elements would hand over.
        dialect: The provider.
        wire: One of the dialect's formats, for both directions; its default if not given.
    """

    def __init__(
        self,
        ids: CallIds,
        parameters: Mapping[str, str] | None = None,
        dialect: Dialect = TWILIO,
        wire: AudioFormat | None = None,
    ) -> None:
        self._dialect = dialect
        self._ids = ids
        self._wire = wire or default_format(dialect)
        self._messages = Messages(dialect, ids, parameters or {}, self._wire)
        self._encodings = {name: encoding for encoding, (name, _) in dialect.formats.items()}
        self._keeper = RateKeeper(self._wire.rate, "call the endpoint with rate={rate}")
        self._aligner = SampleAligner(2)
        self._items = 0
        self._item = ""
        self._received = 0
        """Samples of the item so far."""
        self._last_at = 0.0
        self._before = ""
        """The item that a mark stands in or behind: its end has not been heard, as far as we were told."""
        self._marks: list[_Pending] = []
        self._replies: list[Message] = []
        self._foreign = False

    @property
    def capabilities(self) -> Capabilities:
        """Telephone audio both ways, nothing negotiated."""
        return Capabilities(
            protocol=self._dialect.name,
            input=self._wire,
            output=self._wire,
            playback_report=PlaybackReport.MARKS,
            flush=True,
            dtmf=True,
            ready_on_connect=True,
        )

    # what we send

    def opening(self) -> Sequence[Message]:
        """Twilio: `connected`, then `start`."""
        return self._messages.opening()

    def audio(self, frame: Frame) -> Sequence[Message]:
        """One piece of audio, or none while a longer piece fills."""
        return self._messages.audio(frame.pcm)

    def replies(self) -> Sequence[Message]:
        """Marks with nothing before them to be heard, and that a clear was done."""
        replies, self._replies = self._replies, []
        return replies

    def played(self, report: Played) -> Sequence[Message]:
        """The marks that playback has come to."""
        if report.state is not PlaybackState.PROGRESS and report.item == self._before:
            self._before = ""
        echoed: list[Message] = []
        kept: list[_Pending] = []
        for mark in self._marks:
            reached = mark.at <= report.heard or report.state is PlaybackState.COMPLETED
            if mark.item == report.item and reached:
                echoed.append(self._messages.echo(mark.name))
            elif mark.item != report.item or report.state is not PlaybackState.DROPPED:
                kept.append(mark)
        self._marks = kept
        return echoed

    def dtmf(self, digit: str) -> Sequence[Message]:
        """A key."""
        return [self._messages.key(digit)]

    def closing(self, reason: str) -> Sequence[Message]:
        """Twilio: `stop`."""
        return self._messages.goodbye()

    # what we receive

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """Media, a mark, a clear, or something unknown."""
        stamp = Stamp(at=at, raw=raw)
        reads = self._dialect.reads
        try:
            if isinstance(message, bytes):
                if reads.audio:
                    found = f"{len(message)} bytes in a binary message, expected JSON text"
                    return [protocol_violation(found, stamp)]
                return self._audio(message, self._wire.encoding, stamp)
            fields = Fields.parse(message)
            kind = fields.text(reads.key)
            if kind == reads.audio and kind:
                return [*self._check(fields, stamp), *self._media(fields.child("media"), stamp)]
            if kind == reads.mark:
                return [*self._check(fields, stamp), *self._mark(fields, stamp)]
            if kind == reads.clear:
                return [*self._check(fields, stamp), *self._clear(stamp)]
        except (FieldError, RecursionError) as exc:
            return [protocol_violation(str(exc), stamp)]
        return [Unknown(**stamp, type=kind)]

    def _check(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        """A warning, once, if the endpoint speaks to another stream: the provider may not play that."""
        stream = fields.raw(self._dialect.stream_field)
        if self._foreign or stream is None or stream == self._ids.stream:
            return []
        self._foreign = True
        found = f"{str(stream)[:64]!r}, but this call's is {self._ids.stream!r}"
        message = f"{self._dialect.stream_field} is {found}"
        return [Notice(**stamp, level=NoticeLevel.WARNING, code="foreign_stream", message=message)]

    def _media(self, media: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        data = media.audio("payload")
        name = media.text("contentType", "") or self._dialect.formats[self._wire.encoding][0]
        encoding = self._encodings.get(name.partition(";")[0])
        if encoding is None:
            return [protocol_violation(f"audio of type {name!r}", stamp)]
        rate = media.number("sampleRate")
        try:
            said = self._keeper.turn_to(self._wire.rate if rate is None else int(rate), stamp)
        except ValueError as exc:
            return [protocol_violation(str(exc), stamp)]
        return [*said, *self._audio(data, encoding, stamp)]

    def _audio(self, data: bytes, encoding: Encoding, stamp: Stamp) -> Sequence[EndpointEvent]:
        events: list[EndpointEvent] = []
        if self._item and stamp["at"] - self._last_at >= REPLY_GAP_S:
            events += self._end(stamp)
        if not data:
            return events
        if not self._item:
            self._items += 1
            self._item, self._received = f"reply-{self._items}", 0
        self._last_at = stamp["at"]
        if encoding is Encoding.PCM16:
            data = self._aligner.push(self._item, data)
        pcm = self._keeper.push(g711.decode(data, encoding))
        if not pcm:
            return events
        self._before = self._item
        self._received += len(pcm) // 2
        return [*events, AudioReceived(**stamp, pcm=pcm, item=self._item)]

    def _mark(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        *path, last = self._dialect.reads.name
        for step in path:
            fields = fields.child(step)
        name = fields.raw(last)
        if name is None:
            raise FieldError("a mark without a name")
        shown = name if isinstance(name, str) else json.dumps(name)
        if len(shown) > LONGEST_NAME:
            raise FieldError(
                f"a mark whose name has {len(shown)} characters, expected {LONGEST_NAME} at most"
            )
        if self._before:
            self._marks.append(_Pending(self._before, self._received, name))
        else:
            self._replies.append(self._messages.echo(name))
        return [Mark(**stamp, name=shown)]

    def _clear(self, stamp: Stamp) -> Sequence[EndpointEvent]:
        if self._dialect.marks_return_on_clear:
            self._replies += [self._messages.echo(mark.name) for mark in self._marks]
            self._marks = []
        self._replies += self._messages.cleared()
        self._keeper.flush()
        self._before = ""
        return [*self._end(stamp), Flush(**stamp)]

    def _end(self, stamp: Stamp) -> Sequence[EndpointEvent]:
        item, self._item = self._item, ""
        if not item:
            return []
        self._aligner.end(item)
        rest = self._keeper.flush()
        last = [AudioReceived(**stamp, pcm=rest, item=item)] if rest else []
        return [*last, ItemEnded(**stamp, item=item)]


def default_format(dialect: Dialect) -> AudioFormat:
    """What the dialect speaks if nothing is said."""
    encoding, (_, rates) = next(iter(dialect.formats.items()))
    return AudioFormat(rates[0], encoding)
