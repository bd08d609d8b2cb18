"""What a judge's labels rest on: the same items judged again with one thing changed, and what differs.

Changed may be: a family of the blueprint that is withheld, the fusion policy, the judge, the order in which
the sides are shown. Each variant is compared with the base over the items that both labelled. Labels count
as their worth: of a pair 1 if the first system won, 0 if the second, a half for ties; of a rating 1, a half
or 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.agreement.judges import AgainstTruth, against_truth
from scoring.agreement.labels import BOTH_BAD, BOTH_GOOD, FIRST, OVERALL, SECOND, Labels, other_side
from scoring.agreement.probes import Probes, probe
from scoring.judge.cost import Cost
from scoring.judge.dimensions import (
    Dimension,
    DimensionJudge,
    Item,
    Labelled,
    Pair,
    Rating,
)
from scoring.judge.fusion import WORST, Fusion
from scoring.judge.pairwise import Orders, compare, labels_of
from scoring.statistics.intervals import Interval, share_interval
from scoring.statistics.paired import Difference, paired_difference
from scoring.statistics.undefined import Undefined, or_none

ASKED = (*(dimension.value for dimension in Dimension), OVERALL)
"""What is compared: the labels of each dimension, and the overall one."""

WORTH: Mapping[str, float] = {
    FIRST: 1.0,
    SECOND: 0.0,
    BOTH_GOOD: 0.5,
    BOTH_BAD: 0.5,
    **{rating.value: rating.worth for rating in Rating},
}


@dataclass(frozen=True, slots=True)
class Setup:
    """A way to judge.

    Attributes:
        name: What is changed, for people: "without quality", "fusion majority".
        fusion: None takes each item's own.
        orders: Used for pairs alone.
    """

    name: str
    judge: DimensionJudge
    fusion: Fusion | None = None
    orders: Orders = Orders.AS_IS


@dataclass(frozen=True, slots=True)
class Asked:
    """An item or a pair.

    Attributes:
        cluster: What is drawn together with it in a bootstrap.
        fusion: Makes one label of three, where a setup has no other.
        turned: The points of a pair are those of its second side. Which system is which side is drawn, so
            that a mean over sides says nothing; one over systems does.
    """

    item: Item | Pair
    cluster: str
    fusion: Fusion = WORST
    turned: bool = False

    def worth(self, label: str) -> float:
        """Points of a label: of a reply what it is worth, of a pair those of one system."""
        return WORTH[other_side(label) if self.turned else label]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a setup made of the items.

    Attributes:
        labels: By item; by dimension and `OVERALL`.
        clusters: By item, what it is drawn together with.
    """

    setup: str
    labels: Mapping[str, Mapping[str, Labelled]]
    clusters: Mapping[str, str]
    cost: Cost = field(default_factory=Cost)

    def source(self, of: str) -> Labels:
        """The labels of one dimension as a source for agreement."""
        found = {item: labels[of] for item, labels in self.labels.items()}
        return labels_of(self.setup, found, self.clusters)


async def judge_all(asked: Sequence[Asked], setup: Setup) -> Outcome:
    """Have every item judged in one way."""
    labels: dict[str, Mapping[str, Labelled]] = {}
    spent = Cost()
    for one in asked:
        fusion = setup.fusion or one.fusion
        if isinstance(one.item, Pair):
            pair = await compare(setup.judge, one.item, fusion, setup.orders)
            found, overall, cost = pair.labels, pair.overall, pair.cost
        else:
            verdict = await setup.judge.rate(one.item)
            found, overall, cost = verdict.labels, fusion.rate(verdict.labels), verdict.cost
        labels[one.item.id] = {d.value: label for d, label in found.items()} | {OVERALL: overall}
        spent += cost
    return Outcome(setup.name, labels, {one.item.id: one.cluster for one in asked}, spent)


def probes(asked: Sequence[Asked], setup: Setup, outcome: Outcome) -> Probes | None:
    """What the overall labels of a way to judge rest on (TRACE's P1 and P2).

    None for single replies, and where items of several packs are fused by several policies.
    """
    used = {setup.fusion or one.fusion for one in asked}
    if len(used) != 1 or not isinstance(asked[0].item, Pair):
        return None
    (fusion,) = used
    labels = {dimension.value: outcome.source(dimension.value) for dimension in Dimension}
    return probe(setup.judge.name, labels, fusion.rule, str(fusion))


def estimate(asked: Sequence[Asked], setup: Setup) -> Cost:
    """What judging them all in one way will take."""
    spent = Cost()
    for one in asked:
        once = setup.judge.estimate(one.item)
        spent += once + once if setup.orders is Orders.BOTH and isinstance(one.item, Pair) else once
    return spent


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to the labels of one dimension.

    Attributes:
        n: Items that both labelled.
        changed: Of those, how many got another label.
        changed_interval: Of their share; see `share_interval`.
        difference: Mean worth with the change minus that of the base, paired, with its interval; of pairs
            the points of one system of each (`Asked.turned`).
        unscored: Causes of items that only the changed way did not label.
        newly_scored: Items that only the changed way labelled.
        truth: Which of the two is right more often; None without a truth.
    """

    n: int
    changed: int
    changed_interval: Interval | Undefined
    difference: Difference | Undefined
    unscored: Counter[str]
    newly_scored: int
    truth: AgainstTruth | None = None

    def to_json(self) -> dict[str, Any]:
        """As printed."""
        difference = or_none(self.difference)
        interval = or_none(difference.interval) if difference else None
        share = or_none(self.changed_interval)
        return {
            "n": self.n,
            "changed": self.changed,
            "changed_share": self.changed / self.n if self.n else None,
            "changed_interval": share.to_json() if share else None,
            "difference": difference.value if difference else None,
            "difference_interval": interval.to_json() if interval else None,
            "unscored": dict(sorted(self.unscored.items())),
            "newly_scored": self.newly_scored,
            **({"truth": self.truth.to_json()} if self.truth else {}),
        }


def effects(
    asked: Sequence[Asked], base: Outcome, changed: Outcome, truth: Labels | None = None, *, seed: int = 0
) -> dict[str, Effect]:
    """What differs between two ways of judging the same items, by dimension and overall.

    Args:
        asked: The items.
        base: What is compared with.
        changed: What is compared.
        truth: Overall labels that are held for right.
        seed: Of the bootstrap.
    """
    items = {one.item.id: one for one in asked}
    found = {}
    for of in ASKED:
        one, two = base.source(of), changed.source(of)
        both = [item for item in sorted(items) if item in one.by_item and item in two.by_item]
        together = [items[item].cluster for item in both]
        changes = [one.by_item[item] != two.by_item[item] for item in both]
        found[of] = Effect(
            n=len(both),
            changed=sum(changes),
            changed_interval=share_interval(changes, together),
            difference=paired_difference(
                [items[item].worth(two.by_item[item]) for item in both],
                [items[item].worth(one.by_item[item]) for item in both],
                together,
                seed=seed,
            ),
            unscored=Counter(cause for item, cause in two.unscored.items() if item in one.by_item),
            newly_scored=sum(item in one.unscored for item in two.by_item),
            truth=against_truth(one, two, truth, seed=seed) if truth and of == OVERALL else None,
        )
    return found
