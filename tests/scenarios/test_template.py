from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from scenarios.load import load_scenario
from scenarios.problems import ScenarioError
from scenarios.schema import PolicyKind
from scenarios.schema_json import FILE, json_schema, schema_text
from scenarios.template import new_scenario


@pytest.mark.parametrize("policy", PolicyKind)
@pytest.mark.parametrize("id", ["my-call", "12", "null"])
def test_a_new_scenario_is_valid_as_it_stands(tmp_path: Path, policy: PolicyKind, id: str) -> None:
    (tmp_path / "x.yaml").write_text(new_scenario(id, policy), encoding="utf-8")
    loaded = load_scenario(tmp_path / "x.yaml")
    assert (loaded.scenario.id, loaded.scenario.policy, loaded.warnings) == (id, policy, ())


def test_a_new_scenario_needs_a_proper_id() -> None:
    with pytest.raises(ScenarioError, match="id: found 'My Call', expected small letters"):
        new_scenario("My Call")


def test_the_committed_schema_is_the_generated_one() -> None:
    assert FILE.read_text(encoding="utf-8") == schema_text(), "run `python -m scenarios.schema_json`"


def valid(data: Any) -> bool:
    validator = jsonschema.Draft202012Validator(json_schema())
    return bool(validator.is_valid(json.loads(json.dumps(data))))


@pytest.mark.parametrize("policy", PolicyKind)
def test_an_editor_accepts_what_the_loader_accepts(policy: PolicyKind) -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())
    assert valid(yaml.safe_load(new_scenario("x", policy)))


@pytest.mark.parametrize(
    "change",
    [
        {"titel": "x"},
        {"turns": []},
        {"policy": "adaptive"},
        {"policy": "llm"},
        {"version": 2},
        {"persona": {"trait": "x"}},
    ],
)
def test_an_editor_rejects_what_the_loader_rejects(change: dict[str, Any]) -> None:
    assert not valid(yaml.safe_load(new_scenario("x")) | change)
