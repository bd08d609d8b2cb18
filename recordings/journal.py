"""The journal of a run: one line for each step of an episode, appended; never the whole manifest anew.

A line says how an episode stands, not what has changed: to read a line twice, or after the manifest that
already holds it, does no harm. Lines are not forced to the disk one by one: what a power cut takes from the
end is found again in the folders of the episodes (`recordings.run.Run.resume`).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from recordings.errors import RecordingError
from recordings.format import Marked
from recordings.reading import read_bytes
from recordings.strict_json import encode

JOURNAL = "run.jsonl"
"""Its name in a run's folder."""


class Journal:
    """Appends to the journal of a run; its methods block for one small write.

    Raises:
        RecordingError: It cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        try:
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise RecordingError(self._path, f"cannot be written ({error.strerror})") from error

    def append(self, marked: Marked) -> None:
        """Write one line, or nothing: a disk that takes only a part of it gets that part taken away.

        Raises:
            RecordingError: The disk did not take it.
        """
        before = os.fstat(self._file).st_size
        rest = memoryview(encode(marked) + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, before)
            raise RecordingError(self._path, f"cannot be written ({error.strerror})") from error

    def clear(self) -> None:
        """Forget all lines: the manifest holds them now.

        Raises:
            RecordingError: The disk refuses.
        """
        try:
            os.ftruncate(self._file, 0)
        except OSError as error:
            raise RecordingError(self._path, f"cannot be emptied ({error.strerror})") from error

    def close(self) -> None:
        """Close the file; safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def read_journal(folder: Path) -> dict[str, Marked]:
    """How each episode stands by the journal, by id; nothing if there is none.

    Reading ends at the first line that is not whole, which a dying process or machine left behind.

    Raises:
        RecordingError: The file cannot be read.
    """
    path = folder / JOURNAL
    if not path.exists():
        return {}
    found: dict[str, Marked] = {}
    for line in read_bytes(path, "the journal of a run").split(b"\n"):
        try:
            marked = Marked.model_validate_json(line)
        except ValidationError:
            break
        found[marked.id] = marked
    return found
