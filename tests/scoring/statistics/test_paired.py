from __future__ import annotations

import itertools
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.intervals import Interval
from scoring.statistics.paired import (
    Difference,
    SignFlip,
    able_to_reject,
    bootstrap_means,
    holm,
    mcnemar,
    mcnemar_of,
    paired_difference,
    sign_flip,
    sign_flips,
)
from scoring.statistics.undefined import Undefined

# --- McNemar --------------------------------------------------------------------------------------


def test_mcnemar_gives_agrestis_approval_ratings() -> None:
    # 794 approve twice, 86 no more, 150 now, 570 never: (|86 - 150| - 1)^2 / 236 = 63^2 / 236
    found = mcnemar(150, 86)
    assert found.statistic == pytest.approx(16.8178, abs=5e-5)
    assert not found.exact
    assert found.p == pytest.approx(4.115e-5, abs=1e-8)
    assert mcnemar(150, 86, exact=True).p == pytest.approx(3.715936139571387e-05, rel=1e-12)


def test_few_discordant_items_are_tested_exactly() -> None:
    # 2 (C(10,0) + C(10,1)) / 2^10 = 22 / 1024
    assert mcnemar(1, 9).p == 22 / 1024
    assert mcnemar(12, 12).exact and mcnemar(12, 12).p == 1
    assert mcnemar(24, 0).exact and not mcnemar(25, 0).exact


def test_no_discordant_item_is_no_evidence() -> None:
    assert (mcnemar(0, 0).p, mcnemar(0, 0, exact=False).p) == (1, 1)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_symmetrical_and_a_probability(b: int, c: int) -> None:
    assert mcnemar(b, c).p == mcnemar(c, b).p
    assert 0 <= mcnemar(b, c).p <= 1


def test_mcnemar_counts_what_only_one_got_right() -> None:
    found = mcnemar_of([True, True, True, False, False], [True, False, False, True, False])
    assert (found.b, found.c) == (2, 1)
    with pytest.raises(ValueError, match="shorter"):
        mcnemar_of([True, False], [True])
    with pytest.raises(ValueError, match="-1"):
        mcnemar(-1, 2)


# --- differences ----------------------------------------------------------------------------------


def test_a_paired_difference_is_of_the_same_items() -> None:
    # unpaired, the spread of the items (0 to 100) would hide the difference of 1
    first = np.linspace(0, 100, 50)
    found = paired_difference(first + 1, first)
    assert isinstance(found, Difference) and isinstance(found.interval, Interval)
    assert (found.value, found.n) == pytest.approx((1, 50))
    assert found.interval.to_json() == pytest.approx([1, 1])


def test_no_pairs_have_no_difference() -> None:
    assert paired_difference([], []) == Undefined("no_items")
    assert sign_flip([], []) == Undefined("no_items")
    assert sign_flip([], [], []) == Undefined("no_items")
    with pytest.raises(ValueError, match="2 values against 1"):
        paired_difference([1, 2], [1])


def test_a_sign_flip_tries_every_choice_of_signs() -> None:
    # sums of ±1 ±2 ±3 of at least 6 in size: two of eight
    assert sign_flip([1, 2, 3], [0, 0, 0]) == SignFlip(n=3, p=2 / 8, exact=True)
    # pairs without a difference have no sign
    assert sign_flip([1, 2, 3, 5], [0, 0, 0, 5]) == SignFlip(n=4, p=2 / 8, exact=True)
    assert sign_flip([4, 4], [4, 4]) == SignFlip(n=2, p=1, exact=True)


def test_clusters_flip_as_one() -> None:
    assert sign_flip([1, 1, 1, 1], [0] * 4, ["a", "a", "b", "b"]) == SignFlip(n=2, p=2 / 4, exact=True)


def test_many_differences_are_flipped_by_a_seeded_sample() -> None:
    gaps = np.random.default_rng(2).normal(0.35, 1, 40)
    found = sign_flip(gaps, np.zeros(40))
    assert isinstance(found, SignFlip) and not found.exact
    assert found == sign_flip(gaps[::-1], np.zeros(40))
    # the normal approximation: z = mean / sqrt(sum of squares) * n
    z = abs(gaps.sum()) / np.sqrt((gaps**2).sum())
    assert found.p == pytest.approx(2 * (1 - NormalDist().cdf(z)), abs=0.01)


def test_a_sampled_p_is_never_zero() -> None:
    found = sign_flip(np.ones(100), np.zeros(100), flips=99)
    assert isinstance(found, SignFlip)
    assert found.p == 1 / 100


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_a_sign_flip_is_the_share_of_all_signs(gaps: list[int]) -> None:
    sums = [abs(sum(s * g for s, g in zip(signs, gaps, strict=True)))
            for signs in itertools.product((1, -1), repeat=len(gaps))]  # fmt: skip
    expected = sum(s >= abs(sum(gaps)) for s in sums) / len(sums)
    found = sign_flip(gaps, [0] * len(gaps))
    assert isinstance(found, SignFlip)
    assert found.p == expected


# --- several at once ------------------------------------------------------------------------------


def test_columns_are_tested_as_each_alone_and_a_missing_value_is_no_zero() -> None:
    nan = float("nan")
    found = sign_flips(np.array([[1, nan], [2, 4], [3, 4], [nan, 0]]))
    assert found == [sign_flip([1, 2, 3], [0, 0, 0]), sign_flip([4, 4, 0], [0, 0, 0])]
    assert sign_flips(np.array([[nan], [nan]])) == [Undefined("no_items")]


def test_long_columns_share_their_flips_and_come_near_the_normal_approximation() -> None:
    rng = np.random.default_rng(3)
    gaps = np.column_stack((rng.normal(0.3, 1, 60), rng.normal(0, 1, 60)))
    gaps[:20, 1] = np.nan
    for column, found in enumerate(sign_flips(gaps)):
        own = gaps[:, column][~np.isnan(gaps[:, column])]
        z = abs(own.sum()) / np.sqrt((own**2).sum())
        assert isinstance(found, SignFlip) and not found.exact
        assert found.n == len(own)
        assert found.p == pytest.approx(2 * (1 - NormalDist().cdf(z)), abs=0.015)
    assert sign_flips(gaps[::-1]) == sign_flips(gaps)


def test_intervals_of_means_of_columns_leave_out_what_is_missing() -> None:
    nan = float("nan")
    rng = np.random.default_rng(4)
    values = np.column_stack((rng.normal(5, 1, 100), np.full(100, 2.0), np.full(100, nan)))
    values[:50, 1] = nan
    wide, flat, none = bootstrap_means(values)
    assert isinstance(wide, Interval) and isinstance(flat, Interval)
    # 1.96 / sqrt(100) to either side of the mean
    assert wide.to_json() == pytest.approx(
        [values[:, 0].mean() - 0.196, values[:, 0].mean() + 0.196], abs=0.05
    )
    assert flat.to_json() == pytest.approx([2, 2])
    assert none == Undefined("no_items")
    assert bootstrap_means([[1.0]]) == [Undefined("one_item")]


def test_a_test_that_could_never_reject_costs_the_others_nothing() -> None:
    # of four pairs the smallest p is 2/2^4 = 0.125: it could not reject even alone. Left are two, each of
    # which must reach 0.05 / 2 = 0.025: seven pairs do (2/2^7 = 0.016), six do not (0.031)
    assert able_to_reject([0.125, 0.0156, 0.031], 0.05) == [False, True, False]
    assert able_to_reject([0.001, 0.001], 0.05) == [True, True]
    assert able_to_reject([0.5], 0.05) == [False]
    assert able_to_reject([], 0.05) == []


# --- Holm -----------------------------------------------------------------------------------------


def test_holm_adjusts_in_the_order_given() -> None:
    # sorted .005 .01 .03 .04: 4 * .005, 3 * .01, 2 * .03, then the largest so far
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    with pytest.raises(ValueError, match=r"1\.2"):
        holm([1.2])


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_lies_between_the_raw_p_and_bonferronis(ps: list[float]) -> None:
    for p, adjusted in zip(ps, holm(ps), strict=True):
        assert p <= adjusted <= min(1.0, p * len(ps))
