from __future__ import annotations

import math

import pytest

from scoring.science.coupling import Table, coupling, mantel_haenszel, median_split, tabulate
from scoring.statistics.undefined import Undefined

# the four odds ratios that the paper prints, as the median splits that alone give them
PUBLISHED = [((3, 1, 1, 3), 5.44), ((2, 1, 1, 3), 3.89), ((1, 3, 3, 1), 0.18), ((1, 2, 2, 2), 0.60)]


@pytest.mark.parametrize(("cells", "printed"), PUBLISHED)
def test_the_published_odds_ratios_come_from_median_splits(
    cells: tuple[int, int, int, int], printed: float
) -> None:
    assert round(Table(*cells).odds_ratio, 2) == printed


def test_a_median_split_counts_what_is_strictly_above() -> None:
    # medians 2.5 and 25: the third and fourth are high in the first, the second and fourth in the other
    assert median_split([1, 2, 3, 4], [10, 30, 20, 40]) == Table(1, 1, 1, 1)
    assert median_split([1, 1, 1], [1, 2, 3]) == Undefined("constant")
    assert median_split([1], [1]) == Undefined("too_few_systems")


def test_eight_systems_in_the_same_order_correlate_perfectly() -> None:
    stage = [float(n) for n in range(8)]
    found = coupling(stage, [n * n for n in stage])
    assert not isinstance(found.rho, Undefined)
    assert found.rho.value == 1.0
    # of the 8! orders only this one and its reverse are as extreme
    assert found.rho.p == pytest.approx(2 / math.factorial(8))
    # Sxy = 784 - 8 (3.5) (17.5) = 294, Sxx = 42, Syy = 4676 - 8 (17.5)^2 = 2226
    assert found.r2 == pytest.approx(294**2 / (42 * 2226))
    assert found.split == Table(4, 0, 0, 4)


def test_an_interval_of_an_odds_ratio_is_symmetric_in_logarithms() -> None:
    table = Table(30, 10, 10, 30)
    interval = table.interval()
    assert math.sqrt(interval.low * interval.high) == pytest.approx(table.odds_ratio)
    # ln(30.5^2/10.5^2) = 2.1327; half = 1.96 sqrt(2/30.5 + 2/10.5) = 0.9917
    assert math.log(interval.high) == pytest.approx(2.1327 + 0.9917, abs=2e-3)


def test_pooling_keeps_a_paradox_of_the_sum_apart() -> None:
    # in each system the odds ratio is 1, in the sum it is not
    tables = [Table(81, 9, 9, 1), Table(1, 9, 9, 81)]
    pooled = mantel_haenszel(tables)
    assert not isinstance(pooled, Undefined)
    assert pooled.odds_ratio == pytest.approx(1.0)
    assert 1.0 in pooled.interval
    assert pooled.n == 200
    assert mantel_haenszel([Table(5, 0, 0, 0)]) == Undefined("empty_cells")
    assert mantel_haenszel([]) == Undefined("no_items")


def test_pooling_one_table_gives_its_plain_odds_ratio() -> None:
    pooled = mantel_haenszel([Table(20, 5, 10, 15)])
    assert not isinstance(pooled, Undefined)
    assert pooled.odds_ratio == pytest.approx(20 * 15 / (5 * 10))


def test_outcomes_are_tabulated_in_pairs() -> None:
    assert tabulate([True, True, False], [True, False, False]) == Table(1, 1, 0, 1)
