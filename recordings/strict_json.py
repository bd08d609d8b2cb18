"""Strict JSON: no NaN, no infinity, no half characters; and files that are replaced in one step."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel


class NotStrict(ValueError):
    """A value that JSON has no word for.

    Attributes:
        place: Where in the document ("mean.wer").
        found: The value.
    """

    def __init__(self, place: str, found: float) -> None:
        self.place = place
        self.found = found
        super().__init__(place, found)

    def __str__(self) -> str:
        return f"{self.place} is {self.found}; what could not be measured is null with a cause beside it"


def encode(value: object, *, indent: int | None = None) -> bytes:
    """A model, or plain data that may hold models and numpy values, as UTF-8 JSON.

    Lone surrogates, which UTF-8 cannot hold, become U+FFFD.

    Raises:
        NotStrict: A number is NaN or infinite.
    """
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    try:
        text = json.dumps(plain, allow_nan=False, ensure_ascii=False, indent=indent, default=_plain)
    except ValueError:
        for place, number in _odd_numbers(plain, ""):
            raise NotStrict(place or "the value", number) from None
        raise
    try:
        return text.encode()
    except UnicodeEncodeError:
        # two halves of one character, read as UTF-16, become that character; a half alone is replaced
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def canonical_sha256(value: object) -> str:
    """SHA-256 of plain data, 64 hexadecimal digits: of its JSON with sorted keys, no spaces, in UTF-8."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _odd_numbers(value: Any, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, BaseModel | np.generic | np.ndarray):
        value = _plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        yield place, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _odd_numbers(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _odd_numbers(item, f"{place}[{index}]")


def replace_file(path: Path, data: bytes, *, sync: bool = True) -> None:
    """Put `data` in the place of a file in one step: a reader sees the old file or the new one.

    With `sync` that holds also after a power cut, at the price of waiting for the disk.

    Raises:
        OSError: The old file is untouched.
    """
    temporary = path.with_name(f".{path.name}.new")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
