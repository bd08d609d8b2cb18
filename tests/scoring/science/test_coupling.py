from __future__ import annotations

import math

import pytest

from scoring.science.coupling import (
    Came,
    Pooled,
    Table,
    coupling,
    mantel_haenszel,
    median_split,
    tabulate,
)
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


def answers(table: Table, first_item: int = 0) -> list[Came]:
    """Answers to different items that give a table."""
    cells = ((True, True), (True, False), (False, True), (False, False))
    counts = (table.both, table.first, table.second, table.neither)
    outcomes = [cell for cell, count in zip(cells, counts, strict=True) for _ in range(count)]
    return [Came(str(first_item + n), *outcome) for n, outcome in enumerate(outcomes)]


def pooled(*systems: list[Came]) -> Pooled:
    found = mantel_haenszel(systems)
    assert not isinstance(found, Undefined)
    return found


def test_pooling_keeps_a_paradox_of_the_sum_apart() -> None:
    # in each system the odds ratio is 1, in the sum it is not
    found = pooled(answers(Table(81, 9, 9, 1)), answers(Table(1, 9, 9, 81), 100))
    assert found.odds_ratio == pytest.approx(1.0)
    assert 1.0 in found.interval
    assert (found.n, found.items) == (200, 200)


def test_what_no_item_tells_apart_is_not_pooled() -> None:
    assert mantel_haenszel([answers(Table(5, 0, 0, 0))]) == Undefined("empty_cells")
    assert mantel_haenszel([[]]) == mantel_haenszel([]) == Undefined("no_items")
    one = [Came("x", *outcome) for outcome in ((True, True), (True, False), (False, True), (False, False))]
    assert mantel_haenszel([one]) == Undefined("one_item")


def test_pooling_one_table_gives_its_plain_odds_ratio_and_woolfs_interval() -> None:
    found = pooled(answers(Table(20, 5, 10, 15)))
    assert found.odds_ratio == pytest.approx(20 * 15 / (5 * 10))
    # ln 6 +- 1.96 sqrt(1/20 + 1/5 + 1/10 + 1/15)
    half = 1.959964 * math.sqrt(1 / 20 + 1 / 5 + 1 / 10 + 1 / 15)
    assert math.log(found.interval.high) == pytest.approx(math.log(6) + half, abs=1e-6)
    assert math.log(found.interval.low) == pytest.approx(math.log(6) - half, abs=1e-6)


def test_different_items_in_every_system_have_about_the_interval_of_robins_breslow_and_greenland() -> None:
    tables = [Table(20, 5, 10, 15), Table(30, 12, 8, 22)]
    found = pooled(answers(tables[0]), answers(tables[1], 50))
    r = [t.both * t.neither / t.n for t in tables]  # 6, 9.1667
    s = [t.first * t.second / t.n for t in tables]  # 1, 1.3333
    assert found.odds_ratio == pytest.approx(sum(r) / sum(s))  # 15.1667 / 2.3333 = 6.5
    p = [(t.both + t.neither) / t.n for t in tables]
    q = [(t.first + t.second) / t.n for t in tables]
    # their variance of ln OR, 1986: another approximation, for independent answers
    variance = (
        sum(pi * ri for pi, ri in zip(p, r, strict=True)) / (2 * sum(r) ** 2)
        + sum(pi * si + qi * ri for pi, qi, ri, si in zip(p, q, r, s, strict=True)) / (2 * sum(r) * sum(s))
        + sum(qi * si for qi, si in zip(q, s, strict=True)) / (2 * sum(s) ** 2)
    )
    half = 1.959964 * math.sqrt(variance)
    assert math.log(found.interval.high / found.odds_ratio) == pytest.approx(half, rel=0.02)


def test_the_same_items_asked_again_are_no_more_evidence() -> None:
    once = pooled(answers(Table(20, 5, 10, 15)))
    often = pooled(answers(Table(20, 5, 10, 15)) * 9)
    systems = pooled(*[answers(Table(20, 5, 10, 15))] * 9)
    for found in (often, systems):
        assert (found.n, found.items) == (450, 50)
        assert found.odds_ratio == pytest.approx(once.odds_ratio)
        assert (found.interval.low, found.interval.high) == pytest.approx(
            (once.interval.low, once.interval.high)
        )


def test_outcomes_are_tabulated_in_pairs() -> None:
    assert tabulate([True, True, False], [True, False, False]) == Table(1, 1, 0, 1)
