"""Who spoke from when to when, and the words. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recordings.format import Role, Side, Turn

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Cue:
    """One turn as other programs know it.

    Attributes:
        text: On one line, without control characters; "" if the words are not known.
    """

    side: Side
    start_s: float
    end_s: float
    text: str
    role: Role


def words_of(turn: Turn) -> str | None:
    """The best that is known of a turn's words: what the user intended, what was heard of the endpoint."""
    order = (turn.intended, turn.said) if turn.side is Side.USER else (turn.heard, turn.intended)
    return next((text for text in order if text is not None), None)


def cues_of(turns: Sequence[Turn]) -> list[Cue]:
    """Turns in order of their start; those without a length are left out."""
    cues = [
        Cue(turn.side, turn.start_s, turn.end_s, one_line(words_of(turn) or ""), turn.role)
        for turn in turns
        if turn.end > turn.start
    ]
    return sorted(cues, key=lambda cue: (cue.start_s, cue.side))


def one_line(text: str) -> str:
    """Text without line breaks, tabs, and what XML and other formats have no place for."""
    return " ".join(_UNPRINTABLE.sub(" ", text).split())


def apart(cues: Sequence[Cue], side: Side) -> Iterator[Cue]:
    """The cues of one side, none of which overlaps the next: tiers of intervals allow nothing else."""
    mine = [cue for cue in cues if cue.side is side]
    for cue, border in zip(mine, [*(after.start_s for after in mine[1:]), math.inf], strict=False):
        end = min(cue.end_s, border)
        if end > cue.start_s:
            yield Cue(cue.side, cue.start_s, end, cue.text, cue.role)
