"""Names for what Gemini Live leaves without: replies, their pieces, and what the user said.

A reply begins with its first sound or words and ends with `turnComplete` (or, where the server tells that
it works on, when it says `IDLE`). Its sound is one item up to `generationComplete`; what comes after is the
next. An interrupted reply keeps its names until its `turnComplete`, so that its late audio stays unheard.
"""

from __future__ import annotations

from streams.endpoints.events import (
    AudioReceived,
    EndpointEvent,
    Flush,
    ItemEnded,
    Notice,
    NoticeLevel,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    TextMode,
    TextReceived,
    UserTextReceived,
)
from streams.endpoints.pieces import SampleAligner, Stamp
from streams.resample import StreamResampler

LATE_S = 1.0
"""Audio that comes so long after an interruption is of a new reply, even if the old one was never ended."""

Events = list[EndpointEvent]


class Turns:
    """The replies of one session; each method returns what it makes of a part of a message.

    Args:
        rate: Samples per second of the endpoint's track. Audio that names another rate is converted.
    """

    def __init__(self, rate: int) -> None:
        self._rate = self._noted_rate = rate
        self._responses = self._items = 0
        self._users = 1
        self.response = ""
        """The reply that is under way, or empty."""
        self._item = ""
        self._item_ended = False
        self._cut_at: float | None = None
        self._user_text = ""
        self._aligner = SampleAligner(2)
        self._resampler: StreamResampler | None = None

    @property
    def latest(self) -> str:
        """The reply that is under way, or the last one."""
        return f"response-{self._responses}" if self._responses else ""

    def audio(self, data: bytes, rate: int, stamp: Stamp) -> Events:
        """A piece of a reply's sound: PCM16 at the rate that the message names."""
        events: Events = []
        if self._cut_at is not None and stamp["at"] - self._cut_at >= LATE_S:
            events += self.end(stamp)
        events += self._begin(stamp)
        if not self._item or self._item_ended:
            self._name_item()
        if rate != self._noted_rate:
            self._noted_rate = rate
            found = f"audio at {rate} Hz, expected {self._rate} Hz; it is converted"
            events.append(Notice(**stamp, level=NoticeLevel.WARNING, code="audio_rate", message=found))
        pcm = self._converted(self._aligner.push(self._item, data), rate)
        return [*events, *self._sound(pcm, stamp)]

    def text(self, text: str, stamp: Stamp) -> Events:
        """A piece of a reply's words; it may come before their sound, or after."""
        events = self._begin(stamp)
        if not self._item:
            self._name_item()
        said = TextReceived(
            **stamp, text=text, mode=TextMode.DELTA, item=self._item, response=self.response
        )
        return [*events, said]

    def user_text(self, text: str, stamp: Stamp, *, finished: bool) -> Events:
        """A piece of the transcript of what the user said."""
        self._user_text += text
        item, whole = f"user-{self._users}", self._user_text
        if finished:
            self._next_user_item()
            return [UserTextReceived(**stamp, text=whole, mode=TextMode.FINAL, item=item)] if whole else []
        return [UserTextReceived(**stamp, text=text, mode=TextMode.DELTA, item=item)] if text else []

    def interrupted(self, stamp: Stamp) -> Events:
        """The user talks, and what was not heard shall be dropped."""
        if self.response and self._cut_at is None:
            self._cut_at = stamp["at"]
        self._next_user_item()
        return [Flush(**stamp, responses=(self.response,) if self.response else ())]

    def end_item(self, stamp: Stamp) -> Events:
        """All sound of a reply has been delivered, for now."""
        if not self._item or self._item_ended:
            return []
        self._item_ended = True
        rest = b"" if self._resampler is None else self._resampler.flush()
        self._resampler = None
        self._aligner.end(self._item)
        ended = ItemEnded(**stamp, item=self._item, response=self.response)
        return [*self._sound(rest, stamp), ended]

    def end(self, stamp: Stamp, status: ResponseStatus = ResponseStatus.COMPLETED, why: str = "") -> Events:
        """The reply is over."""
        if not self.response:
            return []
        events = self.end_item(stamp)
        if self._cut_at is not None:
            status, why = ResponseStatus.CANCELLED, "interrupted"
        else:
            self._next_user_item()
        events.append(ResponseEnded(**stamp, response=self.response, status=status, reason=why))
        self.response = self._item = ""
        self._item_ended, self._cut_at = False, None
        return events

    def _begin(self, stamp: Stamp) -> Events:
        if self.response:
            return []
        self._responses += 1
        self.response = self.latest
        return [ResponseStarted(**stamp, response=self.response)]

    def _name_item(self) -> None:
        self._items += 1
        self._item, self._item_ended = f"item-{self._items}", False

    def _next_user_item(self) -> None:
        if self._user_text:
            self._users += 1
            self._user_text = ""

    def _converted(self, pcm: bytes, rate: int) -> bytes:
        if self._resampler is None and rate == self._rate:
            return pcm
        rest = b""
        if self._resampler is None or self._resampler.source != rate:
            rest = b"" if self._resampler is None else self._resampler.flush()
            self._resampler = StreamResampler(rate, self._rate)
        return rest + self._resampler.push(pcm)

    def _sound(self, pcm: bytes, stamp: Stamp) -> Events:
        if not pcm:
            return []
        return [AudioReceived(**stamp, pcm=pcm, item=self._item, response=self.response)]
