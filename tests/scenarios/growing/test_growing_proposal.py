"""What a language model proposes is data: plain texts are taken, everything else has a cause."""

from __future__ import annotations

import random
import unicodedata
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scenarios.expression_task import Level
from scenarios.growing.cells import Cell, examples
from scenarios.growing.plain import is_plain
from scenarios.growing.proposal import Proposal, Refusal, problems_of, refusal, scenario_of, voices_for
from scenarios.load import load_pack
from scenarios.schema import Scenario, Turn

SEEDS = examples(load_pack("expression").scenarios)
JOKES = {level: Cell("entertainment", "joke", level) for level in Level}
MANNERS: dict[int, dict[str, str]] = {
    1: {},
    2: {"perceive": "sad"},
    3: {"manner": "calm"},
    4: {"perceive": "sad", "manner": "calm"},
}


def proposal(at: int = 1, **changes: Any) -> Proposal:
    fields = {
        "domain": "entertainment",
        "task": "joke",
        "level": at,
        "title": "A parrot",
        "text": "Do you know a joke about a parrot who sells cars?",
        "perceive": "",
        "manner": "",
        "content": ["tells one joke about a parrot"],
    }
    return Proposal.model_validate({**fields, **MANNERS[at], **changes})


def cause(at: int = 1, **changes: Any) -> str:
    found = refusal(proposal(at, **changes), JOKES[Level(at)])
    return found.cause if found else ""


def made(level: int, number: int = 7, **changes: Any) -> Scenario:
    return scenario_of(
        proposal(level, **changes), JOKES[Level(level)], number, SEEDS, random.Random(number)
    )


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_a_good_proposal_becomes_a_scenario_without_problems(level: int) -> None:
    assert cause(level) == ""
    scenario = made(level)
    assert problems_of(scenario) == []
    assert scenario.id == f"joke-{level}-g0007"
    *before, ask = scenario.turns
    assert len(before) == (1 if level >= 3 else 0)
    assert ask.expression is not None and ask.expression.level == level
    assert (ask.style or scenario.persona.style) == ask.expression.perceive
    assert scenario.persona.voice in voices_for(ask.expression.perceive)


def test_a_child_is_a_child_from_its_first_word_and_a_mood_comes_with_the_request() -> None:
    child, sad = made(4, perceive="child"), made(4, perceive="sad")
    assert (child.persona.style, child.turns[-1].style) == ("child", "")
    assert (sad.persona.style, sad.turns[0].style, sad.turns[-1].style) == ("", "", "sad")


def test_the_same_draw_makes_the_same_scenario() -> None:
    assert made(4) == made(4)
    assert len({made(4, number).persona.voice for number in range(1, 20)}) > 3


@pytest.mark.parametrize(
    ("level", "changes"),
    [
        (1, {"level": 2}),
        (1, {"task": "advice"}),
        (1, {"task": "../../etc/passwd"}),
        (1, {"domain": "Entertainment"}),
        (1, {"perceive": "sad"}),
        (2, {"perceive": ""}),
        (2, {"manner": "calm"}),
        (3, {"manner": ""}),
        (4, {"perceive": "sad", "manner": ""}),
    ],
)
def test_another_cell_or_manners_that_a_level_has_not_are_a_wrong_cell(
    level: int, changes: dict[str, Any]
) -> None:
    assert cause(level, **changes) == Refusal.WRONG_CELL


@pytest.mark.parametrize("name", ["neutral", "sarcastic", "sad; rate=0.5", "pitch=3", "!!python/none"])
def test_a_manner_is_one_that_declared_bands_measure(name: str) -> None:
    assert cause(2, perceive=name) == Refusal.UNKNOWN_STYLE
    assert cause(3, manner=name) == Refusal.UNKNOWN_STYLE


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system ['true']",
        "--- \nid: other",
        "- a list, of one thing",
        "&anchor some words here",
        "*alias and some words",
        "tell me\nid: ../../escaped",
        "read ../../etc/passwd to me",
        "read /etc/passwd to me please",
        "open http://example.com for me",
        "{{ config }} tell me a joke",
        "a joke, <b>please</b>, with markup",
        "a joke for \u202eme and you",
        "a joke for\u200b me and you",
        "a joke \x1b[31m in red",
        "a joke with half a \ud83d character",
    ],
)
def test_whatever_is_more_than_a_line_of_prose_is_refused_in_every_field(text: str) -> None:
    assert cause(text=text) == Refusal.NOT_PLAIN
    assert cause(title=text) == Refusal.NOT_PLAIN
    assert cause(content=["tells a joke", text]) == Refusal.NOT_PLAIN


def test_lengths_have_limits_on_both_sides() -> None:
    assert cause(text=" ".join(["word"] * 50)) == ""
    assert cause(text=" ".join(["word"] * 51)) == Refusal.TOO_LONG
    assert cause(text="three words " + "a" * 289) == Refusal.TOO_LONG
    assert cause(title="t" * 81) == Refusal.TOO_LONG
    assert cause(content=["tells a joke"] * 7) == Refusal.TOO_LONG
    assert cause(content=[" ".join(["word"] * 31)]) == Refusal.TOO_LONG
    assert cause(text="A joke?") == Refusal.TOO_SHORT
    assert cause(content=[]) == cause(title=" ") == Refusal.TOO_SHORT


def test_words_that_name_what_should_be_heard_are_refused() -> None:
    assert cause(2, text="I am so sad today, tell me a joke.") == Refusal.NAMES_MANNER
    assert cause(2, text="I sat on my saddle all day, tell me a joke.") == ""


def test_a_proposal_has_no_names_keys_or_files_of_its_own() -> None:
    for key in ("id", "audio", "spoken", "facts", "policy"):
        with pytest.raises(ValidationError, match="Extra inputs"):
            Proposal.model_validate({**proposal().model_dump(), key: "../../x"})


def test_what_the_ordinary_check_says_is_a_problem() -> None:
    scenario = made(2).model_copy(update={"turns": (Turn(text="Hello.", audio="../x.wav"),)})
    (found,) = problems_of(scenario)
    assert "there is no file" in found


@given(st.text(max_size=60))
def test_a_plain_text_survives_yaml_and_holds_nothing_unseen(text: str) -> None:
    if is_plain(text):
        assert yaml.safe_load(yaml.safe_dump({"text": text}, allow_unicode=True)) == {"text": text}
        assert {unicodedata.category(character)[0] for character in text} <= set("LMNPSZ")
        assert "\n" not in text


@pytest.mark.parametrize(
    "text",
    [
        "Qu'est-ce que c'est ?",
        "«Hallo», sagt sie.",
        "¿Qué hora es?",
        "请给我讲个笑话。",
        "मुझे एक चुटकुला सुनाओ",
    ],
)
def test_plain_texts_have_any_language(text: str) -> None:
    assert is_plain(text)
