"""Messages with places to fill in: `{"type": "pong", "id": "{ping.id}"}`.

`{name}` stands for a value of the session, `${NAME}` for an environment variable; `{{` is a brace. A string
that is one placeholder takes the value with its type. An entry whose value is not there is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import GetCoreSchemaHandler, JsonValue
from pydantic_core import CoreSchema, core_schema

from streams.endpoints.protocol import Message

Lookup = Callable[[str], object]
"""The value of a placeholder, None if there is none; an environment variable's name begins with `$`."""

_Filler = Callable[[Lookup], object]

_TOKEN = re.compile(r"\{\{|\}\}|(?P<env>\$)?\{(?P<name>[^{}]*)\}|[{}]")
PARAMETER = re.compile(r"\$\{(?P<name>[a-z][a-z0-9_]*)\}")
"""A parameter of the address: lower case, where an environment variable is upper case."""
ALWAYS = frozenset({"call_id", "tools", "functions"})
"""What placeholders may stand for everywhere: `call_id` is fresh for each call; `tools` are those of the
scenario, each with `name`, `description` and `parameters`; in `functions`, with `type: function` too."""
ENVIRONMENT_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """The text in parts: True and a name, or False and what stands there."""
    end = 0
    for token in _TOKEN.finditer(text):
        if token.start() > end:
            yield False, text[end : token.start()]
        end = token.end()
        if token["name"] is not None:
            yield True, (token["env"] or "") + token["name"].strip()
        elif token[0] in ("{{", "}}"):
            yield False, token[0][0]
        else:
            raise ValueError(f"a template: a single {token[0]} is to be doubled, or its partner is missing")
    if end < len(text):
        yield False, text[end:]


class Template:
    """A message or another JSON value, compiled; it holds the names of keys, never a key.

    Raises:
        ValueError: A brace that opens or closes nothing; says what a template is.
    """

    def __init__(self, value: JsonValue) -> None:
        self.value = value
        self.names = frozenset(_names(value))
        """What its placeholders stand for, with `$` before names of the environment."""
        self._fill = _compiled(value)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls, handler.generate_schema(JsonValue))

    def fill(self, lookup: Lookup) -> object:
        """The value with its places filled in; None if that leaves nothing."""
        return self._fill(lookup)

    def text(self, lookup: Lookup) -> str | None:
        """The same as text: JSON, if it is not text already."""
        filled = self._fill(lookup)
        return filled if filled is None or isinstance(filled, str) else json.dumps(filled)

    def fits(self, message: object) -> bool:
        """True if the message may have come from this template: its keys, its constants."""
        return _fits(self.value, message)


class Messages:
    """One message or a list of them, compiled."""

    def __init__(self, value: JsonValue = None) -> None:
        items = value if isinstance(value, list) else [] if value is None else [value]
        self.templates = tuple(Template(each) for each in items)
        self.names = frozenset(name for each in self.templates for name in each.names)

    def __bool__(self) -> bool:
        return bool(self.templates)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls, handler.generate_schema(JsonValue))

    def filled(self, lookup: Lookup) -> list[Message]:
        """The messages to send; one that a missing value leaves empty is not sent."""
        return [text for each in self.templates if (text := each.text(lookup)) is not None]

    def fits(self, message: object) -> bool:
        """True if the message may be one of these."""
        return any(each.fits(message) for each in self.templates)


def _names(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield from (part for is_name, part in _parts(value) if is_name)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _names(each)
    elif isinstance(value, list):
        for each in value:
            yield from _names(each)


def _compiled(value: JsonValue) -> _Filler:
    if isinstance(value, str):
        return _compiled_text(value)
    if isinstance(value, dict):
        entries = [(name, _compiled(each)) for name, each in value.items()]
        return lambda lookup: {name: found for name, fill in entries if (found := fill(lookup)) is not None}
    if isinstance(value, list):
        items = [_compiled(each) for each in value]
        return lambda lookup: [found for fill in items if (found := fill(lookup)) is not None]
    return lambda lookup: value


def _compiled_text(text: str) -> _Filler:
    parts = list(_parts(text))
    if not any(is_name for is_name, _ in parts):
        plain = "".join(part for _, part in parts)
        return lambda lookup: plain
    if len(parts) == 1:
        name = parts[0][1]
        return lambda lookup: lookup(name)

    def joined(lookup: Lookup) -> str | None:
        found = [lookup(part) if is_name else part for is_name, part in parts]
        return None if any(each is None for each in found) else "".join(map(str, found))

    return joined


def _fits(value: JsonValue, message: object) -> bool:
    if isinstance(value, dict):
        if not isinstance(message, dict) or not set(message) <= set(value):
            return False
        return all(
            _fits(each, message[name]) if name in message else any(_names(each))
            for name, each in value.items()
        )
    if isinstance(value, str):
        return any(_names(value)) or value == message
    return value == message or (isinstance(value, list) and isinstance(message, list))


def settled(value: JsonValue, parameters: Mapping[str, JsonValue]) -> JsonValue:
    """The value with the parameters of the address in place.

    Entries that are a parameter without value go, and mappings of nothing else.

    Raises:
        KeyError: A parameter that is not there.
    """
    if isinstance(value, dict):
        pairs = ((name, each, settled(each, parameters)) for name, each in value.items())
        kept = {name: new for name, old, new in pairs if new is not None or old is None}
        return kept if kept or not value else None
    if isinstance(value, list):
        items = ((each, settled(each, parameters)) for each in value)
        return [new for old, new in items if new is not None or old is None]
    if not isinstance(value, str):
        return value
    whole = PARAMETER.fullmatch(value)
    if whole:
        given = parameters[whole["name"]]
        return _doubled(given) if isinstance(given, str) else given
    found = PARAMETER.findall(value)
    if any(parameters[name] is None for name in found):
        return None
    return PARAMETER.sub(lambda match: _doubled(str(parameters[match["name"]])), value)


def _doubled(text: str) -> str:
    """A value of the address is no template: its braces stand for themselves."""
    return text.replace("{", "{{").replace("}", "}}")
