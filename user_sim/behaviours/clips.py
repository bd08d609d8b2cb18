"""Clips with silences of an exact length: what a voice puts around its words is cut off first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from streams.audio import sample_at, silence
from streams.speech.audible import audible_span
from user_sim.policy import Line, Pause


@dataclass(frozen=True, slots=True)
class Joined:
    """A clip.

    Attributes:
        pcm: PCM16 mono.
        pauses: First sample of each silence, and one past its last.
    """

    pcm: bytes
    pauses: tuple[tuple[int, int], ...] = ()


def parts(line: Line) -> list[Line]:
    """A line cut at its pauses; one without any is its only part.

    A part that goes on ends with a comma, so that the voice does not fall as at the end of a sentence.
    """
    if not line.pauses:
        return [line]
    words = line.aloud.split()
    cuts = [0, *(pause.after_word for pause in line.pauses), len(words)]
    texts = [" ".join(words[first:last]) for first, last in pairwise(cuts)]
    going_on = [text if text[-1] in ".,;:!?" else f"{text}," for text in texts[:-1]]
    return [replace(line, text=text, spoken=text, pauses=()) for text in [*going_on, texts[-1]]]


def joined(clips: Sequence[bytes], pauses: Sequence[Pause], rate: int) -> Joined | None:
    """Clips in a row, each cut to what is audible, with exactly the pauses asked for between them.

    The whole is audible from its first sample to its last.

    Args:
        clips: PCM16 mono, one more than there are pauses.
        pauses: Between them.
        rate: Samples per second.

    Returns:
        None if one of the clips is silence.
    """
    pcm = bytearray()
    spans: list[tuple[int, int]] = []
    for number, clip in enumerate(clips):
        span = audible_span(clip, rate)
        if span is None:
            return None
        if number:
            start = len(pcm) // 2
            pcm += silence(sample_at(pauses[number - 1].seconds, rate))
            spans.append((start, len(pcm) // 2))
        pcm += clip[2 * span[0] : 2 * span[1]]
    return Joined(bytes(pcm), tuple(spans))
