"""The tables of science in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.report.safe import neutralise
from scoring.science.run import Science
from scoring.science.shown import TextTable
from scoring.science.tables import tables

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_RIGHT = frozenset({"value", "n", "chance", "as wrong", "systems", "first", "second", "difference"})
_WRAPPED = frozenset(
    {"unscored", "measure", "score", "of", "system", "stages", "by", "Spearman", "of items", "contrast"}
)
_WIDE = frozenset({"95 % interval", "chance", "r\N{SUPERSCRIPT TWO}", "odds ratio"})
"""Columns that a terminal of less than `WIDE` columns does without."""

_LONGEST_STAGE = len("recognition,")

WIDE = 104
"""Columns of a terminal from which tables are shown whole."""


def print_science(science: Science, console: Console | None = None) -> None:
    """Print every table that has something to show."""
    from rich.console import Console as RichConsole
    from rich.markup import escape

    out = console or RichConsole(highlight=False)
    for table in tables(science):
        out.print()
        out.print(f"[bold]{escape(neutralise(table.title))}[/bold]", highlight=False)
        out.print(_drawn(table, out.width))
        if table.note:
            out.print(f"[dim]{escape(neutralise(table.note))}[/dim]", highlight=False)


def _drawn(table: TextTable, width: int) -> Table:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    shown = [place for place, name in enumerate(table.columns) if width >= WIDE or name not in _WIDE]
    for name in (table.columns[place] for place in shown):
        right = name in _RIGHT
        drawn.add_column(
            name,
            justify="right" if right else "left",
            overflow="fold",
            no_wrap=name not in _WRAPPED,
            min_width=_LONGEST_STAGE if name == "stages" else None,
        )
    before: tuple[str, ...] = ()
    for row in table.rows:
        # what is the same as in the row above is not said again
        same = sum(1 for i in range(table.heads) if row[: i + 1] == before[: i + 1])
        cells = (*("" for _ in row[:same]), *row[same:])
        drawn.add_row(*(Text(neutralise(cells[place])) for place in shown))
        before = row
    return drawn
