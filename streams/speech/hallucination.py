"""What a recogniser says it heard, held against where speech was. Pure: no engine, no audio.

Whisper and its kin invent sentences on silence, loop, and stamp the first word after a pause seconds early.
Speech activity is the better witness of *when*; the recogniser of *what*.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from streams.speech.interfaces import Transcript, Word

MIN_OVERLAP_S = 0.05
"""Seconds of speech a segment must share to be believed."""

MAX_CHARACTERS_PER_S = 40.0
"""Faster than anybody speaks: the fastest readers reach about 25 characters a second."""

STAMP_SLACK_S = 0.2
"""Seconds that a recogniser's stamps and the edges of speech may differ."""

NO_SPEECH_PROBABILITY = 0.6
LOG_PROBABILITY = -1.0
"""Whisper's own rule: silence, if both are passed (openai/whisper, `transcribe`)."""

MAX_COMPRESSION = 2.4
"""Whisper's own sign of a loop: characters divided by their size after zlib."""

PHANTOMS = frozenset(
    {"you", "thank you", "thanks", "thank you very much", "thanks for watching", "thank you for watching",
     "please subscribe", "bye", "so", "okay"}
)  # fmt: skip
"""What Whisper says when it hears nothing. Kept when it was said, dropped when it is said over and over."""

_ANNOTATION = re.compile(r"[\[(*♪][^\])*♪]*[\])*♪]|♪")
_LOOP = re.compile(r"(\b\w.{0,80}?)(?:[\s,.!?;-]+\1){3,}", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time in seconds from the start of the clip."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment as a recogniser gave it, times in seconds from the start of the clip.

    Attributes:
        start: When it begins.
        end: When it ends.
        text: Its words.
        words: The same with times, if the engine gives them.
        no_speech: The engine's own probability that this is no speech, if it gives one.
        log_probability: Mean log probability of its tokens, if the engine gives one.
    """

    start: float
    end: float
    text: str
    words: tuple[Word, ...] = ()
    no_speech: float | None = None
    log_probability: float | None = None


def settle(segments: Iterable[Segment], speech: Sequence[Interval]) -> Transcript:
    """The transcript that is left when nothing outside speech is believed.

    Segments outside speech, without words, or longer than could be said in the time are dropped and
    counted; loops are cut to one round and counted; words are clipped to speech or moved into it.

    Args:
        segments: What the recogniser said, in order.
        speech: Where speech was, in order, not overlapping.
    """
    if not speech:
        return Transcript(
            "", no_speech=True, dropped=sum(1 for segment in segments if segment.text.strip())
        )
    kept: list[Segment] = []
    dropped = 0
    for segment in segments:
        if not segment.text.strip():
            continue
        if not _believable(segment, speech):
            dropped += 1
            continue
        once = _without_loop(segment)
        dropped += once is not segment
        kept.append(once)
    once_each = _without_repeats(kept)
    words = _within_speech([word for segment in once_each for word in segment.words], speech)
    return Transcript(
        text=" ".join(segment.text.strip() for segment in once_each),
        words=tuple(word for word, _ in words),
        dropped=dropped + len(kept) - len(once_each),
        moved=sum(moved for _, moved in words),
    )


def _believable(segment: Segment, speech: Sequence[Interval]) -> bool:
    overlap = sum(max(0.0, min(segment.end, s.end) - max(segment.start, s.start)) for s in speech)
    if overlap < MIN_OVERLAP_S or not _ANNOTATION.sub("", segment.text).strip():
        return False
    if (
        segment.no_speech is not None
        and segment.log_probability is not None
        and segment.no_speech > NO_SPEECH_PROBABILITY
        and segment.log_probability < LOG_PROBABILITY
    ):
        return False
    spoken = _without_loop(segment).text.strip()
    return len(spoken) <= MAX_CHARACTERS_PER_S * (overlap + STAMP_SLACK_S)


def _without_loop(segment: Segment) -> Segment:
    """The segment with a looping phrase said once, without times of words; itself if nothing loops."""
    data = segment.text.encode()
    if len(data) <= MAX_COMPRESSION * len(zlib.compress(data)):
        return segment
    text = _LOOP.sub(r"\1", segment.text)
    return segment if text == segment.text else replace(segment, text=text, words=())


def _without_repeats(segments: Sequence[Segment]) -> list[Segment]:
    """Of three or more phantom phrases in a row, all the same, only the first is left."""
    kept: list[Segment] = []
    for phrase, run in groupby(segments, key=lambda segment: _bare(segment.text)):
        same = list(run)
        kept += same[:1] if phrase in PHANTOMS and len(same) >= 3 else same
    return kept


def _bare(text: str) -> str:
    return re.sub(r"[^\w\s]", "", text).strip().lower()


def _within_speech(words: Sequence[Word], speech: Sequence[Interval]) -> list[tuple[Word, bool]]:
    """Each word clipped to the speech it touches, or moved to the nearest, and whether it was moved."""
    placed: list[tuple[Word, bool]] = []
    for index, word in enumerate(words):
        touched = [s for s in speech if s.start < word.end and word.start < s.end]
        if touched:
            start, end = max(word.start, touched[0].start), min(word.end, touched[-1].end)
            placed.append((replace(word, start=start, end=end), False))
            continue
        nearest = min(speech, key=lambda s: max(s.start - word.end, word.start - s.end))
        length = word.end - word.start
        if nearest.start >= word.end:
            following = words[index + 1].start if index + 1 < len(words) else nearest.end
            limit = following if following > nearest.start else nearest.end
            start, end = nearest.start, min(nearest.start + length, limit, nearest.end)
        else:
            previous = placed[-1][0].end if placed else nearest.start
            start, end = max(nearest.end - length, min(previous, nearest.end), nearest.start), nearest.end
        placed.append((replace(word, start=start, end=end), True))
    return placed
