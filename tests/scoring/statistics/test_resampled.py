from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.intervals import Interval, draws, numbered
from scoring.statistics.resampled import bootstrap_median, bootstrap_survival
from scoring.statistics.survival import kaplan_meier
from scoring.statistics.undefined import Undefined

clustered = st.lists(
    st.tuples(st.integers(0, 9), st.booleans(), st.sampled_from("abcd")), min_size=2, max_size=12
).filter(lambda items: len({cluster for _, _, cluster in items}) > 1)


def resamples(clusters: list[str], count: int) -> list[list[int]]:
    """Which items each resample holds: the same draws, spelled out."""
    groups = numbered(clusters, len(clusters))
    drawn = np.concatenate(list(draws(int(groups.max()) + 1, 0, count, len(clusters))))
    return [
        [item for item, group in enumerate(groups) for _ in range(int(counts[group]))] for counts in drawn
    ]


@given(clustered)
def test_the_interval_of_a_median_is_that_of_the_medians_of_the_resamples(
    items: list[tuple[int, bool, str]],
) -> None:
    values, clusters = [float(v) for v, _, _ in items], [c for _, _, c in items]
    medians = [float(np.median([values[i] for i in held])) for held in resamples(clusters, 50) if held]
    found = bootstrap_median(values, clusters, resamples=50)
    assert isinstance(found, Interval)
    assert found.to_json() == pytest.approx(list(np.quantile(medians, [0.025, 0.975])))


@given(clustered)
def test_the_interval_of_a_survival_median_is_that_of_kaplan_and_meiers(
    items: list[tuple[int, bool, str]],
) -> None:
    times, event = [float(v) for v, _, _ in items], [e for _, e, _ in items]
    clusters = [c for _, _, c in items]
    medians = []
    for held in resamples(clusters, 50):
        found = kaplan_meier([times[i] for i in held], [event[i] for i in held]).median
        medians.append(np.nan if isinstance(found, Undefined) else found)
    interval = bootstrap_survival(times, event, clusters, resamples=50)
    known = np.array([m for m in medians if not np.isnan(m)])
    if 2 * len(known) < len(medians) or not len(known):
        assert interval == Undefined("resamples_undefined")
    else:
        assert isinstance(interval, Interval)
        assert interval.to_json() == pytest.approx(list(np.quantile(known, [0.025, 0.975])))


def test_values_of_one_cluster_have_no_spread() -> None:
    assert bootstrap_median([1, 2, 3], ["a", "a", "a"]) == Undefined("one_item")
    assert bootstrap_median([], []) == Undefined("no_items")


def test_clusters_that_are_alike_inside_make_the_interval_wider() -> None:
    rng = np.random.default_rng(5)
    centres = rng.normal(0, 1, 20)
    values = np.repeat(centres, 10) + rng.normal(0, 0.01, 200)
    alone = bootstrap_median(values)
    together = bootstrap_median(values, list(np.repeat(np.arange(20), 10)))
    assert isinstance(alone, Interval) and isinstance(together, Interval)
    # 200 values that are 20: the interval is about sqrt(10) times too narrow
    assert together.high - together.low > 2 * (alone.high - alone.low)
