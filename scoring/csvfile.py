"""Tables in CSV files, read strictly: every problem with its line."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

Cells = dict[str, str]

_QUOTES = "Put cells that hold a quote or a line break into quotes, and double each quote within."


class FileUnfit(ValueError):
    """A file that is not of the format it should be.

    Attributes:
        path: The file.
        line: From 1; 0 if it is the file as a whole.
        found: What is wrong.
        remedy: What to do, or what is expected.
    """

    def __init__(self, path: Path, line: int, found: str, remedy: str = "") -> None:
        self.path, self.line, self.found, self.remedy = path, line, found, remedy
        super().__init__(path, line, found, remedy)

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}" if self.line else str(self.path)

    def __str__(self) -> str:
        return f"{self.place}: {self.found}." + (f" {self.remedy}" if self.remedy else "")


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A table; cells are without blanks around them, blank lines are left out.

    Attributes:
        columns: None of them twice; none at all if the file is empty.
        rows: Line number and cells by column.
    """

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[int, Cells], ...]

    def has(self, *columns: str) -> bool:
        """Whether it has all of these columns."""
        return set(columns) <= set(self.columns)


def read_csv(path: Path) -> CsvFile:
    """Read a table with a line of column names.

    Raises:
        FileUnfit: It is not readable, not CSV, or ragged.
    """
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except csv.Error as error:
        found = f"is no CSV file ({error})"
        raise FileUnfit(path, reader.line_num, found, _QUOTES) from error
    if not lines:
        return CsvFile(path, (), ())
    columns = lines[0][1]
    if len(set(columns)) < len(columns):
        found = f"names a column twice ({', '.join(columns)})"
        raise FileUnfit(path, lines[0][0], found, "Rename one, or take it out.")
    for line, row in lines[1:]:
        if len(row) != len(columns):
            found = f"has {len(row)} cells for {len(columns)} columns"
            raise FileUnfit(path, line, found, "Put cells that hold a comma into quotes.")
    rows = tuple((line, dict(zip(columns, row, strict=True))) for line, row in lines[1:])
    return CsvFile(path, tuple(columns), rows)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise FileUnfit(
            path, 0, f"cannot be read ({error.strerror})", "Name a file that is there."
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        found = f"is no text in UTF-8 (byte 0x{error.object[error.start]:02x})"
        raise FileUnfit(path, line, found, "Save it as CSV UTF-8.") from error
