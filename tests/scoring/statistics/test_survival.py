from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.intervals import Interval
from scoring.statistics.survival import kaplan_meier
from scoring.statistics.undefined import Undefined

LEUKAEMIA = (6, 6, 6, 7, 10, 13, 16, 22, 23), (6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35)
"""Weeks of remission under 6-MP (Freireich et al. 1963): ended by relapse; cut short."""


def test_the_textbook_curve_of_remission_times() -> None:
    relapse, censored = LEUKAEMIA
    curve = kaplan_meier([*relapse, *censored], [True] * 9 + [False] * 12)
    assert (curve.n, curve.events) == (21, 9)
    assert curve.times == (6, 7, 10, 13, 16, 22, 23)
    # Kleinbaum and Klein, Survival Analysis, table 2.1
    assert curve.share == pytest.approx((0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482), abs=5e-5)
    assert curve.median == 23
    # R, survfit(conf.type = "log-log"): 0.95LCL 13, 0.95UCL NA
    assert curve.median_interval() == Undefined("high_not_reached")


def test_the_median_interval_without_censoring() -> None:
    # placebo arm of the same trial; R, survfit(conf.type = "log-log"): median 8, 4 to 11
    weeks = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23]
    curve = kaplan_meier(weeks, [True] * 21)
    assert curve.median == 8
    assert curve.median_interval() == Interval(4, 11)


def test_a_median_that_is_not_reached_is_undefined() -> None:
    # stops after 1 s and 2 s, three that never came within 5 s: half have not stopped
    curve = kaplan_meier([1, 2, 5, 5, 5], [True, True, False, False, False])
    assert curve.share == pytest.approx((0.8, 0.6))
    assert curve.median == Undefined("median_not_reached")
    assert curve.median_interval() == Undefined("high_not_reached")


def test_nothing_has_no_median() -> None:
    assert kaplan_meier([], []).median == Undefined("no_items")
    never = kaplan_meier([5, 5], [False, False])
    assert (never.median, never.times) == (Undefined("median_not_reached"), ())


def test_an_event_comes_before_what_is_cut_short_at_the_same_time() -> None:
    # at 2 all three are at risk: 1 - 1/3; at 3 the one that is left falls
    assert kaplan_meier([2, 2, 3], [True, False, True]).share == pytest.approx((2 / 3, 0))


def test_cutting_short_never_makes_times_look_shorter() -> None:
    alone = kaplan_meier([1, 2, 3], [True] * 3).median
    with_censored = kaplan_meier([1, 2, 3, 9, 9], [True] * 3 + [False] * 2).median
    assert (alone, with_censored) == (2, 3)


@pytest.mark.parametrize(("times", "happened"), [([1], []), ([float("nan")], [True])])
def test_times_that_do_not_fit_are_refused(times: list[float], happened: list[bool]) -> None:
    with pytest.raises(ValueError, match="for each whether it happened"):
        kaplan_meier(times, happened)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30))
def test_without_censoring_the_median_is_the_lower_one(times: list[int]) -> None:
    assert kaplan_meier(times, [True] * len(times)).median == statistics.median_low(times)
