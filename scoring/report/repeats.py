"""What only several calls can tell: chances over repeats, and how much it matters who called. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.compare.metrics import chosen
from scoring.compare.sides import By, NothingToCompare, within_run
from scoring.compare.terminal import conclusions
from scoring.compare.verdict import Comparison, compare
from scoring.digest.columns import Digest
from scoring.score import METRICS
from scoring.statistics.intervals import Interval
from scoring.statistics.passk import PassK, pass_k

MOST = 10
"""Largest k of a table."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """The chances of one endpoint over k calls with a scenario."""

    endpoint: str
    chances: tuple[PassK, ...]

    def to_json(self) -> dict[str, Any]:
        """As in the run's JSON."""
        return {
            "endpoint": self.endpoint,
            "k": [
                {
                    "k": one.k,
                    "pass_at_k": one.any,
                    "pass_at_k_interval": _ends(one.any_interval),
                    "pass_hat_k": one.every,
                    "pass_hat_k_interval": _ends(one.every_interval),
                    "scenarios": one.tasks,
                    "scenarios_with_fewer_calls": one.few,
                }
                for one in self.chances
            ],
        }


def repeats(digest: Digest) -> list[Repeats]:
    """Chances over k calls, for endpoints that were called twice or more with some scenario.

    A scenario with another user, or under another condition, is another one.
    """
    found = []
    for endpoint in dict.fromkeys(row.endpoint for row in digest.rows):
        trials = _trials(digest, endpoint)
        most = min(max((n for n, _ in trials), default=0), MOST)
        if most > 1:
            chances = (pass_k(trials, k) for k in range(1, most + 1))
            found.append(Repeats(endpoint, tuple(one for one in chances if isinstance(one, PassK))))
    return found


def sensitivity(digest: Digest) -> list[Comparison]:
    """The same calls by another user: what of the result is the caller's. Nothing if all had one user."""
    try:
        questions = within_run(digest, By.USER)
    except NothingToCompare:
        return []
    compared = compare(questions, chosen((), {}), {metric.name: metric for metric in METRICS})
    return [one for one in compared if one.pairs]


def sensitivity_lines(comparisons: list[Comparison]) -> list[str]:
    """The same in sentences."""
    return [
        f"{one.second.name} instead of {one.first.name} ({one.pairs} pairs, {one.within}): {conclusion}"
        for one in comparisons
        for conclusion in conclusions(one)
    ]


def several_json(digest: Digest) -> Mapping[str, Any]:
    """What the run's JSON says of it; nothing of what the run cannot tell."""
    chances, users = repeats(digest), sensitivity(digest)
    return {
        **({"repeats": [one.to_json() for one in chances]} if chances else {}),
        **({"sensitivity": [one.to_json() for one in users]} if users else {}),
    }


def _trials(digest: Digest, endpoint: str) -> list[tuple[int, int]]:
    """Calls that are scored, and those of them that passed, for each scenario."""
    column = digest.columns["passed"]
    scored: dict[str, list[float]] = {}
    for place, value in zip(column.episode.tolist(), column.values.values.tolist(), strict=True):
        row = digest.rows[place]
        if row.endpoint == endpoint and not row.void:
            scored.setdefault(row.sha256, []).append(value)
    return [(len(values), round(sum(values))) for values in scored.values()]


def _ends(interval: Interval | Any) -> list[float] | None:
    return interval.to_json() if isinstance(interval, Interval) else None
