"""The JSON Schema of scenarios, for editors that complete and check YAML.

It is generated from `scenarios.schema` and committed as `scenarios/scenario.schema.json`;
`python -m scenarios.schema_json` writes it anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scenarios.schema import PolicyKind, Scenario

FILE = Path(__file__).parent / "scenario.schema.json"
"""Where the committed schema is."""

_MATERIAL = {PolicyKind.SCRIPTED: "turns", PolicyKind.ADAPTIVE: "aspects", PolicyKind.LLM: "aim"}


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a scenario's file, with the rule that a policy has its material."""
    schema = Scenario.model_json_schema()
    rules = [_rule(policy, material) for policy, material in _MATERIAL.items()]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "allOf": rules}


def schema_text() -> str:
    """The schema as it is committed and printed."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _rule(policy: PolicyKind, material: str) -> dict[str, Any]:
    chosen: dict[str, Any] = {"properties": {"policy": {"const": policy.value}}}
    if policy is not PolicyKind.SCRIPTED:  # which is what a scenario without the key has
        chosen["required"] = ["policy"]
    length = "minLength" if material == "aim" else "minItems"
    return {"if": chosen, "then": {"required": [material], "properties": {material: {length: 1}}}}


if __name__ == "__main__":
    FILE.write_text(schema_text(), encoding="utf-8")
