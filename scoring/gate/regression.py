"""Is an endpoint worse than it was? Only where intervals part *and* the difference is large enough. Pure.

For each metric both runs have a 95 % interval over their episodes: whole episodes are drawn, since turns of
one call are alike. If nothing has changed, two such intervals part with a chance of about half a per cent,
which is asked of many metrics; docs/benchmarks.md has the share of false alarms as measured. Only calls
that both runs have are looked at: the same scenario and seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.compare.metrics import Better, Compared
from scoring.compare.pairs import pair
from scoring.compare.sides import between_runs
from scoring.digest.columns import Digest
from scoring.gate.checks import EVERYTHING, Check, Kind, Status
from scoring.metric import Metric, Statistic
from scoring.report.figures import counts_text, number, range_text, title
from scoring.statistics.intervals import Interval, bootstrap_mean, bootstrap_ratio, share_interval
from scoring.statistics.resampled import bootstrap_median, bootstrap_survival
from scoring.statistics.undefined import Undefined

NEEDS = 8
"""Episodes with a value on each side: of fewer, draws say too little about the spread."""


def regressions(
    now: Digest, before: Digest, compared: Sequence[Compared], metrics: Mapping[str, Metric]
) -> Iterator[Check]:
    """Check every metric that both runs have values of, endpoint by endpoint.

    Raises:
        NothingToCompare: The runs have several endpoints, and none in common.
    """
    unseen = dict.fromkeys(row.endpoint for row in now.rows)
    for question in between_runs(before, now, ("before", "now")):
        pairs = pair(question.first.digest, question.second.digest, question.key)
        old = question.first.digest.select(pairs.first >= 0)
        new = question.second.digest.select(pairs.second >= 0)
        endpoint = question.second.digest.rows[0].endpoint
        unseen.pop(endpoint)
        if not pairs.count:
            why = f"no call of the baseline has the same scenario and seed ({counts_text(pairs.left_out)})"
            yield Check(Kind.REGRESSION, EVERYTHING, endpoint, Status.SKIPPED, why)
            continue
        for each in compared:
            metric = metrics[each.metric]
            sides = [_estimate(digest, metric) for digest in (old, new)]
            if any(side.episodes for side in sides):
                yield _check(each, metric, endpoint, *sides)
    for endpoint in unseen:
        why = "the baseline has no call with this endpoint"
        yield Check(Kind.REGRESSION, EVERYTHING, endpoint, Status.SKIPPED, why)


@dataclass(frozen=True, slots=True)
class _Estimate:
    """A metric of one run, and over how many episodes."""

    value: float | None
    interval: Interval | Undefined
    episodes: int

    def text(self, unit: str) -> str:
        """For people."""
        if self.value is None:
            return "unknown"
        if isinstance(self.interval, Undefined):
            return number(self.value, unit)
        return f"{number(self.value, unit)} ({range_text(self.interval.low, self.interval.high, unit)})"


def _check(each: Compared, metric: Metric, endpoint: str, old: _Estimate, new: _Estimate) -> Check:
    told = f"{title(metric.name)} {old.text(metric.unit)} before, {new.text(metric.unit)} now"
    worse = _worse(each, old, new)
    if min(old.episodes, new.episodes) < NEEDS:
        why = f"too little data: {old.episodes} and {new.episodes} episodes, {NEEDS} are needed"
        return Check(Kind.REGRESSION, metric.name, endpoint, Status.SKIPPED, f"{told}; {why}")
    if worse is None:
        return Check(Kind.REGRESSION, metric.name, endpoint, Status.SKIPPED, f"{told}; no interval")
    if worse < each.minimum * (1 - 1e-9):
        return Check(Kind.REGRESSION, metric.name, endpoint, Status.PASSED, told)
    why = f"worse by {number(worse, metric.unit)}, and the intervals part"
    return Check(Kind.REGRESSION, metric.name, endpoint, Status.FAILED, f"{told}; {why}")


def _worse(each: Compared, old: _Estimate, new: _Estimate) -> float | None:
    """By how much it is worse for certain; 0 if the intervals meet, None if that cannot be told."""
    if old.value is None or new.value is None:
        return None
    if isinstance(old.interval, Undefined) or isinstance(new.interval, Undefined):
        return None
    if old.interval.overlaps(new.interval):
        return 0.0
    return (new.value - old.value) * (1 if each.better is Better.LOWER else -1)


def _estimate(digest: Digest, metric: Metric) -> _Estimate:
    column, keep = digest.columns[metric.name], ~digest.void
    columns, episodes = column.of(keep), column.episode[keep[column.episode]]
    values, clusters = columns.values, episodes.tolist()
    value = digest.aggregate(metric).value
    binary = bool(len(values)) and bool(np.isin(values, (0.0, 1.0)).all())
    found: Interval | Undefined
    match metric.statistic:
        case Statistic.RATE | Statistic.MEAN if binary:
            # at 0 and 1 a bootstrap has no width, and every difference would part them
            value = float(values.mean())
            found = share_interval((values > 0).tolist(), clusters)
        case Statistic.RATE | Statistic.MEAN:
            found = bootstrap_mean(values, clusters)
        case Statistic.RATIO:
            found = bootstrap_ratio(columns.parts[:, 0], columns.parts[:, 1], clusters)
        case Statistic.MEDIAN:
            found = bootstrap_median(values, clusters)
        case Statistic.SURVIVAL:
            found = bootstrap_survival(values, (~columns.censored).tolist(), clusters)
    return _Estimate(value, found, len(set(clusters)))
