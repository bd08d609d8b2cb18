"""The tables of docs/events.md and the JSON Schema of the messages, made of the models.

`python -m streams.events.document` writes both anew.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter

from streams.events.messages import Command, Header, Line, Published
from streams.events.topics import COMMAND, DELIVERIES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "events.md"
SCHEMA = Path(__file__).parent / "schema" / "messages.schema.json"

BEGIN = "<!-- made by streams.events.document: begin -->"
END = "<!-- made by streams.events.document: end -->"

_MODELS: dict[str, type[BaseModel]] = {
    model.model_fields["kind"].default: model for model in get_args(Published)
}


def schema() -> bytes:
    """The schema of everything that is published, and of commands."""
    adapter: TypeAdapter[Any] = TypeAdapter(Published | Command)
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", **adapter.json_schema()}
    made["title"] = "Messages of vivavoce over MQTT, version 1"
    return json.dumps(made, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def tables() -> str:
    """The generated part of the page: topics, and the fields of each message."""
    parts = ["### Topics", _topics(), "### The header", "Every message begins with these.", _fields(Header)]
    for kind, model in _MODELS.items():
        parts += [f"### {kind}", _sentence(model), _fields(model)]
    parts += ["### A line of a session", _sentence(Line), _fields(Line)]
    parts += ["### command", _sentence(Command), _fields(Command)]
    return "\n\n".join(part for part in parts if part)


def page(text: str) -> str:
    """A page with its generated part made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


def _topics() -> str:
    rows = ["| topic | QoS | retained | what |", "| --- | --- | --- | --- |"]
    for kind, delivery in DELIVERIES.items():
        place = "PREFIX/RUN" if delivery.about == "run" else "PREFIX/RUN/EPISODE"
        what = _sentence(_MODELS[kind]).partition(". ")[0].rstrip(".")
        kept = "yes" if delivery.retain else "no"
        rows.append(f"| `{place}/{kind}` | {delivery.qos} | {kept} | {what} |")
    rows.append(f"| `PREFIX/RUN/{COMMAND}` | 1 | never | What somebody asks of the run: you publish it |")
    return "\n".join(rows)


def _fields(model: type[BaseModel]) -> str:
    own = [name for name in model.model_fields if model is Header or name not in Header.model_fields]
    described, properties = _described(model), model.model_json_schema()["properties"]
    rows = ["| field | type | meaning |", "| --- | --- | --- |"]
    rows += [f"| `{name}` | {_type(properties[name])} | {described.get(name, '')} |" for name in own]
    return "\n".join(rows)


def _type(shape: dict[str, Any]) -> str:
    if "const" in shape:
        return f"`{json.dumps(shape['const'])}`"
    if "enum" in shape:
        return " or ".join(f"`{value}`" for value in shape["enum"])
    if "anyOf" in shape:
        return " or ".join(_type(one) for one in shape["anyOf"])
    if "$ref" in shape:
        return "line"
    if shape["type"] == "array":
        return f"list of {_type(shape['items'])}s"
    if shape["type"] == "object":
        return f"object of {_type(shape['additionalProperties'])}s"
    return str(shape["type"])


def _sentence(model: type[BaseModel]) -> str:
    """What a model is, up to its attributes."""
    return _joined(inspect.getdoc(model) or "").partition(" Attributes:")[0]


def _described(model: type[BaseModel]) -> dict[str, str]:
    """The attributes of a model, as its docstring describes them."""
    _, _, listed = (inspect.getdoc(model) or "").partition("Attributes:\n")
    found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed, flags=re.MULTILINE)
    return {name: _joined(text) for name, text in found}


def _joined(text: str) -> str:
    return " ".join(text.split())


def write() -> None:
    """Write the page and the schema anew."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    SCHEMA.parent.mkdir(exist_ok=True)
    SCHEMA.write_bytes(schema())


if __name__ == "__main__":
    write()
