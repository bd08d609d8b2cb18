"""Averages of what could be measured. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean, median


def middle(values: Iterable[float | None]) -> float | None:
    """The median of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def mean(values: Iterable[float]) -> float | None:
    """The mean; None of nothing."""
    known = list(values)
    return fmean(known) if known else None
