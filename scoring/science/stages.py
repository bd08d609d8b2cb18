"""The stage table of a system: every measure, over all questions, by domain and by feature. Pure.

Two policies stand beside each other: what could not be scored is dropped, or counted as wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scoring.science.answers import Answered
from scoring.science.marks import MAIN, MEASURES, Mark, Measure, Stage, marks, passes
from scoring.statistics.intervals import Interval, bootstrap_ratio
from scoring.statistics.undefined import or_none


@dataclass(frozen=True, slots=True)
class Scored:
    """A question with its marks, and which stages it came through."""

    answered: Answered
    marks: Mapping[str, Mark]
    passes: Mapping[Stage, bool]


def scored(answered: Iterable[Answered]) -> list[Scored]:
    """Mark questions."""
    found = []
    for one in answered:
        given = marks(one)
        found.append(Scored(one, given, passes(one, given)))
    return found


@dataclass(frozen=True, slots=True)
class Cell:
    """A measure over some questions.

    Attributes:
        value: All parts over all wholes, dropping what is unscored; None if there is nothing.
        as_wrong: The same with what is unscored counted as wrong.
        n: Questions that were scored.
        unscored: Questions that were not, by cause.
        interval: Of `value`: bootstrap that draws items, with all their repeats.
        chance: Value that guessing would have on what was scored; None if guessing has no meaning.
    """

    value: float | None
    as_wrong: float | None
    n: int
    unscored: Mapping[str, int] = field(default_factory=dict)
    interval: Interval | None = None
    chance: float | None = None

    def to_json(self) -> dict[str, object]:
        """As in files."""
        return {
            "value": self.value,
            "as_wrong": self.as_wrong,
            "n": self.n,
            "unscored": dict(sorted(self.unscored.items())),
            "interval": None if self.interval is None else self.interval.to_json(),
            "chance": self.chance,
        }


Row = Mapping[str, Cell]
"""Cells by measure; measures that no question is about are left out."""


@dataclass(frozen=True, slots=True)
class StageTable:
    """How one system does.

    Attributes:
        heat: By main measure, domain and feature; without intervals.
        macro: By main measure: mean over domains, and over features, of their values.
    """

    system: str
    condition: str
    questions: int
    whole: Row
    by_domain: Mapping[str, Row]
    by_feature: Mapping[str, Row]
    heat: Mapping[str, Mapping[str, Mapping[str, Cell]]]
    macro: Mapping[str, Mapping[str, float | None]]


def stage_table(questions: Sequence[Scored]) -> StageTable:
    """The table of one system in one condition.

    Raises:
        ValueError: There are no questions, or they are of several systems.
    """
    names = {(one.answered.system, one.answered.condition.value) for one in questions}
    if len(names) != 1:
        raise ValueError(f"expected the questions of one system, found those of {len(names)}")
    ((system, condition),) = names
    domains = _parted(questions, lambda one: (one.answered.domain or "none",))
    features = _parted(questions, lambda one: one.answered.features)
    by_domain = {name: row(found) for name, found in domains.items()}
    by_feature = {name: row(found) for name, found in features.items()}
    return StageTable(
        system=system,
        condition=condition,
        questions=len({one.answered.id for one in questions}),
        whole=row(questions),
        by_domain=by_domain,
        by_feature=by_feature,
        heat={name: found for name in MAIN.values() if (found := heat(questions, name))},
        macro={
            name: {"domain": _macro(by_domain, name), "feature": _macro(by_feature, name)}
            for name in MAIN.values()
        },
    )


def row(questions: Sequence[Scored], measures: Iterable[str] = MEASURES, *, intervals: bool = True) -> Row:
    """Measures over some questions."""
    found = {name: [q for q in questions if name in q.marks] for name in measures}
    return {name: cell(some, MEASURES[name], intervals=intervals) for name, some in found.items() if some}


def cell(questions: Sequence[Scored], measure: Measure, *, intervals: bool = True) -> Cell:
    """One measure over questions that have a mark of it; their order does not matter."""
    given = [(one.answered.id, one.marks[measure.name]) for one in questions]
    counted = [(name, mark) for name, mark in given if not mark.cause]
    parts, wholes = [m.part for _, m in counted], [m.whole for _, m in counted]
    interval = None
    if intervals and any(wholes):
        interval = or_none(bootstrap_ratio(parts, wholes, [name for name, _ in counted]))
    chances = [mark.chance for _, mark in counted if mark.chance is not None]
    return Cell(
        value=_share(parts, wholes),
        as_wrong=_share([m.part for _, m in given], [m.whole for _, m in given]),
        n=len(counted),
        unscored=Counter(mark.cause for _, mark in given if mark.cause),
        interval=interval,
        chance=math.fsum(chances) / len(chances) if chances else None,
    )


def heat(questions: Sequence[Scored], measure: str) -> dict[str, dict[str, Cell]]:
    """A measure by domain, then by feature; a question with two features is in two cells."""
    having = [one for one in questions if measure in one.marks]
    by_domain = _parted(having, lambda one: (one.answered.domain or "none",))
    return {
        domain: {
            feature: cell(found, MEASURES[measure], intervals=False)
            for feature, found in _parted(some, lambda one: one.answered.features).items()
        }
        for domain, some in by_domain.items()
    }


def _parted(
    questions: Iterable[Scored], key: Callable[[Scored], tuple[str, ...]]
) -> dict[str, list[Scored]]:
    parts: dict[str, list[Scored]] = {}
    for one in questions:
        for name in key(one):
            parts.setdefault(name, []).append(one)
    return dict(sorted(parts.items()))


def _share(parts: Sequence[float], wholes: Sequence[float]) -> float | None:
    whole = math.fsum(wholes)
    return math.fsum(parts) / whole if whole else None


def _macro(rows: Mapping[str, Row], name: str) -> float | None:
    values = [found[name].value for found in rows.values() if name in found]
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
