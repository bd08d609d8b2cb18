from __future__ import annotations

import json
import math
import random

import pytest

from scoring.metric import FunctionMetric, Measured, Measurement, Statistic, Unscored, aggregate


def metric(statistic: Statistic) -> FunctionMetric:
    return FunctionMetric("m", "ms", statistic, "A metric.", lambda view: [])


def test_failures_never_enter_a_mean_and_never_vanish() -> None:  # D36: 8.0 over 9 of 10; not 7.1 or 7.2
    values: list[Measurement] = [Measured(8.0) for _ in range(9)]
    result = aggregate(metric(Statistic.MEAN), [*values, Unscored("unparsable")])
    assert (result.value, result.n, result.unscored) == (8.0, 9, {"unparsable": 1})


def test_what_is_not_finite_is_counted_and_not_averaged() -> None:  # D43
    result = aggregate(metric(Statistic.MEAN), [Measured(1.0), Measured(math.nan), Measured(math.inf)])
    assert (result.value, result.n, result.unscored) == (1.0, 1, {"not_finite": 2})
    json.dumps(result.to_json(), allow_nan=False)


def test_nothing_scored_has_no_value() -> None:
    result = aggregate(metric(Statistic.MEDIAN), [Unscored("no_reply")], void=2)
    assert result.value is None
    assert result.spread is None
    assert result.unscored == {"no_reply": 1, "void_episode": 2}


@pytest.mark.parametrize(("n", "shown"), [(19, False), (20, True)])
def test_a_95th_percentile_needs_twenty_values(n: int, shown: bool) -> None:
    result = aggregate(metric(Statistic.MEDIAN), [Measured(float(i)) for i in range(n)])
    assert result.spread is not None
    assert (result.spread.p95 is not None) == shown
    assert result.value == (n - 1) / 2


def test_a_ratio_is_the_sum_of_parts_over_the_sum_of_wholes() -> None:  # D29: 1 of 14
    values = [Measured(1.0, 0, {}, (1, 1)), Measured(0.0, 1, {}, (0, 13))]
    assert aggregate(metric(Statistic.RATIO), values).value == 1 / 14


@pytest.mark.parametrize("statistic", list(Statistic))
def test_order_does_not_matter(statistic: Statistic) -> None:
    rng = random.Random(1)
    values = [Measured(rng.uniform(-1, 1) * 10**k, None, {}, (k, 7)) for k in range(12) for _ in range(3)]
    if statistic is Statistic.RATE:
        values = [Measured(float(rng.random() < 0.5)) for _ in values]
    shuffled = rng.sample(values, len(values))
    assert aggregate(metric(statistic), values) == aggregate(metric(statistic), shuffled)
