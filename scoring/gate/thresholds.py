"""Bounds that metrics must keep, endpoint by endpoint. Pure.

What could not be measured does not keep its bound: a gate that passes what it did not see is none. The
share of void calls is bound too: beyond it our own side has spoiled too much for the gate to decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from scoring.digest.columns import Digest, Mask
from scoring.gate.checks import Check, Kind, Status
from scoring.metric import VOID, Metric, Statistic
from scoring.report.figures import counts_text, number, title

VOID_SHARE = "void_share"
"""Name of the bound on the share of void calls."""

MOST_VOID = 0.1
"""Where the configuration names none."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The least and the most that a metric may be; None is no bound."""

    metric: str
    least: float | None = None
    most: float | None = None

    def keeps(self, value: float) -> bool:
        """Whether a value lies within, rounding aside."""
        slack = 1e-9 * max(1.0, abs(value))
        low = self.least is None or value >= self.least - slack
        return low and (self.most is None or value <= self.most + slack)

    def text(self, unit: str) -> str:
        """The bound in words."""
        parts = []
        if self.least is not None:
            parts.append(f"at least {number(self.least, unit)}")
        if self.most is not None:
            parts.append(f"at most {number(self.most, unit)}")
        return " and ".join(parts)


def thresholds(
    digest: Digest,
    bounds: Sequence[Bound],
    metrics: Mapping[str, Metric],
    unrecorded: Mapping[str, int] = MappingProxyType({}),
) -> Iterator[Check]:
    """Check every bound for every endpoint.

    Args:
        digest: The episodes.
        bounds: What is asked for.
        metrics: All metrics by name.
        unrecorded: Calls of an endpoint that left no episode: void as well.
    """
    own = {bound.metric for bound in bounds}
    every = [*bounds, *([] if VOID_SHARE in own else [Bound(VOID_SHARE, most=MOST_VOID)])]
    for endpoint in dict.fromkeys([*(row.endpoint for row in digest.rows), *unrecorded]):
        keep = digest.where(row.endpoint == endpoint for row in digest.rows)
        for bound in every:
            if bound.metric == VOID_SHARE:
                yield _void(digest, bound, endpoint, keep, unrecorded.get(endpoint, 0))
            else:
                yield _bound(digest, bound, metrics[bound.metric], endpoint, keep)


def _bound(digest: Digest, bound: Bound, metric: Metric, endpoint: str, keep: Mask) -> Check:
    found = digest.aggregate(metric, keep)
    value = found.value
    if metric.statistic is Statistic.RATE and found.n:
        # a rate of few events is withheld in reports; a bound is a bound
        values = digest.columns[metric.name].of(keep & ~digest.void).values
        value = math.fsum(values) / len(values)
    asked = bound.text(metric.unit)
    if value is None:
        missing = {cause: count for cause, count in found.unscored.items() if cause != VOID}
        causes = found.withheld.replace("_", " ") or counts_text(missing) or "no occasion"
        # calls that our own side spoiled say nothing about the endpoint, not even that it failed
        status = Status.FAILED if (keep & ~digest.void).any() else Status.UNDECIDED
        reason = f"could not be measured ({causes}); asked for: {asked}"
    else:
        status = Status.PASSED if bound.keeps(value) else Status.FAILED
        reason = f"{title(metric.name)} {number(value, metric.unit)}, asked for: {asked} (n = {found.n})"
    return Check(Kind.THRESHOLD, metric.name, endpoint, status, reason)


def _void(digest: Digest, bound: Bound, endpoint: str, keep: Mask, unrecorded: int) -> Check:
    calls, void = int(keep.sum()) + unrecorded, int((keep & digest.void).sum()) + unrecorded
    share = void / calls
    status = Status.PASSED if bound.keeps(share) and void < calls else Status.UNDECIDED
    reason = f"{void} of {calls} calls void ({number(share, 'ratio')}), asked for: {bound.text('ratio')}"
    return Check(Kind.THRESHOLD, VOID_SHARE, endpoint, status, reason)
