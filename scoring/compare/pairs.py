"""Episodes of two sides side by side: the same scenario, the same seed. Pure.

What one of the sides does not have is left out of both, and counted by cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np

from scoring.digest.columns import Column, Digest, Ints, Row
from scoring.metric import Statistic
from scoring.statistics.intervals import Floats

Key = Callable[[Row], Hashable]
"""What two episodes must share to be a pair."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of two sides.

    Attributes:
        first: For each episode of the first side the number of its pair, or -1.
        second: The same of the second side.
        count: Pairs. Where a side has several episodes of one key, they are one value of the pair.
        left_out: Episodes without a partner, by cause.
    """

    first: Ints
    second: Ints
    count: int
    left_out: Counter[str] = field(default_factory=Counter)


def pair(first: Digest, second: Digest, key: Key) -> Pairs:
    """Put the episodes of two sides side by side; void ones have no partner."""
    mine, yours = _by_key(first, key), _by_key(second, key)
    shared = sorted(mine.keys() & yours.keys(), key=repr)
    left_out: Counter[str] = Counter()
    for digest, own, other, others in ((first, mine, second, yours), (second, yours, first, mine)):
        void = {key(row) for row in other.rows if row.void}
        texts = {(row.pack, row.scenario, row.seed) for row in other.rows}
        for name, places in own.items():
            if name in others:
                continue
            row = digest.rows[places[0]]
            same = (row.pack, row.scenario, row.seed) in texts
            left_out["void_on_the_other_side" if name in void else _cause(same)] += len(places)
        left_out["void"] += sum(row.void for row in digest.rows)
    return Pairs(
        _numbers(first, mine, shared),
        _numbers(second, yours, shared),
        len(shared),
        Counter({cause: count for cause, count in left_out.items() if count}),
    )


def pair_values(column: Column, statistic: Statistic, numbers: Ints, count: int) -> Floats:
    """One value of a metric for each pair, of one side; NaN where it has none.

    A median of medians' values, a ratio of sums for ratios, else the mean. A time that was cut short counts
    as long as it was seen: too short, so that a difference is understated rather than invented.
    """
    number = numbers[column.episode]
    here = number >= 0
    number, values, parts = number[here], column.values.values[here], column.values.parts[here]
    sizes = np.bincount(number, minlength=count)
    with np.errstate(divide="ignore", invalid="ignore"):
        if statistic is Statistic.RATIO:
            whole = np.bincount(number, parts[:, 1], minlength=count)
            return np.where(whole > 0, np.bincount(number, parts[:, 0], minlength=count) / whole, np.nan)
        if statistic is not Statistic.MEDIAN:
            return np.asarray(np.bincount(number, values, minlength=count) / sizes)
    ranked = values[np.lexsort((values, number))]
    starts = np.cumsum(sizes) - sizes
    last = max(len(ranked) - 1, 0)
    low = np.minimum(starts + np.maximum(sizes - 1, 0) // 2, last)
    high = np.minimum(starts + sizes // 2, last)
    if not len(ranked):
        return np.full(count, np.nan)
    return np.where(sizes > 0, (ranked[low] + ranked[high]) / 2, np.nan)


def _cause(same_name: bool) -> str:
    return "another_scenario_of_that_name" if same_name else "not_held_on_the_other_side"


def _by_key(digest: Digest, key: Key) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for place, row in enumerate(digest.rows):
        if not row.void:
            found.setdefault(key(row), []).append(place)
    return found


def _numbers(digest: Digest, own: dict[Hashable, list[int]], shared: list[Hashable]) -> Ints:
    numbers = np.full(len(digest.rows), -1, np.int64)
    for number, key in enumerate(shared):
        numbers[own[key]] = number
    return numbers
