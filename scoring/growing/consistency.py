"""How consistent a grown pack is, by people's answers to a sample (S2S-Arena: level 90 %, manner 93 %).

Each share is of scenarios, and has Wilson's interval. What was not answered is counted and left out. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scenarios.growing.review import Review
from scoring.agreement.labels import Labels
from scoring.agreement.output import to_json
from scoring.agreement.raters import examine_raters
from scoring.growing.opinions import LABELS, LEVEL, MANNER, QUESTIONS, Opinions, consistent, key, votes
from scoring.labelling.answers import Asked, source
from scoring.labelling.protocol import Part
from scoring.statistics.intervals import Interval, wilson

PUBLISHED: Mapping[str, float] = MappingProxyType({"level": 0.90, "manner": 0.93})
"""Shares that the authors of S2S-Arena found in their own grown set (950 prompts)."""


@dataclass(frozen=True, slots=True)
class Share:
    """Of the answers, how many say yes.

    Attributes:
        yes: Consistent.
        n: Answered.
        unanswered: In the sample, without an answer.
    """

    yes: int
    n: int
    unanswered: int

    @property
    def interval(self) -> Interval | None:
        """Wilson's, at 95 %; None without an answer."""
        found = wilson(self.yes, self.n)
        return found if isinstance(found, Interval) else None

    def to_json(self) -> dict[str, Any]:
        """Share and interval, rounded; null without an answer."""
        interval = self.interval
        return {
            "share": round(self.yes / self.n, 4) if self.n else None,
            "interval": [round(end, 4) for end in interval.to_json()] if interval else None,
            "yes": self.yes,
            "n": self.n,
            "unanswered": self.unanswered,
        }


def share(answers: Iterable[bool | None]) -> Share:
    """The share of the answers to one question."""
    every = list(answers)
    given = [answer for answer in every if answer is not None]
    return Share(sum(given), len(given), len(every) - len(given))


@dataclass(frozen=True, slots=True)
class Consistency:
    """Both questions, over a sample or a part of it."""

    level: Share
    manner: Share

    def to_json(self) -> dict[str, Any]:
        """Both shares."""
        return {"level": self.level.to_json(), "manner": self.manner.to_json()}


def consistency(lines: Sequence[Review], everybody: Opinions) -> Consistency:
    """The two shares of a queue."""
    level, manner = (
        share(consistent(line.scenario, name, everybody) for line in lines) for name in (LEVEL, MANNER)
    )
    return Consistency(level, manner)


def report(
    lines: Sequence[Review], everybody: Opinions, notes: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Any]:
    """The whole queue, by level and by person, and what to look at again: whatever is not consistent.

    Args:
        lines: The queue.
        everybody: What people say of it.
        notes: What they wrote, by scenario.
    """
    levels = sorted({line.level for line in lines})
    by_level = {str(n): consistency([x for x in lines if x.level == n], everybody) for n in levels}
    own = {name: consistency(lines, {name: given}) for name, given in sorted(everybody.items())}
    return {
        "scenarios": len(lines),
        **consistency(lines, everybody).to_json(),
        "by_level": {level: found.to_json() for level, found in by_level.items()},
        "published": dict(PUBLISHED),
        "inconsistent": _inconsistent(lines, everybody, notes or {}),
        "reviewers": sorted(everybody),
        "by_person": {name: found.to_json() for name, found in own.items()},
        "divided": {name: sum(_divided(x, name, everybody) for x in lines) for name in QUESTIONS},
        "withheld": {name: _withheld(name, everybody) for name in QUESTIONS},
        "between_people": {name: _between(lines, name, everybody) for name in QUESTIONS},
        "with_themselves": {name: _again(name, everybody) for name in QUESTIONS},
    }


def _inconsistent(
    lines: Sequence[Review], everybody: Opinions, notes: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    found = []
    for line in lines:
        wrong = [name for name in QUESTIONS if consistent(line.scenario, name, everybody) is False]
        if wrong:
            said = [*([line.note] if line.note else []), *notes.get(line.scenario, ())]
            found.append({"scenario": line.scenario, "questions": wrong, "note": "; ".join(said)})
    return found


def _divided(line: Review, question: str, everybody: Opinions) -> bool:
    """Whether as many people say yes as say no."""
    yes, no = votes(line.scenario, question, everybody)
    return yes == no > 0


def _withheld(question: str, everybody: Opinions) -> dict[str, int]:
    """How often somebody gave no answer, by cause."""
    causes = Counter(
        said.unscored or "no_label"
        for given in everybody.values()
        for asked, said in given.items()
        if asked.dimension == question and asked.round == 1 and said.label is None
    )
    return dict(sorted(causes.items()))


def _again(question: str, everybody: Opinions) -> list[dict[str, Any]]:
    """How often each person who was asked a second time said the same as at first."""
    found = []
    for name, given in sorted(everybody.items()):
        first, second = (source(name, given, Asked(Part.ABSOLUTE, question, n), {}).by_item for n in (1, 2))
        both = [first[item] == label for item, label in second.items() if item in first]
        if both:
            found.append({"person": name, "same": sum(both), "n": len(both)})
    return found


def _between(lines: Sequence[Review], question: str, everybody: Opinions) -> dict[str, Any]:
    """How far people agree with each other."""
    sources = []
    for name, given in sorted(everybody.items()):
        said = {line.scenario: given.get(key(line.scenario, question)) for line in lines}
        labels = {item: one.label for item, one in said.items() if one is not None and one.label}
        if labels:
            sources.append(Labels(name, labels))
    if len(sources) < 2:
        return {"undefined": "fewer_than_two_people"}
    return to_json(examine_raters(sources, LABELS))
