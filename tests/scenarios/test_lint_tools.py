from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.load import load_scenario
from scenarios.problems import ScenarioError
from scenarios.tools import Tool, arguments_fault, holds

HEAD = "version: 1\nid: x\ntitle: X\nturns:\n  - text: Hello.\n"
TOOL = "tools:\n  - name: hours\n    answer: ten\n"


def problems(tmp_path: Path, body: str) -> str:
    file = tmp_path / "x.yaml"
    file.write_text(HEAD + body)
    with pytest.raises(ScenarioError) as error:
        load_scenario(file)
    return "\n".join(str(problem) for problem in error.value.problems)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("tools:\n  - name: hours\n", "one of `answer`, `answers` and `python`"),
        (
            "tools:\n  - name: hours\n    answer: 1\n    python: a:b\n",
            "one of `answer`, `answers` and `python`",
        ),
        (TOOL + "  - name: hours\n    answer: six\n", "'hours' a second time"),
        (TOOL + "    parameters: {type: objekt}\n", "a JSON Schema of an object"),
        (TOOL + "    parameters: {type: string}\n", "a schema without `type: object`"),
        (TOOL + "    parameters: {type: object, $ref: '#/nowhere'}\n", "a schema that cannot be used"),
        ("tools:\n  - name: hours\n    python: own:hours\n", "but there is no file"),
        ("tools:\n  - name: hours\n    python: ../own:hours\n", "python"),
        ("tools:\n  - name: hours\n    python: os.path:join\n", "python"),
        (TOOL + "expect:\n  - called: hoors\n", "a tool of this scenario (hours)"),
        (TOOL + "expect:\n  - called: hours\n    after: book\n", "a tool of this scenario (hours)"),
        (TOOL + "expect:\n  - called: hours\n    turn: 2\n", "at most 1, the turns of the scenario"),
        (
            TOOL + "expect:\n  - called: hours\n    at_most: 1\n    at_least: 2\n",
            "no smaller than `at_least`",
        ),
        (TOOL + "expect:\n  - caled: hours\n", "did you mean `called`?"),
        (
            "tools:\n  - name: h\n    answers: [{when: {dey: x}, answer: 1}]\n"
            "    parameters: {type: object, properties: {day: {}}}\n",
            "'dey', which `parameters` does not have",
        ),
    ],
)
def test_what_is_wrong_with_tools_is_named(tmp_path: Path, body: str, words: str) -> None:
    assert words in problems(tmp_path, body)


def test_a_call_that_is_forbidden_needs_no_least(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(HEAD + TOOL + "expect:\n  - called: hours\n    at_most: 0\n")
    (expected,) = load_scenario(file).scenario.expect
    assert (expected.at_least, expected.at_most) == (0, 0)


@pytest.mark.parametrize(
    ("found", "wanted", "fits"),
    [
        ({"a": "Bern", "b": 1}, {"a": " bern "}, True),
        ({"a": {"b": "X", "c": 1}}, {"a": {"b": "x"}}, True),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1.0}, {"a": 1}, True),
        ({"a": [1, 2]}, {"a": [1]}, False),
        ({}, {"a": None}, False),
    ],
)
def test_arguments_hold_what_is_wanted(
    found: dict[str, object], wanted: dict[str, object], fits: bool
) -> None:
    assert holds(found, wanted) is fits


def test_a_tool_without_parameters_takes_any_object_and_nothing_else() -> None:
    tool = Tool(name="t", answer=1)
    assert arguments_fault(tool.parameters, {"x": 1}) == ""
    assert arguments_fault(tool.parameters, [1]) == "[1] is not of type 'object'"
