from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.agreement.compare import Comparison, compare
from scoring.agreement.labels import LabelError, Labels, LabelSet, Order, unswapped
from scoring.statistics.intervals import Interval
from scoring.statistics.undefined import Undefined
from tests.scoring.agreement.tallies import labels, square


def value(found: Comparison, name: str) -> float:
    result = found.values[name]
    assert isinstance(result, float), result
    return result


# --- values of textbooks --------------------------------------------------------------------------


def test_cohens_kappa_of_the_grant_proposals() -> None:
    # po = 35/50, pe = (25*30 + 25*20)/2500 = .5, kappa = (.7 - .5) / .5
    found = compare(*square([[20, 5], [10, 15]]))
    assert value(found, "cohen_kappa") == pytest.approx(0.4)
    assert value(found, "agreement") == 0.7


def test_gwets_paradox() -> None:
    # Gwet 2002: agreement of 94.4 % and a kappa below zero, for lack of variety
    found = compare(*square([[118, 5], [2, 0]]))
    assert value(found, "agreement") == pytest.approx(0.944)
    assert value(found, "cohen_kappa") == pytest.approx(-0.0234, abs=5e-5)
    assert value(found, "gwet_ac1") == pytest.approx(0.9408, abs=5e-5)


def test_the_arenas_human_judge_agreement() -> None:
    found = compare(*square([[76, 8], [29, 103]]))
    assert (found.n, found.dropped.right) == (216, 179)
    assert 100 * value(found, "agreement") == pytest.approx(82.87, abs=5e-3)
    assert value(found, "cohen_kappa") == pytest.approx(0.6553, abs=5e-5)
    other = compare(*square([[79, 20], [38, 79]]))
    assert 100 * value(other, "agreement") == pytest.approx(73.15, abs=5e-3)
    assert value(other, "cohen_kappa") == pytest.approx(0.4667, abs=5e-5)


def test_weights_make_near_misses_cheaper() -> None:
    ordered = LabelSet(("low", "mid", "high"), ordered=True)
    found = compare(*square([[8, 2, 0], [1, 6, 3], [1, 0, 9]], ordered.names), ordered)
    # margins 10 10 10 and 10 8 12 of 30; costs |i - j|: observed 2+1+3+2*1 = 8,
    # expected (10*8 + 2*10*12 + 10*10 + 10*12 + 2*10*10 + 10*8) / 30 = 820/30
    assert value(found, "cohen_kappa_linear") == pytest.approx(1 - 8 * 30 / 820)
    # squares: observed 2+1+3+4 = 10, expected (80 + 480 + 100 + 120 + 400 + 80) / 30
    assert value(found, "cohen_kappa_quadratic") == pytest.approx(1 - 10 * 30 / 1260)
    # 7 items differ, by 8 places in all
    assert value(found, "distance_over_disagreements") == pytest.approx(8 / 7)
    assert value(found, "distance_over_all") == pytest.approx(8 / 30)


def test_the_published_tier_distance_is_over_disagreements_only() -> None:
    # 80, 83, 82, 79 of 100: 76 disagree, by 83 places in all: 69 by one, 7 by two
    ordered = LabelSet(("1", "2", "3"), ordered=True)
    found = compare(*square([[100, 40, 4], [29, 124, 0], [3, 0, 100]], ordered.names), ordered)
    assert (found.n, found.n - found.dropped.right) == (400, 76)
    assert value(found, "distance_over_disagreements") == pytest.approx(1.092, abs=5e-4)
    assert value(found, "distance_over_disagreements") == 83 / 76
    assert value(found, "distance_over_all") == 0.2075


def test_macro_f1_and_classes_take_the_first_as_the_truth() -> None:
    found = compare(*square([[3, 1], [2, 4]], "yn"))
    y, n = found.per_class["y"], found.per_class["n"]
    assert (y.support, y.precision, y.recall) == (4, 3 / 5, 3 / 4)
    assert (n.support, n.precision, n.recall) == (6, 4 / 5, 4 / 6)
    assert y.f1 == pytest.approx(6 / 9) and n.f1 == pytest.approx(8 / 11)
    assert value(found, "macro_f1") == pytest.approx((6 / 9 + 8 / 11) / 2)


def test_the_majority_class_is_a_judge_to_beat() -> None:
    found = compare(*square([[1, 0, 1], [2, 2, 2], [0, 0, 0]]))
    assert (found.majority_label, value(found, "majority_baseline")) == ("y", 6 / 8)
    # F1 of y is 2 * 6 / (6 + 8), that of x is 0; z is in no truth
    assert value(found, "majority_baseline_macro_f1") == pytest.approx(12 / 14 / 2)


def test_made_up_winners_are_counted_where_the_truth_has_none() -> None:
    names = ("1", "2", "both_good", "both_bad")
    truth_rows = [[5, 1, 2, 2], [0, 6, 3, 1], [1, 0, 2, 0], [4, 3, 1, 2]]
    found = compare(*square(truth_rows, names))
    assert value(found, "fabricated_winner_rate") == 7 / 10
    assert value(found, "accuracy_when_winner") == 11 / 20
    assert "fabricated_winner_rate" not in compare(*square([[1, 2], [3, 4]], "12")).values


# --- what is not defined --------------------------------------------------------------------------


def test_constant_labels_have_no_kappa_rather_than_a_perfect_one() -> None:
    found = compare(labels(p="x", q="x"), labels(p="x", q="x"))
    assert value(found, "agreement") == 1
    for name in ("cohen_kappa", "krippendorff_alpha"):
        assert found.values[name] == found.intervals[name] == Undefined("constant_labels")
    assert found.values["gwet_ac1"] == Undefined("one_possible_label")
    declared = compare(labels(p="x", q="x"), labels(p="x", q="x"), LabelSet(("x", "y")))
    assert value(declared, "gwet_ac1") == 1
    assert declared.values["cohen_kappa"] == Undefined("constant_labels")


def test_one_constant_source_agrees_no_better_than_chance() -> None:
    assert value(compare(*square([[3, 0], [2, 0]])), "cohen_kappa") == 0


def test_no_common_item_is_a_result_not_an_error() -> None:
    found = compare(labels(p="x"), labels(q="y"))
    assert (found.n, found.only_a, found.only_b) == (0, 1, 1)
    assert set(found.values.values()) == {Undefined("no_common_items")}
    assert found.dropped.share == Undefined("no_common_items")
    assert (found.counted_wrong.n, found.counted_wrong.share) == (1, 0)
    nothing = compare(Labels("a", {}), Labels("b", {}))
    assert (nothing.n, nothing.labels, nothing.values) == (0, None, {})


def test_one_item_has_values_and_no_interval() -> None:
    found = compare(labels(p="x"), labels(p="y"))
    assert value(found, "agreement") == 0
    assert found.intervals["agreement"] == Undefined("one_item")


def test_a_class_that_never_occurs_has_no_scores() -> None:
    scores = compare(labels(p="x"), labels(p="y"), LabelSet(("x", "y", "z"))).per_class
    assert (scores["x"].precision, scores["x"].recall) == (Undefined("never_given"), 0)
    assert (scores["y"].precision, scores["y"].recall) == (0, Undefined("not_in_reference"))
    assert scores["z"].f1 == Undefined("never_given")


def test_no_disagreement_has_no_distance() -> None:
    ordered = LabelSet(("low", "high"), ordered=True)
    found = compare(labels(p="low", q="high"), labels(p="low", q="high"), ordered)
    assert found.values["distance_over_disagreements"] == Undefined("no_disagreements")
    assert value(found, "distance_over_all") == 0


# --- what is missing is counted -------------------------------------------------------------------


def test_missing_labels_are_dropped_and_counted_as_wrong_side_by_side() -> None:
    truth = Labels("t", {"p": "x", "q": "x", "r": "y", "s": "y"}, {"u": "skipped"})
    judge = Labels("j", {"p": "x", "q": "y", "u": "x", "v": "x"}, {"r": "no_json"})
    found = compare(truth, judge)
    assert (found.n, found.only_a, found.only_b) == (2, 1, 1)  # p q; s; v
    assert (found.unscored_a, found.unscored_b) == ({"skipped": 1}, {"no_json": 1})
    assert (found.dropped.n, found.dropped.right, found.dropped.share) == (2, 1, 0.5)
    assert (found.counted_wrong.n, found.counted_wrong.share) == (4, 0.25)


def wrong(found: Comparison, name: str) -> float:
    result = found.values_wrong[name]
    assert isinstance(result, float), result
    return result


def test_what_is_missing_counts_as_wrong_in_every_measure() -> None:
    found = compare(labels(p="x", q="x", r="y", s="y"), labels("j", p="x", q="y"))
    assert wrong(found, "agreement") == 1 / 4
    # margins 2 2 0 and 1 1 2 of 4: pe = (2*1 + 2*1 + 0*2) / 16 = po
    assert wrong(found, "cohen_kappa") == 0
    # 3/8 of all labels are x, 3/8 are y: pe = 2 * 3/8 * 5/8 = 15/32; (8/32 - 15/32) / (17/32)
    assert wrong(found, "gwet_ac1") == pytest.approx(-7 / 17)
    # F1 of x is 2*1 / (2 + 1), of y 0; what is missing is no label to be found again
    assert wrong(found, "macro_f1") == pytest.approx(1 / 3)
    assert wrong(found, "majority_baseline") == 0.5
    assert value(found, "agreement") == 0.5
    assert value(found, "macro_f1") == pytest.approx(1 / 3)


def test_what_is_missing_is_the_farthest_of_ordered_labels() -> None:
    ordered = LabelSet(("low", "mid", "high"), ordered=True)
    found = compare(labels(p="low", q="mid", r="high"), labels("j", p="low"), ordered)
    # mid is taken for low, one place off, and high for low, two places off
    assert wrong(found, "distance_over_all") == 3 / 3
    assert wrong(found, "distance_over_disagreements") == 3 / 2
    assert found.values["distance_over_disagreements"] == Undefined("no_disagreements")


def test_a_verdict_that_is_missing_is_an_error_where_errors_are_counted() -> None:
    possible = LabelSet(("1", "2", "both_good", "both_bad"))
    truth = labels(p="both_bad", q="both_bad", r="both_bad", s="1", t="2")
    found = compare(truth, labels("j", p="both_bad", q="1", s="1"), possible)
    assert (value(found, "fabricated_winner_rate"), wrong(found, "fabricated_winner_rate")) == (
        1 / 2,
        2 / 3,
    )
    assert (value(found, "accuracy_when_winner"), wrong(found, "accuracy_when_winner")) == (1, 1 / 2)


def test_a_label_outside_the_declared_set_is_unscored_not_another_label() -> None:
    truth = labels(p="1", q="both_bad")
    found = compare(truth, labels("j", p="1", q="neither"), LabelSet(("1", "2", "both_good", "both_bad")))
    assert (found.n, dict(found.unscored_b)) == (1, {"unknown_label": 1})
    assert found.counted_wrong.share == 0.5


def test_swapped_labels_are_turned_exactly_once() -> None:
    shown = Labels("j", {"p": "1", "q": "2", "r": "tie"}, order=Order.SWAPPED)
    with pytest.raises(LabelError, match=r"j: is of swapped items\. Un-swap"):
        compare(labels(p="2"), shown)
    turned = unswapped(shown)
    assert turned.by_item == {"p": "2", "q": "1", "r": "tie"}
    for again in (turned, labels(p="1")):
        with pytest.raises(LabelError, match="cannot be un-swapped"):
            unswapped(again)
    with pytest.raises(LabelError, match="turned once"):
        turned.as_swapped()


def test_texts_are_no_labels() -> None:
    many = Labels("a", {f"i{k}": f"text {k}" for k in range(101)})
    with pytest.raises(LabelError, match="holds 101 different labels, at most 100"):
        compare(many, many)


@pytest.mark.parametrize(("names", "message"), [(("x", "x"), "'x' twice"), (("x", ""), "an empty one")])
def test_a_label_set_names_each_label_once(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(LabelError, match=message):
        LabelSet(names)


# --- laws -----------------------------------------------------------------------------------------

NAMES = ("1", "2", "both_good", "both_bad")
sources = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1, max_size=25)
SYMMETRICAL = ("agreement", "cohen_kappa", "gwet_ac1", "krippendorff_alpha", "macro_f1")


def made(pairs: list[tuple[str, str]]) -> tuple[Labels, Labels]:
    names = [f"{k:03}" for k in range(len(pairs))]
    first, second = ({n: p[k] for n, p in zip(names, pairs, strict=True)} for k in (0, 1))
    return Labels("a", first), Labels("b", second)


def close(a: Any, b: Any) -> bool:
    if isinstance(a, Interval):
        return close(a.low, b.low) and close(a.high, b.high)
    return a == b if isinstance(a, Undefined) else math.isclose(a, b, abs_tol=1e-12)


def same(a: Comparison, b: Comparison, names: Any) -> bool:
    return all(close(a.values[n], b.values[n]) and close(a.intervals[n], b.intervals[n]) for n in names)


@settings(max_examples=40)
@given(sources, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_nothing(pairs: Any, random: Any) -> None:
    a, b = made(pairs)
    order = list(a.by_item)
    random.shuffle(order)
    shuffled = replace(a, by_item={item: a.by_item[item] for item in order})
    found = compare(a, b, resamples=50)
    assert same(found, compare(shuffled, b, resamples=50), found.values)


@settings(max_examples=40)
@given(sources, st.permutations("wxyz"))
def test_other_names_for_the_labels_change_nothing_nominal(pairs: Any, names: Any) -> None:
    new = dict(zip(NAMES, names, strict=True))
    a, b = made(pairs)
    c, d = made([(new[x], new[y]) for x, y in pairs])
    found, renamed = compare(a, b, resamples=50), compare(c, d, resamples=50)
    assert same(found, renamed, renamed.values)


@settings(max_examples=40)
@given(sources)
def test_exchanging_the_sources_keeps_what_is_symmetrical(pairs: Any) -> None:
    a, b = made(pairs)
    assert same(compare(a, b, resamples=50), compare(b, a, resamples=50), SYMMETRICAL)


@settings(max_examples=40)
@given(sources)
def test_values_stay_within_their_bounds(pairs: Any) -> None:
    found = compare(*made(pairs), LabelSet(NAMES, ordered=True), resamples=50)
    for name, result in found.values.items():
        if isinstance(result, float):
            high = 3 if name.startswith("distance") else 1
            low = -1 if "kappa" in name or name.startswith(("gwet", "kripp")) else 0
            assert low <= result <= high, name
    assert np.array_equal(found.table.sum(), len(pairs))


@settings(max_examples=40)
@given(sources, st.integers(0, 25))
def test_both_policies_are_the_same_where_nothing_is_missing_and_else_the_agreement_falls(
    pairs: Any, missing: Any
) -> None:
    a, b = made(pairs)
    ordered = LabelSet(NAMES, ordered=True)
    found = compare(a, b, ordered, resamples=50)
    for name in found.values:
        assert close(found.values_wrong[name], found.values[name]), name
        assert close(found.intervals_wrong[name], found.intervals[name]), name
    left = dict(list(b.by_item.items())[missing:])
    less = compare(a, replace(b, by_item=left, unscored=dict.fromkeys(b.by_item, "failed")), ordered)
    assert less.values_wrong["agreement"] == less.counted_wrong.share
    assert wrong(less, "agreement") <= value(found, "agreement")
    assert wrong(less, "distance_over_all") >= value(found, "distance_over_all")


@settings(max_examples=30)
@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=20).filter(lambda x: len(set(x)) > 1))
def test_perfect_agreement_is_one_by_every_measure(names: Any) -> None:
    found = compare(*made([(name, name) for name in names]), LabelSet(NAMES, ordered=True), resamples=20)
    for name in (*SYMMETRICAL, "cohen_kappa_linear", "cohen_kappa_quadratic", "krippendorff_alpha_ordinal"):
        assert found.values[name] == pytest.approx(1), name


def test_the_bootstrap_interval_of_an_agreement_is_as_wide_as_theory_says() -> None:
    found = compare(*square([[400, 50], [50, 500]]))
    interval = found.intervals["agreement"]
    assert isinstance(interval, Interval)
    # sqrt(.9 * .1 / 1000) * 1.96
    assert (interval.low, interval.high) == pytest.approx((0.9 - 0.0186, 0.9 + 0.0186), abs=0.002)


def test_items_that_belong_together_are_drawn_together() -> None:
    a, b = square([[40, 10], [10, 40]])
    alone = compare(a, b).intervals["agreement"]
    tens = compare(a, b, cluster=lambda item: int(item.split()[1]) // 10).intervals["agreement"]
    assert isinstance(alone, Interval) and isinstance(tens, Interval)
    # ten clusters of ten equal items: the standard error grows by sqrt(10)
    assert (tens.high - tens.low) / (alone.high - alone.low) == pytest.approx(math.sqrt(10), rel=0.15)
    one = compare(a, b, cluster=lambda item: 0)
    assert one.intervals["agreement"] == Undefined("one_item")
