"""How consistent a grown pack is, by a person's answers to a sample (S2S-Arena: level 90 %, manner 93 %).

Each share has Wilson's interval. What was not answered is counted and left out. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scenarios.growing.review import Review
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


def consistency(lines: Sequence[Review]) -> Consistency:
    """The two shares of a queue."""
    return Consistency(
        share(line.answers.level for line in lines), share(line.answers.manner for line in lines)
    )


def report(lines: Sequence[Review]) -> dict[str, Any]:
    """The whole queue, by level, and what to look at again: whatever got a no."""
    levels = sorted({line.level for line in lines})
    by_level = {str(n): consistency([line for line in lines if line.level == n]) for n in levels}
    return {
        "scenarios": len(lines),
        **consistency(lines).to_json(),
        "by_level": {level: found.to_json() for level, found in by_level.items()},
        "published": dict(PUBLISHED),
        "inconsistent": [
            {
                "scenario": line.scenario,
                "questions": [
                    name for name, answer in line.answers.model_dump().items() if answer is False
                ],
                "note": line.note,
            }
            for line in lines
            if False in line.answers.model_dump().values()
        ],
        "reviewers": sorted({line.reviewer for line in lines if line.reviewer}),
    }
