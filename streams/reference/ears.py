"""When the user's turn begins and ends, on the timeline of the samples that were received."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from streams.audio import FRAME_MS, FULL_SCALE, Samples, to_float, to_pcm
from streams.reference.settings import TurnTaking
from streams.resample import StreamResampler
from streams.speech.activity import ActivityTracker, SpeechBegan
from streams.speech.interfaces import SPEECH_RATE, SpeechDetector

LEVEL = FULL_SCALE / 1000
"""-60 dBFS in sample units: above it a sample is audible to `LevelEars`."""

_TAIL_S = 0.2
"""Silence after the last speech window that goes to the recogniser: a detector drops soft endings."""

_NOTICE_S = 0.5
"""By how much a detector may be late to notice that speech began: so much audio is kept in silence."""


@dataclass(frozen=True, slots=True)
class Began:
    """The user began to talk, so many seconds into the stream.

    Attributes:
        due_s: When the endpoint takes notice, also on the stream; None is as soon as it is heard.
    """

    at_s: float
    due_s: float | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The user's turn is over.

    Attributes:
        at_s: Seconds into the stream at which the speech ended.
        clip: What was said: float32 at 16 kHz; empty where nobody will transcribe it.
    """

    at_s: float
    clip: Samples


@dataclass(frozen=True, slots=True)
class Urged:
    """The endpoint has to talk, although no turn of the user is over.

    Attributes:
        due_s: Seconds into the stream.
        gives_way: It had stopped for the user, who wanted nothing.
    """

    due_s: float
    gives_way: bool = False


Heard = Began | Ended | Urged


class Ears(Protocol):
    """Listens to one stream."""

    async def hear(self, pcm: bytes) -> Sequence[Heard]:
        """The next samples of the stream, PCM16; returns what is now certain."""

    def take(self) -> Ended | None:
        """Manual mode: everything since the last call, or None if there was nothing."""


class VoiceEars:
    """Turn detection by a speech detector and a wait in silence.

    Args:
        detector: Says what is speech.
        taking: When a turn begins and ends.
        rate: Samples per second of the stream.
        start_s: Where in the session this stream begins.
    """

    def __init__(
        self, detector: SpeechDetector, taking: TurnTaking, rate: int, start_s: float = 0.0
    ) -> None:
        self._start_s = start_s
        self._prefix = round(taking.prefix_s * SPEECH_RATE)
        self._resampler = StreamResampler(rate, SPEECH_RATE)
        self._stream = detector.stream()
        threshold = max(taking.threshold, 0.05)
        self._tracker = ActivityTracker(
            detector.window,
            start_probability=threshold,
            stop_probability=max(threshold - 0.15, 0.01),
            min_silence_s=taking.silence_s,
        )
        self._held = bytearray()  # PCM16 at 16 kHz
        self._held_from = 0
        self._began = 0

    async def hear(self, pcm: bytes) -> Sequence[Heard]:
        """See `Ears.hear`."""
        converted = self._resampler.push(pcm)
        self._held += converted
        edges = self._tracker.push(await self._stream.feed(to_float(converted)))
        heard: list[Heard] = []
        for edge in edges:
            if isinstance(edge, SpeechBegan):
                self._began = edge.at_sample
                heard.append(Began(self._seconds(edge.at_sample)))
            else:
                heard.append(Ended(self._seconds(edge.at_sample), self._clip(edge.at_sample)))
        if not self._tracker.speaking:
            self._forget(self._tracker.position - self._prefix - round(_NOTICE_S * SPEECH_RATE))
        return heard

    def take(self) -> Ended | None:
        """Nothing: the detector decides when a turn is over."""
        return None

    def _seconds(self, sample: int) -> float:
        return self._start_s + sample / SPEECH_RATE

    def _clip(self, end: int) -> Samples:
        first = max(self._began - self._prefix - self._held_from, 0)
        last = end + round(_TAIL_S * SPEECH_RATE) - self._held_from
        return to_float(bytes(self._held[2 * first : 2 * last]))

    def _forget(self, before: int) -> None:
        gone = max(before - self._held_from, 0)
        del self._held[: 2 * gone]
        self._held_from += gone


class OpenEars:
    """No turn detection: keeps all that comes until it is taken."""

    def __init__(self, rate: int, start_s: float = 0.0) -> None:
        self._rate = rate
        self._start_s = start_s
        self._resampler = StreamResampler(rate, SPEECH_RATE)
        self._position = 0
        self._held = bytearray()

    async def hear(self, pcm: bytes) -> Sequence[Heard]:
        """See `Ears.hear`; never hears a turn."""
        self._position += len(pcm) // 2
        self._held += self._resampler.push(pcm)
        return ()

    def take(self) -> Ended | None:
        """See `Ears.take`."""
        self._held += self._resampler.flush()
        clip = to_float(bytes(self._held))
        self._held.clear()
        return Ended(self._start_s + self._position / self._rate, clip) if clip.size else None


class LevelEars:
    """Turn detection by level, exact to the sample: the user talks while samples are above -60 dBFS.

    For clean audio only, with digital silence after the speech.

    Args:
        silence_s: Seconds without an audible sample that end a turn.
        rate: Samples per second of the stream.
        start_s: Where in the session this stream begins.
    """

    def __init__(self, silence_s: float, rate: int, start_s: float = 0.0) -> None:
        self._silence = round(silence_s * rate)
        self._rate = rate
        self._start_s = start_s
        self._position = 0
        self._end = 0
        self._taken = 0
        self._talking = False

    async def hear(self, pcm: bytes) -> Sequence[Heard]:
        """See `Ears.hear`."""
        step = 2 * (self._rate * FRAME_MS // 1000)
        return [heard for at in range(0, len(pcm), step) for heard in self._frame(pcm[at : at + step])]

    def take(self) -> Ended | None:
        """The turn that ends with the last audible sample; None if nothing came since the last call."""
        if self._position == self._taken:
            return None
        self._taken = self._position
        self._talking = False
        return self._ended()

    def _frame(self, pcm: bytes) -> Sequence[Heard]:
        audible = np.flatnonzero(np.abs(to_pcm(pcm).astype(np.int32)) > LEVEL)
        begin = self._position
        self._position += len(pcm) // 2
        if audible.size:
            self._end = begin + int(audible[-1]) + 1
            if not self._talking:
                self._talking = True
                return (Began(self._seconds(begin + int(audible[0]))),)
        elif self._talking and self._position - self._end >= self._silence:
            self._talking = False
            self._taken = self._position
            return (self._ended(),)
        return ()

    def _ended(self) -> Ended:
        return Ended(self._seconds(self._end), np.zeros(0, np.float32))

    def _seconds(self, sample: int) -> float:
        return self._start_s + sample / self._rate
