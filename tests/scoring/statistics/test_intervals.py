from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scoring.statistics.intervals import (
    Interval,
    bootstrap,
    bootstrap_mean,
    bootstrap_ratio,
    draws,
    normal_quantile,
    share_interval,
    wilson,
)
from scoring.statistics.undefined import Undefined, or_none


def both(interval: Interval | Undefined) -> tuple[float, float]:
    assert isinstance(interval, Interval)
    return interval.low, interval.high


# --- Wilson ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # Newcombe 1998, Statist. Med. 17, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(k: int, n: int, low: float, high: float) -> None:
    assert both(wilson(k, n)) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_stays_within_0_and_1(of: tuple[int, int]) -> None:
    k, n = of
    low, high = both(wilson(k, n))
    assert 0 <= low <= k / n <= high <= 1
    assert low < high
    mirrored = both(wilson(n - k, n))
    assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-12)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_a_share_of_outcomes_that_stand_alone_has_wilsons_interval(outcomes: list[bool]) -> None:
    expected = both(wilson(sum(outcomes), len(outcomes)))
    assert both(share_interval(outcomes)) == expected
    assert both(share_interval(outcomes, range(len(outcomes)))) == pytest.approx(expected)


def test_outcomes_that_are_alike_within_their_cluster_count_once() -> None:
    # ten clusters of five equal outcomes, three of them true: the evidence is that of 3 of 10
    clusters = [number // 5 for number in range(50)]
    outcomes = [cluster < 3 for cluster in clusters]
    assert both(share_interval(outcomes, clusters)) == pytest.approx(both(wilson(3, 10)))
    # all alike says nothing of what clusters share: they are counted
    assert both(share_interval([False] * 50, clusters)) == both(wilson(0, 10))
    assert both(share_interval([True] * 50, clusters)) == both(wilson(10, 10))


def test_the_effective_number_of_outcomes_by_hand() -> None:
    # share 3/8; clusters hold 2, 1, 0 and 0 of 2, .75 expected: (1.25² + .25² + 2 * .75²) = 2.75
    # n_eff = 64 * 3/8 * 5/8 / 2.75 = 15 / 2.75 = 5.4545
    found = both(share_interval([True, True, True] + [False] * 5, [0, 0, 1, 1, 2, 2, 3, 3]))
    n, z2, p = 15 / 2.75, 3.841459, 3 / 8
    middle, root = p + z2 / (2 * n), (z2 * (p * (1 - p) / n + z2 / (4 * n * n))) ** 0.5
    ends = (middle - root) / (1 + z2 / n), (middle + root) / (1 + z2 / n)
    assert found == pytest.approx(ends, abs=1e-6)


def test_clusters_that_spread_less_than_chance_do_not_make_more_outcomes_than_there_are() -> None:
    # every cluster has one of two: no spread at all
    assert both(share_interval([True, False] * 4, [0, 0, 1, 1, 2, 2, 3, 3])) == both(wilson(4, 8))
    # 1, 1 and 2 of 2, 4/3 expected: spread 2/3, so that 36 * 2/9 / (2/3) = 12 would be effective
    outcomes = [True, False, True, False, True, True]
    assert both(share_interval(outcomes, [0, 0, 1, 1, 2, 2])) == pytest.approx(both(wilson(4, 6)))


def test_one_cluster_of_several_outcomes_has_no_interval_and_no_outcomes_neither() -> None:
    assert share_interval([True, False], ["a", "a"]) == Undefined("one_item")
    assert share_interval([], []) == share_interval([]) == Undefined("no_items")
    assert both(share_interval([True], ["a"])) == both(wilson(1, 1))


def test_no_items_have_no_interval() -> None:
    assert wilson(0, 0) == Undefined("no_items")
    assert bootstrap_mean([]) == Undefined("no_items")
    assert bootstrap_ratio([], [], []) == Undefined("no_items")
    assert or_none(wilson(0, 0)) is None


def test_one_item_or_one_cluster_says_nothing_about_spread() -> None:
    assert bootstrap_mean([3.0]) == Undefined("one_item")
    assert bootstrap_mean([1.0, 2.0, 3.0], ["a", "a", "a"]) == Undefined("one_item")


@pytest.mark.parametrize(("k", "n"), [(3, 2), (-1, 2)])
def test_an_impossible_count_is_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{k} of {n}"):
        wilson(k, n)


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_an_impossible_level_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="expected more than 0 and less than 1"):
        wilson(1, 2, level)


def test_the_normal_quantile_of_95_percent() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)


def test_an_interval_knows_what_it_holds_and_meets() -> None:
    interval = Interval(1, 3)
    assert 1 in interval and 3 in interval and 3.1 not in interval
    assert interval.overlaps(Interval(3, 4)) and Interval(3, 4).overlaps(interval)
    assert not interval.overlaps(Interval(3.1, 4))
    assert interval.to_json() == [1, 3]
    with pytest.raises(ValueError, match="interval from 3 to 1"):
        Interval(3, 1)


# --- bootstrap ------------------------------------------------------------------------------------

values = hnp.arrays(np.float64, st.integers(2, 30), elements=st.integers(-9, 9).map(float))


@settings(max_examples=40)
@given(values)
def test_the_interval_of_a_mean_lies_among_the_values(found: Any) -> None:
    low, high = both(bootstrap_mean(found, resamples=200))
    assert found.min() - 1e-9 <= low <= high <= found.max() + 1e-9


@settings(max_examples=30)
@given(values, st.randoms(use_true_random=False), st.integers(1, 5))
def test_neither_order_nor_cluster_names_change_an_interval(found: Any, random: Any, n: int) -> None:
    clusters = [k % n for k in range(len(found))]
    order = list(range(len(found)))
    random.shuffle(order)
    names = {k: f"cluster {-k}" for k in range(n)}
    assert bootstrap_mean(found, resamples=50) == bootstrap_mean(found[order], resamples=50)
    assert bootstrap_mean(found, clusters, resamples=50) == bootstrap_mean(
        found[order], [names[clusters[k]] for k in order], resamples=50
    )


def test_the_interval_of_a_mean_is_as_wide_as_theory_says() -> None:
    found = np.random.default_rng(5).normal(10, 2, 400)
    low, high = both(bootstrap_mean(found, resamples=4000))
    half = 1.96 * found.std() / 20  # standard error: sd / sqrt(400)
    assert (low, high) == pytest.approx((found.mean() - half, found.mean() + half), abs=0.02)


def test_clusters_widen_the_interval_of_values_that_repeat() -> None:
    # ten copies of each of 40 values say no more than the 40
    once = np.random.default_rng(5).normal(0, 1, 40)
    copies = np.repeat(once, 10)
    names = np.repeat(np.arange(40), 10).tolist()
    assert both(bootstrap_mean(copies, names)) == pytest.approx(both(bootstrap_mean(once)), abs=1e-12)
    low, high = both(bootstrap_mean(copies))
    alone = both(bootstrap_mean(once))
    # the width falls by sqrt(10) = 3.16
    assert (alone[1] - alone[0]) / (high - low) == pytest.approx(3.16, abs=0.3)


def test_a_ratio_weighs_items_by_their_wholes() -> None:
    # every item has the ratio 1/4, so every resample has it
    assert both(bootstrap_ratio([1, 2, 10], [4, 8, 40])) == (0.25, 0.25)


def test_resamples_without_a_whole_are_left_out_unless_they_are_most() -> None:
    # 2 of 2 items: a resample misses the one with words in 1 of 4 cases
    assert both(bootstrap_ratio([1, 0], [4, 0])) == (0.25, 0.25)
    assert bootstrap_ratio([0, 0], [0, 0]) == Undefined("resamples_undefined")


def test_a_general_statistic_is_a_function_of_counts() -> None:
    found = np.array([1.0, 2.0, 4.0, 8.0])

    def mean(counts: Any) -> Any:
        return counts @ found / counts.sum(axis=1)

    assert both(bootstrap(mean, 4)) == pytest.approx(both(bootstrap_mean(found)))
    clustered = bootstrap(mean, 4, ["x", "x", "y", "y"])
    # both clusters have two values: a resample has the mean 1.5, 6, or 3.75 in half of the cases
    assert both(clustered) == (1.5, 6)


def test_the_seed_decides_and_resampling_in_blocks_changes_nothing() -> None:
    found = list(range(50))
    assert bootstrap_mean(found, seed=1) == bootstrap_mean(found, seed=1)
    assert bootstrap_mean(found, seed=1) != bootstrap_mean(found, seed=2)
    whole = np.concatenate(list(draws(50, 3, 100)))
    pieces = np.concatenate(list(draws(50, 3, 100, width=700_000)))  # two resamples at a time
    assert whole.shape == (100, 50) and (whole.sum(axis=1) == 50).all()
    assert (whole == pieces).all()


@pytest.mark.parametrize("found", [[1.0, float("nan")], [float("inf"), 1.0], [[1.0], [2.0]]])
def test_what_is_no_row_of_numbers_is_refused(found: Any) -> None:
    with pytest.raises(ValueError, match="one row of finite numbers"):
        bootstrap_mean(found)


def test_a_cluster_is_needed_for_every_item() -> None:
    with pytest.raises(ValueError, match="1 clusters for 2 items"):
        bootstrap_mean([1.0, 2.0], ["a"])
