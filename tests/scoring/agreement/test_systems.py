from __future__ import annotations

import pytest

from scoring.agreement.labels import LabelError, Labels
from scoring.agreement.systems import (
    BothOrders,
    Preference,
    WinRate,
    ensemble,
    human_scores,
    rank,
    win_rates,
)
from scoring.statistics.correlation import Correlation
from scoring.statistics.undefined import Undefined


def orders(first: dict[str, str], second: dict[str, str]) -> BothOrders:
    """`second` as shown: "2" is a win of the system."""
    return BothOrders(Labels("j", first), Labels("j", second).as_swapped())


def test_ties_count_half_for_people() -> None:
    found = human_scores(
        [Preference("a", "b", "1"), Preference("b", "a", "tie"), Preference("c", "a", "2")]
    )
    assert found == {"a": 2.5 / 3, "b": 0.25, "c": 0}


def test_a_win_rate_turns_the_second_order_back_once() -> None:
    found = win_rates(
        orders({"a/1": "1", "a/2": "tie", "b/1": "2"}, {"a/1": "2", "a/2": "1", "b/1": "tie"})
    )
    # a wins 1 of 2 shown first, 1 of 2 shown second (the 1 of a/2 is the baseline), 1 tie of 4 labels
    assert found["a"] == WinRate(wins_first=0.5, wins_second=0.5, ties=0.25, n=2)
    assert found["a"].effective == 0.625
    assert found["b"] == WinRate(wins_first=0, wins_second=0, ties=0.5, n=1)


def test_an_item_in_one_order_only_is_in_no_rate() -> None:
    assert win_rates(orders({"a/1": "1", "a/2": "1"}, {"a/1": "2"}))["a"].n == 1


def test_an_ensemble_takes_the_mean_of_points_order_by_order() -> None:
    found = ensemble(
        [
            orders({"a/1": "1", "a/2": "1", "a/3": "1"}, {"a/1": "2"}),
            orders({"a/1": "tie", "a/2": "2", "a/3": "tie"}, {"a/1": "2"}),
            orders({"a/1": "tie", "a/2": "tie"}, {"a/1": "1"}),
        ]
    )
    assert found.first.by_item == {"a/1": "1", "a/2": "tie"}
    assert found.first.unscored == {"a/3": "not_judged_by_all"}
    assert found.second.by_item == {"a/1": "2"}
    assert win_rates(found)["a"].effective == 1


def test_systems_that_only_one_side_knows_are_named_and_left_out() -> None:
    people = [Preference("a", "b", "1"), Preference("b", "c", "1"), Preference("a", "d", "1")]
    judge = orders({"a/1": "1", "b/1": "tie", "c/1": "2", "e/1": "1"}, {f"{s}/1": "tie" for s in "abce"})
    found = rank(people, judge)
    assert list(found.missing) == ["d", "e"]
    assert found.correlation == Correlation(1.0, 3, 2 / 6, exact=True)
    shown = found.to_json()
    assert (shown["n"], shown["spearman"], shown["undefined"]) == (3, 1, {})


def test_systems_that_a_judge_cannot_tell_apart_have_no_correlation() -> None:
    found = rank(
        [Preference("a", "b", "1")], orders({"a/1": "tie", "b/1": "tie"}, {"a/1": "tie", "b/1": "tie"})
    )
    assert found.correlation == Undefined("constant")
    assert (found.to_json()["spearman"], found.to_json()["undefined"]) == (None, {"spearman": "constant"})


def test_orders_that_are_mixed_up_are_refused() -> None:
    plain = Labels("j", {"a/1": "1"})
    for first, second in ((plain, plain), (plain.as_swapped(), plain.as_swapped())):
        with pytest.raises(LabelError, match="mixes up the orders"):
            BothOrders(first, second)
    with pytest.raises(LabelError, match="holds the label 'good'"):
        BothOrders(Labels("j", {"a/1": "good"}), plain.as_swapped())
