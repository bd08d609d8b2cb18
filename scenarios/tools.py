"""Tools of a scenario: functions that the endpoint may call, their answers, and which calls are expected.

Here is no code: a tool answers with what stands in the file, or names a function of a Python file beside
the scenario, which whoever runs the scenario must allow (docs/tools.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, JsonValue, StringConstraints, model_validator

from scenarios.basics import Strict, Text

ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]
"""A name that every protocol takes."""

_NOTHING: dict[str, JsonValue] = {"type": "object", "properties": {}}


class ToolAnswer(Strict):
    """What a tool answers to some arguments.

    Attributes:
        when: Arguments that the call must hold, among others; texts are compared without regard to case.
        answer: JSON value that is returned.
        error: Words of a failure that is returned instead.
    """

    when: dict[Text, JsonValue] = Field(default_factory=dict)
    answer: JsonValue = None
    error: str = ""


class Tool(Strict):
    """A function that the endpoint may call.

    Attributes:
        description: When to use it, for the endpoint's model.
        parameters: JSON Schema of its arguments.
        answer: What it returns, whatever the arguments.
        answers: What it returns to which arguments: the first that fits.
        python: `FILE:FUNCTION`, a file beside the scenario without `.py`; arguments come as keywords.
        delay_s: Seconds from the call to the answer, at least.
        timeout_s: Seconds after which a Python function has failed.
    """

    name: ToolName
    description: str = ""
    parameters: dict[str, JsonValue] = Field(default_factory=lambda: dict(_NOTHING))
    answer: JsonValue = None
    answers: tuple[ToolAnswer, ...] = ()
    python: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*:[A-Za-z_]\w*$")] | None = None
    delay_s: float = Field(default=0.0, ge=0, le=120)
    timeout_s: float = Field(default=30.0, gt=0, le=300)

    @model_validator(mode="after")
    def _one_source(self) -> Tool:
        given = [bool(self.answers), self.python is not None, self.answer is not None]
        if sum(given) != 1:
            raise ValueError("a tool with these answers needs one of `answer`, `answers` and `python`")
        return self


class ExpectedCall(Strict):
    """A call that should be made, or not.

    Attributes:
        called: Name of the tool.
        arguments: What the call must hold, among others; a call with other arguments is not counted.
        at_least: Calls that there must be.
        at_most: Calls that there may be; 0 forbids it.
        turn: The user's turn that it must belong to, from 1: after its beginning, before the next.
        before: Tool of which no call may come earlier.
        after: Tool of which a call must come earlier.
    """

    called: ToolName
    arguments: dict[Text, JsonValue] = Field(default_factory=dict)
    at_least: int = Field(default=1, ge=0, le=100)
    at_most: int | None = Field(default=None, ge=0, le=100)
    turn: int | None = Field(default=None, ge=1, le=500)
    before: ToolName | None = None
    after: ToolName | None = None

    @model_validator(mode="before")
    @classmethod
    def _forbidden(cls, values: object) -> object:
        """`at_most: 0` alone forbids a call."""
        if isinstance(values, dict) and values.get("at_most") == 0 and "at_least" not in values:
            return {**values, "at_least": 0}
        return values

    @model_validator(mode="after")
    def _possible(self) -> ExpectedCall:
        if self.at_most is not None and self.at_most < self.at_least:
            raise ValueError("a call like this needs `at_most` no smaller than `at_least`")
        return self


def holds(arguments: Mapping[str, object], wanted: Mapping[str, object]) -> bool:
    """Whether a call's arguments hold what is wanted, in mappings inside them too."""
    return all(name in arguments and _same(arguments[name], value) for name, value in wanted.items())


def _same(found: object, wanted: object) -> bool:
    if isinstance(found, str) and isinstance(wanted, str):
        return " ".join(found.split()).casefold() == " ".join(wanted.split()).casefold()
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return holds(found, wanted)
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    return found == wanted


def arguments_fault(parameters: Mapping[str, object], arguments: object) -> str:
    """What is wrong with arguments by the schema of a tool, "" if nothing is."""
    from jsonschema import Draft202012Validator

    error = next(iter(Draft202012Validator(dict(parameters)).iter_errors(arguments)), None)
    if error is None:
        return ""
    place = ".".join(str(part) for part in error.absolute_path)
    return f"{place}: {error.message}" if place else error.message
