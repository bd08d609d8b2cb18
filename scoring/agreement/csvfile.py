"""Tables of labels in CSV files."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from scoring.agreement.labels import LabelError, Labels
from scoring.csvfile import Cells, CsvFile, FileUnfit, read_csv

EMPTY = "empty"
"""Cause: the cell of a label is empty."""


@dataclass(frozen=True, slots=True)
class LabelTable(CsvFile):
    """A table whose columns are label sources."""

    def need(self, *columns: str) -> None:
        """Refuse a table without one of these columns.

        Raises:
            LabelError: It says which one, and which there are.
        """
        for column in columns:
            if column not in self.columns:
                close = difflib.get_close_matches(column, self.columns, 1)
                found = f"has no column {column!r}, only {', '.join(map(repr, self.columns))}"
                hint = f"Did you mean {close[0]!r}? " if close else ""
                remedy = f"{hint}Expected `item,label`; another column of labels is named FILE#COLUMN."
                raise LabelError(str(self.path), found, remedy)

    def labels(
        self,
        column: str,
        name: str = "",
        item: Callable[[Cells], str] = lambda cells: cells["item"],
        rows: Iterable[tuple[int, Cells]] | None = None,
    ) -> Labels:
        """One column as a source; an empty cell is unscored. A column `cluster` says what belongs together.

        Raises:
            LabelError: An item has no name, or is there twice.
        """
        lines: dict[str, int] = {}
        found: dict[str, str] = {}
        clusters: dict[str, str] = {}
        for line, cells in self.rows if rows is None else rows:
            key = item(cells)
            if not key:
                raise LabelError(f"{self.path}:{line}", "has an empty item", "Every item needs a name.")
            if key in lines:
                twice = f"names the item {key!r} for the second time, after line {lines[key]}"
                raise LabelError(f"{self.path}:{line}", twice, "One source has one label for an item.")
            lines[key] = line
            found[key] = cells[column]
            if cells.get("cluster"):
                clusters[key] = cells["cluster"]
        return Labels(
            name or str(self.path),
            {key: label for key, label in found.items() if label},
            {key: EMPTY for key, label in found.items() if not label},
            clusters=clusters,
        )


def read_table(path: Path) -> LabelTable:
    """Read a table with at least one row.

    Raises:
        LabelError: It is not readable, not CSV, ragged, or holds no rows.
    """
    try:
        table = read_csv(path)
    except FileUnfit as error:
        raise LabelError(error.place, error.found, error.remedy) from error
    if not table.rows:
        found = "holds a line of column names and no rows" if table.columns else "is empty"
        raise LabelError(str(path), found, "Expected the columns `item,label` and a row for each item.")
    return LabelTable(table.path, table.columns, table.rows)
