"""How two rows of numbers go together, and whether chance would do as well."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.statistics.undefined import Undefined

EXACT_UP_TO = 8
"""Points up to which every permutation is tried: 8! = 40,320."""

PERMUTATIONS = 10_000
"""Random permutations of more points."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation of n points.

    Attributes:
        p: Two-sided: the share of permutations that correlate at least as much.
        exact: Whether all permutations were tried, or a seeded sample.
    """

    value: float
    n: int
    p: float
    exact: bool


def average_ranks(values: ArrayLike) -> Floats:
    """Ranks from 1 in rising order; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(
        np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True
    )
    shared = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(shared[inverse], dtype=np.float64)


def pearson(x: ArrayLike, y: ArrayLike) -> float | Undefined:
    """Pearson's product-moment correlation."""
    pair = _points(x, y)
    if isinstance(pair, Undefined):
        return pair
    a, b = (row - row.mean() for row in pair)
    return _cosine(a, b)


def squared_pearson(x: ArrayLike, y: ArrayLike) -> float | Undefined:
    """The share of variance that a line explains; not the square of Spearman's rho."""
    r = pearson(x, y)
    return r if isinstance(r, Undefined) else r * r


def spearman(
    x: ArrayLike, y: ArrayLike, *, seed: int = 0, permutations: int = PERMUTATIONS
) -> Correlation | Undefined:
    """Spearman's rho: Pearson's correlation of average ranks, with a permutation test."""
    pair = _points(x, y)
    if isinstance(pair, Undefined):
        return pair
    # in the order of x, so that the order of the points changes no draw
    order = np.lexsort((pair[1], pair[0]))
    n = len(order)
    # twice the ranks about their mean: whole numbers, whose sums of products are exact
    a, b = (2 * average_ranks(row[order]) - (n + 1) for row in pair)
    exact = n <= EXACT_UP_TO
    if exact:
        others = a[_permutations(n)] @ b
    else:
        rows = np.tile(a, (permutations, 1))
        others = np.random.default_rng(seed).permuted(rows, axis=1) @ b
    as_extreme = int((np.abs(others) >= abs(a @ b)).sum())
    p = as_extreme / len(others) if exact else (as_extreme + 1) / (len(others) + 1)
    return Correlation(_cosine(a, b), n, p, exact)


@functools.cache
def _permutations(n: int) -> NDArray[np.intp]:
    """All orders of n places (n!, n)."""
    return np.array(list(itertools.permutations(range(n))), dtype=np.intp)


def _points(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats] | Undefined:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"expected two rows of one length, found shapes {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("expected finite numbers; leave out what is missing, on both sides")
    if len(a) < 2:
        return Undefined("fewer_than_two_points")
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return Undefined("constant")
    return a, b


def _cosine(a: Floats, b: Floats) -> float:
    """Of the angle between two rows about their means, which is their correlation."""
    return float(np.clip(a @ b / math.sqrt((a @ a) * (b @ b)), -1, 1))
