"""The folder in which people's labels are kept: a file for each person, appended to and never rewritten.

    labels/NAME.jsonl         what NAME says of single turns, one `PersonLabel` a line
    labels/pairs/NAME.jsonl   what NAME says of two turns to the same words
    labels/log/NAME.jsonl     the orders in which NAME was asked, and when something was revealed

A line is on the disk before the person is told that it was taken. What a dying process left of a line
counts for nothing, and makes way for the next one.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from recordings.errors import RecordingError
from recordings.labels import PersonLabel, read_person_labels
from recordings.reading import read_lines
from recordings.strict_json import encode

FOLDER = "labels"
"""Its name beside what is labelled."""

PAIRS, LOG = "pairs", "log"

_NOTES = TypeAdapter(dict[str, Any])

_NAME = re.compile(r"[^\W_](?:[\w .@+-]{0,62}[\w@+-])?")
_REMEDY = "Take up to 64 letters, digits, spaces and . @ + - _, beginning with a letter or a digit."

_ANOTHER_FOLDER = "Keep the labels in a folder that can be written to: --labels DIR."


class NameUnfit(ValueError):
    """A name that no file can have."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"the name {name[:80]!r} cannot be that of a file. {_REMEDY}")


def person_named(name: str) -> str:
    """A person's name or pseudonym, fit for the name of a file.

    Raises:
        NameUnfit: It is not.
    """
    found = name.strip()
    if not _NAME.fullmatch(found):
        raise NameUnfit(name)
    return found


class AppendOnly:
    """A file of lines that outlive the process, and the power.

    Attributes:
        path: The file; it is made with the first line, and may be no link.
        remedy: What to do if it cannot be written.
    """

    def __init__(self, path: Path, remedy: str = _ANOTHER_FOLDER) -> None:
        self.path = path
        self.remedy = remedy

    def append(self, *records: BaseModel | dict[str, Any]) -> None:
        """Write lines and wait until the disk has them; all, or none.

        Raises:
            RecordingError: The disk did not take them; what was there before is untouched.
        """
        data = b"".join(encode(record) + b"\n" for record in records)
        try:
            new = not self.path.exists()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # a link in a folder that somebody else has made may lead to any file of ours
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
            file = os.open(self.path, flags, 0o644)
            try:
                if new:
                    _sync_folder(self.path.parent)
                fcntl.flock(file, fcntl.LOCK_EX)
                _write(file, data)
            finally:
                os.close(file)
        except OSError as error:
            found = f"cannot be written ({error.strerror})"
            raise RecordingError(self.path, found, self.remedy) from error


def _sync_folder(path: Path) -> None:
    """Wait until the disk has the names of its files, too."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write(file: int, data: bytes) -> None:
    """Append to an open file, in place of what a dying process left of its last line."""
    whole, rest = _last_line(file)
    if _is_json(rest):  # only its end is missing
        whole, data = whole + len(rest), b"\n" + data
    os.ftruncate(file, whole)
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(file, left) :]
        os.fsync(file)
    except OSError:
        with suppress(OSError):
            os.ftruncate(file, whole)
        raise


def _last_line(file: int) -> tuple[int, bytes]:
    """Bytes up to the end of the last line that has one, and what comes after it."""
    size = os.fstat(file).st_size
    if not size or os.pread(file, 1, size - 1) == b"\n":
        return size, b""
    text = os.pread(file, size, 0)
    whole = text.rfind(b"\n") + 1
    return whole, text[whole:]


def _is_json(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


class LabelFolder:
    """People's labels of some recordings.

    Attributes:
        path: The folder; it is made with the first label.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: dict[Path, tuple[tuple[int, int], list[PersonLabel]]] = {}

    def people(self) -> list[str]:
        """Who has labelled anything, sorted."""
        found = (*self.path.glob("*.jsonl"), *(self.path / PAIRS).glob("*.jsonl"))
        return sorted({path.stem for path in found})

    def labels(self, person: str) -> list[PersonLabel]:
        """What a person said of single turns; of corrections the last.

        Raises:
            RecordingError: The file cannot be read, or a line is not valid.
        """
        return self._labels(self.path / f"{person}.jsonl")

    def pair_labels(self, person: str) -> list[PersonLabel]:
        """What a person said of two turns; see `labels`."""
        return self._labels(self.path / PAIRS / f"{person}.jsonl")

    def add(self, label: PersonLabel, *, pair: bool = False) -> None:
        """Keep a label, or a correction.

        Raises:
            RecordingError: The disk did not take it.
        """
        self._file(label.annotator, PAIRS if pair else "").append(label)

    def log(self, person: str, record: dict[str, Any]) -> None:
        """Note how a person was asked.

        Raises:
            RecordingError: The disk did not take it.
        """
        self._file(person, LOG).append(record)

    def revealed(self, person: str) -> frozenset[str]:
        """Turns of which the person has been told whose they are.

        Raises:
            RecordingError: The log cannot be read, or a line is not valid.
        """
        path = self.path / LOG / f"{person}.jsonl"
        if not path.is_file():
            return frozenset()
        lines, _ = read_lines(path, _NOTES)
        told = (line.get("replies") for line in lines if line.get("kind") == "revealed")
        return frozenset(item for items in told if isinstance(items, list) for item in map(str, items))

    def _file(self, person: str, below: str) -> AppendOnly:
        """A file of a person.

        Raises:
            RecordingError: It would lie elsewhere.
        """
        folder = self.path / below
        if folder.resolve() != self.path.resolve() / below:
            raise RecordingError(
                folder, "leads elsewhere", "Keep the labels in another folder: --labels DIR."
            )
        return AppendOnly(folder / f"{person_named(person)}.jsonl")

    def _labels(self, path: Path) -> list[PersonLabel]:
        """The labels of a file, read again only when it has changed."""
        try:
            state = path.stat()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RecordingError(path, f"cannot be read ({error.strerror})") from error
        stamp = state.st_size, state.st_mtime_ns
        if (known := self._read.get(path)) is None or known[0] != stamp:
            self._read[path] = known = stamp, read_person_labels(path)
        return known[1]


def is_label_folder(path: Path) -> bool:
    """Whether a folder holds labels of people, rather than recordings."""
    found = next(iter(sorted(path.glob("*.jsonl"))), None)
    if found is None:
        return False
    try:
        with found.open("rb") as file:
            PersonLabel.model_validate_json(file.readline())
    except (OSError, ValidationError):
        return False
    return True
