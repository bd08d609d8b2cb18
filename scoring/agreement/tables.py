"""Joint tables of labels, and resamples of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from scoring.statistics.intervals import RESAMPLES, draws, numbered

Floats = NDArray[np.float64]


def cells(first: Sequence[str], second: Sequence[str], names: Sequence[str]) -> NDArray[np.intp]:
    """The cell of each item in a table that is read row by row."""
    place = {name: k for k, name in enumerate(names)}
    pairs = zip(first, second, strict=True)
    return np.array([place[a] * len(names) + place[b] for a, b in pairs], dtype=np.intp)


def resampled(
    found: NDArray[np.intp],
    q: int,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Floats:
    """Tables (resamples, q, q) of items drawn with replacement, each with both of its labels.

    Drawing n items draws the counts of their cells from a multinomial distribution. Cells are numbered by
    first appearance: other names for the labels, or exchanged sources, give the same draws. Clusters are
    drawn as wholes. Fewer than two items or clusters give no resample.
    """
    if clusters is not None:
        groups = numbered(clusters, len(found))
        n = int(groups.max(initial=-1)) + 1
        held = np.bincount(groups * q * q + found, minlength=n * q * q).reshape(n, q * q)
        drawn = [counts @ held for counts in draws(n, seed, resamples, q * q)]
        return (np.concatenate(drawn) if drawn else np.empty((0, q * q))).reshape(-1, q, q)
    if len(found) < 2:
        return np.empty((0, q, q))
    occupied, order, counts = np.unique(found, return_index=True, return_counts=True)
    by_appearance = np.argsort(order)
    shares = counts[by_appearance] / len(found)
    tables = np.zeros((resamples, q * q))
    tables[:, occupied[by_appearance]] = np.random.default_rng(seed).multinomial(
        len(found), shares, size=resamples
    )
    return tables.reshape(-1, q, q)
