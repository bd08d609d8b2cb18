"""S3-Dialogue: factuality by aspect, adaptation to the audience, efficiency of the inquiry. Pure.

A dialogue asks about up to five aspects, each in up to three turns. An *aspect unit* is one aspect of one
dialogue; the published 94.84 and 50.99 % are shares of 213 x 5 = 1,065 of them.

- *Scientific factuality*: a unit is loosely factual if no fact of it stands contradicted and at least one
  is stated ("merely plausible"), strictly if all are stated and none was ever contradicted ("scientifically
  rigorous"). Strict never exceeds loose.
- *Audience adaptation*: a judge guesses, without knowing it, for which of the four levels the explanations
  are made; the rate of right guesses, their mean distance, and the confusion.
- *Inquiry efficiency*: mean turns, and the share of dialogues completed within eight. A dialogue that never
  completes is counted with the turns it took, and its share is told.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scenarios.schema import Expertise
from scoring.statistics.intervals import Interval, bootstrap_ratio, share_interval
from scoring.statistics.undefined import or_none

COMPLETED_WITHIN = 8
"""Turns within which a dialogue counts as completed (S3-Bench, inquiry efficiency)."""

LEVELS = tuple(Expertise)
"""From beginner to expert: neighbours are one tier apart."""

STATED, CONTRADICTED = "stated", "contradicted"

JUDGE_FAILED = "judge_failed"
"""Cause: facts that no judge labelled leave it open."""


@dataclass(frozen=True, slots=True)
class AspectUnit:
    """What became of one aspect in one dialogue.

    Attributes:
        facts: Ids of its reference facts.
        replies: For each reply about it, in order, the label of each fact: "stated", "contradicted",
            "missing", or None where the judge failed.
    """

    aspect: str
    facts: tuple[str, ...]
    replies: tuple[Mapping[str, str | None], ...] = ()

    @property
    def turns(self) -> int:
        """Turns that the user spent on it."""
        return len(self.replies)

    @property
    def standing(self) -> dict[str, str | None]:
        """What each fact came to: as it was last stated or contradicted; "missing" if it never was."""
        return {fact: _standing([reply.get(fact) for reply in self.replies]) for fact in self.facts}

    @property
    def loose(self) -> bool | None:
        """Not wrong, and something of it right; None if a failed judgement leaves it open."""
        found = list(self.standing.values())
        if CONTRADICTED in found:
            return False
        if None in found:
            return None
        return STATED in found

    @property
    def strict(self) -> bool | None:
        """All of it right, and nothing of it ever wrong; None if a failed judgement leaves it open."""
        ever = {label for reply in self.replies for label in reply.values()}
        found = list(self.standing.values())
        if CONTRADICTED in ever or "missing" in found:
            return False
        return None if None in found or None in ever else bool(found)

    @property
    def satisfied(self) -> bool | None:
        """Whether the user got all it wanted; None if a failed judgement leaves it open."""
        found = list(self.standing.values())
        if CONTRADICTED in found or "missing" in found:
            return False
        return None if None in found else bool(found)


def _standing(labels: Sequence[str | None]) -> str | None:
    said = [label for label in labels if label in (STATED, CONTRADICTED)]
    if said:
        return said[-1]
    return None if None in labels else "missing"


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue.

    Attributes:
        id: Of its episode.
        level: The user's.
        scenario: Dialogues on one scenario are drawn together; "" if it stands alone.
        guess: The level that a blind judge found, or None with `guess_cause`.
    """

    id: str
    level: Expertise
    units: tuple[AspectUnit, ...]
    guess: Expertise | None = None
    guess_cause: str = "no_judge"
    scenario: str = ""

    @property
    def cluster(self) -> str:
        """What it is drawn together with."""
        return self.scenario or self.id

    @property
    def turns(self) -> int:
        """Turns of the user about aspects."""
        return sum(unit.turns for unit in self.units)

    @property
    def completed(self) -> bool | None:
        """Every aspect was satisfied; None if a failed judgement leaves it open."""
        found = [unit.satisfied for unit in self.units]
        if False in found:
            return False
        return None if None in found else bool(found)

    @property
    def within(self) -> bool | None:
        """It was completed within eight turns."""
        return self.completed if self.turns <= COMPLETED_WITHIN else False

    @property
    def never(self) -> bool | None:
        """An aspect stayed open to the end."""
        return None if self.completed is None else not self.completed


@dataclass(frozen=True, slots=True)
class Share:
    """A share of things, with what could not be scored.

    Attributes:
        value: Hits over n: unscored things dropped; None if n is 0.
        as_wrong: The same with unscored things counted as wrong.
        higher: Higher is better; else a hit is what is wrong.
    """

    hits: int
    n: int
    unscored: Mapping[str, int] = field(default_factory=dict)
    interval: Interval | None = None
    higher: bool = True

    @property
    def value(self) -> float | None:
        """Dropping what is unscored."""
        return self.hits / self.n if self.n else None

    @property
    def as_wrong(self) -> float | None:
        """Counting what is unscored as wrong."""
        missing = sum(self.unscored.values())
        whole = self.n + missing
        return (self.hits + (0 if self.higher else missing)) / whole if whole else None

    def to_json(self) -> dict[str, object]:
        """As in files."""
        return {
            "value": self.value,
            "as_wrong": self.as_wrong,
            "hits": self.hits,
            "n": self.n,
            "unscored": dict(self.unscored),
            "interval": None if self.interval is None else self.interval.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over dialogues.

    Attributes:
        value: None if n is 0.
        n: Dialogues.
        interval: Bootstrap that draws scenarios, with all dialogues on them; None if there are too few.
    """

    value: float | None
    n: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class DialogueScores:
    """The dialogue table of one endpoint.

    Attributes:
        turns: Mean over all dialogues, completed or not.
        within: Completed within eight turns.
        never: Dialogues in which an aspect stayed open to the end: their turns are cut short.
        distance: Mean distance of the guesses in tiers, over all.
        distance_wrong: The same over wrong guesses only, as the paper reports it.
        confusion: Count by (level, guess).
    """

    dialogues: int
    loose: Share
    strict: Share
    adaptation: Share
    turns: Mean
    within: Share
    never: Share
    distance: Mean
    distance_wrong: Mean
    confusion: Mapping[tuple[Expertise, Expertise], int]


def score_dialogues(dialogues: Sequence[Dialogue]) -> DialogueScores:
    """Put dialogues together; intervals draw scenarios, with all dialogues on them."""
    guessed = [(one, one.guess) for one in dialogues if one.guess is not None]
    tiers = [abs(LEVELS.index(one.level) - LEVELS.index(guess)) for one, guess in guessed]
    causes = Counter(one.guess_cause for one in dialogues if one.guess is None)
    right = [(one.cluster, not tier) for (one, _), tier in zip(guessed, tiers, strict=True)]
    return DialogueScores(
        dialogues=len(dialogues),
        loose=_units(dialogues, "loose"),
        strict=_units(dialogues, "strict"),
        adaptation=share(right, causes),
        turns=_mean([(one.cluster, one.turns, True) for one in dialogues]),
        within=_judged([(one.cluster, one.within) for one in dialogues]),
        never=_judged([(one.cluster, one.never) for one in dialogues], higher=False),
        distance=_mean([(one.cluster, tier, True) for (one, _), tier in zip(guessed, tiers, strict=True)]),
        distance_wrong=_mean(
            [(one.cluster, tier, tier > 0) for (one, _), tier in zip(guessed, tiers, strict=True)]
        ),
        confusion=Counter((one.level, guess) for one, guess in guessed),
    )


def share(
    outcomes: Sequence[tuple[str, bool]], unscored: Mapping[str, int], *, higher: bool = True
) -> Share:
    """A share of outcomes, each with its cluster; see `share_interval`."""
    hits = [outcome for _, outcome in outcomes]
    interval = or_none(share_interval(hits, [cluster for cluster, _ in outcomes]))
    return Share(sum(hits), len(hits), unscored, interval, higher)


def _judged(outcomes: Sequence[tuple[str, bool | None]], *, higher: bool = True) -> Share:
    """A share of outcomes that None leaves open."""
    known = [(cluster, outcome) for cluster, outcome in outcomes if outcome is not None]
    missing = len(outcomes) - len(known)
    return share(known, {JUDGE_FAILED: missing} if missing else {}, higher=higher)


def _units(dialogues: Sequence[Dialogue], policy: str) -> Share:
    return _judged([(one.cluster, getattr(unit, policy)) for one in dialogues for unit in one.units])


def _mean(values: Sequence[tuple[str, int, bool]]) -> Mean:
    """The mean of values, each with its cluster and whether it counts; what does not is drawn with it."""
    parts = [value if counts else 0 for _, value, counts in values]
    wholes = [int(counts) for _, _, counts in values]
    n = sum(wholes)
    if not n:
        return Mean(None, 0)
    interval = or_none(bootstrap_ratio(parts, wholes, [cluster for cluster, _, _ in values]))
    return Mean(math.fsum(parts) / n, n, interval)
