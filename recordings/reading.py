"""Reading files of records strictly: versions first, then every field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from recordings.errors import RecordingError

T = TypeVar("T")
Record = TypeVar("Record", bound=BaseModel)


def read_bytes(path: Path, expected: str) -> bytes:
    """The bytes of a file.

    Raises:
        RecordingError: It cannot be read; `expected` says what should be there.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordingError(path, f"cannot be read ({error.strerror})", f"Expected {expected}.") from error


def read_record(
    path: Path, model: type[Record], version: int, expected: str, oldest: int | None = None
) -> Record:
    """Read a JSON document that carries a `schema_version`.

    Args:
        path: The file.
        model: What it holds.
        version: The version of today.
        expected: What should be there, for the error.
        oldest: Version from which on documents can be read, what they lack having its default.

    Raises:
        RecordingError: Not there, not JSON, of another version, or not valid.
    """
    data = read_bytes(path, expected)
    try:
        found = json.loads(data)["schema_version"]
    except (ValueError, TypeError, KeyError) as error:
        raise RecordingError(
            path, "is no JSON object with a schema_version", f"Expected {expected}."
        ) from error
    if not isinstance(found, int) or not (oldest or version) <= found <= version:
        newer = isinstance(found, int) and found > version
        remedy = f"This vivavoce reads version {version}" + ("; upgrade it." if newer else ".")
        raise RecordingError(path, f"has schema version {found!r}", remedy)
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        raise RecordingError(path, f"is not valid ({first_problem(error)})") from error


def read_lines(path: Path, adapter: TypeAdapter[T]) -> tuple[list[T], int]:
    """Records of a file with one JSON document a line, and how many were torn (0 or 1).

    Only the last line can be torn, by the death of the process that wrote it: it then lacks its end.

    Raises:
        RecordingError: Not there, or a whole line is not valid.
    """
    lines = read_bytes(path, "a file of an episode").split(b"\n")
    records: list[T] = []
    for number, line in enumerate(lines, start=1):
        last = number == len(lines)
        if last and not line:
            break
        try:
            records.append(adapter.validate_json(line))
        except ValidationError as error:
            if last:
                return records, 1
            raise RecordingError(f"{path}:{number}", f"is not valid ({first_problem(error)})") from error
    return records, 0


def first_problem(error: ValidationError) -> str:
    """The first of pydantic's complaints, in one line."""
    problem = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
