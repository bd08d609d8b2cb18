"""What people are asked, and which answers there are: absolute first, then relative, with typed ties.

The protocol of TRACE (arXiv 2601.13742), dimension by dimension: each reply is rated by itself. Of two
replies to the same words the only acceptable one wins; if none is acceptable both are bad; only if both are
does the listener compare them, and may find both good. An overall question, where it is asked, comes
before the dimensions, so that they do not colour it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scoring.agreement.labels import BOTH_BAD, BOTH_GOOD, FIRST, OVERALL, SECOND, LabelSet
from scoring.judge.dimensions import Dimension, Rating

DIMENSIONS = (
    OVERALL,
    Dimension.CONTENT.value,
    Dimension.VOICE_QUALITY.value,
    Dimension.PARALINGUISTICS.value,
)
"""What can be asked about, in the order in which it is asked."""

DEFAULT = DIMENSIONS[1:]
"""What is asked about unless somebody says otherwise: the three dimensions."""

RATINGS = LabelSet(tuple(r.value for r in (Rating.BAD, Rating.ACCEPTABLE, Rating.GOOD)), ordered=True)
"""Answers to an absolute question, from lowest to highest; all but the first are acceptable."""

COMPARISONS = LabelSet((FIRST, SECOND, BOTH_GOOD, BOTH_BAD))
"""What a relative question can come out as."""

WITHHELD = {"skipped": "I cannot say", "inaudible": "I cannot hear it"}
"""Causes for which a person gives no label, and how they are offered."""


class Part(StrEnum):
    """The two parts of the protocol."""

    ABSOLUTE = "absolute"
    RELATIVE = "relative"


QUESTIONS = {
    Part.ABSOLUTE: {
        OVERALL: "All in all, how good is this reply to what was said?",
        "content": "Does it do what was asked, and is it true?",
        "voice_quality": "Does the voice sound clean and natural, without noise or drop-outs?",
        "paralinguistics": "Do melody, pace and manner fit what was asked, and how it was asked?",
    },
    Part.RELATIVE: {
        OVERALL: "All in all, is one reply clearly better?",
        "content": "Is one clearly better in what it says?",
        "voice_quality": "Is one voice clearly cleaner or more natural?",
        "paralinguistics": "Does one fit clearly better in melody, pace and manner?",
    },
}
"""The questions, in words."""


class DimensionUnknown(ValueError):
    """A dimension that nobody can be asked about."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"dimension {name!r}: there is none of that name. Known: {', '.join(DIMENSIONS)}.")


def dimensions_named(names: Sequence[str]) -> tuple[str, ...]:
    """Dimensions in the order in which they are asked, each once; all three if none is named.

    Raises:
        DimensionUnknown: One of them is none.
    """
    for name in names:
        if name not in DIMENSIONS:
            raise DimensionUnknown(name)
    return tuple(name for name in DIMENSIONS if name in names) or DEFAULT


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said to one question: a label, or the cause why there is none.

    Attributes:
        derived: Nobody was asked: the ratings of both replies decide.
    """

    label: str | None
    unscored: str | None = None
    derived: bool = False


def decided(first: Answer, second: Answer) -> Answer | None:
    """What a comparison comes out as by the ratings of its two replies; None if it has to be asked."""
    if first.label is None or second.label is None:
        return Answer(None, "not_rated", derived=True)
    good = first.label != Rating.BAD.value, second.label != Rating.BAD.value
    if good == (True, True):
        return None
    if good == (False, False):
        return Answer(BOTH_BAD, derived=True)
    return Answer(FIRST if good[0] else SECOND, derived=True)


def offered(part: Part) -> tuple[str, ...]:
    """The labels that a question offers.

    A comparison is asked only where both replies are acceptable, so that `both_bad` is no answer to it:
    who thinks so now corrects a rating.
    """
    if part is Part.ABSOLUTE:
        return RATINGS.names
    return FIRST, SECOND, BOTH_GOOD
