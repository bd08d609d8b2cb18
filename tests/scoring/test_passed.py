from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recordings.format import Outcome, Role, UtteranceStarted, Verdict
from scoring.metric import Measured, Unscored
from scoring.score import score_episode
from streams.clock import run
from tests.scoring.episodes import CallMaker, tone

RATE = 24000
REPLY = tone(1.0, RATE)


def asked(call: CallMaker, number: int, expected: tuple[str, ...], role: Role = Role.TURN) -> CallMaker:
    """Say which facts the answer to the n-th utterance should state."""
    places = [i for i, event in enumerate(call.events) if isinstance(event, UtteranceStarted)]
    event = call.events[places[number]]
    call.events[places[number]] = event.model_copy(update={"expected": expected, "role": role})
    return call


def verdict(**labels: str | None) -> tuple[Verdict, ...]:
    facts = [{"fact": name, "label": label} for name, label in labels.items()]
    return (Verdict(judge="rules", label="partial", detail={"facts": facts}),)


def one_turn(**labels: str | None) -> CallMaker:
    """A question at 1 to 2 s, a reply from 3 to 4 s, and what a judge says of the facts a and b."""
    from recordings.format import Side

    call = CallMaker().user(1, 2).reply(3, REPLY)
    call.turn(Side.ENDPOINT, 3, 4, heard="words", verdicts=verdict(**labels) if labels else ())
    return asked(call, 0, ("a", "b"))


def passed(tmp_path: Path, call: CallMaker, **written: Any) -> tuple[float | None, object]:
    scores = run(score_episode(call.write(tmp_path / "e", **written)))
    (found,) = scores.measurements["passed"]
    if isinstance(found, Measured):
        return found.value, found.evidence.get("failed")
    assert isinstance(found, Unscored)
    return None, found.cause


def test_a_call_whose_facts_all_stand_has_passed(tmp_path: Path) -> None:
    assert passed(tmp_path, one_turn(a="stated", b="stated")) == (1.0, None)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"a": "stated", "b": "missing"}, (0.0, ["fact b: missing"])),
        ({"a": "contradicted", "b": "missing"}, (0.0, ["fact a: contradicted", "fact b: missing"])),
        ({"a": "stated", "b": None}, (None, "judge_failed")),
        ({"a": "missing", "b": None}, (0.0, ["fact a: missing"])),  # failed whatever the judge would say
        ({}, (None, "not_judged")),
    ],
)
def test_a_fact_that_does_not_stand_fails_the_call_and_one_that_nobody_judged_leaves_it_open(
    tmp_path: Path, labels: dict[str, str | None], expected: tuple[float | None, object]
) -> None:
    assert passed(tmp_path, one_turn(**labels)) == expected


def test_a_fact_that_was_wrong_first_and_right_when_asked_again_stands(tmp_path: Path) -> None:
    from recordings.format import Side

    call = one_turn(a="contradicted", b="stated").user(6, 7).reply(8, REPLY)
    call.turn(Side.ENDPOINT, 8, 9, heard="words", verdicts=verdict(a="stated", b="missing"))
    assert passed(tmp_path, asked(call, 1, ("a", "b"))) == (1.0, None)


def test_a_question_that_the_user_cut_itself_is_not_held_against_the_endpoint(tmp_path: Path) -> None:
    from recordings.format import Side

    call = one_turn(a="missing", b="missing").user(3.5, 4.5).reply(6, REPLY)
    call.turn(Side.ENDPOINT, 6, 7, heard="words", verdicts=verdict(c="stated"))
    assert passed(tmp_path, asked(call, 1, ("c",), Role.BARGE_IN)) == (1.0, None)


def test_a_turn_without_a_reply_and_an_end_by_the_endpoint_fail_a_call(tmp_path: Path) -> None:
    silent = CallMaker(length=30).user(1, 2)
    assert passed(tmp_path / "silent", silent) == (0.0, ["turn 1: no reply"])
    hung_up = CallMaker().user(1, 2).reply(3, REPLY)
    for outcome in (Outcome.ENDPOINT_HUNG_UP, Outcome.MAX_TURNS):
        found = passed(tmp_path / outcome.value, hung_up, outcome=outcome)
        assert found == (0.0, [outcome.value])
    assert passed(tmp_path / "advised", hung_up, outcome=Outcome.USER_STOPPED) == (1.0, None)


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ("The answer is B.", (1.0, None)),
        ("The answer is A.", (0.0, ["question tones: wrong answer"])),
        ("Who knows.", (0.0, ["question tones: no choice"])),
        (None, (None, "not_transcribed")),
    ],
)
def test_a_question_of_knowledge_must_be_answered_rightly(
    tmp_path: Path, heard: str | None, expected: tuple[float | None, object]
) -> None:
    from recordings.format import Side

    item = {"kind": "choice", "options": {"A": "primase", "B": "helicase"}, "answer": "B"}
    scenario = {"title": "A question", "turns": [{"text": "Which one?", "item": item}]}
    text = "Which one? A: primase. B: helicase."
    call = CallMaker().user(1, 2, text).reply(3, REPLY)
    call.turn(Side.ENDPOINT, 3, 4, heard=heard)
    # the words that are asked are those of the query, options read aloud
    from scenarios.items import query
    from scenarios.schema import Scenario

    whole = Scenario.model_validate({"id": "tones", **scenario}, strict=False)
    asked_text = query(whole.turns[0]).text
    first = next(i for i, event in enumerate(call.events) if isinstance(event, UtteranceStarted))
    call.events[first] = call.events[first].model_copy(update={"text": asked_text})
    assert passed(tmp_path, call, scenario=scenario) == expected
