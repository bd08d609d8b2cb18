"""What can go wrong with a recording."""

from __future__ import annotations

import errno
from pathlib import Path

DISK_TROUBLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Errors of a disk that is full or fails, whatever the path."""


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

    @property
    def disk_trouble(self) -> bool:
        """True if the disk is full or fails: what else goes there will fail too."""
        cause = self.__cause__
        return isinstance(cause, OSError) and cause.errno in DISK_TROUBLE

    def __str__(self) -> str:
        return f"{self.args[0]}: {self.found}." + (f" {self.remedy}" if self.remedy else "")
