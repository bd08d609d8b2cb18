"""How the scenario's tools are told to a declared endpoint, and when their results may be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum

from streams.endpoints.declarative.rule_model import Part
from streams.endpoints.declarative.templates import Template
from streams.endpoints.protocol import Tool

OF_DECLARATION = frozenset({"name", "description", "parameters", "parameters_json", "arguments"})
OF_ARGUMENT = frozenset({"name", "schema", "required"})


class ToolResults(StrEnum):
    """When the result of a tool may be sent."""

    AT_ONCE = "at_once"
    AFTER_REPLY = "after_reply"  # not before the end of the reply in which the tool was called


class ToolUse(Part):
    """How the tools of the scenario are declared, and when the endpoint takes their results."""

    declaration: Template = Template(None)
    """One tool, in place of `name`, `description` and `parameters`: `{tools}` is then the list of these.

    `{name}`, `{description}`; its JSON Schema as `{parameters}`, or as text: `{parameters_json}`.
    """
    argument: Template = Template(None)
    """One argument: `{name}`, `{schema}`, `{required}`; `{arguments}` in `declaration` is their list."""
    results: ToolResults = ToolResults.AT_ONCE
    """When a result may be sent."""

    def declared(self, tool: Tool) -> object:
        """What an endpoint is told of a tool."""
        usual = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        if self.declaration.value is None:
            return usual
        schema = {
            "parameters_json": json.dumps(tool.parameters),
            "arguments": self._arguments(tool.parameters),
        }
        return self.declaration.fill({**usual, **schema}.get)

    def _arguments(self, parameters: Mapping[str, object]) -> list[object]:
        """What of the schema is no plain object with properties has no arguments to be listed."""
        properties, required = parameters.get("properties"), parameters.get("required")
        if not isinstance(properties, Mapping):
            return []
        needed = required if isinstance(required, list) else []
        return [
            self.argument.fill({"name": name, "schema": schema, "required": name in needed}.get)
            for name, schema in properties.items()
        ]
