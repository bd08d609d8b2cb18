"""Small parts that every wire protocol needs: whole samples, checked JSON, commands without effect."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping, Sequence
from typing import TypedDict

from streams.endpoints.protocol import Message, Played, Tool

_NUMBERS_DEPTH = 4
"""How deep `Fields.numbers` looks; usage records have three levels."""


class SampleAligner:
    """Cuts the bytes of each item into whole samples, at whatever byte they were split on the wire.

    A left-over part of a sample waits for the next bytes of the same item. It never meets the bytes
    of another item, and goes when its item ends: one byte of shift would turn speech into noise.
    """

    def __init__(self, bytes_per_sample: int) -> None:
        self._size = bytes_per_sample
        self._rests: dict[str, bytes] = {}

    def push(self, item: str, data: bytes) -> bytes:
        """The whole samples that `data` completes."""
        data = self._rests.pop(item, b"") + data
        whole = len(data) - len(data) % self._size
        if whole < len(data):
            self._rests[item] = data[whole:]
        return data[:whole]

    def end(self, item: str) -> None:
        """The item is complete or was given up: drop its left-over bytes."""
        self._rests.pop(item, None)


class Stamp(TypedDict):
    """When and in which message an event came: the fields that all events share."""

    at: float
    raw: int


class FieldError(ValueError):
    """A wire message is no JSON object, lacks a field, or has a field of another type."""


class Fields:
    """One JSON object of a wire message; every access says what it expects.

    Args:
        values: The object.
        path: Where it stands in the message, for error messages.
    """

    def __init__(self, values: Mapping[str, object], path: str = "") -> None:
        self._values = values
        self._path = path

    @classmethod
    def parse(cls, message: Message) -> Fields:
        """Read a message.

        Raises:
            FieldError: It is no JSON object.
        """
        try:
            values = json.loads(message)
        except (ValueError, RecursionError) as exc:
            raise FieldError(f"{len(message)} bytes that are no JSON: {type(exc).__name__}") from None
        if not isinstance(values, dict):
            raise FieldError(f"JSON {type(values).__name__}, expected an object")
        return cls(values)

    def raw(self, name: str) -> object:
        """The value as it came, None if absent."""
        return self._values.get(name)

    def names(self) -> Sequence[str]:
        """Names of the fields."""
        return tuple(self._values)

    def values(self) -> Mapping[str, object]:
        """The object as it came."""
        return self._values

    def text(self, name: str, default: str | None = None) -> str:
        """A string; `default` stands for an absent or null field, without it that is an error."""
        value = self._values.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self._wrong(name, "a string")
        # escaped lone surrogates are legal JSON, but no file can hold them
        return value.encode("utf-8", "replace").decode()

    def number(self, name: str) -> float | None:
        """A finite number, None if absent or null."""
        value = self._values.get(name)
        if value is None:
            return None
        found = _finite(value)
        if found is None:
            raise self._wrong(name, "a finite number")
        return found

    def child(self, name: str) -> Fields:
        """A nested object, empty if absent or null."""
        value = self._values.get(name)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return Fields(value, self._place(name))

    def children(self, name: str) -> Sequence[Fields]:
        """A list of objects, empty if absent or null."""
        value = self._values.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self._wrong(name, "a list of objects")
        return [Fields(each, f"{self._place(name)}[{index}]") for index, each in enumerate(value)]

    def audio(self, name: str) -> bytes:
        """Base64 bytes; missing padding is tolerated."""
        text = self.text(name)
        try:
            return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        except (binascii.Error, ValueError):
            raise self._wrong(name, "base64") from None

    def numbers(self, prefix: str = "") -> dict[str, float]:
        """All finite numbers below this object; nested names are joined with a dot."""
        return _numbers(self._values, prefix, _NUMBERS_DEPTH)

    def _place(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def _wrong(self, name: str, expected: str) -> FieldError:
        value = self._values.get(name)
        found = "nothing" if value is None else f"{type(value).__name__}"
        return FieldError(f"field {self._place(name)}: {found}, expected {expected}")


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _numbers(values: Mapping[str, object], prefix: str, depth: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in values.items():
        number = _finite(value)
        if number is not None:
            found[prefix + name] = number
        elif isinstance(value, dict) and depth:
            found |= _numbers(value, f"{prefix}{name}.", depth - 1)
    return found


class QuietCodec:
    """Base of codecs: every command that a protocol does not have sends nothing.

    A codec adds `capabilities`, `receive` and `audio`, and overrides what its protocol has.
    """

    def offer(self, tools: Sequence[Tool]) -> None:
        """Tools that the set-up declares, where it can."""

    def opening(self) -> Sequence[Message]:
        """Messages to send as soon as the socket is open."""
        return []

    def replies(self) -> Sequence[Message]:
        """Messages that `receive` wants sent."""
        return []

    def begin_turn(self) -> Sequence[Message]:
        """The user starts to talk."""
        return []

    def end_turn(self) -> Sequence[Message]:
        """The user has finished."""
        return []

    def played(self, report: Played) -> Sequence[Message]:
        """What was heard of an item."""
        return []

    def cancel(self) -> Sequence[Message]:
        """Ask the endpoint to stop its reply."""
        return []

    def tool_result(self, call: str, output: str, *, error: bool) -> Sequence[Message]:
        """Answer a tool call."""
        return []

    def text(self, text: str) -> Sequence[Message]:
        """Say something as text."""
        return []

    def dtmf(self, digit: str) -> Sequence[Message]:
        """Press a telephone key."""
        return []

    def closing(self, reason: str) -> Sequence[Message]:
        """The protocol's goodbye."""
        return []

    @property
    def parted(self) -> bool:
        """No answer to a goodbye is awaited."""
        return True

    def resume(self, *, code: int | None = None) -> Sequence[Message] | None:
        """A session ends with its connection."""
        return None
