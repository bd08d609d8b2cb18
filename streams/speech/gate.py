"""The gate every recogniser sits behind: only speech is transcribed, so silence never yields words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from streams.audio import Samples, sample_at
from streams.speech.activity import ActivityTracker, SpeechBegan
from streams.speech.hallucination import Interval, Segment, settle
from streams.speech.interfaces import SPEECH_RATE, SpeechDetector, Transcript, Word
from streams.speech.windows import check_mono

SHORTEST_CLIP_S = 0.1
"""A shorter clip can't hold a word."""

PADDING_S = 0.2
"""Audio kept before and after each stretch of speech: soft beginnings and endings are words too."""

Recognise = Callable[[Samples], Awaitable[Sequence[Segment]]]
"""An engine: audio in, segments out, timed from the start of that audio."""


RecogniseAll = Callable[[Sequence[Samples]], Awaitable[Sequence[Sequence[Segment]]]]
"""The same for many pieces of audio at once."""


@dataclass(frozen=True, slots=True)
class Span:
    """Samples `start` to `end` (not included) of a clip."""

    start: int
    end: int


async def speech_spans(
    samples: Samples,
    detector: SpeechDetector,
    *,
    start_probability: float = 0.4,
    stop_probability: float = 0.25,
) -> tuple[Span, ...]:
    """Where a clip (float32, 16 kHz) holds speech, in order.

    The probabilities are lower than those of a live detector: a word that is missed here is lost, a noise
    that gets through is heard by a recogniser that knows better.
    """
    tracker = ActivityTracker(
        detector.window, start_probability=start_probability, stop_probability=stop_probability
    )
    padded = np.pad(samples, (0, -samples.size % detector.window))
    edges = tracker.push(await detector.stream().feed(padded)) + tracker.finish()
    begins = [edge.at_sample for edge in edges if isinstance(edge, SpeechBegan)]
    ends = [edge.at_sample for edge in edges if not isinstance(edge, SpeechBegan)]
    return tuple(Span(start, min(end, samples.size)) for start, end in zip(begins, ends, strict=True))


async def transcribe_speech(
    engine: str, samples: Samples, detector: SpeechDetector, recognise: Recognise
) -> Transcript:
    """Transcribe the speech of a clip and nothing else.

    Args:
        engine: Its name, for errors.
        samples: The clip, float32 at 16 kHz, shape (n,).
        detector: Finds the speech.
        recognise: The engine; it is given the speech with a little padding, silences cut out.

    Returns:
        The words with times of the clip; `no_speech` if there was none, and then nothing was asked.

    Raises:
        SpeechError: Not mono floats, or the engine failed.
    """
    excerpt = await _excerpt(engine, samples, detector)
    return _NOBODY if excerpt is None else excerpt.transcript(await recognise(excerpt.audio))


async def transcribe_speeches(
    engine: str, clips: Sequence[Samples], detector: SpeechDetector, recognise: RecogniseAll
) -> list[Transcript]:
    """The same of many clips, whose speech goes to the engine in one list; see `transcribe_speech`."""
    excerpts = await asyncio.gather(*(_excerpt(engine, clip, detector) for clip in clips))
    found = iter(await recognise([excerpt.audio for excerpt in excerpts if excerpt is not None]))
    return [_NOBODY if excerpt is None else excerpt.transcript(next(found)) for excerpt in excerpts]


_NOBODY = Transcript("", no_speech=True)


async def _excerpt(engine: str, samples: Samples, detector: SpeechDetector) -> Excerpt | None:
    """The speech of a clip; None if there is none."""
    check_mono(engine, samples)
    if samples.size < sample_at(SHORTEST_CLIP_S, SPEECH_RATE):
        return None
    spans = await speech_spans(samples, detector)
    return Excerpt(samples, spans) if spans else None


class Excerpt:
    """The speech of a clip, padded and put end to end, and the way back to the clip's times."""

    def __init__(self, samples: Samples, spans: Sequence[Span]) -> None:
        self._speech = [Interval(span.start / SPEECH_RATE, span.end / SPEECH_RATE) for span in spans]
        padding = sample_at(PADDING_S, SPEECH_RATE)
        self.parts: list[Span] = []
        """What of the clip is in the excerpt, in order."""
        for span in spans:
            start, end = max(0, span.start - padding), min(samples.size, span.end + padding)
            if self.parts and start <= self.parts[-1].end:
                self.parts[-1] = Span(self.parts[-1].start, end)
            else:
                self.parts.append(Span(start, end))
        self.audio: Samples = np.concatenate([samples[part.start : part.end] for part in self.parts])

    def transcript(self, segments: Iterable[Segment]) -> Transcript:
        """What the engine heard of the excerpt, with times of the clip, held against where speech was."""
        return settle([self.restored(segment) for segment in segments], self._speech)

    def original(self, seconds: float, *, end: bool = False) -> float:
        """Time in the clip of a time in the excerpt; on a joint, the start after it or the end before."""
        left = seconds * SPEECH_RATE
        for part in self.parts:
            length = part.end - part.start
            if left < length or (end and left <= length) or part is self.parts[-1]:
                return (part.start + min(left, length)) / SPEECH_RATE
            left -= length
        raise AssertionError("an excerpt has at least one part")

    def restored(self, segment: Segment) -> Segment:
        """A segment of the excerpt with times of the clip."""
        words = tuple(
            Word(word.text, self.original(word.start), self.original(word.end, end=True), word.probability)
            for word in segment.words
        )
        start, end = self.original(segment.start), self.original(segment.end, end=True)
        return replace(segment, start=start, end=end, words=words)
