"""The scenario's tools in a call: what is called is answered, beside the media path, and logged."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.call import Call
from agent.python_tools import Function
from recordings import format as record
from recordings.format import ToolFault
from scenarios.tools import Tool, arguments_fault, holds
from streams.clock import sleep_exactly
from streams.endpoints import protocol
from streams.endpoints.events import ToolCalled
from streams.foreign import foreign_code

LONGEST_ANSWER = 100_000
"""Characters of an answer; what is longer has failed: no model would take it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool returns.

    Attributes:
        error: It is the words of a failure.
        fault: Why it is, where the scenario did not ask for it.
    """

    output: str
    error: bool = False
    fault: ToolFault | None = None


def declared(tools: Sequence[Tool]) -> list[protocol.Tool]:
    """The scenario's tools as an endpoint is told of them."""
    return [protocol.Tool(tool.name, tool.description, tool.parameters) for tool in tools]


class ToolBench:
    """Answers tool calls: each in a task of its own, Python functions in threads.

    Args:
        tools: Of the scenario.
        functions: Of its Python tools, by name.
    """

    def __init__(self, tools: Sequence[Tool], functions: Mapping[str, Function]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._functions = functions
        for tool in tools:  # before the call: the first use of the library takes long
            arguments_fault(tool.parameters, {})
        self._running: dict[str, asyncio.Task[None]] = {}

    def begin(self, call: Call, group: asyncio.TaskGroup) -> None:
        """The call has begun; the bench works in its group."""
        self._call, self._group = call, group
        capabilities = call.endpoint.capabilities
        if self._tools and not (capabilities.tools and capabilities.tool_setup):
            lacks = "cannot be told of tools: it must know them" if capabilities.tools else "has no tools"
            self._notice("tools_not_declared", f"{capabilities.protocol} {lacks}")

    def called(self, event: ToolCalled) -> None:
        """The endpoint calls a tool, or takes a call back; returns at once."""
        if event.cancelled:
            task = self._running.pop(event.call, None)
            if task is not None:
                task.cancel()
            return
        if event.told and event.name not in self._tools:
            return  # the endpoint's own business
        if not self._call.endpoint.capabilities.tools:
            self._notice("tool_unanswered", f"the protocol takes no answer to {event.name!r}")
            return
        task = self._group.create_task(self._answer(event), name=f"tool {event.name}")
        self._running[event.call] = task
        self._call.awaited.add(event.call)
        task.add_done_callback(lambda done: self._done(event.call, done))

    def stop(self) -> None:
        """The call is over: nobody waits for answers any more."""
        for task in self._running.values():
            task.cancel()

    def _done(self, call: str, task: asyncio.Task[None]) -> None:
        if self._running.get(call) is task:
            del self._running[call]
        if call not in self._running:
            self._call.awaited.discard(call)

    async def _answer(self, event: ToolCalled) -> None:
        tool = self._tools.get(event.name)
        answer = await self._found(tool, event)
        await sleep_exactly(event.at + (tool.delay_s if tool is not None else 0.0))
        call = self._call
        if not call.connected:
            return
        call.log(
            record.ToolAnswered(
                t=call.t(),
                call=event.call,
                name=event.name,
                output=answer.output,
                error=answer.error,
                fault=answer.fault,
            )
        )
        await call.endpoint.tool_result(event.call, answer.output, error=answer.error)

    async def _found(self, tool: Tool | None, event: ToolCalled) -> Answer:
        if tool is None:
            known = ", ".join(self._tools) or "none"
            return _failed(f"there is no tool {event.name!r}; known: {known}", ToolFault.UNKNOWN_TOOL)
        try:
            # in a thread: nothing that the endpoint sends may hold up the media path
            arguments = await asyncio.to_thread(_arguments, tool, event.arguments)
        except ValueError as error:
            return _failed(f"the arguments {error}", ToolFault.MALFORMED_ARGUMENTS)
        function = self._functions.get(tool.name)
        if function is not None:
            return await _run(function, arguments, tool.timeout_s)
        return _canned(tool, arguments)

    def _notice(self, code: str, message: str) -> None:
        call = self._call
        call.log(record.Noticed(t=call.t(), by="us", level="warning", code=code, message=message))


def _arguments(tool: Tool, text: str) -> Mapping[str, object]:
    """The arguments of a call. Raises ValueError, which says what is wrong with them."""
    try:
        arguments: object = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"are no JSON: {error}") from None
    fault = arguments_fault(tool.parameters, arguments)
    if fault or not isinstance(arguments, dict):
        raise ValueError(f"do not fit: {fault}")
    return arguments


def _canned(tool: Tool, arguments: Mapping[str, object]) -> Answer:
    if not tool.answers:
        return Answer(_text(tool.answer))
    for each in tool.answers:
        if holds(arguments, each.when):
            return Answer(each.error, error=True) if each.error else Answer(_text(each.answer))
    return _failed("there is no answer to these arguments", ToolFault.NO_ANSWER)


class _ToolFailed(Exception):
    """A Python tool raised."""


async def _run(function: Function, arguments: Mapping[str, object], timeout_s: float) -> Answer:
    try:
        async with asyncio.timeout(timeout_s):
            with foreign_code(lambda error: _ToolFailed(f"{type(error).__name__}: {error}")):
                if inspect.iscoroutinefunction(function):
                    found: object = await function(**arguments)
                else:
                    found = await asyncio.to_thread(function, **arguments)
                output = _text(found)
    except TimeoutError:
        return _failed(f"the tool took more than {timeout_s:g} s", ToolFault.TIMEOUT)
    except _ToolFailed as error:
        return _failed(str(error), ToolFault.FAILED)
    if len(output) > LONGEST_ANSWER:
        return _failed(f"an answer of {len(output)} characters", ToolFault.FAILED)
    return Answer(output)


def _text(value: object) -> str:
    """Text as it is, everything else as JSON. Raises TypeError or ValueError for what JSON cannot hold."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, allow_nan=False)


def _failed(found: str, fault: ToolFault) -> Answer:
    return Answer(found[:500], error=True, fault=fault)
