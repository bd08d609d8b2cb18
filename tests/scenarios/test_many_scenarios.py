"""Files of many scenarios, items, and the hash of a scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.load import canonical_json, load_scenario, load_scenarios
from scenarios.problems import ScenarioError
from scenarios.schema import Scenario, Turn


def test_a_file_may_hold_several_scenarios(tmp_path: Path) -> None:
    one = "id: {id}\ntitle: A call\nturns:\n  - text: Hello!\n"
    file = tmp_path / "many.yaml"
    file.write_text("\n---\n".join(one.format(id=name) for name in ("b", "a")))
    assert [loaded.scenario.id for loaded in load_scenarios(file)] == ["b", "a"]
    with pytest.raises(ScenarioError, match="2 scenarios, expected a file with one"):
        load_scenario(file)


def test_problems_of_several_scenarios_in_a_file_name_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "many.yaml"
    file.write_text(
        "id: a\ntitle: A call\nturns: [{text: Hi}]\n---\nid: a\ntitle: ''\nturns: [{text: Hi}]\n"
    )
    with pytest.raises(ScenarioError) as raised:
        load_scenarios(file)
    assert [problem.line for problem in raised.value.problems] == [6]


def test_a_choice_needs_its_answer_among_different_options(tmp_path: Path) -> None:
    file = tmp_path / "item.yaml"
    file.write_text(
        "id: a\ntitle: A call\nturns:\n  - text: Which?\n"
        "    item: {kind: choice, options: {A: Helium, B: ' helium '}, answer: A}\n"
    )
    with pytest.raises(
        ScenarioError, match=r"item.yaml:5:\d+: turns\[0\].item: found an item of kind choice"
    ):
        load_scenario(file)


def test_the_hash_of_a_scenario_leaves_out_what_has_its_default() -> None:
    bare = Scenario(id="a", title="A call", turns=(Turn(text="Hello!"),))
    assert canonical_json(bare) == '{"id":"a","title":"A call","turns":[{"text":"Hello!"}]}'
