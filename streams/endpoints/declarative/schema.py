"""The JSON Schema of a file, for editors."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from streams.endpoints.declarative.model import Description
from streams.endpoints.declarative.templates import PARAMETER


class _Schema(GenerateJsonSchema):
    """Says nothing of defaults that are compiled: they are not in the schema."""

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        if kind != "non-serializable-default":
            super().emit_warning(kind, detail)


def schema_text() -> str:
    """The JSON Schema of a file, for editors: a number or a choice may be a `${parameter}` too."""
    schema = Description.model_json_schema(schema_generator=_Schema)
    return json.dumps(_with_parameters(schema), indent=2) + "\n"


_PARAMETER_SCHEMA = {"type": "string", "pattern": PARAMETER.pattern.replace("?P<name>", "")}


def _with_parameters(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_parameters(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _with_parameters(each) for name, each in schema.items()}
    if made.get("type") in ("integer", "number", "boolean") or "enum" in made:
        told = {name: made.pop(name) for name in ("title", "description", "default") if name in made}
        return {"anyOf": [made, _PARAMETER_SCHEMA], **told}
    return made
