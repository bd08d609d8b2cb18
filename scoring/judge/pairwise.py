"""Comparing two replies: in one order or both, un-swapped once, then fused into one label.

In both orders a judge is asked twice, and its labels of the exchanged pair are turned back exactly once.
For each dimension the two labels become one:

- the same judgement twice: that
- a winner, and the other as winner: `both_good` (each was found acceptable once; neither is plainly better)
- a winner, and a tie: the tie
- two different ties: unscored, `orders_disagree`
- no label in one of the orders: unscored with its cause

The rule is the same whichever order came first, and what it settled is marked as inconsistent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from scoring.agreement.labels import BOTH_GOOD, WINNERS, Labels, other_side
from scoring.agreement.position import PositionReport, examine_position
from scoring.judge.contract import JudgeUnfit
from scoring.judge.cost import Cost, total
from scoring.judge.dimensions import Dimension, DimensionJudge, Labelled, Pair, Verdict
from scoring.judge.fusion import Fusion

ORDERS_VERSION = 1
"""Raised whenever the rule for two orders changes."""


class Orders(StrEnum):
    """In which orders the sides are shown."""

    AS_IS = "as_is"
    SWAPPED = "swapped"
    BOTH = "both"


class OrderMisnamed(JudgeUnfit):
    """An order that is not known."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"order {name!r}: there is none of that name. Known: {', '.join(Orders)}.")


def orders_named(name: str) -> Orders:
    """Orders by name.

    Raises:
        OrderMisnamed: There are none.
    """
    if name not in list(Orders):
        raise OrderMisnamed(name)
    return Orders(name)


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What was found of a pair; labels name its sides as they are, whatever was shown first.

    Attributes:
        judge: Its name.
        version: Of the judge.
        labels: By dimension.
        overall: The labels fused.
        fusion: The policy's name and version, "content-first@1".
        orders: In which orders it was judged.
        inconsistent: Dimensions in which the two orders gave different judgements.
        shown: Each verdict as it was given, naming sides as shown.
    """

    judge: str
    version: int
    labels: Mapping[Dimension, Labelled]
    overall: Labelled
    fusion: str
    orders: Orders
    inconsistent: tuple[Dimension, ...]
    shown: tuple[Verdict, ...]

    @property
    def cost(self) -> Cost:
        """Of all orders."""
        return total(verdict.cost for verdict in self.shown)

    def to_json(self) -> dict[str, Any]:
        """As evidence of a battle."""
        return {
            "judge": self.judge,
            "version": self.version,
            "dimensions": {dimension.value: found.to_json() for dimension, found in self.labels.items()},
            "overall": self.overall.to_json(),
            "fusion": self.fusion,
            "orders": self.orders.value,
            "orders_rule": ORDERS_VERSION,
            "inconsistent": [dimension.value for dimension in self.inconsistent],
            "shown": [verdict.to_json() for verdict in self.shown],
        }


async def compare(
    judge: DimensionJudge, pair: Pair, fusion: Fusion, orders: Orders = Orders.AS_IS
) -> PairVerdict:
    """Have a pair judged."""
    shown: list[Verdict] = []
    turned: list[Mapping[Dimension, Labelled]] = []
    if orders is not Orders.SWAPPED:
        shown.append(await judge.compare(pair))
        turned.append(shown[-1].labels)
    if orders is not Orders.AS_IS:
        shown.append(await judge.compare(pair.exchanged))
        turned.append({dimension: _turned(found) for dimension, found in shown[-1].labels.items()})
    labels = turned[0] if len(turned) == 1 else {d: settle(turned[0][d], turned[1][d]) for d in Dimension}
    odd = tuple(d for d in Dimension if len(turned) == 2 and _differ(turned[0][d], turned[1][d]))
    return PairVerdict(
        judge=judge.name,
        version=judge.version,
        labels=labels,
        overall=fusion.fuse(labels),
        fusion=str(fusion),
        orders=orders,
        inconsistent=odd,
        shown=tuple(shown),
    )


def _turned(found: Labelled) -> Labelled:
    label = None if found.label is None else other_side(found.label)
    reason = f"shown exchanged: {found.reason}" if found.reason else ""
    return Labelled(label, found.cause, reason)


def settle(one: Labelled, two: Labelled) -> Labelled:
    """One label from those of both orders, sides as they are; see the module."""
    for found in (one, two):
        if found.label is None:
            return found
    if one.label == two.label:
        return one
    reason = f"{one.label} and {two.label} in the two orders"
    winners = [found.label in WINNERS for found in (one, two)]
    if all(winners):
        return Labelled(BOTH_GOOD, reason=reason)
    if any(winners):
        return Labelled(two.label if winners[0] else one.label, reason=reason)
    return Labelled(None, "orders_disagree", reason)


def _differ(one: Labelled, two: Labelled) -> bool:
    return None not in (one.label, two.label) and one.label != two.label


def position_reports(
    verdicts: Mapping[str, PairVerdict], clusters: Mapping[str, str] | None = None
) -> dict[Dimension, PositionReport]:
    """Whether a judge prefers a place, by dimension.

    Args:
        verdicts: By item; those in both orders count.
        clusters: By item, what belongs together: its prompt.
    """
    twice = {item: v for item, v in verdicts.items() if v.orders is Orders.BOTH}
    together = clusters or {}

    def shown(dimension: Dimension, order: int) -> Labels:
        found = {item: verdict.shown[order].labels[dimension] for item, verdict in twice.items()}
        return labels_of(dimension.value, found, together)

    return {d: examine_position(shown(d, 0), shown(d, 1).as_swapped()) for d in Dimension}


def labels_of(name: str, found: Mapping[str, Labelled], clusters: Mapping[str, str]) -> Labels:
    """Labels by item as a source for agreement."""
    return Labels(
        name,
        {item: one.label for item, one in found.items() if one.label is not None},
        {item: one.cause for item, one in found.items() if one.label is None},
        clusters=clusters,
    )


def costs(verdicts: Sequence[PairVerdict]) -> Cost:
    """Of many verdicts."""
    return total(verdict.cost for verdict in verdicts)
