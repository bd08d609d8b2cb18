"""What a `FakeEndpoint` plays: replies with their text, timing, pace of arrival, and faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import cycle

import numpy as np

from streams.audio import Pcm, silence
from streams.endpoints.events import EndpointEvent


class Delivery(StrEnum):
    """How the audio of a reply arrives."""

    BURST = "burst"  # all at once
    REALTIME = "realtime"  # each chunk when it is due to be heard
    RAGGED = "ragged"  # chunks of uneven size, each at half the time at which it is due

    @property
    def pace(self) -> float:
        """Time of arrival over time of playback."""
        return {"burst": 0.0, "realtime": 1.0, "ragged": 0.5}[self]


_EVEN = (1.0,)
_UNEVEN = (0.7, 0.01, 1.3, 0.2, 2.1)


def tone(seconds: float, *, hz: float = 440, rate: int = 24000, peak: int = 8000) -> bytes:
    """PCM16 of a steady tone; its first sample is at its peak, and so audible."""
    phase = 2 * np.pi * hz / rate * np.arange(round(seconds * rate))
    samples: Pcm = (peak * np.cos(phase)).astype("<i2")
    return samples.tobytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeReply:
    """One reply of the script.

    Attributes:
        pcm: PCM16 at the endpoint's output rate.
        text: What it says; comes with the first audio.
        user_text: The endpoint's transcript of the user's turn; comes at the end of that turn.
        delay_s: From the user's last audible sample to the reply's first. The endpoint cannot start
            before it has found the end of the turn; a shorter delay makes it start right then.
        at_s: Stream time of the first audible sample, instead of waiting for the user: a greeting, or an
            endpoint that cuts in.
        leading_silence_s: Silence in the audio before `pcm`, within `delay_s`.
        delivery: The pace of arrival.
        chunk_s: Length of a chunk; of ragged ones, about the mean.
        endless: Repeats `pcm` until it is stopped; needs real-time delivery.
        hang_up_s: The connection ends so long after the first sample arrived.
        late_chunks: So many chunks still arrive after the reply was cut.
        before: Events sent before the audio, stamped anew.
        after: Events sent after the reply, stamped anew.
        response: Its id; `resp-N` if empty.
        item: Its audio item's id; `reply-N` if empty.
    """

    pcm: bytes = b""
    text: str = ""
    user_text: str = ""
    delay_s: float = 0.6
    at_s: float | None = None
    leading_silence_s: float = 0.0
    delivery: Delivery = Delivery.BURST
    chunk_s: float = 0.1
    endless: bool = False
    hang_up_s: float | None = None
    late_chunks: int = 0
    before: tuple[EndpointEvent, ...] = ()
    after: tuple[EndpointEvent, ...] = ()
    response: str = ""
    item: str = ""

    def __post_init__(self) -> None:
        if self.endless and (self.delivery is not Delivery.REALTIME or not self.pcm):
            raise ValueError("an endless reply needs pcm and real-time delivery")

    def audio(self, rate: int) -> bytes:
        """Leading silence and speech, once."""
        return silence(round(self.leading_silence_s * rate)) + self.pcm

    def chunks(self, rate: int) -> Iterator[bytes]:
        """The audio as it is cut for the wire."""
        audio, offset = self.audio(rate), 0
        for part in cycle(_UNEVEN if self.delivery is Delivery.RAGGED else _EVEN):
            size = 2 * max(1, round(part * self.chunk_s * rate))
            if self.endless and len(audio) - offset < size:
                audio, offset = audio[offset:] + self.pcm * (size // len(self.pcm) + 1), 0
            if offset >= len(audio):
                return
            yield audio[offset : offset + size]
            offset += size


@dataclass(slots=True, eq=False)
class Playing:
    """A reply on its way; `begin` is when its first sample is sent, `end` when its last one is heard."""

    reply: FakeReply
    response: str
    item: str
    begin: float
    end: float
    chunks: Iterator[bytes]
    sent: int = 0
    begun: bool = False
    ended: bool = False
    timers: list[asyncio.TimerHandle] = field(default_factory=list)

    def at(self, when: float, act: Callable[[Playing], None]) -> None:
        """Act at a time of the loop's clock, unless stopped before."""
        self.timers.append(asyncio.get_running_loop().call_at(when, act, self))

    def stop(self) -> None:
        """Drop what is planned."""
        for timer in self.timers:
            timer.cancel()
