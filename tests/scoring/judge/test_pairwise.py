"""One order and two, un-swapped once; what an always-first judge comes to."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from scoring.judge.contract import JudgeUnfit
from scoring.judge.dimensions import Dimension, Labelled, Rating, by_both
from scoring.judge.fusion import FUSIONS, LABELS, WORST
from scoring.judge.pairwise import Orders, PairVerdict, compare, orders_named, position_reports, settle
from tests.scoring.judge.spoken import labelling, llm, pair, reply
from tests.scoring.judging import Model, data_in

BOTH = Orders.BOTH
CONTENT_FIRST = FUSIONS["content-first"]


def judged(model: Model, orders: Orders = BOTH) -> PairVerdict:
    return asyncio.run(compare(llm(model), pair(), CONTENT_FIRST, orders))


def test_a_judge_of_the_content_says_the_same_in_both_orders_after_one_unswap() -> None:
    verdict = judged(Model(labelling("1"), labelling("2")))  # the same reply is first, then second
    assert verdict.labels[Dimension.CONTENT].label == "1"
    assert (verdict.overall.label, verdict.inconsistent) == ("1", ())
    assert [one.labels[Dimension.CONTENT].label for one in verdict.shown] == ["1", "2"]  # kept as given


def test_the_second_order_shows_the_sides_exchanged() -> None:
    model = Model(labelling("both_good"))
    asked = pair(reply(words="one"), reply(words="two"))
    asyncio.run(compare(llm(model), asked, CONTENT_FIRST, BOTH))
    shown = [(data["reply_1"]["words"], data["reply_2"]["words"]) for data in map(data_in, model.chats)]
    assert shown == [("one", "two"), ("two", "one")]


def test_swapped_alone_is_turned_back_once() -> None:
    verdict = judged(Model(labelling("1", "2", "both_bad")), Orders.SWAPPED)
    assert {d.value: v.label for d, v in verdict.labels.items()} == {
        "content": "2",
        "paralinguistics": "1",
        "voice_quality": "both_bad",
    }
    assert verdict.overall.label == "2"


def test_a_judge_that_always_prefers_the_first_gives_ties_and_a_report_says_so() -> None:
    found = {str(n): judged(Model(labelling("1", "1", "1"))) for n in range(4)}
    assert {verdict.overall.label for verdict in found.values()} == {"both_good"}
    assert all(set(verdict.inconsistent) == set(Dimension) for verdict in found.values())
    report = position_reports(found)[Dimension.CONTENT]
    assert (report.n, report.always_first, report.consistent, report.first_share) == (4, 4, 0, 1.0)


def test_a_judge_that_always_ties_is_consistent() -> None:
    found = {"1": judged(Model(labelling("both_bad", "both_bad", "both_bad")))}
    assert found["1"].overall.label == "both_bad"
    assert position_reports(found)[Dimension.CONTENT].consistent == 1


@pytest.mark.parametrize("broken", [0, 1])
def test_one_order_without_an_answer_leaves_the_pair_unscored(broken: int) -> None:
    replies = [labelling("1")] * 3
    good, bad = [labelling("1")], ["no JSON"] * 3
    model = Model(*(bad + good if broken == 0 else good + bad), *replies)
    verdict = judged(model)
    assert (verdict.overall.label, verdict.overall.cause) == (None, "content:malformed")
    assert verdict.cost.calls == 4
    assert position_reports({"1": verdict})[Dimension.CONTENT].n == 0


def test_two_labels_become_one_by_the_rule_whichever_order_came_first() -> None:
    rule = {
        ("1", "2"): "both_good",
        ("1", "both_good"): "both_good",
        ("1", "both_bad"): "both_bad",
        ("2", "both_good"): "both_good",
        ("2", "both_bad"): "both_bad",
        ("both_good", "both_bad"): None,
    } | {(label, label): label for label in LABELS}
    for one, two in itertools.product(LABELS, repeat=2):
        expected = rule[(one, two) if (one, two) in rule else (two, one)]
        found = settle(Labelled(one), Labelled(two))
        assert found.label == expected
        assert found.cause == ("" if expected else "orders_disagree")


def test_two_ratings_become_a_label_absolute_first_then_relative() -> None:
    good, fair, bad = (Labelled(rating.value) for rating in Rating)
    table = {
        (good, good): "both_good",
        (good, fair): "1",
        (fair, good): "2",
        (fair, fair): "both_good",
        (good, bad): "1",
        (bad, fair): "2",
        (bad, bad): "both_bad",
    }
    for (one, two), label in table.items():
        assert by_both(one, two).label == label
    assert by_both(good, good, better=2).label == "2"
    assert by_both(fair, good, better=1).label == "2"  # the rating comes first
    assert by_both(bad, bad, better=1).label == "both_bad"
    assert by_both(good, Labelled(None, "too_short")).cause == "too_short"


def test_a_reply_is_worth_its_worst_rating_of_what_was_asked_for() -> None:
    labels = {
        Dimension.CONTENT: Labelled(None, "no_facts_expected"),
        Dimension.PARALINGUISTICS: Labelled("good"),
        Dimension.VOICE_QUALITY: Labelled("acceptable"),
    }
    assert WORST.rate(labels).label == "acceptable"
    labels[Dimension.PARALINGUISTICS] = Labelled(None, "unvoiced")
    assert WORST.rate(labels) == Labelled(None, "paralinguistics:unvoiced")
    assert WORST.rate(dict.fromkeys(Dimension, Labelled(None, "no_facts_expected"))).label is None


def test_an_order_that_is_not_known_says_which_are() -> None:
    with pytest.raises(JudgeUnfit, match="Known: as_is, swapped, both"):
        orders_named("random")
