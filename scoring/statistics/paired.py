"""Two systems or judges on the same items: is the difference more than chance?"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.statistics.intervals import (
    LEVEL,
    RESAMPLES,
    Interval,
    bootstrap_mean,
    draws,
    finite,
    numbered,
    percentile_interval,
)
from scoring.statistics.undefined import Undefined

EXACT_FLIPS = 16
"""Differences up to which every choice of signs is tried: 2^16 = 65,536."""

FLIPS = 10_000
"""Random choices of signs for more."""

_CELLS_AT_ONCE = 4_000_000
"""Signs held in memory at the same time: 32 MB."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of two classifiers on the same items.

    Attributes:
        b: Items that only the first got right.
        c: Items that only the second got right.
        statistic: Chi-square with continuity correction, or None for the exact test.
        p: Two-sided.
    """

    b: int
    c: int
    statistic: float | None
    p: float

    @property
    def exact(self) -> bool:
        """Whether p is of the binomial distribution."""
        return self.statistic is None


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference, first minus second, of n pairs, with its bootstrap interval."""

    value: float
    interval: Interval | Undefined
    n: int


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A permutation test of the mean difference being zero.

    Attributes:
        n: Independent differences: pairs, or clusters of them.
        p: Two-sided.
        exact: Whether all choices of signs were tried, or a seeded sample.
    """

    n: int
    p: float
    exact: bool


def mcnemar(b: int, c: int, exact: bool | None = None) -> McNemar:
    """The test on the two counts of discordant items.

    Args:
        b: Items that only the first got right.
        c: Items that only the second got right.
        exact: The binomial test, or chi-square (|b - c| - 1)^2 / (b + c); by default exact below 25.
    """
    if b < 0 or c < 0:
        raise ValueError(f"counts of items are {b} and {c}")
    n = b + c
    if n == 0:
        return McNemar(b, c, None, 1.0)
    if exact is None:
        exact = n < 25
    if exact:
        tail = sum(math.comb(n, k) for k in range(min(b, c) + 1))
        return McNemar(b, c, None, min(1.0, 2 * tail / 2**n))
    statistic = max(abs(b - c) - 1, 0) ** 2 / n
    return McNemar(b, c, statistic, math.erfc(math.sqrt(statistic / 2)))


def mcnemar_of(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """The test on what each of two got right, item by item."""
    pairs = list(zip(first, second, strict=True))
    return mcnemar(sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs))


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Difference | Undefined:
    """Mean of first minus second over the same items; each resample draws items for both."""
    gaps = _gaps(first, second)
    if not len(gaps):
        return Undefined("no_items")
    interval = bootstrap_mean(gaps, clusters, seed=seed, resamples=resamples, level=level)
    return Difference(math.fsum(gaps) / len(gaps), interval, len(gaps))


def sign_flip(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    flips: int = FLIPS,
) -> SignFlip | Undefined:
    """Would the difference be as large if, item by item (or cluster), chance named the two?

    Exact for up to 16 differences that are not zero, else (1 + as extreme) / (1 + flips).
    """
    gaps = _gaps(first, second)
    if clusters is not None:
        gaps = np.bincount(numbered(clusters, len(gaps)), weights=gaps).astype(np.float64)
    (found,) = sign_flips(gaps[:, None], seed=seed, flips=flips)
    return found


def sign_flips(gaps: ArrayLike, *, seed: int = 0, flips: int = FLIPS) -> list[SignFlip | Undefined]:
    """The same test of several differences on the same items, a column for each; one flip is for them all.

    Args:
        gaps: Differences (items, columns), first minus second; NaN where an item has none.
        seed: Of the random flips.
        flips: How many, for columns that are too long to try them all.
    """
    table = np.asarray(gaps, dtype=np.float64)
    counts = (~np.isnan(table)).sum(axis=0)
    moved = np.nan_to_num(table)
    found: list[SignFlip | Undefined] = []
    # sorted: the order of the items changes no draw
    sampled = _sampled(moved[np.lexsort(moved.T)], seed, flips)
    for column, n in enumerate(counts):
        own = moved[:, column][moved[:, column] != 0]
        if not n:
            found.append(Undefined("no_items"))
        elif len(own) <= EXACT_FLIPS:
            found.append(SignFlip(int(n), _exact_p(np.sort(own)), exact=True))
        else:
            found.append(SignFlip(int(n), float(sampled()[column]), exact=False))
    return found


def _exact_p(own: NDArray[np.float64]) -> float:
    signs = 1 - 2 * ((np.arange(2 ** len(own))[:, None] >> np.arange(len(own))) & 1)
    return float(_as_extreme(signs @ own[:, None], own[:, None])[0] / len(signs))


def _sampled(moved: NDArray[np.float64], seed: int, flips: int) -> Callable[[], NDArray[np.float64]]:
    """The p-value of every column by random flips; they are only drawn if they are asked for."""

    @functools.cache
    def draw() -> NDArray[np.float64]:
        rng = np.random.default_rng(seed)
        as_extreme = np.zeros(moved.shape[1], np.int64)
        block = max(1, _CELLS_AT_ONCE // max(1, len(moved)))
        for first in range(0, flips, block):
            rows = min(block, flips - first)
            signs = 1 - 2 * rng.integers(0, 2, (rows, len(moved)), dtype=np.int8)
            as_extreme += _as_extreme(signs.astype(np.float64) @ moved, moved)
        return np.asarray((as_extreme + 1) / (flips + 1))

    return draw


def _as_extreme(sums: NDArray[np.float64], moved: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many sums of flipped differences are at least as large as that of the differences, by column."""
    most = np.array([abs(math.fsum(column)) for column in moved.T]) - 1e-9 * np.abs(moved).sum(axis=0)
    return np.asarray((np.abs(sums) >= most).sum(axis=0))


def bootstrap_means(
    values: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES, level: float = LEVEL
) -> list[Interval | Undefined]:
    """Percentile intervals of the means of several columns over the same items, all from the same draws.

    Args:
        values: (items, columns); NaN where an item has no value.
        seed: Of the draws; the order of the items does not matter.
        resamples: How many are drawn.
        level: Of confidence.
    """
    table = np.asarray(values, dtype=np.float64)
    has = (~np.isnan(table)).astype(np.float64)
    filled = np.nan_to_num(table)
    order = np.lexsort(filled.T)
    has, filled = has[order], filled[order]
    means = []
    for counts in draws(len(table), seed, resamples):
        with np.errstate(divide="ignore", invalid="ignore"):
            means.append(counts @ filled / (counts @ has))  # a resample without any value gives NaN
    sizes = has.sum(axis=0).astype(int)
    if not means:
        return [Undefined("one_item" if n else "no_items") for n in sizes]
    drawn = np.concatenate(means)
    return [percentile_interval(drawn[:, column], int(n), level) for column, n in enumerate(sizes)]


def able_to_reject(smallest_p: Sequence[float], alpha: float) -> list[bool]:
    """Which of several discrete tests could reject at all, and take part in the correction (Tarone 1990).

    A test whose smallest possible p-value lies above its share of alpha can never reject, and need not be
    paid for: K is the smallest number such that at most K tests could reach alpha / K.

    Args:
        smallest_p: The smallest p-value that each test could have given.
        alpha: The chance of any false rejection.
    """
    for k in range(1, len(smallest_p) + 1):
        able = [p <= alpha / k for p in smallest_p]
        if sum(able) <= k:
            return able
    return [False] * len(smallest_p)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given.

    Who rejects those that are at most alpha has a chance of at most alpha of any false rejection.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values are {list(p_values)}")
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, which in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * p_values[which]))
        adjusted[which] = largest
    return adjusted


def _gaps(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    a, b = finite(first), finite(second)
    if a.shape != b.shape:
        raise ValueError(f"{len(a)} values against {len(b)}")
    return a - b
