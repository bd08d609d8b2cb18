"""The bot's speech as items: which reply a piece of audio belongs to, as mono PCM16 at the declared rate.

The wire has no ids. A reply begins with the first of: the bot's language model starts, its voice starts,
it says that it speaks, audio comes. It ends when the bot says that it has stopped, or with an interruption.
A last piece that slips out behind an interruption still belongs to the reply that was cut. For bots that
never say when they stop, audio after a gap in delivery is a new reply.
"""

from __future__ import annotations

from streams.audio import to_pcm
from streams.endpoints.events import (
    AudioReceived,
    EndpointEvent,
    Flush,
    ItemEnded,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
)
from streams.endpoints.pieces import SampleAligner, Stamp
from streams.endpoints.pipecat.frames import Sound
from streams.endpoints.rates import RateKeeper, protocol_violation

LATE_S = 0.25
"""Audio so soon after an interruption is late audio of what was cut, if the bot announces new replies."""

_MOST_CHANNELS = 8
_WAV_HEADER = 44
"""Bytes before the samples of a WAV file as Pipecat's `add_wav_header` writes it."""


class Speech:
    """The replies of one session; each method returns the events of one message.

    Args:
        rate: Rate of the audio in our events, in samples per second.
        reply_gap_s: Where replies have no bounds, audio so long after the audio before it is a new one.
        bounded: The bot is known to say when it replies: replies are responses from the first one on.
    """

    def __init__(self, rate: int, *, reply_gap_s: float, bounded: bool) -> None:
        self._rate = rate
        self._keeper = RateKeeper(rate, "call the endpoint with out_rate={rate}")
        self._gap_s = reply_gap_s
        self._bounded = bounded
        self._told_bounds = self._foretells = False
        self._cut_at: float | None = None
        """When a reply was cut and none has begun since."""
        self._count = 0
        self._announced = False
        self._last_at: float | None = None
        self._channels = 1
        self._aligner = SampleAligner(2)
        self._said: set[str] = set()
        self.name = ""
        """The reply under way, "" between replies."""
        self.last = ""
        """The reply under way, or else the one before."""

    @property
    def response(self) -> str:
        """The response under way, "" if there is none."""
        return self.name if self._bounded else ""

    def begin(self, stamp: Stamp, *, speaking: bool = False) -> list[EndpointEvent]:
        """The bot says that it begins to reply, or (`speaking`) that its voice is on the wire."""
        self._bounded = True
        self._told_bounds |= speaking
        self._foretells |= not speaking
        self._cut_at = None
        self._open()
        if self._announced:
            return []
        self._announced = True
        return [ResponseStarted(**stamp, response=self.name)]

    def audio(self, sound: Sound, stamp: Stamp) -> list[EndpointEvent]:
        """A piece of audio."""
        events: list[EndpointEvent] = []
        if self._gap(stamp["at"]):
            events += self.end(stamp, ResponseStatus.COMPLETED)
        data, rate, channels = _opened(sound)
        if channels > _MOST_CHANNELS:
            return [*events, protocol_violation(f"audio with {channels} channels", stamp)]
        try:
            events += self._keeper.turn_to(rate or self._rate, stamp)
        except ValueError as exc:
            return [*events, protocol_violation(str(exc), stamp)]
        self._turn_to(channels or 1)
        if self._late(stamp["at"]):
            return [*events, *self._received(self._mono(data), stamp, self.last)]
        self._open()
        self._last_at = stamp["at"]
        return [*events, *self._received(self._mono(data), stamp, self.name)]

    def end(self, stamp: Stamp, status: ResponseStatus) -> list[EndpointEvent]:
        """The reply under way is delivered, or given up."""
        if not self.name:
            return []
        events: list[EndpointEvent] = []
        rest = self._keeper.flush()
        if status is ResponseStatus.COMPLETED:
            events += self._received(rest, stamp, self.name)
        self._aligner.end(self.name)
        if self._last_at is not None:
            events.append(ItemEnded(**stamp, item=self.name, response=self.response))
        if self._announced:
            events.append(ResponseEnded(**stamp, response=self.name, status=status))
        self.name, self._announced, self._last_at = "", False, None
        return events

    def interrupt(self, stamp: Stamp) -> list[EndpointEvent]:
        """What has not been heard shall be dropped; bots say so at each start of a user's turn."""
        flush = Flush(**stamp, responses=(self.response,) if self.response else ())
        going_on = self._announced
        if going_on:
            self._cut_at = stamp["at"]
        ends = self.end(stamp, ResponseStatus.CANCELLED)
        # a reply without bounds that was heard so far may be over: the flush shall not take it for a cut
        return [flush, *ends] if going_on else [*ends, flush]

    def spaced(self, text: str) -> tuple[str, str]:
        """Where a piece of text belongs, and the text with a space before it if it goes on with one.

        Returns:
            The reply's name and the text.
        """
        item = self.last
        joined = f" {text}" if item in self._said and not text[:1].isspace() else text
        self._said = {item}
        return item, joined

    def _gap(self, at: float) -> bool:
        if self._last_at is None or self._told_bounds:
            return False
        return at - self._last_at >= self._gap_s

    def _late(self, at: float) -> bool:
        return self._foretells and self._cut_at is not None and at - self._cut_at < LATE_S

    def _open(self) -> None:
        if not self.name:
            self._count += 1
            self.name = self.last = f"reply-{self._count}"

    def _received(self, pcm: bytes, stamp: Stamp, item: str) -> list[EndpointEvent]:
        response = item if self._bounded else ""
        return [AudioReceived(**stamp, pcm=pcm, item=item, response=response)] if pcm else []

    def _turn_to(self, channels: int) -> None:
        if channels != self._channels:
            self._channels = channels
            self._aligner = SampleAligner(2 * channels)

    def _mono(self, data: bytes) -> bytes:
        data = self._aligner.push(self.name, data)
        if self._channels > 1:
            several = to_pcm(data).reshape(-1, self._channels)
            data = several.mean(axis=1).round().astype("<i2").tobytes()
        return self._keeper.push(data)


def _opened(sound: Sound) -> tuple[bytes, int, int]:
    """The samples, rate and channels of a piece that may be a small WAV file."""
    data = sound.data
    if len(data) < _WAV_HEADER or data[:4] != b"RIFF" or data[8:12] != b"WAVE" or data[36:40] != b"data":
        return data, sound.rate, sound.channels
    channels, rate = int.from_bytes(data[22:24], "little"), int.from_bytes(data[24:28], "little")
    return data[_WAV_HEADER:], rate, channels
