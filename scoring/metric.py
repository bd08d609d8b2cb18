"""What a metric is, what it gives, and how its values are put together.

Nothing is ever dropped: what could not be measured is an `Unscored` with a cause, and every aggregate
counts them beside its n.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoring.statistics.intervals import Floats, Interval, wilson
from scoring.statistics.survival import kaplan_meier
from scoring.statistics.undefined import Undefined, or_none
from scoring.view import EpisodeView

P95_NEEDS = 20
"""Values below which a 95th percentile is withheld: it would be little more than the maximum."""

RATE_NEEDS = 10
"""Events below which a rate is withheld: three of four is no 75 % (tau-voice, interaction metrics)."""

VOID = "void_episode"
"""The cause under which episodes that our own side spoiled are counted."""


class Statistic(StrEnum):
    """How many values become one."""

    MEDIAN = "median"
    MEAN = "mean"
    RATIO = "ratio"  # sum of parts / sum of wholes: word errors / words
    RATE = "rate"  # share of events that came out as 1, with Wilson's interval; withheld below ten events
    SURVIVAL = "survival"  # Kaplan-Meier median of times, some of which were cut short


@dataclass(frozen=True, slots=True)
class Measured:
    """A value.

    Attributes:
        where: Index of the exchange, or None if it is of the whole episode.
        evidence: What it was made from.
        parts: Part and whole of a ratio: their sums make the aggregate.
        censored: The time was cut short before what it waits for: it is at least `value`.
    """

    value: float
    where: int | None = None
    evidence: Mapping[str, object] = field(default_factory=dict)
    parts: tuple[int, int] | None = None
    censored: bool = False


@dataclass(frozen=True, slots=True)
class Unscored:
    """A value that is missing, and why."""

    cause: str
    where: int | None = None


Measurement = Measured | Unscored


class Metric(Protocol):
    """One number about endpoints, from one episode at a time."""

    @property
    def name(self) -> str:
        """Its name in files and tables."""

    @property
    def version(self) -> int:
        """Raised whenever values change: scores of different versions are not comparable."""

    @property
    def unit(self) -> str:
        """One of "ms", "s", "ratio", "count", "per s" and "score"."""

    @property
    def statistic(self) -> Statistic:
        """How its values are aggregated."""

    @property
    def description(self) -> str:
        """One sentence for a reader of the report."""

    def measure(self, view: EpisodeView) -> list[Measurement]:
        """Every value of an episode, and every value that is missing."""


@dataclass(frozen=True, slots=True)
class FunctionMetric:
    """A metric made of a function; see `Metric`."""

    name: str
    unit: str
    statistic: Statistic
    description: str
    measure: Callable[[EpisodeView], list[Measurement]]
    version: int = 1


@dataclass(frozen=True, slots=True)
class Spread:
    """How values lie; in the metric's unit.

    Attributes:
        p95: None below 20 values: withheld, not zero.
    """

    mean: float
    p50: float
    p95: float | None
    minimum: float
    maximum: float


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A metric over many values.

    Attributes:
        value: None if nothing could be scored, or if it is withheld.
        n: Values that went into it.
        unscored: How many did not, by cause.
        interval: 95 %, where the statistic has one.
        censored: How many of the n were cut short.
        withheld: Why there is no value in spite of n ("fewer_than_10_events", "median_not_reached").
    """

    value: float | None
    n: int
    unscored: Mapping[str, int]
    unit: str
    version: int
    statistic: Statistic
    spread: Spread | None = None
    interval: Interval | None = None
    censored: int = 0
    withheld: str = ""

    def to_json(self) -> dict[str, object]:
        """As in the run's JSON; what has no meaning for the statistic is left out."""
        more: dict[str, object] = {}
        if self.statistic in (Statistic.RATE, Statistic.SURVIVAL):
            more["interval"] = None if self.interval is None else self.interval.to_json()
            more["withheld"] = self.withheld or None
        if self.statistic is Statistic.SURVIVAL:
            more["censored"] = self.censored
        return {
            "value": self.value,
            "n": self.n,
            "unscored": dict(sorted(self.unscored.items())),
            "unit": self.unit,
            "version": self.version,
            **more,
        }


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a metric that could be scored, as columns of one length.

    Attributes:
        parts: Parts and wholes (n, 2) of ratios; 0 and 0 where a value has none.
        censored: True where a time was cut short.
    """

    values: Floats
    parts: NDArray[np.int64]
    censored: NDArray[np.bool_]

    @classmethod
    def of(cls, scored: Sequence[Measured]) -> Values:
        """Measured values as columns."""
        return cls(
            np.array([item.value for item in scored], dtype=np.float64),
            np.array([item.parts or (0, 0) for item in scored], dtype=np.int64).reshape(-1, 2),
            np.array([item.censored for item in scored], dtype=np.bool_),
        )


def aggregate(metric: Metric, measurements: Iterable[Measurement], void: int = 0) -> Aggregate:
    """Put the values of one or many episodes together; their order does not matter.

    Args:
        metric: Whose values they are.
        measurements: From the episodes that count.
        void: Episodes left out because our own side spoiled them.
    """
    scored, causes = sorted_out(measurements)
    if void:
        causes[VOID] += void
    return put_together(metric, Values.of(scored), causes)


def sorted_out(measurements: Iterable[Measurement]) -> tuple[list[Measured], Counter[str]]:
    """The values that were measured, and how many were not, by cause."""
    causes: Counter[str] = Counter()
    scored: list[Measured] = []
    for item in measurements:
        if isinstance(item, Unscored):
            causes[item.cause] += 1
        elif not math.isfinite(item.value):
            causes["not_finite"] += 1
        else:
            scored.append(item)
    return scored, causes


def put_together(metric: Metric, columns: Values, causes: Mapping[str, int]) -> Aggregate:
    """The aggregate of values that were measured, and of those that were not, by cause."""
    value, interval, withheld = _value(metric.statistic, columns)
    return Aggregate(
        value=value,
        n=len(columns.values),
        unscored=causes,
        unit=metric.unit,
        version=metric.version,
        statistic=metric.statistic,
        spread=_spread(columns.values),
        interval=interval,
        censored=int(columns.censored.sum()),
        withheld=withheld,
    )


def _value(statistic: Statistic, columns: Values) -> tuple[float | None, Interval | None, str]:
    """The value, its interval where the statistic has one, and why it is withheld."""
    values = columns.values
    if not len(values):
        return None, None, ""
    match statistic:
        case Statistic.MEDIAN:
            return float(np.median(values)), None, ""
        case Statistic.MEAN:
            return math.fsum(values) / len(values), None, ""
        case Statistic.RATIO:
            part, whole = (int(column) for column in columns.parts.sum(axis=0))
            return (part / whole if whole else float(part)), None, ""
        case Statistic.RATE:
            return _rate(values)
        case Statistic.SURVIVAL:
            return _survival(columns)


def _rate(values: Floats) -> tuple[float | None, Interval | None, str]:
    if len(values) < RATE_NEEDS:
        return None, None, f"fewer_than_{RATE_NEEDS}_events"
    hits = round(math.fsum(values))
    return hits / len(values), or_none(wilson(hits, len(values))), ""


def _survival(columns: Values) -> tuple[float | None, Interval | None, str]:
    curve = kaplan_meier(columns.values.tolist(), (~columns.censored).tolist())
    median, interval = curve.median, curve.median_interval()
    if isinstance(median, Undefined):
        return None, None, median.cause
    return median, or_none(interval), ""


def _spread(values: Floats) -> Spread | None:
    if not len(values):
        return None
    return Spread(
        mean=math.fsum(values) / len(values),
        p50=float(np.median(values)),
        p95=float(np.percentile(values, 95)) if len(values) >= P95_NEEDS else None,
        minimum=float(values.min()),
        maximum=float(values.max()),
    )
