"""Does a judge prefer a place? The same pairs judged in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.agreement.labels import (
    WINNERS,
    LabelError,
    Labels,
    Order,
    naming_sides,
    other_side,
    shared,
)
from scoring.statistics.intervals import wilson
from scoring.statistics.undefined import Undefined, or_none


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

    @property
    def first_share(self) -> float | Undefined:
        """Of the winners, the share that was shown first: one half without a preference."""
        winners = self.first_wins + self.second_wins
        return self.first_wins / winners if winners else Undefined("no_winners")

    def to_json(self) -> dict[str, object]:
        """Counts, and shares of n."""
        names = ("consistent", "always_first", "always_second", "one_winner", "other")
        counts = {name: getattr(self, name) for name in names}
        intervals = {name: or_none(wilson(count, self.n)) for name, count in counts.items()}
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
    kinds = {"consistent": 0, "always_first": 0, "always_second": 0, "one_winner": 0, "other": 0}
    first = second = 0
    for item in common.items:
        one, two = ab.by_item[item], ba.by_item[item]
        kinds[_kind(one, two)] += 1
        first += (one in _FIRST) + (two in _FIRST)
        second += (one in _SECOND) + (two in _SECOND)
    causes = {*common.unscored[0], *common.unscored[1]}
    return PositionReport(
        n=len(common.items),
        **kinds,
        only_ab=common.only[0],
        only_ba=common.only[1],
        unscored={cause: sum(found.get(cause, 0) for found in common.unscored) for cause in causes},
        first_wins=first,
        second_wins=second,
    )


_FIRST, _SECOND = frozenset({"1", "a"}), frozenset({"2", "b"})


def _kind(ab: str, ba_as_shown: str) -> str:
    """Of two labels that both name sides as shown."""
    if ab == other_side(ba_as_shown):
        return "consistent"
    if ab in WINNERS and ba_as_shown in WINNERS:
        return "always_first" if ab in _FIRST else "always_second"
    return "one_winner" if ab in WINNERS or ba_as_shown in WINNERS else "other"
