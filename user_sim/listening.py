"""One waking stretch of hearing: from the endpoint's track to speech edges, and back to its samples."""

from __future__ import annotations

from dataclasses import dataclass

from streams.audio import Pcm, Samples, sample_at, to_float, to_pcm
from streams.resample import StreamResampler
from streams.speech.activity import ActivityEdge, ActivityTracker, SpeechBegan, SpeechEnded
from streams.speech.interfaces import SPEECH_RATE, SpeechDetector
from user_sim.tape import Tape

MARGIN_S = 0.2
"""Recognisers get so much audio around the speech: soft beginnings and endings are words too."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Speech edges in order, in samples of the track, and the position up to which there are no others."""

    edges: list[ActivityEdge]
    until: int


class Listening:
    """Hears a track from one position on.

    Args:
        detector: Finds speech in 16 kHz audio.
        start: Position on the track of the first sample that will be pushed.
        rate: Samples per second of the track.
    """

    def __init__(self, detector: SpeechDetector, start: int, rate: int) -> None:
        self._start = start
        self._rate = rate
        self._resampler = StreamResampler(rate, SPEECH_RATE)
        self._stream = detector.stream()
        self._activity = ActivityTracker(detector.window)
        self._track = Tape(start)
        self._speech = Tape()

    async def push(self, pcm: bytes) -> Heard:
        """Hear the samples that follow."""
        self._track.append(pcm)
        return await self._detect(self._resampler.push(pcm))

    async def finish(self) -> Heard:
        """Hear what is still inside the resampler; nothing follows."""
        heard = await self._detect(self._resampler.flush())
        fell_silent = self._activity.silence > 0
        ended = [self._placed(edge) for edge in self._activity.finish()] if fell_silent else []
        return Heard([*heard.edges, *ended], self._track.end)

    async def _detect(self, pcm: bytes) -> Heard:
        self._speech.append(pcm)
        edges = self._activity.push(await self._stream.feed(to_float(pcm)))
        # within speech, a silence that has just begun may be its end or a gap: it is not decided yet
        undecided = self._activity.silence if self._activity.speaking else 0
        until = self._on_track(self._activity.position - undecided)
        return Heard([self._placed(edge) for edge in edges], until)

    def sound(self, start: int, end: int) -> Pcm:
        """Samples of the track."""
        return to_pcm(self._track.cut(start, end))

    def speech(self, start: int, end: int, *, margin_s: float = MARGIN_S) -> Samples:
        """The same stretch at 16 kHz, with a margin on both sides as far as it is there."""
        margin = sample_at(margin_s, SPEECH_RATE)
        first, last = (self._at_speech_rate(position) for position in (start, end))
        return to_float(self._speech.cut(first - margin, last + margin))

    def forget(self, before: int) -> None:
        """Samples of the track before a position are not needed any more."""
        self._track.forget(before)
        self._speech.forget(self._at_speech_rate(before))

    def _placed(self, edge: ActivityEdge) -> ActivityEdge:
        at = self._on_track(edge.at_sample)
        return SpeechBegan(at) if isinstance(edge, SpeechBegan) else SpeechEnded(at)

    def _on_track(self, sample: int) -> int:
        return self._start + round(sample * self._rate / SPEECH_RATE)

    def _at_speech_rate(self, position: int) -> int:
        return round((position - self._start) * SPEECH_RATE / self._rate)
