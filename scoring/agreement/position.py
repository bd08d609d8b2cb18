"""Does a judge prefer a place? The same pairs judged in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.agreement.labels import (
    WINNERS,
    LabelError,
    Labels,
    Order,
    drawn_together,
    naming_sides,
    other_side,
    shared,
)
from scoring.statistics.intervals import Interval, share_interval
from scoring.statistics.undefined import Undefined, or_none

KINDS = ("consistent", "always_first", "always_second", "one_winner", "other")
"""What exchanging the sides can do to a label."""


@dataclass(frozen=True, slots=True)
class PositionReport:
    """What exchanging the sides does to a judge's labels.

    Attributes:
        n: Items with a label in both orders.
        consistent: The same judgement in both.
        always_first: The side shown first won, twice.
        always_second: The side shown second won, twice.
        one_winner: A winner in one order, none in the other.
        other: Two different labels without a winner.
        only_ab: Items that were judged in the first order only.
        only_ba: Items that were judged in the second order only.
        unscored: Causes of items without a label in one of the orders, counted per order.
        first_wins: Labels, of both orders, for the side shown first.
        second_wins: The same for the side shown second.
        intervals: Of the shares of the kinds, and of "first_share"; both labels of an item are drawn
            together, and items of one cluster.
    """

    n: int
    consistent: int
    always_first: int
    always_second: int
    one_winner: int
    other: int
    only_ab: int
    only_ba: int
    unscored: Mapping[str, int]
    first_wins: int
    second_wins: int
    intervals: Mapping[str, Interval | Undefined]

    @property
    def first_share(self) -> float | Undefined:
        """Of the winners, the share that was shown first: one half without a preference."""
        winners = self.first_wins + self.second_wins
        return self.first_wins / winners if winners else Undefined("no_winners")

    def to_json(self) -> dict[str, object]:
        """Counts, and shares of n."""
        counts = {name: getattr(self, name) for name in KINDS}
        intervals = {name: or_none(found) for name, found in self.intervals.items()}
        return {
            "n": self.n,
            "only_ab": self.only_ab,
            "only_ba": self.only_ba,
            "unscored": dict(sorted(self.unscored.items())),
            "counts": counts,
            "shares": {name: count / self.n if self.n else None for name, count in counts.items()},
            "intervals": {name: found.to_json() if found else None for name, found in intervals.items()},
            "first_wins": self.first_wins,
            "second_wins": self.second_wins,
            "first_share": or_none(self.first_share),
        }


def examine_position(ab: Labels, ba: Labels) -> PositionReport:
    """Compare the labels of both orders, as they were given.

    Args:
        ab: Labels of the items as they are.
        ba: Labels of the same items with the sides exchanged, naming sides as shown (order "swapped").

    Raises:
        LabelError: The first is of swapped items, or the second is not (any more).
    """
    if ab.order is Order.SWAPPED or ba.order is not Order.SWAPPED:
        found = f"are {ab.order.value} and {ba.order.value}, expected as_is and swapped"
        raise LabelError(f"{ab.name}, {ba.name}", found, "Give each order as it was judged.")
    ab, ba = naming_sides(ab), naming_sides(ba)
    common = shared((ab, ba))
    pairs = [(ab.by_item[item], ba.by_item[item]) for item in common.items]
    kinds = [_kind(*pair) for pair in pairs]
    clusters = drawn_together((ab, ba), common.items) or list(common.items)
    winners = [
        (cluster, label in _FIRST)
        for cluster, pair in zip(clusters, pairs, strict=True)
        for label in pair
        if label in WINNERS
    ]
    first = sum(is_first for _, is_first in winners)
    causes = {*common.unscored[0], *common.unscored[1]}
    return PositionReport(
        n=len(common.items),
        **{kind: kinds.count(kind) for kind in KINDS},
        only_ab=common.only[0],
        only_ba=common.only[1],
        unscored={cause: sum(found.get(cause, 0) for found in common.unscored) for cause in causes},
        first_wins=first,
        second_wins=len(winners) - first,
        intervals=_intervals(kinds, winners, clusters),
    )


def _intervals(
    kinds: Sequence[str], winners: Sequence[tuple[str, bool]], clusters: Sequence[str]
) -> dict[str, Interval | Undefined]:
    found = {kind: share_interval([one == kind for one in kinds], clusters) for kind in KINDS}
    of_first = share_interval([won for _, won in winners], [cluster for cluster, _ in winners])
    return {**found, "first_share": of_first}


_FIRST = frozenset({"1", "a"})


def _kind(ab: str, ba_as_shown: str) -> str:
    """Of two labels that both name sides as shown."""
    if ab == other_side(ba_as_shown):
        return "consistent"
    if ab in WINNERS and ba_as_shown in WINNERS:
        return "always_first" if ab in _FIRST else "always_second"
    return "one_winner" if ab in WINNERS or ba_as_shown in WINNERS else "other"
