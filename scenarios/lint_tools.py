"""What the schema cannot see of tools: names that clash or stand for nothing, schemas that are none."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.document import Document
from scenarios.problems import Place, Problem
from scenarios.schema import PolicyKind, Scenario
from scenarios.tools import Tool, arguments_fault


def errors(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """What makes tools and expected calls unusable."""
    seen: set[str] = set()
    for i, tool in enumerate(scenario.tools):
        if tool.name in seen:
            yield document.problem(
                ("tools", i, "name"), f"{tool.name!r} a second time", "a name of its own"
            )
        seen.add(tool.name)
        yield from _of_tool(document, ("tools", i), tool)
    known = ", ".join(sorted(seen)) or "none: the scenario has no `tools`"
    for i, expected in enumerate(scenario.expect):
        for key in ("called", "before", "after"):
            name = getattr(expected, key)
            if name is not None and name not in seen:
                yield document.problem(("expect", i, key), repr(name), f"a tool of this scenario ({known})")
        if expected.turn is not None:
            yield from _turn(document, ("expect", i, "turn"), scenario, expected.turn)


def _of_tool(document: Document, place: Place, tool: Tool) -> Iterator[Problem]:
    fault = _schema_fault(tool)
    if fault:
        yield document.problem((*place, "parameters"), fault, "a JSON Schema of an object")
        return
    for j, answer in enumerate(tool.answers):
        properties = tool.parameters.get("properties")
        for name in answer.when:
            if isinstance(properties, dict) and name not in properties:
                found = f"{name!r}, which `parameters` does not have"
                yield document.problem((*place, "answers", j, "when"), found, "a parameter of the tool")
    if tool.python is not None:
        file = document.file.parent / f"{tool.python.partition(':')[0]}.py"
        if not file.is_file():
            yield document.problem(
                (*place, "python"),
                f"{tool.python!r}, but there is no file {file}",
                "a file beside this one",
            )


def _schema_fault(tool: Tool) -> str:
    from jsonschema import Draft202012Validator, SchemaError
    from referencing.exceptions import Unresolvable

    try:
        Draft202012Validator.check_schema(tool.parameters)
        arguments_fault(tool.parameters, {})
    except (SchemaError, RecursionError) as error:
        return getattr(error, "message", "a schema without end")
    except Unresolvable as error:
        return f"a schema that cannot be used: {error}"
    return "" if tool.parameters.get("type") == "object" else "a schema without `type: object`"


def _turn(document: Document, place: Place, scenario: Scenario, turn: int) -> Iterator[Problem]:
    if scenario.policy is not PolicyKind.SCRIPTED:
        yield document.problem(place, str(turn), "no `turn`: only a scripted user has numbered turns")
    elif turn > len(scenario.turns):
        yield document.problem(
            place, str(turn), f"at most {len(scenario.turns)}, the turns of the scenario"
        )
