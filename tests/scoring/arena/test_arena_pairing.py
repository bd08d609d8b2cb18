from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.arena.battles import Battle
from scoring.arena.pairing import Pairing, Plan, propose
from tests.scoring.arena.matches import battles, simulated

PROMPTS = [f"q{index}" for index in range(40)]


def pairs(found: list[Pairing]) -> Counter[frozenset[str]]:
    return Counter(frozenset((one.system_a, one.system_b)) for one in found)


def test_the_same_seed_proposes_the_same_battles() -> None:
    held = simulated({"A": 1100, "B": 1000, "C": 900}, 30, 10, 0)
    assert propose(held, Plan(10, seed=1)) == propose(held, Plan(10, seed=1))
    assert propose(held, Plan(10, seed=1)) != propose(held, Plan(10, seed=2))


def test_systems_that_no_battle_links_are_linked_first() -> None:
    held = battles(("A", "B", "ababab"), ("C", "D", "ababab"))
    found = propose(held, Plan(2), ["E"], PROMPTS)
    groups = {"A": 0, "B": 0, "C": 1, "D": 1, "E": 2}
    linked = [{groups[one.system_a], groups[one.system_b]} for one in found]
    assert all(len(pair) == 2 for pair in linked)
    assert set().union(*linked) == {0, 1, 2}


def test_a_battle_without_an_outcome_links_nothing() -> None:
    failed = Battle(id="x", prompt="q0", system_a="B", system_b="C", unscored="judge_failed")
    (found,) = propose([*battles(("A", "B", "abab")), failed], Plan(1), (), PROMPTS)
    assert "C" in (found.system_a, found.system_b)


def test_moderate_gaps_are_asked_more_than_wide_ones() -> None:
    """As often met, so that uncertainty decides little: A and B are 100 points apart, A and C 600."""
    held = simulated({"A": 1230, "B": 1130, "C": 640}, 3000, 1000, 0)
    found = pairs(propose(held, Plan(60, per_pair=10_000), (), PROMPTS))
    assert found[frozenset("AB")] > 2 * found[frozenset("AC")]


def test_what_is_uncertain_is_asked_more_than_what_is_known() -> None:
    """All equal: A and B have met 400 times, C has met each of them four times."""
    held = battles(("A", "B", "ab" * 200), ("A", "C", "abab"), ("B", "C", "abab"))
    found = pairs(propose(held, Plan(20, per_pair=10_000), (), PROMPTS))
    assert found[frozenset("AB")] <= 3


def test_both_orders_are_shown_about_as_often() -> None:
    found = propose(
        [], Plan(200, per_pair=1000, per_prompt=1000), ["A", "B", "C"], [str(n) for n in range(100)]
    )
    first = Counter(one.system_a < one.system_b for one in found)
    assert len(found) == 200
    assert 75 <= first[True] <= 125
    assert found[0].to_json() == {
        "prompt": found[0].prompt,
        "system_a": found[0].system_a,
        "system_b": found[0].system_b,
        "first": "a",
    }


@pytest.mark.parametrize("systems", [[], ["A"]])
def test_one_system_has_nobody_to_meet(systems: list[str]) -> None:
    assert propose([], Plan(5), systems, PROMPTS) == []


@settings(max_examples=25)
@given(
    seed=st.integers(0, 99),
    count=st.integers(0, 30),
    per_pair=st.integers(1, 8),
    per_prompt=st.integers(1, 4),
)
def test_caps_hold_over_what_was_held_and_what_is_proposed(
    seed: int, count: int, per_pair: int, per_prompt: int
) -> None:
    held = simulated({"A": 1100, "B": 1000, "C": 900, "D": 900}, count, 6, seed)
    found = propose(held, Plan(50, per_pair, per_prompt, seed), (), PROMPTS[:5])
    both = [(frozenset(b.systems), b.prompt) for b in held]
    new = [(frozenset((one.system_a, one.system_b)), one.prompt) for one in found]
    assert len(set(new)) == len(new)
    assert not set(new) & set(both)  # no two systems meet twice on one prompt
    in_pair, on_prompt = Counter(p for p, _ in both + new), Counter(q for _, q in both + new)
    assert all(in_pair[pair] <= per_pair for pair, _ in new)
    assert all(on_prompt[prompt] <= per_prompt for _, prompt in new)


def test_only_battles_that_can_be_held_are_proposed() -> None:
    can = {(frozenset("AB"), "p1"), (frozenset("AB"), "p2"), (frozenset("BC"), "p2")}
    found = propose([], Plan(10), "ABC", ["p1", "p2", "p3"], can)
    assert {(frozenset((one.system_a, one.system_b)), one.prompt) for one in found} == can
    assert len(found) == 3
