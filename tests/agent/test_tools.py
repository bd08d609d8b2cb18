"""Tools in a call: answered beside the media path, at their time, and logged; simulated time."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.python_tools import PythonToolUnfit, check_allowed, load_functions
from recordings.format import Noticed, Outcome, ToolAnswered, ToolCall, ToolFault
from scenarios.load import LoadedScenario, from_scenario
from scenarios.schema import Scenario
from scenarios.tools import Tool, ToolAnswer
from streams.endpoints.events import Ready, ToolCalled
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.endpoints.protocol import Capabilities
from tests.agent.calls import Call, hold, scripted

CITY: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
WEATHER = Tool(
    name="weather",
    parameters=CITY,
    answers=(
        ToolAnswer(when={"city": "Bern"}, answer={"sky": "grey"}),
        ToolAnswer(when={"city": "Atlantis"}, error="sunk"),
    ),
    delay_s=0.5,
)


class CallingEndpoint(FakeEndpoint):
    """A fake that makes tool calls at known seconds after it is ready."""

    def __init__(self, *calls: tuple[float, ToolCalled], **capabilities: bool) -> None:
        super().__init__([FakeReply(pcm=tone(1.0), delay_s=3.0)])
        self._calls = calls
        self._lacks = capabilities

    @property
    def capabilities(self) -> Capabilities:
        return dataclasses.replace(super().capabilities, **self._lacks)  # type: ignore[arg-type]

    async def open(self) -> Ready:
        ready = await super().open()
        loop = asyncio.get_running_loop()
        for after, call in self._calls:
            loop.call_at(ready.at + after, self.emit, call)
        return ready


def called(name: str, arguments: str = "{}", call: str = "c1", **more: bool) -> ToolCalled:
    return ToolCalled(at=0, call=call, name=name, arguments=arguments, **more)


def answers(call: Call) -> list[ToolAnswered]:
    return [event for event in call.episode.events if isinstance(event, ToolAnswered)]


def held(
    tmp_path: Path, *calls: tuple[float, ToolCalled], offered: Sequence[Tool] = (WEATHER,), **more: bool
) -> Call:
    return hold(tmp_path, CallingEndpoint(*calls, **more), scripted(tools=tuple(offered)))


def test_a_call_is_answered_after_its_delay_and_both_are_on_record(tmp_path: Path) -> None:
    call = held(tmp_path, (1.0, called("weather", '{"city": "bern"}')))
    (asked,) = [event for event in call.episode.events if isinstance(event, ToolCall)]
    (answer,) = answers(call)
    assert (answer.call, answer.output, answer.error, answer.fault) == (
        "c1",
        '{"sky": "grey"}',
        False,
        None,
    )
    assert (asked.t, answer.t) == pytest.approx((1.0, 1.5), abs=1e-9)
    assert ("tool_result", "c1", '{"sky": "grey"}') in call.endpoint.commands
    assert call.endpoint.commands[0] == ("offer", "weather")
    assert call.info.outcome is Outcome.COMPLETED


@pytest.mark.parametrize(
    ("event", "fault", "words"),
    [
        (called("wether"), ToolFault.UNKNOWN_TOOL, "there is no tool 'wether'; known: weather"),
        (called("weather", "{city"), ToolFault.MALFORMED_ARGUMENTS, "the arguments are no JSON"),
        (called("weather", "{}"), ToolFault.MALFORMED_ARGUMENTS, "'city' is a required property"),
        (called("weather", '{"city": 3}'), ToolFault.MALFORMED_ARGUMENTS, "city: 3 is not of type"),
        (called("weather", "[" * 3000), ToolFault.MALFORMED_ARGUMENTS, "no JSON"),
        (called("weather", '{"city": "Oslo"}'), ToolFault.NO_ANSWER, "no answer to these arguments"),
    ],
)
def test_a_call_that_cannot_be_answered_gets_an_error_that_says_why(
    tmp_path: Path, event: ToolCalled, fault: ToolFault, words: str
) -> None:
    call = held(tmp_path, (1.0, event))
    (answer,) = answers(call)
    assert (answer.error, answer.fault) == (True, fault)
    assert words in answer.output
    assert ("tool_result", "c1", answer.output, "error") in call.endpoint.commands


def test_an_error_that_the_scenario_asks_for_is_nobody_s_fault(tmp_path: Path) -> None:
    (answer,) = answers(held(tmp_path, (1.0, called("weather", '{"city": "Atlantis"}'))))
    assert (answer.output, answer.error, answer.fault) == ("sunk", True, None)


def test_a_call_that_is_taken_back_is_not_answered(tmp_path: Path) -> None:
    asked, back = called("weather", '{"city": "Bern"}'), called("weather", cancelled=True)
    call = held(tmp_path, (1.0, asked), (1.2, back))
    assert answers(call) == []


def test_calls_at_once_are_each_answered_in_their_own_time(tmp_path: Path) -> None:
    quick = Tool(name="quick", answer="now")
    calls = [(1.0, called("weather", '{"city": "Bern"}', "slow")), (1.1, called("quick", "", "fast"))]
    found = [
        (answer.call, round(answer.t, 6))
        for answer in answers(held(tmp_path, *calls, offered=(WEATHER, quick)))
    ]
    assert found == [("fast", 1.1), ("slow", 1.5)]


def test_a_call_that_the_endpoint_only_tells_of_is_answered_if_the_scenario_has_the_tool(
    tmp_path: Path,
) -> None:
    calls = [
        (1.0, called("its_own", told=True)),
        (1.0, called("weather", '{"city": "Bern"}', "ours", told=True)),
    ]
    assert [answer.call for answer in answers(held(tmp_path, *calls))] == ["ours"]


@pytest.mark.parametrize(
    ("lacks", "code"),
    [({"tools": False}, "tool_unanswered"), ({"tool_setup": False}, "tools_not_declared")],
)
def test_what_the_protocol_lacks_is_on_record(tmp_path: Path, lacks: dict[str, bool], code: str) -> None:
    call = held(tmp_path, (1.0, called("weather", '{"city": "Bern"}')), **lacks)  # type: ignore[arg-type]
    codes = {event.code for event in call.episode.events if isinstance(event, Noticed)}
    assert {code, "tools_not_declared"} <= codes
    assert len(answers(call)) == (0 if "tools" in lacks else 1)


# --- Python tools

SOURCE = """
import asyncio, threading
BESIDE = threading.current_thread() is not threading.main_thread()
def loaded(n): return f"beside the calls: {BESIDE}"
def double(n): return {"twice": 2 * n}
async def later(n):
    await asyncio.sleep(n)
    return "done"
def breaks(n): raise LookupError("no row")
def strange(n): return object()
"""


def python_scenario(folder: Path, function: str, **more: object) -> LoadedScenario:
    (folder / "own.py").write_text(SOURCE)
    number = {"type": "object", "properties": {"n": {"type": "number"}}}
    tool = Tool(name="t", parameters=number, python=f"own:{function}", **more)
    return dataclasses.replace(from_scenario(scripted(tools=(tool,))), path=folder / "call.yaml")


def run_python(tmp_path: Path, function: str, n: float, **more: object) -> ToolAnswered:
    loaded = python_scenario(tmp_path, function, **more)
    endpoint = CallingEndpoint((1.0, called("t", f'{{"n": {n}}}')))
    (answer,) = answers(hold(tmp_path, endpoint, loaded, python_tools=True))
    return answer


def test_code_of_tools_is_loaded_beside_the_calls(tmp_path: Path) -> None:
    assert run_python(tmp_path, "loaded", 0).output == "beside the calls: True"


def test_a_function_beside_the_scenario_answers(tmp_path: Path) -> None:
    assert run_python(tmp_path, "double", 4).output == '{"twice": 8}'


def test_an_async_function_takes_its_time(tmp_path: Path) -> None:
    answer = run_python(tmp_path, "later", 0.25)
    assert (answer.output, round(answer.t, 6)) == ("done", 1.25)


@pytest.mark.parametrize(
    ("function", "fault", "words"),
    [
        ("breaks", ToolFault.FAILED, "LookupError: no row"),
        ("strange", ToolFault.FAILED, "TypeError: Object of type object is not JSON serializable"),
        ("later", ToolFault.TIMEOUT, "the tool took more than 0.5 s"),
    ],
)
def test_a_function_that_fails_is_an_error_of_the_tool_and_the_call_goes_on(
    tmp_path: Path, function: str, fault: ToolFault, words: str
) -> None:
    answer = run_python(tmp_path, function, 9, timeout_s=0.5)
    assert (answer.error, answer.fault, answer.output) == (True, fault, words)


def test_no_code_runs_that_was_not_allowed(tmp_path: Path) -> None:
    loaded = python_scenario(tmp_path, "double")
    (tmp_path / "own.py").write_text("raise SystemExit('code ran')")
    with pytest.raises(PythonToolUnfit, match="--python-tools"):
        check_allowed([loaded], allowed=False)
    call = hold(tmp_path, CallingEndpoint(), loaded)
    assert call.info.outcome is Outcome.SCENARIO_INVALID
    assert "wants to run Python code" in call.info.reason


@pytest.mark.parametrize(
    ("source", "words"),
    [("x = 1", "no function 'double'"), ("1 / 0", "ZeroDivisionError"), (None, "no such file")],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, source: str | None, words: str) -> None:
    loaded = python_scenario(tmp_path, "double")
    file = tmp_path / "own.py"
    file.unlink() if source is None else file.write_text(source)
    with pytest.raises(PythonToolUnfit, match=words):
        load_functions(loaded, allowed=True)


def test_a_scenario_without_tools_is_as_before(tmp_path: Path) -> None:
    call = hold(tmp_path, CallingEndpoint(), Scenario.model_validate(scripted().model_dump()))
    assert not any(command[0] == "offer" for command in call.endpoint.commands)
