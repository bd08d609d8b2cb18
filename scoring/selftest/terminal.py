"""The table of the self-test for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.selftest.detectors import DETECTORS
from scoring.selftest.table import Result, Row

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS = ("defect", "n", "precision", "recall", "dose off by (mean, worst)", "found by")


def rows(result: Result) -> list[tuple[str, ...]]:
    """Every line of the table as texts; the last one is of all defects."""
    lines = [
        (row.defect, str(row.n), _share(row.precision), _share(row.recall), _error(row), _says(row))
        for row in result.rows
        if row.n
    ]
    planted = str(sum(row.n for row in result.rows))
    return [*lines, ("all", planted, _share(result.precision), _share(result.recall), "", "")]


def summary(result: Result) -> str:
    """What the controls came to."""
    return f"{len(result.alarms)} false alarms in {result.controls} clean calls"


def markdown(result: Result) -> str:
    """The table for a page of the documentation."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *rows(result)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{summary(result)}."


def render(result: Result) -> Table:
    """The table for a terminal."""
    from rich.table import Table

    table = Table(*HEADINGS, caption=summary(result))
    for line in rows(result):
        table.add_row(*line)
    return table


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _says(row: Row) -> str:
    return DETECTORS[row.defect].says


def _error(row: Row) -> str:
    if not row.errors:
        return ""
    unit = DETECTORS[row.defect].unit
    mean, worst = sum(row.errors) / len(row.errors), max(row.errors, key=lambda error: abs(error))
    if unit == "s":
        return f"{1000 * mean:+.1f}, {1000 * worst:+.1f} ms"
    if unit == "share":
        return f"{100 * mean:+.2f}, {100 * worst:+.2f} %"
    return f"{mean:+.2f}, {worst:+.2f}{' dB' if unit == 'dB' else ''}"
