"""Do stages rise and fall together? Over systems, as in the paper, and over items, with an interval. Pure.

Every stage must be oriented "higher is better" before it comes here (1 - WER). With eight systems a
Spearman correlation below .738 means nothing at .05, and an odds ratio over eight points carries almost
no evidence: the item-level odds ratio is there to be looked at instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from scoring.statistics.correlation import Correlation, spearman, squared_pearson
from scoring.statistics.intervals import LEVEL, Interval, normal_quantile
from scoring.statistics.undefined import Undefined

CONTINUITY = 0.5
"""Added to every cell of a two-by-two table (Haldane-Anscombe), so that an empty one gives no infinity."""


@dataclass(frozen=True, slots=True)
class Table:
    """Two outcomes of the same things, counted: both, only the first, only the second, neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def odds_ratio(self) -> float:
        """((a + .5)(d + .5)) / ((b + .5)(c + .5))."""
        a, b, c, d = self._cells
        return a * d / (b * c)

    def interval(self, level: float = LEVEL) -> Interval:
        """Woolf's interval: exp(ln OR ± z sqrt(sum 1 / (n_ij + .5)))."""
        half = normal_quantile(level) * math.sqrt(sum(1 / cell for cell in self._cells))
        centre = math.log(self.odds_ratio)
        return Interval(math.exp(centre - half), math.exp(centre + half), level)

    @property
    def _cells(self) -> tuple[float, float, float, float]:
        a, b, c, d = (cell + CONTINUITY for cell in (self.both, self.first, self.second, self.neither))
        return a, b, c, d

    @property
    def n(self) -> int:
        """How many things were counted."""
        return self.both + self.first + self.second + self.neither


def tabulate(first: Sequence[bool], second: Sequence[bool]) -> Table:
    """Count pairs of outcomes."""
    pairs = list(zip(first, second, strict=True))
    return Table(
        *(pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))
    )


def median_split(first: Sequence[float], second: Sequence[float]) -> Table | Undefined:
    """Systems above the median of one stage against those above the median of another (strictly above)."""
    if len(first) < 2 or len(set(first)) == 1 or len(set(second)) == 1:
        return Undefined("constant" if len(first) > 1 else "too_few_systems")
    high = ([value > median(stage) for value in stage] for stage in (first, second))
    return tabulate(*high)


@dataclass(frozen=True, slots=True)
class Coupling:
    """How two stages go together over systems.

    Attributes:
        n: Systems.
        rho: Spearman's correlation with its p (exact up to eight systems), or why there is none.
        r2: Pearson's correlation, squared, or why there is none.
        split: The median split.
    """

    n: int
    rho: Correlation | Undefined
    r2: float | Undefined
    split: Table | Undefined


def coupling(first: Sequence[float], second: Sequence[float]) -> Coupling:
    """Two stages over the same systems, in the same order, both oriented "higher is better"."""
    return Coupling(
        n=len(first),
        rho=spearman(first, second),
        r2=squared_pearson(first, second),
        split=median_split(first, second),
    )


@dataclass(frozen=True, slots=True)
class Came:
    """Whether an answer of a system came through two stages.

    Attributes:
        item: What was asked: the same for all systems, and for repeats.
    """

    item: str
    first: bool
    second: bool


@dataclass(frozen=True, slots=True)
class Pooled:
    """An odds ratio over the answers of several systems (Mantel and Haenszel 1959), with its interval.

    Attributes:
        n: Answers.
        items: Different items among them.
    """

    odds_ratio: float
    interval: Interval
    n: int
    items: int


def mantel_haenszel(systems: Sequence[Sequence[Came]], level: float = LEVEL) -> Pooled | Undefined:
    """Pool the answers of several systems.

    OR = R / S, R = sum(a d / n), S = sum(b c / n) over the systems. An item is hard or easy for all of
    them: the variance of ln OR is that of linearised R and S with items as clusters. For one system and
    items that are asked once it is Woolf's 1/a + 1/b + 1/c + 1/d.
    """
    tables = [
        tabulate([one.first for one in some], [one.second for one in some]) for some in systems if some
    ]
    r = math.fsum(table.both * table.neither / table.n for table in tables)
    s = math.fsum(table.first * table.second / table.n for table in tables)
    if not r or not s:
        return Undefined("empty_cells" if tables else "no_items")
    shares: dict[str, list[float]] = {}
    for table, some in zip(tables, filter(None, systems), strict=True):
        for one in some:
            shares.setdefault(one.item, []).append(_influence(one, table, r, s))
    if len(shares) < 2:
        return Undefined("one_item")
    variance = math.fsum(math.fsum(some) ** 2 for some in shares.values())
    half, centre = normal_quantile(level) * math.sqrt(variance), math.log(r / s)
    interval = Interval(math.exp(centre - half), math.exp(centre + half), level)
    return Pooled(r / s, interval, sum(table.n for table in tables), len(shares))


def _influence(one: Came, table: Table, r: float, s: float) -> float:
    """How far an answer moves ln(R / S): the derivative of the sums by the count of its cell."""
    alike, apart = table.both * table.neither / table.n, table.first * table.second / table.n
    if one.first == one.second:
        other = table.neither if one.first else table.both
        return (other - alike) / (table.n * r) + apart / (table.n * s)
    other = table.second if one.first else table.first
    return -alike / (table.n * r) - (other - apart) / (table.n * s)
