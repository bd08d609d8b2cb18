"""The leaderboard in the terminal, readable from 80 columns on: fewer columns, not squeezed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.arena.leaderboard import Leaderboard, Standing, Table, Tally
from scoring.arena.picture import interval_text, rating_text
from scoring.report import figures
from scoring.report.safe import neutralise
from scoring.report.terminal import WIDE, in_pieces

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

_BAR = 24
_WARN = "color(130)"


def print_leaderboard(board: Leaderboard, console: Console | None = None) -> None:
    """Print the table of all battles, what is doubtful about it, and the slices."""
    from rich.console import Console as RichConsole
    from rich.markup import escape

    out = console or RichConsole(highlight=False)
    _print_table(board.overall, board.request.baseline, out)
    for name, effect in board.overall.fit.effects.items():
        between = f" ({effect.low:.0f} to {effect.high:.0f})" if effect.low is not None else ""
        out.print(f"{name.value}, taken out of the ratings: {effect.value:.0f} points{between}")
    if board.found.corrected:
        out.print(f"corrected: {board.found.corrected}; the last answer counts")
    if board.unscored:
        out.print(f"unscored: {escape(neutralise(figures.counts_text(board.unscored)))}")
    if board.request.slice_by and not board.slices:
        out.print(f"no battle says its {board.request.slice_by.value}: there are no slices")
    for table in board.slices:
        out.print(f"\n[bold]{board.request.slice_by}: {escape(neutralise(table.name))}[/bold]")
        _print_table(table, board.request.baseline, out)
    if board.averages:
        out.print(f"\n[bold]average over {len(board.slices)} slices[/bold]")
        averages = _table()
        for heading in ("system", "rating", "Elo", "slices"):
            averages.add_column(heading, justify="left" if heading == "system" else "right")
        for system, average in board.averages.items():
            numbers = rating_text(average.bradley_terry), rating_text(average.elo), str(average.slices)
            averages.add_row(escape(neutralise(system)), *numbers)
        out.print(averages)


def _print_table(table: Table, baseline: str | None, out: Console) -> None:
    out.print(_standings(table, baseline, out.width))
    resampled = (
        f"{table.fit.resamples} bootstraps of {table.fit.clusters}" if table.fit.resamples else "none"
    )
    out.print(f"[dim]{table.battles} battles on {table.prompts} prompts; intervals 95 %: {resampled}[/dim]")
    if not table.fit.connected:
        out.print(f"[{_WARN}]not connected[/]: ratings of the {table.fit.groups} groups are not comparable")
    if table.fit.ridge:
        out.print(
            f"[{_WARN}]ridge[/]: some systems never lost, or never won, a point against others; "
            "distances between them are lower limits"
        )


def _standings(table: Table, baseline: str | None, width: int) -> RichTable:
    """What is left out where room is scarce: the drawn interval, then the counts and the noise of Elo."""
    from rich.text import Text

    wide = width >= WIDE
    rows = [_cells(standing, table, baseline, wide=wide) for standing in table.standings]
    headings = [name for name, _ in rows[0]] if rows else ["system"]
    widest = [max((len(name), *(len(row[at][1]) for row in rows))) for at, name in enumerate(headings)]
    at = headings.index("system")
    room = max(width - sum(widest) + widest[at] - 3 * len(headings), 12)
    drawn = wide and room - widest[at] >= _BAR + 3
    found = _table()
    for heading in (*headings, *(["interval"] if drawn else [])):
        found.add_column(
            heading, justify="left" if heading in ("system", "interval") else "right", no_wrap=True
        )
    bars = _bars(table) if drawn else {}
    for standing, row in zip(table.standings, rows, strict=True):
        cells = [text for _, text in row]
        cells[at] = "\n".join(in_pieces(cells[at], room))
        found.add_row(*map(Text, (*cells, *([bars.get(standing.system, "")] if drawn else []))))
    return found


def _cells(standing: Standing, table: Table, baseline: str | None, *, wide: bool) -> list[tuple[str, str]]:
    """Heading and text of each column."""
    rating, elo, tally = standing.bradley_terry, standing.elo, standing.tally
    noise = f" ±{elo.order_sd:.0f}" if wide and elo and elo.order_sd is not None else ""
    cells = [
        ("rank", str(rating.rank) if rating else figures.NOTHING),
        ("system", neutralise(standing.system)),
        ("rating", rating_text(rating.rating) if rating else figures.NOTHING),
        ("95 %", interval_text(standing) or figures.NOTHING),
        ("Elo", f"{rating_text(elo.rating)}{noise}" if elo else figures.NOTHING),
        ("wins", _share(tally)),
        ("W/L/T", f"{tally.wins}/{tally.losses}/{tally.ties}"),
    ]
    if not wide:
        cells.pop()
    if not table.fit.connected:
        cells.insert(2, ("group", str(rating.group + 1) if rating else figures.NOTHING))
    if baseline:
        cells.append(("against", _share(standing.against or Tally())))
    return [*cells, ("n", str(tally.battles))]


def _share(tally: Tally) -> str:
    return figures.NOTHING if tally.win_rate is None else figures.number(tally.win_rate, "ratio")


def _bars(table: Table) -> dict[str, str]:
    """Each system's interval as a line with a dot at the rating."""
    ends = {
        standing.system: (rating.low, rating.rating, rating.high)
        for standing in table.standings
        if (rating := standing.bradley_terry) and rating.low is not None and rating.high is not None
    }
    lowest = min((low for low, _, _ in ends.values()), default=0.0)
    span = max((high for _, _, high in ends.values()), default=0.0) - lowest
    bars = {}
    for system, places in ends.items():
        start, dot, end = (round((value - lowest) * (_BAR - 1) / max(span, 1.0)) for value in places)
        bars[system] = " " * start + "─" * (dot - start) + "●" + "─" * (end - dot)
    return bars


def _table() -> RichTable:
    from rich import box
    from rich.table import Table as NewTable

    return NewTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
