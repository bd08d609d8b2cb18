from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.agreement.judges import against_truth
from scoring.agreement.labels import Labels
from scoring.statistics.intervals import Interval
from scoring.statistics.paired import Difference, McNemar
from scoring.statistics.undefined import Undefined
from tests.scoring.agreement.tallies import labels


def judged(right: str, name: str) -> Labels:
    """A source that says "x", the truth, where `right` has a 1, and nothing where it has a dot."""
    found = {f"{k:03}": "x" if mark == "1" else "y" for k, mark in enumerate(right) if mark != "."}
    return Labels(name, found)


def test_two_judges_are_tested_on_the_items_that_only_one_gets_right() -> None:
    a, b = judged("1" * 9 + "0" + "11", "a"), judged("0" * 9 + "1" + "11", "b")
    found = against_truth(a, b, judged("1" * 12, "truth")).dropped
    assert (found.n, found.right_a, found.right_b) == (12, 11, 3)
    # 2 (C(10,0) + C(10,1)) / 2^10
    assert found.mcnemar == McNemar(9, 1, None, 22 / 1024)
    assert isinstance(found.difference, Difference)
    assert found.difference.value == pytest.approx(8 / 12)
    assert isinstance(found.difference.interval, Interval) and found.difference.interval.low > 0


def test_a_judge_that_keeps_silent_gains_nothing_when_that_counts_as_wrong() -> None:
    a, b = judged("1111....", "a"), judged("11110011", "b")
    found = against_truth(a, b, judged("1" * 8, "truth"))
    assert (found.dropped.n, found.dropped.right_a, found.dropped.right_b) == (4, 4, 4)
    assert (found.counted_wrong.n, found.counted_wrong.right_a, found.counted_wrong.right_b) == (8, 4, 6)
    assert found.counted_wrong.mcnemar == McNemar(0, 2, None, 0.5)


def test_the_same_judge_twice_is_no_difference() -> None:
    a = judged("110", "a")
    found = against_truth(a, a, judged("111", "truth")).to_json()["drop"]
    assert isinstance(found, dict)
    assert (found["mcnemar_p"], found["difference"], found["difference_interval"]) == (1, 0, [0, 0])


def test_judges_without_an_item_of_the_truth_have_no_test() -> None:
    found = against_truth(labels("a", p="x"), labels("b", p="x"), labels("t", q="x"))
    assert (found.dropped.n, found.dropped.mcnemar) == (0, Undefined("no_common_items"))
    assert found.dropped.difference == Undefined("no_items")
    assert found.dropped.to_json()["mcnemar_p"] is None
    assert (found.counted_wrong.n, found.counted_wrong.right_a) == (1, 0)


def test_exchanging_the_judges_exchanges_everything() -> None:
    a, b, truth = judged("110100", "a"), judged("101.11", "b"), judged("111111", "t")
    one, two = against_truth(a, b, truth).dropped, against_truth(b, a, truth).dropped
    assert isinstance(one.mcnemar, McNemar) and isinstance(two.mcnemar, McNemar)
    assert (one.right_a, one.mcnemar.b, one.mcnemar.p) == (two.right_b, two.mcnemar.c, two.mcnemar.p)


def test_items_of_one_cluster_are_drawn_together() -> None:
    # the first judge is right on all ten items of half of the clusters, the second on none
    names = [f"{cluster}/{n}" for cluster in range(8) for n in range(10)]
    truth = Labels("t", dict.fromkeys(names, "x"))
    a = Labels("a", {name: "x" if int(name[0]) % 2 else "y" for name in names})
    b = Labels("b", dict.fromkeys(names, "y"))
    alone = against_truth(a, b, truth).dropped.difference
    clustered = against_truth(a, b, replace(truth, clusters={n: n[0] for n in names})).dropped.difference
    assert isinstance(alone, Difference) and isinstance(alone.interval, Interval)
    assert isinstance(clustered, Difference) and isinstance(clustered.interval, Interval)
    assert alone.value == clustered.value == 0.5
    wide, narrow = (one.interval.high - one.interval.low for one in (clustered, alone))  # type: ignore[union-attr]
    assert wide / narrow == pytest.approx(10**0.5, rel=0.15)
