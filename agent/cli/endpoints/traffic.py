"""Reads the raw traffic of a session back: `raw.jsonl`, as `recordings.raw` writes it."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streams.endpoints.protocol import Message
from streams.endpoints.tap import Direction

_ELIDED = re.compile(r'"\((\d{1,8}) bytes elided\)"')

Silence = Callable[[int], bytes]
"""Sound in the place of so many bytes that were left out."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One message; in the place of sound that was left out there is silence."""

    t: float
    direction: Direction
    message: Message


class TrafficInvalid(ValueError):
    """A file that is no raw traffic; says its line."""


def read_traffic(path: Path, silence: Silence = bytes) -> Iterator[Recorded]:
    """The messages, in order.

    Raises:
        TrafficInvalid: A line is no message of a raw traffic.
        OSError: The file cannot be read.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                recorded = _read(json.loads(line), silence)
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                expected = '{"t": 1.25, "direction": "received" or "sent", "text" or "base64": "..."}'
                found = f"{type(error).__name__} {error}"
                raise TrafficInvalid(f"{path}:{number}: {found}; expected a line {expected}") from None
            if recorded is not None:
                yield recorded


def _read(line: Any, silence: Silence) -> Recorded | None:
    if "format" in line or "note" in line:
        return None
    direction = line["direction"]
    if direction not in ("received", "sent"):
        raise ValueError(f"direction {direction!r}")
    return Recorded(float(line["t"]), direction, _message(line, silence))


def _message(line: dict[str, Any], silence: Silence) -> Message:
    if "text" in line:
        text = _ELIDED.sub(lambda found: json.dumps(_base64(silence(int(found[1])))), line["text"])
        return text.encode() if line.get("binary") else text
    if "base64" in line:
        return _bytes(line["base64"])
    head = _bytes(line["head"])
    size = int(line["bytes"])
    return silence(size) if head.startswith(b"RIFF") else head.ljust(size, b"\0")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"base64: {error}") from None


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
