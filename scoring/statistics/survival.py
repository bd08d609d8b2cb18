"""Times until something happens, some of which were cut short before it did (Kaplan and Meier 1958)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.statistics.intervals import LEVEL, Interval, normal_quantile
from scoring.statistics.undefined import Undefined

_HALF = 0.5 + 1e-9
"""Products of shares are rounded: one half may come out a little larger."""


@dataclass(frozen=True, slots=True)
class Survival:
    """The Kaplan-Meier curve.

    Attributes:
        n: Times, with and without an event.
        events: Times at whose end it happened; the others are right-censored.
        times: At which it happened, rising, each once.
        share: Share for which it has not yet happened just after each of them.
        variance: Greenwood's sum at each of them, of d / (r (r - d)).
    """

    n: int
    events: int
    times: tuple[float, ...]
    share: tuple[float, ...]
    variance: tuple[float, ...]

    @property
    def median(self) -> float | Undefined:
        """The first time at which the share is at most one half."""
        return _first(self.times, [share <= _HALF for share in self.share], self.n)

    def median_interval(self, level: float = LEVEL) -> Interval | Undefined:
        """Brookmeyer and Crowley's interval of the median, on the log(-log) scale.

        The upper limit is undefined where too many times were cut short: "high_not_reached".
        """
        z = normal_quantile(level)
        below = [_bound(s, v, z) <= _HALF for s, v in zip(self.share, self.variance, strict=True)]
        above = [_bound(s, v, -z) <= _HALF for s, v in zip(self.share, self.variance, strict=True)]
        low, high = _first(self.times, below, self.n), _first(self.times, above, self.n)
        if isinstance(low, Undefined):
            return low
        return Undefined("high_not_reached") if isinstance(high, Undefined) else Interval(low, high, level)


def kaplan_meier(times: Sequence[float], happened: Sequence[bool]) -> Survival:
    """The curve of times, each of which ended with the event or was cut short (right-censored).

    Where both happen at one time, the event comes first.
    """
    t, event = np.asarray(times, dtype=np.float64), np.asarray(happened, dtype=bool)
    if t.shape != event.shape or t.ndim != 1 or not np.isfinite(t).all():
        raise ValueError("expected finite times, and for each whether it happened")
    at = np.unique(t[event])
    risk = np.array([(t >= when).sum() for when in at], dtype=np.float64)
    fell = np.array([((t == when) & event).sum() for when in at], dtype=np.float64)
    left: NDArray[np.float64] = risk - fell
    # where nobody is left the share is 0, whatever the variance
    greenwood = np.cumsum(np.divide(fell, risk * left, out=np.zeros_like(fell), where=left > 0))
    share = np.cumprod(left / risk) if len(at) else left
    return Survival(
        len(t), int(event.sum()), tuple(at.tolist()), tuple(share.tolist()), tuple(greenwood.tolist())
    )


def _bound(share: float, variance: float, z: float) -> float:
    """The share to the power exp(z se), se being that of log(-log share)."""
    if share in (0.0, 1.0):
        return share
    return float(share ** np.exp(z * np.sqrt(variance) / abs(np.log(share))))


def _first(times: Sequence[float], reached: Sequence[bool], n: int) -> float | Undefined:
    found = next((t for t, here in zip(times, reached, strict=True) if here), None)
    if found is not None:
        return found
    return Undefined("median_not_reached" if n else "no_items")
