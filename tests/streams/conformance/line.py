"""A codec and a vendor joined without a socket, and an ear that plays what comes: exact to the sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from streams.audio import Frame, silence, to_pcm
from streams.endpoints.events import (
    AudioReceived,
    EndpointEvent,
    Flush,
    ItemEnded,
    Mark,
    Ready,
    ResponseEnded,
)
from streams.endpoints.protocol import Codec, Message, PlaybackState, Played
from streams.playback import Speaker
from tests.streams.vendors.vendor import Vendor

LEVELS = {"A": 8000, "B": 16000}
"""Two replies that are told apart by their loudness, whatever the encoding on the wire."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A stretch of one reply on the heard timeline, in samples."""

    reply: str
    start: int
    end: int


def sound(reply: str, seconds: float, rate: int) -> bytes:
    """A square wave of 250 Hz at the reply's level: loud in every sample."""
    ticks = np.arange(round(seconds * rate)) * 500 // rate
    return (np.where(ticks % 2, -1, 1) * LEVELS[reply]).astype("<i2").tobytes()


class Line:
    """One call: the vendor's messages go through the codec into the ear, ours into the vendor."""

    def __init__(self, vendor: Vendor, codec: Codec) -> None:
        self.vendor = vendor
        self.codec = codec
        self.events: list[EndpointEvent] = []
        self._raw = 0
        self._speaker: Speaker | None = None
        self._track = bytearray()

    def open(self) -> None:
        """Set up the call; the protocol must be ready after it, and the session starts at 0 s."""
        self._deliver(self.vendor.greet(), 0.0)
        self._exchange(self.codec.opening(), 0.0)
        if not self.codec.capabilities.ready_on_connect:
            assert any(isinstance(event, Ready) for event in self.events), "the codec is not ready"

    @property
    def speaker(self) -> Speaker:
        if self._speaker is None:
            self._speaker = Speaker(self.codec.capabilities.output.rate)
        return self._speaker

    def at(self, seconds: float, *messages: Iterable[Message]) -> None:
        """Play up to that time, then take what the vendor sends."""
        rate = self.speaker.rate
        self._track += self.speaker.heard(round(seconds * rate))
        self._reach_marks(seconds)
        for done in self.speaker.completed():
            self._report(Played(done.item, done.heard, done.received, PlaybackState.COMPLETED), seconds)
        for some in messages:
            self._deliver(some, seconds)

    def talk(self, start: float, seconds: float) -> bytes:
        """The user talks, 20 ms a frame; returns what was said."""
        rate = self.codec.capabilities.input.rate
        pcm = sound("A", seconds, rate)
        size = rate // 50 * 2
        for number, place in enumerate(range(0, len(pcm), size)):
            frame = Frame(pcm[place : place + size], rate)
            self._exchange(self.codec.audio(frame), start + number * 0.02)
        return pcm

    def quiet(self, frames: int) -> None:
        """The user is silent."""
        rate = self.codec.capabilities.input.rate
        for _ in range(frames):
            self._exchange(self.codec.audio(Frame(silence(rate // 50), rate)), 0.0)

    def send(self, messages: Iterable[Message], at: float) -> None:
        """What the session asks of the codec."""
        self._exchange(messages, at)

    def heard(self) -> list[Heard]:
        """What the ear heard so far, in stretches of one reply."""
        samples = np.abs(to_pcm(bytes(self._track)).astype(np.int32))
        kinds = np.digitize(samples, [4000, 12000])
        edges = np.flatnonzero(np.diff(kinds, prepend=0, append=0))
        return [
            Heard("AB"[kinds[start] - 1], int(start), int(end))
            for start, end in pairwise(edges)
            if kinds[start]
        ]

    def of(self, kind: type[EndpointEvent]) -> list[EndpointEvent]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def _exchange(self, messages: Iterable[Message], at: float) -> None:
        for message in messages:
            self._deliver(self.vendor.take(message), at)

    def _deliver(self, messages: Iterable[Message], at: float) -> None:
        for message in messages:
            for event in self.codec.receive(message, at=at, raw=self._raw):
                self.events.append(event)
                self._play(event)
            self._raw += 1
            self._exchange(self.codec.replies(), at)

    def _play(self, event: EndpointEvent) -> None:
        match event:
            case AudioReceived():
                self.speaker.play(event.pcm, at=event.at, item=event.item, response=event.response)
            case ItemEnded():
                self.speaker.end_item(event.item)
            case ResponseEnded():
                self.speaker.end_response(event.response)
            case Flush():
                for cut in self.speaker.flush(at=event.at, responses=event.responses):
                    self._report(Played(cut.item, cut.heard, cut.received, PlaybackState.DROPPED), event.at)
            case Mark():
                self.speaker.mark(event.name)
                self._reach_marks(event.at)
            case _:
                pass

    def _reach_marks(self, at: float) -> None:
        for mark in self.speaker.reached():
            if (there := mark.playback) is not None:
                self._report(Played(there.item, there.heard, there.received, PlaybackState.PROGRESS), at)

    def _report(self, played: Played, at: float) -> None:
        self._exchange(self.codec.played(played), at)
