"""Two systems or judges on the same items: is the difference more than chance?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.statistics.intervals import (
    LEVEL,
    RESAMPLES,
    Interval,
    bootstrap_mean,
    finite,
    numbered,
)
from scoring.statistics.undefined import Undefined

EXACT_FLIPS = 16
"""Differences up to which every choice of signs is tried: 2^16 = 65,536."""

FLIPS = 10_000
"""Random choices of signs for more."""


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
    if not len(gaps):
        return Undefined("no_items")
    moved = np.sort(gaps[gaps != 0])  # sorted: the order of the items changes no draw
    exact = len(moved) <= EXACT_FLIPS
    if exact:
        signs = 1 - 2 * ((np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1)
    else:
        signs = 1 - 2 * np.random.default_rng(seed).integers(0, 2, (flips, len(moved)))
    sums = np.abs(signs @ moved)
    as_extreme = int((sums >= abs(math.fsum(moved)) - 1e-9 * np.abs(moved).sum()).sum())
    p = as_extreme / len(sums) if exact else (as_extreme + 1) / (len(sums) + 1)
    return SignFlip(len(gaps), p, exact)


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
