"""Expression: what an answer must do in content and in manner, and the pack that asks for it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from pydantic import ValidationError

from scenarios.expression_task import Expression, Level
from scenarios.load import LoadedScenario, canonical_json, load_pack, load_scenario
from scenarios.manners import Manner, style, voice
from scenarios.problems import ScenarioError
from scenarios.schema import Scenario, Turn
from scoring.judge.manner_rules import CHANGES, WHISPER_BREATH

SCENARIO = """\
id: tired
title: Tired
turns:
  - text: Hello there.
    style: tired
    expression:
      level: 4
      task: greeting
      perceive: tired
      manner: calm
      content: [greets]
"""


@cache
def loaded() -> tuple[LoadedScenario, ...]:
    return load_pack("expression").scenarios


def asked() -> list[tuple[Scenario, Turn, Expression]]:
    """Each scenario with the turn that asks, and what its answer must do."""
    return [
        (one.scenario, turn, turn.expression)
        for one in loaded()
        for turn in one.scenario.turns
        if turn.expression is not None
    ]


def problems(tmp_path: Path, old: str, new: str) -> list[str]:
    assert old in SCENARIO
    file = tmp_path / "tired.yaml"
    file.write_text(SCENARIO.replace(old, new))
    with pytest.raises(ScenarioError) as error:
        load_scenario(file)
    return [str(problem).removeprefix(f"{file}:") for problem in error.value.problems]


def test_nineteen_kinds_of_task_are_asked_at_each_of_the_four_levels_once() -> None:
    found = Counter((expression.task, expression.level) for _, _, expression in asked())
    tasks = {task for task, _ in found}
    assert len(tasks) == 19
    assert found == {(task, level): 1 for task in tasks for level in Level}
    assert {scenario.domain for scenario, _, _ in asked()} == {
        "education",
        "entertainment",
        "social",
        "medical",
    }


def test_no_prompt_has_a_warning_or_is_asked_twice_and_each_has_a_voice() -> None:
    assert [str(warning) for one in loaded() for warning in one.warnings] == []
    assert max(Counter(turn.text for _, turn, _ in asked()).values()) == 1
    assert all(voice(scenario.persona.voice) != Manner() for scenario, _, _ in asked())


def test_the_user_speaks_neutrally_where_no_manner_is_to_be_noticed() -> None:
    for scenario, turn, expression in asked():
        spoken = turn.style or scenario.persona.style
        assert spoken == expression.perceive, scenario.id


def test_a_manner_is_one_that_can_be_heard_and_a_neutral_turn_goes_before_it() -> None:
    for scenario, _, expression in asked():
        assert len(scenario.turns) == (2 if expression.level.expresses else 1), scenario.id
        if expression.level.expresses:
            assert scenario.turns[0].expression is None
            wanted = style(expression.manner)
            heard = [c for c in CHANGES.values() if abs(c.asked(wanted)) >= c.heard_from]
            assert heard or wanted.breath >= WHISPER_BREATH, scenario.id


def test_no_prompt_names_the_manner_that_is_to_be_noticed() -> None:
    for scenario, turn, expression in asked():
        if expression.perceive:
            words = set(turn.text.casefold().replace(".", " ").split())
            assert style(expression.perceive) != Manner()
            assert expression.perceive not in words, scenario.id


def test_a_level_and_its_manners_must_agree(tmp_path: Path) -> None:
    assert problems(tmp_path, "level: 4", "level: 1")[0].endswith(
        "found level 1 with `perceive: tired`, expected no `perceive`"
    )
    assert problems(tmp_path, "level: 4", "level: 2")[0].endswith(
        "found level 2 with `manner: calm`, expected no `manner`"
    )
    for no_manner in ("manner: ''", "manner: neutral"):
        assert problems(tmp_path, "manner: calm", no_manner)[0].endswith(
            "expected `manner` with a style that is heard"
        )
    assert "expected 1, 2, 3 or 4" in problems(tmp_path, "level: 4", "level: 5")[0]


def test_a_manner_that_is_not_known_is_named_with_the_nearest(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "manner: calm", "manner: clam")
    assert found.startswith("10:15: turns[0].expression.manner: found the style 'clam', expected one of")
    assert found.endswith("(did you mean `calm`?)")


@pytest.mark.parametrize(
    ("spoken", "found"), [("style: sad", "spoken in the style 'sad'"), ("pause_s: 0", "spoken neutrally")]
)
def test_what_is_to_be_noticed_must_be_spoken(tmp_path: Path, spoken: str, found: str) -> None:
    (problem,) = problems(tmp_path, "style: tired", spoken)
    assert f"found 'tired', and the turn is {found}" in problem


def test_an_expression_without_content_is_refused() -> None:
    with pytest.raises(ValidationError, match="at least 1 item"):
        Expression(level=Level.SEMANTIC, task="greeting", content=())


def test_a_scenario_without_expression_keeps_its_hash() -> None:
    scenario = Scenario(id="plain", title="Plain", turns=(Turn(text="Hello."),))
    assert canonical_json(scenario) == '{"id":"plain","title":"Plain","turns":[{"text":"Hello."}]}'
