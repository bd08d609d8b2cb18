"""A recording in which both sides were mixed: whose each stretch of it is, by its words alone. Pure.

Where both spoke at once nothing tells them apart again: such calls say nothing about overlap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recordings.format import Side
from recordings.importing.speech import Said, Span
from streams.audio import Pcm

ENOUGH = 0.5
"""Share of a stretch's words that must be a message's for it to be a part of it."""


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said in a turn, without a time."""

    side: Side
    text: str


def parts_of(heard: Sequence[str], messages: Sequence[Message]) -> list[int | None]:
    """The message that each stretch is a part of, None for those that are like none.

    Stretches and messages are in order; the assignment keeps it, and has as many words in common as can be.

    Args:
        heard: Words of the stretches.
        messages: Of the call.
    """
    if not messages:
        return [None] * len(heard)
    said = [_words(message.text) for message in messages]
    shared = np.array([[_shared(_words(text), words) for words in said] for text in heard], float)
    shared = shared.reshape(len(heard), len(messages))
    reached = np.zeros(len(messages))
    from_: list[list[int]] = []
    for row in shared:
        # the best that the stretches so far can have if this one is a part of message j
        best = np.maximum.accumulate(reached)
        before = [int(np.argmax(reached[: j + 1])) for j in range(len(messages))]
        from_.append(before)
        reached = best + row
    found: list[int | None] = []
    place = int(np.argmax(reached)) if len(heard) else 0
    for number in range(len(heard) - 1, -1, -1):
        count = sum(_words(heard[number]).values())
        found.append(place if count and shared[number, place] >= ENOUGH * count else None)
        place = from_[number][place]
    return found[::-1]


def taken_apart(
    pcm: Pcm, spans: Sequence[Span], parts: Sequence[int | None], messages: Sequence[Message]
) -> tuple[Pcm, Pcm, list[Said]]:
    """The user's and the endpoint's track, silent where the other spoke, and what each said.

    Args:
        pcm: The mix.
        spans: Its stretches, in samples.
        parts: See `parts_of`.
        messages: Of the call.
    """
    tracks = {side: np.zeros(pcm.size, np.int16) for side in Side}
    edges: dict[int, Span] = {}
    for (start, end), number in zip(spans, parts, strict=True):
        if number is not None:
            tracks[messages[number].side][start:end] = pcm[start:end]
            first, _ = edges.get(number, (start, end))
            edges[number] = first, end
    said = [
        Said(messages[number].side, start, end, messages[number].text)
        for number, (start, end) in sorted(edges.items())
    ]
    return tracks[Side.USER], tracks[Side.ENDPOINT], said


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


def _shared(one: Counter[str], other: Counter[str]) -> int:
    return sum((one & other).values())
