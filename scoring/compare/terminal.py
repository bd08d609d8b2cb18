"""Comparisons as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scoring.compare.verdict import Comparison, MetricComparison, Side, Verdict
from scoring.report.figures import NOTHING, counts_text, number, range_text, title, value_text
from scoring.report.safe import neutralise
from scoring.statistics.undefined import Undefined

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 104
"""Columns of a terminal from which intervals are shown."""

_STYLES = {Verdict.BETTER: "color(29)", Verdict.WORSE: "color(160)", Verdict.TOO_LITTLE: "dim"}


def print_comparisons(comparisons: Sequence[Comparison], console: Console | None = None) -> None:
    """Print every comparison, and how to read them."""
    from rich.console import Console as RichConsole
    from rich.markup import escape

    out = console or RichConsole(highlight=False)
    for comparison in comparisons:
        for line in _heading(comparison):
            out.print(escape(neutralise(line)), soft_wrap=True, highlight=False)
        out.print(_table(comparison, out.width))
        for line in conclusions(comparison):
            out.print(escape(neutralise(line)), soft_wrap=True, highlight=False)
        out.print()
    out.print(
        "[dim]Differences are of pairs (the same scenario and seed), second minus first, with their 95 % "
        "interval. A verdict needs more than chance, corrected over all metrics, and a difference that "
        "matters.[/dim]",
        highlight=False,
    )


def conclusions(comparison: Comparison) -> Iterable[str]:
    """What can be said, in sentences."""
    for verdict in (Verdict.WORSE, Verdict.BETTER):
        names = comparison.having(verdict)
        if names:
            told = "; ".join(f"{title(n)} {_difference(comparison.metrics[n])}" for n in names)
            yield f"{verdict.value}: {told}"
    seen, little = comparison.having(Verdict.NO_DIFFERENCE), comparison.having(Verdict.TOO_LITTLE)
    if seen:
        yield f"{Verdict.NO_DIFFERENCE.value} in {len(seen)}: {', '.join(map(title, seen))}"
    known = [name for name in little if comparison.metrics[name].n]
    if known:
        yield f"{Verdict.TOO_LITTLE.value} for {len(known)}: {', '.join(map(title, known))}"


def _heading(comparison: Comparison) -> Iterable[str]:
    within = f", {comparison.within}" if comparison.within else ""
    yield f"{comparison.about}{within}"
    for place, side in (("first", comparison.first), ("second", comparison.second)):
        yield f"  {place:<6}  {side.name}: {_counts(side)}"
    left = f"; left out: {counts_text(comparison.left_out)}" if comparison.left_out else ""
    yield f"  {comparison.pairs} pairs{left}"


def _counts(side: Side) -> str:
    calls = len(side.digest.rows)
    void = f", {side.void} void ({number(side.void / calls, 'ratio')})" if side.void else ""
    return f"{calls} {'call' if calls == 1 else 'calls'}{void}"


def _table(comparison: Comparison, width: int) -> Table:
    """In a narrow terminal without intervals, pairs and p-values."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    wide = width >= WIDE
    for name in ("metric", "first", "second", "difference", *(("pairs", "p") if wide else ()), "verdict"):
        left = name in ("metric", "verdict")
        table.add_column(name, no_wrap=True, justify="left" if left else "right")
    for name, found in comparison.metrics.items():
        if found.first.n or found.second.n:
            p = NOTHING if found.corrected is None else f"{found.corrected:.3f}"
            table.add_row(
                title(name),
                value_text(found.first),
                value_text(found.second),
                _difference(found, interval=wide),
                *((str(found.n), p) if wide else ()),
                Text(found.verdict.value, _STYLES.get(found.verdict, "")),
            )
    return table


def _difference(found: MetricComparison, *, interval: bool = True) -> str:
    if found.difference is None:
        return NOTHING
    unit = found.first.unit
    text = f"{'+' if found.difference > 0 else ''}{number(found.difference, unit)}"
    if not interval or isinstance(found.interval, Undefined):
        return text
    return f"{text} ({range_text(found.interval.low, found.interval.high, unit)})"
