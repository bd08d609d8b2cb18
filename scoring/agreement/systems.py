"""Does a judge rank systems as people do? Win rates of systems, and their rank correlation.

The published setting is AudioJudge's (arXiv 2507.12705): people compare the replies of two systems, ties
allowed; the judge compares each system with one baseline on every prompt, in both orders.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scoring.agreement.labels import (
    BOTH_BAD,
    BOTH_GOOD,
    FIRST,
    SECOND,
    TIE,
    LabelError,
    Labels,
    Order,
    unswapped,
)
from scoring.statistics.correlation import Correlation, spearman
from scoring.statistics.undefined import Undefined, or_none

POINTS = {FIRST: 1.0, TIE: 0.5, BOTH_GOOD: 0.5, BOTH_BAD: 0.5, SECOND: 0.0}
"""What a label is worth for the first side."""


@dataclass(frozen=True, slots=True)
class Preference:
    """A person's label of a comparison of two systems: one that has `POINTS`."""

    first: str
    second: str
    label: str


@dataclass(frozen=True, slots=True)
class BothOrders:
    """A judge's labels of items named "SYSTEM/PROMPT", in which the system stands against a baseline.

    Attributes:
        first: The system was shown first.
        second: It was shown second; sides as shown (order "swapped").

    Raises:
        LabelError: The orders are mixed up, or a label has no points.
    """

    first: Labels
    second: Labels

    def __post_init__(self) -> None:
        if self.first.order is Order.SWAPPED or self.second.order is not Order.SWAPPED:
            raise LabelError(self.first.name, "mixes up the orders of its items")
        for source in (self.first, self.second):
            unknown = sorted(set(source.by_item.values()) - POINTS.keys())
            if unknown:
                raise LabelError(
                    source.name, f"holds the label {unknown[0]!r}", f"Expected {', '.join(POINTS)}."
                )


@dataclass(frozen=True, slots=True)
class WinRate:
    """How often a system wins, ties counting half.

    Attributes:
        wins_first: Share of wins when shown first.
        wins_second: Share of wins when shown second.
        ties: Share of ties, both orders together.
        n: Items with a label in both orders.
    """

    wins_first: float
    wins_second: float
    ties: float
    n: int

    @property
    def effective(self) -> float:
        """(wins first + wins second) / 2 + ties / 2."""
        return (self.wins_first + self.wins_second) / 2 + self.ties / 2


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores of systems by people and by a judge.

    Attributes:
        people: (wins + ties / 2) / battles of each system.
        judge: Its effective win rate against the baseline.
        n: Items of the judge that counted, by system.
        missing: Systems that only one of the two knows; they are in no correlation.
        correlation: Spearman's, over the systems that both know.
    """

    people: Mapping[str, float]
    judge: Mapping[str, WinRate]
    missing: Sequence[str]
    correlation: Correlation | Undefined

    def to_json(self) -> dict[str, object]:
        """As printed."""
        found = or_none(self.correlation)
        cause = self.correlation.cause if isinstance(self.correlation, Undefined) else None
        return {
            "kind": "systems",
            "n": len(self.people.keys() & self.judge.keys()),
            "spearman": found.value if found else None,
            "spearman_p": found.p if found else None,
            "missing": list(self.missing),
            "systems": {
                name: {
                    "people": self.people[name],
                    "judge": self.judge[name].effective,
                    "n": self.judge[name].n,
                }
                for name in sorted(self.people.keys() & self.judge.keys())
            },
            "undefined": {"spearman": cause} if cause else {},
        }


def human_scores(preferences: Iterable[Preference]) -> dict[str, float]:
    """(wins + ties / 2) / battles of every system."""
    points: dict[str, list[float]] = defaultdict(list)
    for found in preferences:
        points[found.first].append(POINTS[found.label])
        points[found.second].append(1 - POINTS[found.label])
    return {name: sum(won) / len(won) for name, won in points.items()}


def win_rates(orders: BothOrders) -> dict[str, WinRate]:
    """The win rate of every system against the baseline, over items judged in both orders."""
    first, second = orders.first.by_item, unswapped(orders.second).by_item
    by_system: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in sorted(first.keys() & second.keys()):
        by_system[item.rsplit("/", 1)[0]].append((first[item], second[item]))
    return {name: _rate(pairs) for name, pairs in by_system.items()}


def ensemble(judges: Sequence[BothOrders], name: str = "ensemble") -> BothOrders:
    """One judge of several, order by order: the side with the larger mean of points, or a tie.

    An item that a judge has no label for is left to no majority of the rest: it is unscored.
    """

    def vote(sources: Sequence[Labels]) -> Labels:
        common = set.intersection(*(set(source.by_item) for source in sources))
        known = {item for source in sources for item in source.items}
        labels = {
            item: _winner([POINTS[source.by_item[item]] for source in sources]) for item in sorted(common)
        }
        unscored = dict.fromkeys(sorted(known - common), "not_judged_by_all")
        return Labels(name, labels, unscored, sources[0].order)

    return BothOrders(vote([judge.first for judge in judges]), vote([judge.second for judge in judges]))


def rank(preferences: Iterable[Preference], orders: BothOrders, *, seed: int = 0) -> Ranking:
    """Compare the order of the systems by people and by a judge."""
    people, judge = human_scores(preferences), win_rates(orders)
    both = sorted(people.keys() & judge.keys())
    correlation = spearman(
        [people[name] for name in both], [judge[name].effective for name in both], seed=seed
    )
    return Ranking(people, judge, sorted(people.keys() ^ judge.keys()), correlation)


def _winner(points: Sequence[float]) -> str:
    mean = sum(points) / len(points)
    return TIE if mean == 0.5 else FIRST if mean > 0.5 else SECOND


def _rate(pairs: Sequence[tuple[str, str]]) -> WinRate:
    n = len(pairs)
    return WinRate(
        wins_first=sum(one == FIRST for one, _ in pairs) / n,
        wins_second=sum(two == FIRST for _, two in pairs) / n,
        ties=sum((POINTS[one] == 0.5) + (POINTS[two] == 0.5) for one, two in pairs) / (2 * n),
        n=n,
    )
