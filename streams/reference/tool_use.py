"""How the reference endpoint uses tools: by rules, so that tools can be tried without a model.

A question that holds all words of a tool's name calls it: "What are your opening hours on Monday?" calls
`opening_hours`. An argument is the listed value that is heard, a number that is heard, or the whole
question where a text is required.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streams.endpoints.protocol import Tool

FILLER = "One moment, please, I will look that up."
FAILED = "I am sorry, I could not look that up."

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that is called instead of an answer.

    Attributes:
        arguments: JSON text.
    """

    name: str
    arguments: str


def tool_for(question: str, tools: Sequence[Tool]) -> ToolUse | None:
    """The tool that a question names, with its arguments; None if it names none."""
    heard = set(_words(question))
    for tool in tools:
        if heard >= set(_words(tool.name.replace("-", "_").replace("_", " "))):
            arguments = _arguments(question, tool)
            if arguments is not None:
                return ToolUse(tool.name, json.dumps(arguments))
    return None


def said_of(output: str) -> str:
    """What is said of a tool's output: text as it is, of an object one sentence for each entry."""
    try:
        found = json.loads(output)
    except ValueError:
        return output
    if not isinstance(found, dict):
        return str(found)
    if "error" in found:
        return FAILED
    return " ".join(f"The {name.replace('_', ' ')} is {_value(value)}." for name, value in found.items())


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _arguments(question: str, tool: Tool) -> dict[str, object] | None:
    """None if a required argument is not in the question."""
    properties, required = tool.parameters.get("properties"), tool.parameters.get("required")
    found: dict[str, object] = {}
    for name, spec in (properties if isinstance(properties, dict) else {}).items():
        needed = isinstance(required, list) and name in required
        value = _argument(question, spec if isinstance(spec, dict) else {}, needed=needed)
        if value is not None:
            found[name] = value
        elif needed:
            return None
    return found


def _argument(question: str, spec: Mapping[str, object], *, needed: bool) -> object:
    heard = f" {' '.join(_words(question))} "
    options = spec.get("enum")
    if isinstance(options, list):
        return next((each for each in options if f" {' '.join(_words(str(each)))} " in heard), None)
    number = _NUMBER.search(question)
    if spec.get("type") == "integer":
        return round(float(number[0])) if number else None
    if spec.get("type") == "number":
        return float(number[0]) if number else None
    return question if needed and spec.get("type") == "string" else None
