from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.intervals import Interval
from scoring.statistics.passk import PassK, pass_at_k, pass_hat_k, pass_k
from scoring.statistics.undefined import Undefined


def test_chances_of_three_trials_from_four_of_which_two_passed() -> None:
    # of C(4, 2) = 6 pairs, 1 has no pass, 1 has two
    assert pass_at_k(4, 2, 2) == pytest.approx(5 / 6)
    assert pass_hat_k(4, 2, 2) == pytest.approx(1 / 6)
    assert pass_at_k(4, 2, 1) == pass_hat_k(4, 2, 1) == 0.5
    assert (pass_at_k(4, 2, 3), pass_hat_k(4, 2, 3)) == (1, 0)


def test_more_trials_than_were_made_are_undefined_not_guessed() -> None:
    assert pass_at_k(3, 3, 4) == pass_hat_k(3, 3, 4) == Undefined("fewer_than_k_trials")
    assert pass_at_k(0, 0, 1) == Undefined("fewer_than_k_trials")


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"{c} of {n} trials"):
        pass_at_k(n, c, k)


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_chances_are_shares_of_all_choices(case: tuple[int, int, int]) -> None:
    n, c, k = case
    choices = list(itertools.combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(float(Fraction(sum(map(any, choices)), len(choices))))
    assert pass_hat_k(n, c, k) == pytest.approx(float(Fraction(sum(map(all, choices)), len(choices))))


# --- over tasks ---------------------------------------------------------------------------------


def test_every_task_counts_as_much_as_any_other_and_those_with_few_trials_are_counted() -> None:
    # of 4 trials 2 passed (5/6 and 1/6), all 4 passed (1 and 1); one trial says nothing of k = 2
    found = pass_k([(4, 2), (4, 4), (1, 1)], 2)
    assert isinstance(found, PassK)
    assert (found.any, found.every) == pytest.approx(((5 / 6 + 1) / 2, (1 / 6 + 1) / 2))
    assert (found.tasks, found.few) == (2, 1)
    assert isinstance(found.every_interval, Interval)
    assert found.every_interval.to_json() == pytest.approx([1 / 6, 1])


def test_no_task_with_enough_trials_is_undefined() -> None:
    assert pass_k([(1, 1)], 2) == Undefined("fewer_than_k_trials")
    assert pass_k([], 1) == Undefined("no_items")


def test_one_task_has_chances_and_no_interval() -> None:
    found = pass_k([(3, 1)], 1)
    assert isinstance(found, PassK) and found.any_interval == Undefined("one_item")
