"""A turn's words as they come out: hesitations, fillers, a false start. Pure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from scenarios.behaviours import Filler, Hesitation, Restart
from user_sim.policy import Line, Pause

Shape = Hesitation | Filler | Restart
"""A behaviour that changes how a turn is said."""


def misfit(line: Line, shape: Shape) -> str:
    """Why a line cannot be said like that: "recorded_turn", "turn_too_short", or "" if it can."""
    if line.audio:
        return "recorded_turn"
    words = len(line.aloud.split())
    match shape:
        case Hesitation(after_word=after):
            return "turn_too_short" if after >= words else ""
        case Filler(before_word=before):
            return "turn_too_short" if before > words else ""
        case Restart(words=begun):
            return "turn_too_short" if begun > words else ""


def shaped(line: Line, shapes: Sequence[Shape], fillers: Sequence[str], seeded: random.Random) -> Line:
    """The line as it is said. Word numbers of all shapes are those of the line as it was given.

    Args:
        line: What is to be said.
        shapes: Each fits the line.
        fillers: Those of the language.
        seeded: Draws the fillers.
    """
    words = line.aloud.split()
    said: list[str] = []
    pauses: list[Pause] = []
    for shape in shapes:
        if isinstance(shape, Restart):
            said += _broken_off(words[: shape.words])
            words = [_lowered(words[0]), *words[1:]]
    for number, word in enumerate(words, start=1):
        for shape in shapes:
            if isinstance(shape, Filler) and shape.before_word == number:
                said += _aside(said, seeded.choice(tuple(shape.phrases or fillers)))
        said.append(word)
        for shape in shapes:
            if isinstance(shape, Hesitation) and shape.after_word == number:
                if shape.filler:
                    said += _aside(said, shape.filler)
                pauses.append(Pause(len(said), shape.pause_s))
    as_written = line.as_written or not line.spoken
    return replace(line, spoken=" ".join(said), pauses=(*line.pauses, *pauses), as_written=as_written)


def _broken_off(words: Sequence[str]) -> list[str]:
    return [*words[:-1], f"{words[-1].rstrip('.,;:!?')},"]


def _aside(before: list[str], filler: str) -> list[str]:
    """A filler between commas; it begins a sentence in capitals."""
    if not before:
        return [*f"{filler[0].upper()}{filler[1:]},".split()]
    if before[-1][-1] not in ".,;:!?":
        before[-1] += ","
    return [*f"{filler},".split()]


def _lowered(word: str) -> str:
    """Without the capital of a sentence's beginning; "I" and "CRISPR" keep theirs."""
    return word[0].lower() + word[1:] if word[1:].islower() and "'" not in word else word
