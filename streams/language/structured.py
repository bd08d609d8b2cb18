"""Structured answers: what is asked of a server, and what is made of its reply."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel

S = TypeVar("S", bound=BaseModel)

_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)


def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a model as strict servers want it: nothing optional, nothing unknown, no defaults."""
    made: dict[str, Any] = _strict(schema.model_json_schema())
    return made


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: _strict(value) for key, value in node.items() if key != "default"}
    if isinstance(made.get("properties"), dict):
        made |= {"required": list(made["properties"]), "additionalProperties": False}
    return made


def instruction(schema: type[BaseModel]) -> str:
    """The demand in words, for servers and models that know no response format."""
    return (
        "Answer with one JSON object that fits this JSON Schema, and with nothing else:\n"
        f"{json.dumps(strict_schema(schema), ensure_ascii=False)}"
    )


def parse(reply: str, schema: type[S]) -> S:
    """Read the JSON object in a reply: the whole text if it is one, else the one balanced object in it.

    Thoughts, code fences and words around it are passed over. Of two objects neither is taken: which one
    was meant cannot be known.

    Raises:
        pydantic.ValidationError: There is none, there are several, or it doesn't fit.
    """
    text = _THINKING.sub("", reply).strip()
    found = objects(text)
    return schema.model_validate_json(found[0] if len(found) == 1 else text)


def objects(text: str) -> list[str]:
    """The JSON objects in a text that stand in no other, in order; what only looks like one is left out."""
    decoder = json.JSONDecoder()
    found: list[str] = []
    at = text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            end = at + 1
        else:
            found.append(text[at:end])
        at = text.find("{", end)
    return found
