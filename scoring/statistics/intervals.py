"""Intervals: Wilson's for a proportion, clustered or not, the percentile bootstrap for the rest.

A bootstrap draws items with replacement; values that belong together (the turns of an episode, the
battles on a prompt) are drawn together, as a cluster. A resample is represented by how often each item was
drawn, so that a statistic is a function of counts and many resamples are computed at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.statistics.undefined import Undefined

RESAMPLES = 1000
LEVEL = 0.95

_CELLS_AT_ONCE = 2_000_000
"""Counts held in memory at the same time: 16 MB."""

Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
"""Counts (resamples, items) to values (resamples,); NaN where a resample does not define the value."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, at a level of confidence."""

    low: float
    high: float
    level: float = LEVEL

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"interval from {self.low} to {self.high}")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def overlaps(self, other: Interval) -> bool:
        """Whether some value lies in both."""
        return self.low <= other.high and other.low <= self.high

    def to_json(self) -> list[float]:
        """`[low, high]`."""
        return [self.low, self.high]


def normal_quantile(level: float) -> float:
    """How many standard deviations on either side hold this share of a normal distribution (.95: 1.96)."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected more than 0 and less than 1")
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(k: int, n: int, level: float = LEVEL) -> Interval | Undefined:
    """Wilson's score interval for k of n; it never leaves [0, 1] and has a width at k = 0 and k = n."""
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n}")
    z = normal_quantile(level)
    return _score_interval(k / n, n, z, level) if n else Undefined("no_items")


def share_interval(
    outcomes: Sequence[bool], clusters: Sequence[Hashable] | None = None, level: float = LEVEL
) -> Interval | Undefined:
    """Wilson's interval of the share of outcomes that are true, for as many as are independent.

    Outcomes of one cluster may be alike. The effective number is n over the design effect (Kish 1965):
    the variance that the clusters have, over that of independent outcomes. Where all outcomes are alike
    they tell nothing of the clusters, and those are counted. Each in a cluster of its own, it is `wilson`.
    """
    n, k = len(outcomes), sum(map(bool, outcomes))
    if clusters is None or not n:
        return wilson(k, n, level)
    groups = numbered(clusters, n)
    count = int(groups.max()) + 1
    if count < 2 and n > 1:
        return Undefined("one_item")
    share = k / n
    if k in (0, n):
        return _score_interval(share, count, normal_quantile(level), level)
    true = np.bincount(groups, weights=np.asarray(outcomes, dtype=np.float64))
    apart = true - share * np.bincount(groups)
    # no more are effective than there are
    spread = max(math.fsum(np.square(apart)), n * share * (1 - share))
    effective = n * n * share * (1 - share) / spread
    return _score_interval(share, effective, normal_quantile(level), level)


def _score_interval(share: float, n: float, z: float, level: float) -> Interval:
    z2 = z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # rounding must not exclude an end that the formula gives exactly
    return Interval(0.0 if share == 0 else middle - half, 1.0 if share == 1 else middle + half, level)


def bootstrap(
    statistic: Statistic,
    n_items: int,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval | Undefined:
    """Percentile bootstrap of any statistic of the counts of items.

    Args:
        statistic: Of an array (some resamples, n_items) that says how often each item was drawn.
        n_items: Items; their order decides which draws they get, so give it a meaning (sort them).
        clusters: The cluster of each item; by default each is its own.
        seed: Of numpy's generator; the same seed, the same interval.
        resamples: How many are drawn.
        level: Of confidence.
    """
    groups = np.arange(n_items) if clusters is None else numbered(clusters, n_items)
    n = int(groups.max()) + 1 if n_items else 0
    values = [
        statistic(counts if clusters is None else counts[:, groups])
        for counts in draws(n, seed, resamples, n_items)
    ]
    return percentile_interval(np.concatenate(values) if values else np.empty(0), n, level)


def bootstrap_mean(
    values: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval | Undefined:
    """Of the mean of all values; with clusters, those are drawn and every value of a drawn one counts."""
    found = np.asarray(values, dtype=np.float64)
    return bootstrap_ratio(
        found, np.ones_like(found), clusters, seed=seed, resamples=resamples, level=level
    )


def bootstrap_ratio(
    parts: ArrayLike,
    wholes: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval | Undefined:
    """Of the sum of parts over the sum of wholes (word errors over words), item by item or by cluster.

    Neither the order of the items nor the names of the clusters changes the result.
    """
    sums = np.column_stack((finite(parts), finite(wholes)))
    if clusters is not None:
        groups = numbered(clusters, len(sums))
        sums = np.column_stack([np.bincount(groups, weights=column) for column in sums.T])
    sums = sums[np.lexsort(sums.T)]

    def ratio(counts: Floats) -> Floats:
        part, whole = (counts @ sums).T
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(whole == 0, np.nan, part / whole)

    return bootstrap(ratio, len(sums), seed=seed, resamples=resamples, level=level)


def draws(n: int, seed: int, resamples: int, width: int | None = None) -> Iterator[Floats]:
    """How often each of n was drawn, in blocks (some resamples, n) that fit into memory.

    Args:
        n: What is drawn from, as often as there are; nothing is drawn from fewer than two.
        seed: Of numpy's generator.
        resamples: Rows of all blocks together.
        width: Columns that the caller will make of each row, if more than n.
    """
    if n < 2:
        return
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS_AT_ONCE // max(n, width or n))
    for first in range(0, resamples, block):
        rows = min(block, resamples - first)
        drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def percentile_interval(values: Floats, n: int, level: float = LEVEL) -> Interval | Undefined:
    """The middle of resampled values; NaN are left out, unless they are more than half.

    Args:
        values: One for each resample.
        n: Items or clusters that were drawn from: fewer than two have no spread.
        level: The share that lies within.
    """
    if n < 2:
        return Undefined("no_items" if n == 0 else "one_item")
    defined = values[~np.isnan(values)]
    if 2 * len(defined) < len(values) or not len(defined):
        return Undefined("resamples_undefined")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


def numbered(clusters: Sequence[Hashable], n_items: int) -> NDArray[np.intp]:
    """The number of each item's cluster, counted from 0 by first appearance."""
    if len(clusters) != n_items:
        raise ValueError(f"{len(clusters)} clusters for {n_items} items")
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in clusters], dtype=np.intp)


def finite(values: ArrayLike) -> Floats:
    """One row of numbers, or a ValueError: what is missing is counted elsewhere, never averaged."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ValueError("expected one row of finite numbers; count what is missing, and leave it out")
    return found
