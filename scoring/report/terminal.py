"""Scores as tables in the terminal, readable at 100 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.report.figures import Group, causes_text, group, groups, spread_text, title, value_text
from scoring.report.safe import neutralise

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from scoring.score import RunScores

_COLUMNS = (
    ("latency", "response_latency"),
    ("first byte", "first_byte"),
    ("no reply", "unanswered_turns"),
    ("cuts in", "endpoint_interruptions"),
    ("WER user", "user_wer_heard"),
    ("WER reply", "endpoint_wer_heard"),
)


def print_report(scores: RunScores, console: Console | None = None) -> None:
    """Print a run: summary, tables by endpoint and by scenario where there are several, every metric."""
    from rich.console import Console as RichConsole

    out = console or RichConsole()
    whole = group("all", scores.episodes)
    out.print(f"[bold]{_plain(scores.run)}[/bold]", soft_wrap=True)
    out.print(_summary(whole))
    for heading, found in (
        ("endpoint", groups(scores.episodes, lambda episode: episode.endpoint)),
        ("scenario", groups(scores.episodes, lambda episode: episode.scenario)),
    ):
        if len(found) > 1:
            out.print(_comparison(heading, found))
    out.print(_metrics(whole))


def _summary(whole: Group) -> str:
    counted = whole.episodes - whole.void
    calls = f"{whole.episodes} {'episode' if whole.episodes == 1 else 'episodes'}: {whole.outcomes}"
    if not whole.void:
        return calls
    return f"{calls}\n{whole.void} void, spoiled by our own side: left out below, {counted} counted"


def _comparison(heading: str, found: Sequence[Group]) -> Table:
    table = _table()
    table.add_column(heading, overflow="fold", ratio=1)
    table.add_column("calls", justify="right", no_wrap=True)
    for name, _ in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for item in found:
        counted = item.episodes - item.void
        calls = f"{counted} of {item.episodes}" if item.void else str(counted)
        table.add_row(_plain(item.name), calls, *(item.text(metric) for _, metric in _COLUMNS))
    return table


def _metrics(whole: Group) -> Table:
    table = _table()
    table.add_column("metric", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("spread")
    table.add_column("unscored")
    for name, result in whole.metrics.items():
        cells = (value_text(result), str(result.n), spread_text(result), causes_text(result))
        table.add_row(title(name), *cells)
    return table


def _table() -> Table:
    from rich import box
    from rich.table import Table as RichTable

    return RichTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", expand=True)


def _plain(text: str) -> str:
    """Text of others, without markup or control characters."""
    from rich.markup import escape

    return escape(neutralise(text))
