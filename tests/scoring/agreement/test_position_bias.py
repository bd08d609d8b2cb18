from __future__ import annotations

import pytest

from scoring.agreement.labels import LabelError, Labels, other_side, unswapped
from scoring.agreement.position import examine_position
from scoring.statistics.intervals import Interval, wilson
from scoring.statistics.undefined import Undefined

QUALITY = {"p": "1", "q": "2", "r": "both_bad", "s": "1"}


def shown_in_both_orders(judge: dict[str, str]) -> tuple[Labels, Labels]:
    """A judge that sees what is there, whatever the order."""
    turned = {item: other_side(label) for item, label in judge.items()}
    return Labels("ab", judge), Labels("ba", turned).as_swapped()


def always(label: str) -> tuple[Labels, Labels]:
    same = dict.fromkeys(QUALITY, label)
    return Labels("ab", same), Labels("ba", same).as_swapped()


def test_a_judge_that_sees_what_is_there_is_consistent() -> None:
    found = examine_position(*shown_in_both_orders(QUALITY))
    assert (found.n, found.consistent) == (4, 4)
    assert found.first_share == 0.5


@pytest.mark.parametrize(
    ("label", "kind"), [("1", "always_first"), ("2", "always_second"), ("a", "always_first")]
)
def test_a_judge_that_looks_at_the_place_is_found(label: str, kind: str) -> None:
    found = examine_position(*always(label))
    assert getattr(found, kind) == found.n == 4
    assert found.first_share == (1 if kind == "always_first" else 0)


def test_a_judge_that_always_ties_prefers_no_place() -> None:
    found = examine_position(*always("tie"))
    assert (found.consistent, found.first_share) == (4, Undefined("no_winners"))


def test_half_changes_of_mind_have_their_own_count() -> None:
    ab = Labels("ab", {"p": "1", "q": "tie", "r": "both_good"})
    ba = Labels("ba", {"p": "tie", "q": "2", "r": "both_bad"}).as_swapped()
    found = examine_position(ab, ba)
    assert (found.one_winner, found.other, found.consistent) == (2, 1, 0)
    # shown first: the 1 of p; shown second: the 2 of q
    assert (found.first_wins, found.second_wins) == (1, 1)


def test_items_without_both_orders_are_counted() -> None:
    ab = Labels("ab", {"p": "1", "q": "1"}, {"r": "no_json"})
    ba = Labels("ba", {"p": "2", "r": "2", "s": "2"}).as_swapped()
    found = examine_position(ab, ba).to_json()
    assert (found["n"], found["only_ab"], found["only_ba"], found["unscored"]) == (1, 1, 1, {"no_json": 1})


def test_nothing_in_both_orders_has_no_shares() -> None:
    found = examine_position(Labels("ab", {}), Labels("ba", {}).as_swapped()).to_json()
    assert found["n"] == 0 and found["first_share"] is None
    assert set(dict(found["shares"]).values()) == {None}  # type: ignore[call-overload]


def test_orders_that_were_turned_already_are_refused() -> None:
    ab, ba = shown_in_both_orders(QUALITY)
    with pytest.raises(LabelError, match="are as_is and as_is, expected as_is and swapped"):
        examine_position(ab, ab)
    with pytest.raises(LabelError, match="are swapped and swapped"):
        examine_position(ba, ba)


@pytest.mark.parametrize("label", ["A", "model_a", "first"])
def test_a_label_that_names_no_side_is_no_tie(label: str) -> None:
    found = examine_position(*always(label))
    assert (found.n, found.consistent) == (0, 0)
    assert found.unscored == {"unknown_label": 8}  # four items in each order
    _, swapped = always(label)
    assert unswapped(swapped).by_item == {}


def test_pairs_on_one_prompt_are_drawn_together() -> None:
    # ten prompts of four pairs, three of which the judge decides by the place, on all four pairs alike
    items = {f"{prompt}/{n}": "1" if prompt < 3 else "tie" for prompt in range(10) for n in range(4)}
    prompts = {item: item.partition("/")[0] for item in items}
    found = examine_position(Labels("ab", items, clusters=prompts), Labels("ba", items).as_swapped())
    alone = examine_position(Labels("ab", items), Labels("ba", items).as_swapped())
    assert ends(found.intervals["always_first"]) == pytest.approx(ends(wilson(3, 10)))
    assert ends(alone.intervals["always_first"]) == pytest.approx(ends(wilson(12, 40)))
    # the winners: two labels of each of 12 pairs, all for the first; three prompts tell that, or 12 pairs
    assert found.intervals["first_share"] == wilson(3, 3)
    assert alone.intervals["first_share"] == wilson(12, 12)


def ends(interval: Interval | Undefined) -> tuple[float, float]:
    assert isinstance(interval, Interval)
    return interval.low, interval.high
