"""The comparison of two sides: for each metric the paired difference, its interval, and a verdict. Pure.

Both sides were asked the same by the same user (scenario and seed), so each pair is its own control. The
unit is the episode: its turns are not independent. For each pair the difference is taken; of those

- the mean, second side minus first, with its bootstrap interval (95 %, pairs drawn),
- a sign-flip permutation test of the mean being zero, corrected over all metrics compared (Holm 1979; tests
  that could reject with no data of this size are left out of the correction, Tarone 1990).

*better* and *worse*: the corrected p is at most 5 %, and the mean difference is at least the smallest that
matters. *too little data*: so few pairs that no difference whatever could have been seen. *no difference
seen*: neither; read the interval to know what can be ruled out.

What is said holds for these scenarios; whether it holds for others depends on how they were chosen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from scoring.compare.metrics import Better, Compared
from scoring.compare.pairs import Key, Pairs, pair, pair_values
from scoring.digest.columns import Digest
from scoring.metric import Aggregate, Metric
from scoring.statistics.intervals import Floats, Interval
from scoring.statistics.paired import (
    EXACT_FLIPS,
    FLIPS,
    able_to_reject,
    bootstrap_means,
    holm,
    sign_flips,
)
from scoring.statistics.undefined import Undefined

ALPHA = 0.05
"""The chance of any verdict *better* or *worse* where there is no difference."""


class Verdict(StrEnum):
    """What can be said."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference seen"
    TOO_LITTLE = "too little data"


@dataclass(frozen=True, slots=True)
class Side:
    """One of two sides.

    Attributes:
        name: For people.
        digest: Its episodes, void ones too.
    """

    name: str
    digest: Digest

    @property
    def void(self) -> int:
        """Episodes that our own side spoiled."""
        return sum(row.void for row in self.digest.rows)

    def to_json(self) -> dict[str, Any]:
        """Name and counts."""
        return {"name": self.name, "episodes": len(self.digest.rows), "void": self.void}


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric on both sides.

    Attributes:
        first: The metric over all episodes of the first side that count, paired or not.
        second: The same of the second side.
        n: Pairs in which both sides have a value.
        difference: Mean over the pairs, second minus first; None if there are none.
        p: Of the sign-flip test.
        corrected: The same after Holm; None where no correction could help.
    """

    compared: Compared
    first: Aggregate
    second: Aggregate
    n: int
    difference: float | None
    interval: Interval | Undefined
    p: float | None
    corrected: float | None
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        """As in the JSON of `viva compare`."""
        return {
            "verdict": self.verdict.value,
            "better_is": self.compared.better.value,
            "minimum_effect": self.compared.minimum,
            "unit": self.first.unit,
            "first": self.first.to_json(),
            "second": self.second.to_json(),
            "pairs": self.n,
            "difference": self.difference,
            "interval": self.interval.to_json() if isinstance(self.interval, Interval) else None,
            "p": self.p,
            "p_corrected": self.corrected,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides in all metrics.

    Attributes:
        about: What the sides differ in ("endpoint", "run", "user", "condition").
        within: What they have in common, if that must be said ("" if not).
        pairs: Of episodes.
        left_out: Episodes without a partner, by cause.
    """

    about: str
    within: str
    first: Side
    second: Side
    pairs: int
    left_out: Mapping[str, int]
    metrics: Mapping[str, MetricComparison]

    def having(self, verdict: Verdict) -> list[str]:
        """The metrics with a verdict."""
        return [name for name, found in self.metrics.items() if found.verdict is verdict]

    def to_json(self) -> dict[str, Any]:
        """As in the JSON of `viva compare`."""
        return {
            "about": self.about,
            "within": self.within,
            "first": self.first.to_json(),
            "second": self.second.to_json(),
            "pairs": self.pairs,
            "left_out": dict(sorted(self.left_out.items())),
            "metrics": {name: found.to_json() for name, found in self.metrics.items()},
        }


@dataclass(frozen=True, slots=True)
class Question:
    """Two sides to be compared; see `Comparison`."""

    about: str
    first: Side
    second: Side
    key: Key
    within: str = ""


@dataclass(frozen=True, slots=True)
class _Tested:
    """What was measured of one metric, before the correction."""

    compared: Compared
    n: int
    difference: float | None
    interval: Interval | Undefined
    p: float | None


def compare(
    questions: Sequence[Question], compared: Sequence[Compared], metrics: Mapping[str, Metric]
) -> list[Comparison]:
    """Compare sides; one correction is over all of it.

    Args:
        questions: The pairs of sides.
        compared: The metrics.
        metrics: All metrics by name.
    """
    paired = [pair(question.first.digest, question.second.digest, question.key) for question in questions]
    tested = [
        one
        for question, pairs in zip(questions, paired, strict=True)
        for one in _test(question, pairs, compared, metrics)
    ]
    corrected = _corrected(tested)
    found: list[Comparison] = []
    for number, (question, pairs) in enumerate(zip(questions, paired, strict=True)):
        own = range(number * len(compared), (number + 1) * len(compared))
        judged = (_judged(tested[place], question, metrics, corrected.get(place)) for place in own)
        found.append(
            Comparison(
                about=question.about,
                within=question.within,
                first=question.first,
                second=question.second,
                pairs=pairs.count,
                left_out=pairs.left_out,
                metrics={one.compared.metric: one for one in judged},
            )
        )
    return found


def _corrected(tested: Sequence[_Tested]) -> dict[int, float]:
    """The corrected p-values, by place, of the tests that could reject at all."""
    able = able_to_reject([_smallest_p(one.n) for one in tested], ALPHA)
    among = {place: one.p for place, one in enumerate(tested) if able[place] and one.p is not None}
    return dict(zip(among, holm(list(among.values())), strict=True))


def _test(
    question: Question, pairs: Pairs, compared: Sequence[Compared], metrics: Mapping[str, Metric]
) -> list[_Tested]:
    """The differences of every metric: one draw of pairs, and one choice of signs, is for all of them."""
    if not pairs.count:
        return [_Tested(each, 0, None, Undefined("no_items"), None) for each in compared]
    gaps = np.column_stack([_gaps(question, pairs, metrics[each.metric]) for each in compared])
    flips, intervals = sign_flips(gaps), bootstrap_means(gaps)
    found = []
    for place, each in enumerate(compared):
        own = gaps[:, place][~np.isnan(gaps[:, place])]
        flip = flips[place]
        found.append(
            _Tested(
                each,
                len(own),
                math.fsum(own) / len(own) if len(own) else None,
                intervals[place],
                None if isinstance(flip, Undefined) else flip.p,
            )
        )
    return found


def _gaps(question: Question, pairs: Pairs, metric: Metric) -> Floats:
    first, second = (
        pair_values(side.digest.columns[metric.name], metric.statistic, numbers, pairs.count)
        for side, numbers in ((question.first, pairs.first), (question.second, pairs.second))
    )
    return second - first


def _smallest_p(n: int) -> float:
    """What the test gives if all n pairs differ in one direction."""
    return float(0.5 ** (n - 1)) if n <= EXACT_FLIPS else max(1 / (FLIPS + 1), 0.5 ** (n - 1))


def _judged(
    one: _Tested, question: Question, metrics: Mapping[str, Metric], corrected: float | None
) -> MetricComparison:
    metric = metrics[one.compared.metric]
    return MetricComparison(
        compared=one.compared,
        first=question.first.digest.aggregate(metric),
        second=question.second.digest.aggregate(metric),
        n=one.n,
        difference=one.difference,
        interval=one.interval,
        p=one.p,
        corrected=corrected,
        verdict=_verdict(one, corrected),
    )


def _verdict(one: _Tested, corrected: float | None) -> Verdict:
    if corrected is None or one.difference is None:
        return Verdict.TOO_LITTLE
    # what is just as large as the smallest that matters does matter, whatever rounding did to it
    small = abs(one.difference) < one.compared.minimum * (1 - 1e-9)
    if corrected > ALPHA or small:
        return Verdict.NO_DIFFERENCE
    up = one.difference > 0
    return Verdict.BETTER if up is (one.compared.better is Better.HIGHER) else Verdict.WORSE
