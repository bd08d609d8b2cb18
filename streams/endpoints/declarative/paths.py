"""JMESPath on wire messages: compiled once, and what it finds read as the type that an event needs."""

from __future__ import annotations

import base64
import binascii
import itertools
import json
import math
import re
from typing import Any

from jmespath import compile as compiled
from jmespath.exceptions import JMESPathError
from jmespath.lexer import Lexer
from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from streams.endpoints.pieces import FieldError

_PLAIN = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_FALSE: tuple[object, ...] = ("", [], {})
_COMPARISONS = frozenset({"eq", "ne"})


def complaint(text: str) -> str:
    """What is wrong with an expression, or ""."""
    try:
        tokens = list(Lexer().tokenize(text))
        compiled(text)
    except JMESPathError as error:
        return str(error).splitlines()[0].removesuffix(":")
    for before, token in itertools.pairwise(tokens):
        if before["type"] in _COMPARISONS and token["type"] == "quoted_identifier":
            name = token["value"]
            return f"\"{name}\" is the field of that name; text is written '{name}'"
    return ""


class Path:
    """One expression; in a model it is read from its text.

    Plain names, as `audio_event.event_id`, are walked here: that is the same, and ten times as fast as the
    library, which makes an interpreter for each search.

    Raises:
        ValueError: It is no expression; says what one is.
    """

    def __init__(self, text: str) -> None:
        wrong = complaint(text)
        if wrong:
            raise ValueError(f"a JMESPath expression: {wrong}")
        self.text = text
        plain = _PLAIN.fullmatch(text) is not None
        self._names = tuple(text.split(".")) if plain else ()
        self._compiled = None if plain else compiled(text)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema(strict=True))

    def find(self, message: object) -> object:
        """What the expression selects, None if nothing.

        Raises:
            FieldError: A function of the expression cannot take what it found.
        """
        if self._compiled is None:
            for name in self._names:
                message = message.get(name) if isinstance(message, dict) else None
            return message
        try:
            found: object = self._compiled.search(message)
        except (JMESPathError, ArithmeticError, TypeError, ValueError) as error:
            raise FieldError(f"{self.text}: {str(error).splitlines()[0]}") from None
        return found

    def holds(self, message: object) -> bool:
        """True if it selects what JMESPath takes for true; False if a function cannot take the message."""
        try:
            found = self.find(message)
        except FieldError:
            return False
        return found is not None and found is not False and found not in _FALSE

    def text_in(self, message: object) -> str:
        """A string.

        Raises:
            FieldError: Nothing is there, or something else.
        """
        found = self.find(message)
        if not isinstance(found, str):
            raise self._wrong(found, "a string")
        # escaped lone surrogates are legal JSON, but no file can hold them
        return found.encode("utf-8", "replace").decode()

    def name_in(self, message: object) -> str:
        """A name or a whole number, as text; "" if nothing is there."""
        found = self.find(message)
        if found is None:
            return ""
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
        return self.text_in(message)

    def number_in(self, message: object) -> float | None:
        """A finite number, also as text; None if nothing is there."""
        found = self.find(message)
        if found is None:
            return None
        try:
            number = float(found) if isinstance(found, int | float | str) else math.nan
        except (ValueError, OverflowError):
            number = math.nan
        if isinstance(found, bool) or not math.isfinite(number):
            raise self._wrong(found, "a finite number")
        return number

    def audio_in(self, message: object) -> bytes:
        """Base64 bytes; missing padding is tolerated."""
        text = self.text_in(message)
        try:
            return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
        except (binascii.Error, ValueError):
            raise self._wrong(text, "base64") from None

    def json_in(self, message: object) -> str:
        """Text as it is, anything else as JSON; `{}` if nothing is there."""
        found = self.find(message)
        if isinstance(found, str):
            return self.text_in(message)
        return json.dumps({} if found is None else found)

    def _wrong(self, found: object, expected: str) -> FieldError:
        kind = "nothing" if found is None else type(found).__name__
        return FieldError(f"field {self.text}: {kind}, expected {expected}")
