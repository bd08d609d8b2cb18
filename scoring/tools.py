"""Tool calls: were they the right ones, how soon did they come, was the user left in silence meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from recordings.format import ToolAnswered, ToolCall, ToolFault
from scenarios.tools import ExpectedCall, holds
from scoring.metric import FunctionMetric, Measured, Measurement, Statistic, Unscored
from scoring.timeline import Exchange
from scoring.view import EpisodeView

SLOW_TOOL_S = 1.0
"""A tool that takes so long is slow: a person on the telephone would say that they are looking."""

_WRONG = frozenset({ToolFault.UNKNOWN_TOOL, ToolFault.MALFORMED_ARGUMENTS})


@dataclass(frozen=True)
class Called:
    """One tool call of an episode.

    Attributes:
        answer: None if it was not answered.
        taken_back: The endpoint took it back.
        exchange: That of the user's turn before it; None before the first turn.
    """

    event: ToolCall
    answer: ToolAnswered | None
    taken_back: bool
    exchange: Exchange | None

    @cached_property
    def arguments(self) -> Mapping[str, object]:
        """As an object; empty if they are none."""
        try:
            found = json.loads(self.event.arguments or "{}")
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def turn(self) -> int:
        """The user's turn that it belongs to, from 1; 0 before the first."""
        return 0 if self.exchange is None else self.exchange.index + 1


def calls(view: EpisodeView) -> Sequence[Called]:
    """The tool calls of an episode, in order."""
    answers: dict[str, list[ToolAnswered]] = {}
    for event in view.events:
        if isinstance(event, ToolAnswered):
            answers.setdefault(event.call, []).append(event)
    back = {event.call for event in view.events if isinstance(event, ToolCall) and event.cancelled}
    found = []
    for event in view.events:
        if isinstance(event, ToolCall) and not event.cancelled:
            own = answers.get(event.call)
            answer = own.pop(0) if own else None
            found.append(Called(event, answer, event.call in back, _exchange(view, event.t)))
    return found


def _exchange(view: EpisodeView, t: float) -> Exchange | None:
    begun = [each for each in view.timeline.exchanges if view.timeline.seconds(each.user.start) <= t]
    return begun[-1] if begun else None


def shortfalls(view: EpisodeView) -> Iterator[tuple[ExpectedCall, str]]:
    """Each expected call of the scenario, and what is wrong with the calls that were made, or ""."""
    made = calls(view)
    for spec in view.info.scenario.get("expect", ()):
        expected = ExpectedCall.model_validate(spec)
        yield expected, _shortfall(expected, made)


def without_tools(view: EpisodeView) -> bool:
    """True if the wire protocol has no tool calls: what the endpoint would have called is not known."""
    return view.info.endpoint.capabilities.get("tools") is False


def _shortfall(expected: ExpectedCall, made: Sequence[Called]) -> str:
    fitting = [
        call
        for call in made
        if call.event.name == expected.called
        and holds(call.arguments, expected.arguments)
        and expected.turn in (None, call.turn)
        and (call.answer is None or call.answer.fault not in _WRONG)
    ]
    what = f"{expected.called}({json.dumps(expected.arguments)})" if expected.arguments else expected.called
    if len(fitting) < expected.at_least:
        return f"{what}: {len(fitting)} calls, at least {expected.at_least} expected"
    if expected.at_most is not None and len(fitting) > expected.at_most:
        return f"{what}: {len(fitting)} calls, at most {expected.at_most} expected"
    times = {name: [call.event.t for call in made if call.event.name == name] for name in _names(expected)}
    for call in fitting:
        if expected.after and not any(t < call.event.t for t in times[expected.after]):
            return f"{what}: called before {expected.after}"
        if expected.before and any(t < call.event.t for t in times[expected.before]):
            return f"{what}: called after {expected.before}"
    return ""


def _names(expected: ExpectedCall) -> list[str]:
    return [name for name in (expected.after, expected.before) if name]


def tool_expectations(view: EpisodeView) -> list[Measurement]:
    """Share of the scenario's expected tool calls that were made as expected."""
    found: list[Measurement] = []
    for expected, wrong in shortfalls(view):
        if without_tools(view):
            found.append(Unscored("protocol_has_no_tools"))
        else:
            evidence: dict[str, Any] = {"called": expected.called, **({"wrong": wrong} if wrong else {})}
            found.append(Measured(float(not wrong), evidence=evidence, parts=(int(not wrong), 1)))
    return found


def tool_calls_valid(view: EpisodeView) -> list[Measurement]:
    """Share of the tool calls that named a tool there is, with arguments that fit its parameters."""
    found: list[Measurement] = []
    for call in calls(view):
        where = None if call.exchange is None else call.exchange.index
        if call.answer is None:
            found.append(Unscored("taken_back" if call.taken_back else "not_answered", where))
            continue
        right = call.answer.fault not in _WRONG
        evidence = {"name": call.event.name} | ({} if right else {"wrong": call.answer.output})
        found.append(Measured(float(right), where, evidence, parts=(int(right), 1)))
    return found


def time_to_call(view: EpisodeView) -> list[Measurement]:
    """From the user's last audible sample to the arrival of the first tool call of the turn."""
    found: list[Measurement] = []
    seen: set[int] = set()
    for call in calls(view):
        if call.exchange is None:
            found.append(Unscored("before_the_first_turn"))
        elif call.exchange.index not in seen:
            seen.add(call.exchange.index)
            since = call.event.t * 1000 - view.timeline.milliseconds(call.exchange.user.end)
            found.append(Measured(since, call.exchange.index, {"name": call.event.name}))
    return found


def filler_before_slow_tool(view: EpisodeView) -> list[Measurement]:
    """Share of tools that took a second or more, during which the user heard something."""
    found: list[Measurement] = []
    for call in calls(view):
        where = None if call.exchange is None else call.exchange.index
        if call.answer is None or call.exchange is None:
            found.append(
                Unscored("not_answered" if call.answer is None else "before_the_first_turn", where)
            )
        elif call.answer.t - call.event.t < SLOW_TOOL_S:
            found.append(Unscored("quick_tool", where))
        else:
            start, end = call.exchange.user.end, round(call.answer.t * view.timeline.rate)
            said = any(max(part.start, start) < min(part.end, end) for part in view.timeline.endpoint)
            evidence = {"name": call.event.name, "took_s": call.answer.t - call.event.t}
            found.append(Measured(float(said), where, evidence, parts=(int(said), 1)))
    return found


def time_after_answer(view: EpisodeView) -> list[Measurement]:
    """From a turn's last tool answer to the first audible sample of the endpoint after it."""
    last: dict[int, tuple[Exchange, ToolAnswered]] = {}
    for call in calls(view):
        if call.answer is not None and call.exchange is not None:
            last[call.exchange.index] = (call.exchange, call.answer)
    return [_after(view, *last[index]) for index in sorted(last)]


def _after(view: EpisodeView, exchange: Exchange, answer: ToolAnswered) -> Measurement:
    timeline = view.timeline
    at = answer.t * timeline.rate
    following = [each.user.start for each in timeline.exchanges if each.index > exchange.index]
    until = following[0] if following else timeline.duration
    if any(part.start < at < part.end for part in timeline.endpoint):
        return Unscored("was_speaking", exchange.index)
    starts = [part.start for part in timeline.endpoint if at <= part.start < until]
    if not starts:
        return Unscored("said_nothing_after", exchange.index)
    waited = timeline.milliseconds(starts[0]) - answer.t * 1000
    return Measured(waited, exchange.index, {"name": answer.name})


def _metric(name: str, unit: str, statistic: Statistic, measure: Any) -> FunctionMetric:
    return FunctionMetric(name, unit, statistic, (measure.__doc__ or "").strip(), measure)


TOOLS = (
    _metric("tool_expectations", "ratio", Statistic.RATIO, tool_expectations),
    _metric("tool_calls_valid", "ratio", Statistic.RATIO, tool_calls_valid),
    _metric("time_to_tool_call", "ms", Statistic.MEDIAN, time_to_call),
    _metric("filler_before_slow_tool", "ratio", Statistic.RATIO, filler_before_slow_tool),
    _metric("time_after_tool_answer", "ms", Statistic.MEDIAN, time_after_answer),
)
"""The metrics of `scores/tools.json`; an episode without tool calls has no values of them."""
