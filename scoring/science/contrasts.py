"""S3-Bench's contrasts on the same items: speech and text, choice and open, abbreviation and full name.

A pair is one item in two conditions, or two items that share `Item.pair` and differ in one thing only. Of
repeats the mean is taken. The interval draws items (or pairs of them), with both sides.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scenarios.schema import Feature, Item, ItemKind
from scoring.science.answers import Condition
from scoring.science.marks import MAIN, Mark, Stage
from scoring.science.stages import Scored
from scoring.statistics.intervals import Interval
from scoring.statistics.paired import McNemar, mcnemar_of, paired_difference
from scoring.statistics.undefined import Undefined, or_none

RIGHT = MAIN[Stage.KNOWLEDGE]
"""What is compared: whether answers are right."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A contrast under one policy.

    Attributes:
        first: Mean of the first side over the pairs.
        second: Of the second.
        difference: First minus second; None without pairs.
        interval: Of the difference; None with fewer than two pairs.
        mcnemar: Test on the pairs of which each side is wholly right or wholly wrong.
    """

    n: int
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    mcnemar: McNemar | None

    def to_json(self) -> dict[str, object]:
        """As in files."""
        test = self.mcnemar
        return {
            "n": self.n,
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": None if self.interval is None else self.interval.to_json(),
            "mcnemar": test and {"b": test.b, "c": test.c, "p": test.p, "exact": test.exact},
        }


@dataclass(frozen=True, slots=True)
class Contrast:
    """A paired comparison.

    Attributes:
        name: "speech_text", "choice_open" or "abbreviation_full_name".
        first: Name of the first side.
        second: Of the second.
        dropped: Pairs of which both sides are scored.
        as_wrong: All pairs; what is unscored counts as wrong.
        unscored: Pairs that `dropped` lacks, by cause.
        unpaired: Items that only one side was asked; always 0 where items share a pair.
    """

    name: str
    first: str
    second: str
    dropped: Policy
    as_wrong: Policy
    unscored: Mapping[str, int] = field(default_factory=dict)
    unpaired: int = 0

    def to_json(self) -> dict[str, object]:
        """As in files."""
        return {
            "name": self.name,
            "first": self.first,
            "second": self.second,
            "dropped": self.dropped.to_json(),
            "as_wrong": self.as_wrong.to_json(),
            "unscored": dict(sorted(self.unscored.items())),
            "unpaired": self.unpaired,
        }


@dataclass(frozen=True, slots=True)
class _Side:
    """One item on one side: the mean over its repeats, unscored ones dropped or counted as wrong."""

    value: float | None
    as_wrong: float
    cause: str


def contrasts(questions: Sequence[Scored]) -> list[Contrast]:
    """Every contrast that the questions allow, for every system; none without a pair."""
    having = [one for one in questions if RIGHT in one.marks]
    by_system: dict[tuple[Condition, str], list[Scored]] = {}
    for one in having:
        by_system.setdefault((one.answered.condition, one.answered.system), []).append(one)
    spoken = {name: some for (how, name), some in sorted(by_system.items()) if how is Condition.SPEECH}
    written = {name: some for (how, name), some in sorted(by_system.items()) if how is Condition.TEXT}
    found = [
        compared("speech_text", (speaker, writer), _by_id(said), _by_id(wrote))
        for speaker, said in spoken.items()
        for writer, wrote in written.items()
    ]
    for (how, name), some in sorted(by_system.items()):
        shown = name if how is Condition.SPEECH else f"{name} (text)"
        for kind, parts in (("choice_open", _choice_open), ("abbreviation_full_name", _short_full)):
            found.append(compared(kind, (shown, shown), *parts(some)))
    return [one for one in found if one.as_wrong.n]


def compared(
    name: str, sides: tuple[str, str], first: Mapping[str, _Side], second: Mapping[str, _Side]
) -> Contrast:
    """Compare two sides on the pairs that both have."""
    both = sorted(first.keys() & second.keys())
    causes = {pair: first[pair].cause or second[pair].cause for pair in both}
    whole = [pair for pair in both if first[pair].value is not None and second[pair].value is not None]
    return Contrast(
        name=name,
        first=sides[0],
        second=sides[1],
        dropped=_policy([first[p].value or 0.0 for p in whole], [second[p].value or 0.0 for p in whole]),
        as_wrong=_policy([first[p].as_wrong for p in both], [second[p].as_wrong for p in both]),
        unscored=Counter(causes[pair] for pair in both if pair not in set(whole)),
        unpaired=len(first.keys() ^ second.keys()),
    )


def _policy(first: Sequence[float], second: Sequence[float]) -> Policy:
    difference = paired_difference(first, second)
    if isinstance(difference, Undefined):
        return Policy(0, None, None, None, None, None)
    n = len(first)
    clear = [(a == 1, b == 1) for a, b in zip(first, second, strict=True) if {a, b} <= {0.0, 1.0}]
    return Policy(
        n=n,
        first=math.fsum(first) / n,
        second=math.fsum(second) / n,
        difference=difference.value,
        interval=or_none(difference.interval),
        mcnemar=mcnemar_of([a for a, _ in clear], [b for _, b in clear]) if clear else None,
    )


def _by_id(questions: Iterable[Scored]) -> dict[str, _Side]:
    return _sides((one.answered.id, one.marks[RIGHT]) for one in questions)


def _halves(
    questions: Sequence[Scored], in_first: Callable[[Item], bool], alike: Callable[[Item], object]
) -> tuple[dict[str, _Side], dict[str, _Side]]:
    """The two sides of `Item.pair`: pairs that differ in `in_first`, and in nothing that must be alike."""
    pairs: dict[str, list[tuple[Item, Mark]]] = {}
    for one in questions:
        if one.answered.item is not None and one.answered.item.pair:
            item = one.answered.item
            pairs.setdefault(item.pair, []).append((item, one.marks[RIGHT]))
    sides: tuple[list[tuple[str, Mark]], list[tuple[str, Mark]]] = ([], [])
    for name, members in pairs.items():
        if len({in_first(item) for item, _ in members}) == 2 and len({alike(i) for i, _ in members}) == 1:
            for item, mark in members:
                sides[0 if in_first(item) else 1].append((name, mark))
    return _sides(sides[0]), _sides(sides[1])


def _choice_open(questions: Sequence[Scored]) -> tuple[dict[str, _Side], dict[str, _Side]]:
    return _halves(questions, lambda item: item.kind is ItemKind.CHOICE, lambda item: "")


def _short_full(questions: Sequence[Scored]) -> tuple[dict[str, _Side], dict[str, _Side]]:
    return _halves(questions, lambda item: Feature.ABBREVIATION in item.features, lambda item: item.kind)


def _sides(marks: Iterable[tuple[str, Mark]]) -> dict[str, _Side]:
    by_name: dict[str, list[Mark]] = {}
    for name, mark in marks:
        by_name.setdefault(name, []).append(mark)
    return {name: _side(given) for name, given in by_name.items()}


def _side(given: Sequence[Mark]) -> _Side:
    counted = [mark.part for mark in given if not mark.cause]
    return _Side(
        value=math.fsum(counted) / len(counted) if counted else None,
        as_wrong=math.fsum(counted) / len(given),
        cause="" if counted else given[0].cause,
    )
