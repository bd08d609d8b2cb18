"""What can go wrong with a recording."""

from __future__ import annotations

from pathlib import Path


class RecordingError(Exception):
    """A recording cannot be written or read.

    Attributes:
        path: The file or folder.
        found: What is wrong with it.
        remedy: What to do.
    """

    def __init__(self, path: Path | str, found: str, remedy: str = "") -> None:
        self.path = Path(path)
        self.found = found
        self.remedy = remedy
        super().__init__(path, found, remedy)

    def __str__(self) -> str:
        return f"{self.path}: {self.found}." + (f" {self.remedy}" if self.remedy else "")
