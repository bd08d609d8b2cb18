"""Tables of labels in CSV files, read strictly: every problem with its line."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from scoring.agreement.labels import LabelError, Labels

EMPTY = "empty"
"""Cause: the cell of a label is empty."""

Cells = dict[str, str]


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A table; cells are without blanks around them.

    Attributes:
        rows: Line number and cells by column.
    """

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[int, Cells], ...]

    def has(self, *columns: str) -> bool:
        """Whether it has all of these columns."""
        return set(columns) <= set(self.columns)

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
        """One column as a source; an empty cell is unscored.

        Raises:
            LabelError: An item has no name, or is there twice.
        """
        lines: dict[str, int] = {}
        found: dict[str, str] = {}
        for line, cells in self.rows if rows is None else rows:
            key = item(cells)
            if not key:
                raise LabelError(f"{self.path}:{line}", "has an empty item", "Every item needs a name.")
            if key in lines:
                twice = f"names the item {key!r} for the second time, after line {lines[key]}"
                raise LabelError(f"{self.path}:{line}", twice, "One source has one label for an item.")
            lines[key] = line
            found[key] = cells[column]
        return Labels(
            name or str(self.path),
            {key: label for key, label in found.items() if label},
            {key: EMPTY for key, label in found.items() if not label},
        )


def read_csv(path: Path) -> CsvFile:
    """Read a table with a line of column names.

    Raises:
        LabelError: It is not readable, not CSV, ragged, or holds no rows.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except OSError as error:
        raise LabelError(str(path), f"cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise LabelError(str(path), f"is no CSV file in UTF-8 ({error})") from error
    if len(lines) < 2:
        found = "holds a line of column names and no rows" if lines else "is empty"
        raise LabelError(str(path), found, "Expected the columns `item,label` and a row for each item.")
    columns = lines[0][1]
    if len(set(columns)) < len(columns):
        raise LabelError(str(path), f"names a column twice ({', '.join(columns)})")
    for line, row in lines[1:]:
        if len(row) != len(columns):
            found = f"has {len(row)} cells, and there are {len(columns)} columns"
            raise LabelError(f"{path}:{line}", found, "Put cells that hold a comma into quotes.")
    rows = tuple((line, dict(zip(columns, row, strict=True))) for line, row in lines[1:])
    return CsvFile(path, tuple(columns), rows)
