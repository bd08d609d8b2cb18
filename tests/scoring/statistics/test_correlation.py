from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.correlation import Correlation, average_ranks, pearson, spearman, squared_pearson
from scoring.statistics.undefined import Undefined


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    assert average_ranks([10, 30, 20, 20, 5]).tolist() == [2, 5, 3.5, 3.5, 1]
    assert average_ranks([]).tolist() == []


def test_spearman_of_ranks_without_ties_is_the_sum_of_squared_gaps() -> None:
    # d = 1 1 0 2 2, rho = 1 - 6 * 10 / (5 * 24)
    found = spearman([1, 2, 3, 4, 5], [2, 1, 3, 6, 4.5])
    assert isinstance(found, Correlation)
    assert found.value == pytest.approx(0.8)  # ranks 2 1 3 5 4: d^2 = 4 ones, 1 - 24 / 120
    assert found.exact and found.n == 5


def test_the_exact_p_of_few_points_counts_permutations() -> None:
    # of 3! orders, 2 correlate with |rho| = 1
    assert spearman([1, 2, 3], [10, 20, 30]) == Correlation(1.0, 3, 2 / 6, exact=True)
    # n = 8: |rho| of .738 is the smallest with p at most .05 (tables of Spearman's rho)
    found = spearman([1, 2, 3, 4, 5, 6, 7, 8], [3, 1, 4, 2, 8, 5, 6, 7])
    assert isinstance(found, Correlation) and found.value == pytest.approx(0.738, abs=5e-4)
    assert found.p == pytest.approx(0.0458, abs=5e-4)
    less = spearman([1, 2, 3, 4, 5, 6, 7, 8], [3, 1, 4, 2, 8, 5, 7, 6])
    assert isinstance(less, Correlation) and less.value == pytest.approx(0.714, abs=5e-4)
    assert less.p > 0.05


def test_more_points_are_permuted_by_a_seeded_sample() -> None:
    x = np.arange(20.0)
    y = np.random.default_rng(3).permutation(x)
    found = spearman(x, y)
    assert isinstance(found, Correlation) and not found.exact
    assert found == spearman(x, y) == spearman(x[::-1], y[::-1])
    # without a relation, rho is about normal, with variance 1 / (n - 1)
    assert found.p == pytest.approx(2 * (1 - NormalDist().cdf(abs(found.value) * 19**0.5)), abs=0.02)


def test_squared_pearson_is_not_the_square_of_spearman() -> None:
    x, y = [1, 2, 3, 4], [1, 4, 9, 100]
    assert squared_pearson(x, x) == pytest.approx(1)
    assert squared_pearson(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
    found = spearman(x, y)
    assert isinstance(found, Correlation) and found.value == pytest.approx(1)


@pytest.mark.parametrize("x", [[1, 1, 1], [2.0, 2.0, 2.0]])
def test_a_constant_has_no_correlation(x: list[float]) -> None:
    for function in (pearson, squared_pearson, spearman):
        assert function(x, [1, 2, 3]) == Undefined("constant")
        assert function([1, 2, 3], x) == Undefined("constant")


def test_one_point_has_no_correlation() -> None:
    assert pearson([1], [1]) == spearman([], []) == Undefined("fewer_than_two_points")


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        pearson([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="finite"):
        spearman([1, float("nan")], [1, 2])


points = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=6)


@given(points)
def test_spearman_is_symmetrical_and_monotone_maps_change_nothing(pairs: list[tuple[int, int]]) -> None:
    x, y = (list(row) for row in zip(*pairs, strict=True))
    found, turned = spearman(x, y), spearman(y, x)
    if isinstance(found, Undefined):
        assert found == turned
        return
    cubed = spearman([v**3 for v in x], [-v for v in y])
    assert isinstance(turned, Correlation) and isinstance(cubed, Correlation)
    assert turned.value == pytest.approx(found.value) and turned.p == pytest.approx(found.p)
    assert cubed.value == pytest.approx(-found.value) and cubed.p == pytest.approx(found.p)
    assert -1 <= found.value <= 1 and 0 < found.p <= 1
