"""Judging how something was said as well as what: three dimensions, of one reply or of two.

One reply is rated `good`, `acceptable` or `bad` in each dimension. Two are labelled by the
absolute-then-relative rule: first whether each is acceptable; if one is, it wins; if none is, `both_bad`;
if both are, the clearly better one wins, else `both_good`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

from scoring.agreement.labels import BOTH_BAD, BOTH_GOOD, FIRST, SECOND
from scoring.blueprint.record import Blueprint
from scoring.judge.contract import Question
from scoring.judge.cost import Cost

DIMENSIONS_VERSION = 1
"""Raised whenever a label or its meaning changes: verdicts of different versions are not comparable."""


class Dimension(StrEnum):
    """What is judged, each by itself."""

    CONTENT = "content"  # does it do what was asked for, and is it true?
    PARALINGUISTICS = "paralinguistics"  # melody, pace, manner: does it fit what was asked for, and how?
    VOICE_QUALITY = "voice_quality"  # clean, natural, free of noise and drop-outs?


class Rating(StrEnum):
    """What one reply is worth in a dimension; all but `bad` is acceptable."""

    GOOD = "good"
    ACCEPTABLE = "acceptable"
    BAD = "bad"

    @property
    def worth(self) -> float:
        """1, 0.5 or 0, for means and differences."""
        return {Rating.GOOD: 1.0, Rating.ACCEPTABLE: 0.5, Rating.BAD: 0.0}[self]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A label of a dimension, or of all.

    Attributes:
        label: None if there is none.
        cause: Why there is none; "" if there is one.
        reason: In words, for people.
    """

    label: str | None
    cause: str = ""
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """As in files."""
        return {"label": self.label, "unscored": self.cause or None, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Spoken:
    """What somebody said, and how; what is not known is None, or empty.

    Attributes:
        words: As they were heard (of the user: as they were meant).
        blueprint: How it sounded.
        wav: The sound itself, a WAV file.
        seconds: Its length.
    """

    words: str
    blueprint: Blueprint | None = None
    wav: bytes = field(default=b"", repr=False)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Task:
    """What a reply has to do.

    Attributes:
        question: The user's words, and the facts that a good answer states.
        user: The user's side: words and sound.
        manner: The manner the reply is asked to have (as in `scenarios.manners`), or "".
        perceive: The user's manner that the reply must take notice of, or "".
        user_neutral: Blueprints of turns of the same voice in no style.
        wanted: What a good answer must do, in words.
    """

    question: Question
    user: Spoken
    manner: str = ""
    perceive: str = ""
    wanted: tuple[str, ...] = ()
    user_neutral: tuple[Blueprint, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and how its speaker sounds where no manner is asked for.

    Attributes:
        neutral: Blueprints of the same speaker's other replies of the call.
    """

    spoken: Spoken
    neutral: tuple[Blueprint, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One reply to one task."""

    id: str
    task: Task
    reply: Reply


@dataclass(frozen=True, slots=True)
class Pair:
    """Two replies to one task, in the order in which they are shown."""

    id: str
    task: Task
    first: Reply
    second: Reply

    @property
    def exchanged(self) -> Pair:
        """The same with the sides exchanged."""
        return replace(self, first=self.second, second=self.first)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer on an item or a pair: a label for each dimension.

    Attributes:
        labels: Of the `Rating`s for an item, of `fusion.LABELS` for a pair, naming sides as shown.
        evidence: How it came about: measurements, or of a language model prompt and raw replies.
        cost: What it took.
    """

    judge: str
    version: int
    labels: Mapping[Dimension, Labelled]
    evidence: Mapping[str, Any] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)

    def to_json(self) -> dict[str, Any]:
        """As in files."""
        return {
            "judge": self.judge,
            "version": self.version,
            "contract": DIMENSIONS_VERSION,
            "dimensions": {dimension.value: found.to_json() for dimension, found in self.labels.items()},
            "evidence": dict(self.evidence),
            "cost": self.cost.to_json(),
        }


class DimensionJudge(Protocol):
    """Judges in three dimensions. A failure is an unscored label with its cause, never an exception."""

    @property
    def name(self) -> str:
        """As in its verdicts."""

    @property
    def version(self) -> int:
        """Raised whenever its verdicts change."""

    async def warm_up(self) -> None:
        """Load what is slow to load, before the first item."""

    async def rate(self, item: Item) -> Verdict:
        """Rate one reply."""

    async def compare(self, pair: Pair) -> Verdict:
        """Compare two replies, in the order shown."""

    def estimate(self, asked: Item | Pair) -> Cost:
        """What a verdict will take, before anything is spent."""


NOT_ASKED = "no_facts_expected"
"""The one cause of a missing label that lowers and hides nothing: the task does not ask for it."""


def by_both(first: Labelled, second: Labelled, *, better: int = 0) -> Labelled:
    """The absolute-then-relative rule, from the ratings of both sides.

    Args:
        first: Rating of the side shown first.
        second: Of the other.
        better: Which side is clearly better beyond its rating: 1, 2, or 0 for neither.
    """
    for side, found in ((FIRST, first), (SECOND, second)):
        if found.label is None:
            return Labelled(None, found.cause, f"side {side} is unscored")
    one, two = Rating(first.label or ""), Rating(second.label or "")
    reason = f"1 {one.value} ({first.reason}); 2 {two.value} ({second.reason})"
    acceptable = one is not Rating.BAD, two is not Rating.BAD
    if acceptable == (False, False):
        return Labelled(BOTH_BAD, reason=reason)
    if acceptable != (True, True):
        return Labelled(FIRST if acceptable[0] else SECOND, reason=reason)
    lead = one.worth - two.worth or {1: 1.0, 2: -1.0}.get(better, 0.0)
    return Labelled(FIRST if lead > 0 else SECOND if lead < 0 else BOTH_GOOD, reason=reason)
