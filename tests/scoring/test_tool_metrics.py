"""The metrics of `scoring.tools`, on calls made by arithmetic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recordings.format import Event, ToolAnswered, ToolCall, ToolFault
from scoring.metric import Measured
from scoring.score import score_episode
from scoring.tools import TOOLS
from streams.clock import run
from tests.scoring.episodes import CallMaker, tone

RATE = 24000


def asked(
    t: float, name: str = "hours", arguments: str = '{"day": "monday"}', call: str = "c", **more: Any
) -> ToolCall:
    return ToolCall(t=t, call=call, name=name, arguments=arguments, **more)


def told(t: float, name: str = "hours", call: str = "c", fault: ToolFault | None = None) -> ToolAnswered:
    return ToolAnswered(t=t, call=call, name=name, output="x", error=fault is not None, fault=fault)


def one_turn(*events: Event, filler: bool = False) -> CallMaker:
    """A question from 1 to 2 s, a reply from 5 to 6 s; a filler from 3 to 3.5 s if there is one."""
    call = CallMaker().user(1, 2)
    if filler:
        call.reply(3, tone(0.5, RATE), item="filler")
    return call.reply(5, tone(1.0, RATE)).note(*events)


def values(
    tmp_path: Path, call: CallMaker, expect: list[dict[str, Any]] | None = None
) -> dict[str, list[object]]:
    scores = run(score_episode(call.write(tmp_path / "e", scenario={"expect": expect or []})))
    return {
        metric.name: [
            round(each.value, 6) if isinstance(each, Measured) else each.cause
            for each in scores.measurements[metric.name]
        ]
        for metric in TOOLS
    }


def test_a_call_without_tools_has_no_values(tmp_path: Path) -> None:
    assert values(tmp_path, one_turn()) == {metric.name: [] for metric in TOOLS}


@pytest.mark.parametrize(("filler", "share"), [(True, 1.0), (False, 0.0)])
def test_times_and_what_was_said_before_a_slow_tool(tmp_path: Path, filler: bool, share: float) -> None:
    found = values(tmp_path, one_turn(asked(2.5), told(4.0), filler=filler))
    # the user ends at 2.0: the call comes 0.5 s later; the answer at 4.0, the reply at 5.0
    assert found["time_to_tool_call"] == [500.0]
    assert found["time_after_tool_answer"] == [1000.0]
    assert found["filler_before_slow_tool"] == [share]
    assert found["tool_calls_valid"] == [1.0]


def test_only_a_slow_tool_asks_for_a_filler(tmp_path: Path) -> None:
    assert values(tmp_path, one_turn(asked(2.5), told(3.4)))["filler_before_slow_tool"] == ["quick_tool"]


def test_what_sounded_after_the_answer_is_no_filler(tmp_path: Path) -> None:
    # the filler begins at 3.0, when the answer (2.9) was there
    found = values(tmp_path, one_turn(asked(1.5), told(2.9), filler=True))
    assert found["filler_before_slow_tool"] == [0.0]
    assert found["time_to_tool_call"] == [-500.0]  # before the user had finished: kept as it is


def test_speech_that_goes_on_over_the_answer_has_no_time_after_it(tmp_path: Path) -> None:
    found = values(tmp_path, one_turn(asked(2.5), told(3.2), filler=True))
    assert found["time_after_tool_answer"] == ["was_speaking"]


def test_several_calls_of_a_turn_are_timed_by_the_first_and_the_last_answer(tmp_path: Path) -> None:
    events: list[Event] = [asked(2.5), told(2.6), asked(3.0, "book", "{}", "d"), told(4.5, "book", "d")]
    found = values(tmp_path, one_turn(*events))
    assert found["time_to_tool_call"] == [500.0]
    assert found["time_after_tool_answer"] == [500.0]
    assert found["filler_before_slow_tool"] == ["quick_tool", 0.0]


def test_wrong_calls_and_calls_without_answer(tmp_path: Path) -> None:
    events: list[Event] = [
        asked(2.1, "hoors", call="a"),
        told(2.1, "hoors", "a", ToolFault.UNKNOWN_TOOL),
        asked(2.2, call="b"),
        told(2.2, call="b", fault=ToolFault.FAILED),  # the tool's fault, not the caller's
        asked(2.3, call="c"),
        asked(2.4, call="d"),
        asked(2.5, call="d", cancelled=True),
    ]
    assert values(tmp_path, one_turn(*events))["tool_calls_valid"] == [
        0.0,
        1.0,
        "not_answered",
        "taken_back",
    ]


TWO: list[Event] = [asked(2.5), told(2.6), asked(3.0, "book", "{}", "d"), told(3.1, "book", "d")]


@pytest.mark.parametrize(
    ("expect", "met"),
    [
        ({"called": "hours"}, 1.0),
        ({"called": "hours", "arguments": {"day": " Monday "}}, 1.0),
        ({"called": "hours", "arguments": {"day": "tuesday"}}, 0.0),
        ({"called": "hours", "at_least": 2}, 0.0),
        ({"called": "hours", "at_most": 1}, 1.0),
        ({"called": "hours", "at_most": 0}, 0.0),
        ({"called": "refund", "at_most": 0}, 1.0),
        ({"called": "hours", "turn": 1}, 1.0),
        ({"called": "hours", "turn": 2}, 0.0),
        ({"called": "hours", "before": "book"}, 1.0),
        ({"called": "book", "after": "hours"}, 1.0),
        ({"called": "book", "before": "hours"}, 0.0),
        ({"called": "hours", "after": "book"}, 0.0),
    ],
)
def test_an_expected_call_is_met_or_not(tmp_path: Path, expect: dict[str, Any], met: float) -> None:
    assert values(tmp_path, one_turn(*TWO), [expect])["tool_expectations"] == [met]


def test_a_call_with_malformed_arguments_meets_nothing(tmp_path: Path) -> None:
    call = one_turn(asked(2.5), told(2.6, fault=ToolFault.MALFORMED_ARGUMENTS))
    assert values(tmp_path, call, [{"called": "hours"}])["tool_expectations"] == [0.0]


@pytest.mark.parametrize(("called", "expected"), [("hours", 1.0), ("refund", 0.0)])
def test_a_call_passes_only_if_the_tools_were_called_as_expected(
    tmp_path: Path, called: str, expected: float
) -> None:
    folder = one_turn(*TWO).write(tmp_path / "e", scenario={"expect": [{"called": called}]})
    (found,) = run(score_episode(folder)).measurements["passed"]
    assert isinstance(found, Measured) and found.value == expected
    if not expected:
        assert found.evidence["failed"] == ["tool refund: 0 calls, at least 1 expected"]


def test_where_the_protocol_has_no_tools_expectations_are_unscored(tmp_path: Path) -> None:
    folder = one_turn().write(tmp_path / "e", scenario={"expect": [{"called": "hours"}]})
    file = folder / "episode.json"
    file.write_text(file.read_text().replace('"capabilities": {}', '"capabilities": {"tools": false}'))
    scores = run(score_episode(folder))
    assert scores.metrics["tool_expectations"].unscored == {"protocol_has_no_tools": 1}
    assert scores.metrics["passed"].unscored == {"protocol_has_no_tools": 1}
