from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.agreement.labels import LabelError, Labels, LabelSet
from scoring.agreement.raters import against_people, examine_raters
from scoring.statistics.intervals import Interval
from scoring.statistics.undefined import Undefined
from tests.scoring.agreement.tallies import labels

KRIPPENDORFF = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff 2011, Computing Krippendorff's alpha-reliability, C: four raters, twelve items."""

FIVE = LabelSet(("1", "2", "3", "4", "5"), ordered=True)


def rated(lines: Any) -> list[Labels]:
    return [
        Labels(f"rater {k}", {f"{n:03}": x for n, x in enumerate(line.split()) if x != "."})
        for k, line in enumerate(lines)
    ]


def test_krippendorffs_own_example_with_missing_labels() -> None:
    found = examine_raters(rated(KRIPPENDORFF), FIVE)
    assert found.alpha == pytest.approx(0.743, abs=5e-4)
    assert found.alpha_ordinal == pytest.approx(0.815, abs=5e-4)
    # the last item has one label: nothing to compare it with
    assert (found.items, found.n, found.values) == (12, 11, 40)
    assert isinstance(found.alpha_interval, Interval) and 0.743 in found.alpha_interval


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from(".123"), min_size=4, max_size=4), min_size=2, max_size=10))
def test_alpha_equals_that_of_the_krippendorff_package(items: list[list[str]]) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    three = LabelSet(("1", "2", "3"), ordered=True)
    found = examine_raters(rated([" ".join(row) for row in zip(*items, strict=True)]), three, resamples=10)
    given_labels = {x for item in items if sum(x != "." for x in item) > 1 for x in item if x != "."}
    if len(given_labels) < 2:
        assert found.alpha in (Undefined("constant_labels"), Undefined("no_common_items"))
        return
    data = np.array([[np.nan if x == "." else float(x) for x in row] for row in zip(*items, strict=True)])
    for level, value in (("nominal", found.alpha), ("ordinal", found.alpha_ordinal)):
        expected = krippendorff.alpha(
            reliability_data=data, value_domain=[1.0, 2.0, 3.0], level_of_measurement=level
        )
        assert value == pytest.approx(float(expected)), level


def test_items_of_one_cluster_are_as_one_item() -> None:
    lines = ["1 2 1 2 2 1 1 2 1 1", "1 2 2 2 2 1 1 1 1 1"]
    once = examine_raters(rated(lines)).alpha_interval
    # every item five times over: as many clusters, and the same interval but for what alpha gives to size
    often = rated([" ".join(x for x in line.split() for _ in range(5)) for line in lines])
    clusters = {f"{n:03}": str(n // 5) for n in range(50)}
    found = examine_raters([replace(often[0], clusters=clusters), often[1]])
    alone = examine_raters(often)
    assert (found.clusters, alone.clusters, found.n, found.alpha) == (10, None, 50, alone.alpha)
    assert isinstance(once, Interval) and isinstance(found.alpha_interval, Interval)
    assert isinstance(alone.alpha_interval, Interval)
    width = found.alpha_interval.high - found.alpha_interval.low
    assert width == pytest.approx(once.high - once.low, rel=0.15)
    assert width > 1.5 * (alone.alpha_interval.high - alone.alpha_interval.low)


def test_labels_without_an_order_have_no_ordinal_alpha() -> None:
    found = examine_raters(rated(KRIPPENDORFF))
    assert found.alpha == pytest.approx(0.743, abs=5e-4)
    assert found.alpha_ordinal == found.alpha_ordinal_interval == Undefined("labels_not_ordered")


def test_raters_without_a_common_item_have_no_alpha() -> None:
    found = examine_raters([labels("a", p="x"), labels("b", q="x"), labels("c", r="y")])
    assert (found.items, found.n, found.alpha) == (3, 0, Undefined("no_common_items"))
    nobody = examine_raters([Labels("a", {}), Labels("b", {})])
    assert (nobody.items, nobody.labels, nobody.alpha) == (0, None, Undefined("no_common_items"))


def test_every_two_raters_are_compared_over_what_both_labelled() -> None:
    a, b, c = (
        labels("a", p="x", q="y"),
        labels("b", p="x", q="x"),
        Labels("c", {"p": "y"}, {"q": "skipped"}),
    )
    found = examine_raters([a, b, c])
    assert {names: (pair.right, pair.n) for names, pair in found.pairs.items()} == {
        ("a", "b"): (1, 2),
        ("a", "c"): (0, 1),
        ("b", "c"): (0, 1),
    }
    assert found.unscored == {"a": {}, "b": {}, "c": {"skipped": 1}}


def test_an_item_that_nobody_could_label_is_counted_among_the_items() -> None:
    found = examine_raters(
        [Labels("a", {"p": "x"}, {"q": "skipped"}), Labels("b", {"p": "x"}, {"q": "no_json"})]
    )
    assert (found.items, found.n) == (2, 1)


# --- a judge against people -----------------------------------------------------------------------


def person(name: str, right: int, by_two: int = 0) -> Labels:
    """One hundred items, of which the judge's label is always "2"."""
    names = ["2"] * right + ["4"] * by_two + ["3"] * (100 - right - by_two)
    return Labels(name, {f"{k:03}": label for k, label in enumerate(names)})


def test_the_published_consistency_of_four_people_and_a_judge() -> None:
    people = [person("a", 80, 2), person("b", 83, 2), person("c", 82, 2), person("d", 79, 1)]
    judge = Labels("judge", {f"{k:03}": "2" for k in range(100)})
    found = against_people(people, judge, LabelSet(("1", "2", "3", "4"), ordered=True))
    assert [accuracy.right for accuracy in found.by_person.values()] == [80, 83, 82, 79]
    assert found.mean == pytest.approx(0.81)
    assert (found.pooled.n, found.pooled.dropped.right) == (400, 324)
    # 76 disagreements, seven of them by two places: 69 + 14 = 83
    assert found.pooled.values["distance_over_disagreements"] == 83 / 76
    assert found.pooled.values["distance_over_all"] == 0.2075


def test_the_mean_of_people_gives_each_the_same_weight() -> None:
    people = [labels("a", p="x"), labels("b", p="y", q="x", r="x")]
    found = against_people(people, labels("judge", p="x", q="y", r="y", s="x"))
    assert found.mean == 0.5  # 1/1 and 0/3
    assert found.pooled.dropped.share == 0.25
    assert (found.pooled.only_a, found.pooled.only_b) == (0, 1)  # s, once


def test_labels_of_one_item_by_many_are_drawn_together() -> None:
    # forty people say the same: no more evidence about the items than one of them
    items = {f"{k:03}": "xy"[k % 2] for k in range(40)}
    judge = Labels("judge", dict.fromkeys(items, "x"))
    one = against_people([Labels("a", items)], judge).pooled.intervals["agreement"]
    many = against_people([Labels(f"p{k}", items) for k in range(40)], judge).pooled.intervals["agreement"]
    assert isinstance(one, Interval) and isinstance(many, Interval)
    assert many.high - many.low == pytest.approx(one.high - one.low, rel=0.1)


def test_a_person_whose_name_holds_a_colon_draws_the_same_items() -> None:
    items = {f"{k:03}": "xy"[k % 2] for k in range(40)}
    judge = Labels("judge", dict.fromkeys(items, "x"))

    def interval(*names: str) -> object:
        return against_people([Labels(name, items) for name in names], judge).pooled.intervals["agreement"]

    assert interval("A: one", "A: two") == interval("a", "b")


def test_no_person_and_item_are_taken_for_another_person_and_item() -> None:
    # both would be called "a: b: c"
    people = [labels("a: b", c="x"), Labels("a", {"b: c": "y"})]
    found = against_people(people, Labels("judge", {"c": "x", "b: c": "x"})).pooled
    assert (found.n, found.dropped.right) == (2, 1)


def test_what_a_judge_lacks_is_dropped_and_counted_as_wrong_for_every_person() -> None:
    people = [labels("a", p="x", q="y"), labels("b", p="x")]
    found = against_people(people, Labels("judge", {"p": "x"}, {"q": "no_json"}))
    assert {name: (one.right, one.n) for name, one in found.by_person.items()} == {"a": (1, 1), "b": (1, 1)}
    wrong = found.by_person_counted_wrong
    assert {name: (one.right, one.n) for name, one in wrong.items()} == {"a": (1, 2), "b": (1, 1)}


def test_a_judges_unknown_and_missing_labels_are_counted_for_each_person() -> None:
    people = [labels("a", p="x", q="y"), labels("b", p="x", q="x")]
    found = against_people(people, Labels("judge", {"p": "z"}, {"q": "no_json"}), LabelSet(("x", "y")))
    # two people labelled each of the two items: the judge's one label and one failure count for both
    assert (found.pooled.n, dict(found.pooled.unscored_b)) == (0, {"unknown_label": 2, "no_json": 2})
    assert (found.items, dict(found.judge_unscored)) == (2, {"unknown_label": 1, "no_json": 1})
    assert found.mean == Undefined("no_common_items")


def test_a_swapped_judge_is_refused() -> None:
    with pytest.raises(LabelError, match="swapped"):
        against_people([labels("a", p="1")], labels("judge", p="2").as_swapped())
