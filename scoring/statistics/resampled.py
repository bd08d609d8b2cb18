"""Intervals of medians over values that belong together: a percentile bootstrap that draws whole clusters.

Means, ratios and shares have theirs in `scoring.statistics.intervals`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from scoring.statistics.intervals import LEVEL, RESAMPLES, Floats, Interval, bootstrap, finite
from scoring.statistics.undefined import Undefined

_HALF = 1e-9
"""Products of shares are rounded: one half may come out a little larger."""


def bootstrap_median(
    values: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval | Undefined:
    """Of the median of all values; with clusters, those are drawn and every value of a drawn one counts."""
    found = finite(values)
    order = np.argsort(found, kind="stable")
    ranked = found[order]

    def median(counts: Floats) -> Floats:
        below = np.cumsum(counts[:, order], axis=1)
        half = below[:, -1:] / 2
        # the mean of the two in the middle, which are one where the number is odd
        low, high = (below < half).sum(axis=1), (below <= half).sum(axis=1)
        empty = below[:, -1] == 0
        last = len(ranked) - 1
        middle = (ranked[np.minimum(low, last)] + ranked[np.minimum(high, last)]) / 2
        return np.where(empty, np.nan, middle)

    return bootstrap(median, len(found), clusters, seed=seed, resamples=resamples, level=level)


def bootstrap_survival(
    times: ArrayLike,
    happened: Sequence[bool],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval | Undefined:
    """Of the Kaplan-Meier median of times, some of which were cut short; see `scoring.statistics.survival`.

    A resample in which more than half of the curve never falls has no median; if those are more than half,
    neither has the interval.
    """
    found, event = finite(times), np.asarray(happened, dtype=bool)
    # of equal times the events come first
    order = np.lexsort((~event, found))
    ranked, fell = found[order], event[order]

    def median(counts: Floats) -> Floats:
        drawn = counts[:, order]
        risk = np.cumsum(drawn[:, ::-1], axis=1)[:, ::-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            stays = np.where((risk > 0) & fell, 1 - drawn / risk, 1.0)
        reached = np.cumprod(stays, axis=1) <= 0.5 + _HALF
        return np.where(reached.any(axis=1), ranked[reached.argmax(axis=1)], np.nan)

    return bootstrap(median, len(found), clusters, seed=seed, resamples=resamples, level=level)
