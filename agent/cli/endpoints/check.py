"""`viva endpoint check`: is the file of an endpoint right, and what does it make of recorded traffic?"""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json

if TYPE_CHECKING:
    from streams.endpoints.declarative.explain import Counts, Explained
    from streams.endpoints.declarative.model import Description

_ARROWS = {"received": "<-", "sent": "->"}


def schema() -> int:
    """Print the JSON Schema of a file."""
    from streams.endpoints.declarative.schema import schema_text

    sys.stdout.write(schema_text())
    return exits.PASS


def check(file: str, traffic: Path | None, json: bool) -> int:
    """Check a file, and explain recorded traffic by it."""
    from agent.cli.endpoints.traffic import TrafficInvalid
    from streams.endpoints.errors import EndpointError
    from streams.endpoints.strict_yaml import FileInvalid

    try:
        description, variables = _load(file)
        explained, counts = _explained(description, variables, traffic)
    except FileInvalid as error:
        if json:
            print_json({"valid": False, "problems": [str(fault) for fault in error.faults]})
        return complain(error, exits.BAD_INPUT)
    except (EndpointError, TrafficInvalid, OSError) as error:
        return complain(error, exits.BAD_INPUT)
    if json:
        print_json(_as_json(description, variables, explained, counts))
    else:
        for line in (*_heading(file, description, variables), *_lines(explained)):
            sys.stdout.write(f"{line}\n")
        if counts is not None:
            sys.stdout.write("\n".join(_summary(counts)) + "\n")
    return exits.PASS if counts is None or counts.good else exits.GATE_FAILED


def _load(file: str) -> tuple[Description, tuple[str, ...]]:
    """The description of a file or of a vendor's name, and the variables that a call needs."""
    from streams.endpoints.declarative.build import FILES, is_file, parse_file
    from streams.endpoints.declarative.lint import variables
    from streams.endpoints.declarative.load import load, parameters_of

    path, address = parse_file(file)
    if not is_file(file):
        path = FILES / f"{path.name}.yaml"
        if not path.is_file():
            known = ", ".join(sorted(each.stem for each in FILES.glob("*.yaml")))
            raise address.invalid("no file, and no vendor of that name", f"Vendors are {known}.")
    missing = {
        name: name.upper()
        for name, parameter in parameters_of(path).items()
        if parameter.required and parameter.type == "text" and name not in address.query
    }
    address = dataclasses.replace(address, query={**missing, **address.query})
    description = load(path, address)
    before, during = variables(description)
    return description, tuple(sorted(before | during))


def _explained(
    description: Description, variables: tuple[str, ...], traffic: Path | None
) -> tuple[list[Explained], Counts | None]:
    from agent.cli.endpoints.traffic import read_traffic
    from streams.endpoints.declarative.explain import Explainer, silence_of

    if traffic is None:
        return [], None
    values = {f"${name}": name for name in variables}
    explainer = Explainer(description, {"call_id": "call", **values})
    recorded = read_traffic(traffic, silence_of(description.audio.receive))
    explained = [explainer.explain(each.t, each.direction, each.message) for each in recorded]
    return explained, explainer.counts


def _heading(file: str, description: Description, variables: tuple[str, ...]) -> list[str]:
    send, receive = description.audio.send, description.audio.receive
    lines = [
        f"{file}: valid; {description.title or description.name}, {len(description.rules)} rules",
        f"  sends {send.encoding} at {send.rate} Hz ({send.form}),"
        f" receives {receive.encoding} at {receive.rate} Hz ({receive.form})",
    ]
    lines += [f"  asks {step.method} {step.url.value} before the call" for step in description.prepare]
    if variables:
        lines.append(f"  needs {', '.join(variables)} in the environment")
    return lines


def _lines(explained: list[Explained]) -> Iterator[str]:
    """A line a message and a line an event; what we send again and again is one line."""
    alike = itertools.groupby(explained, lambda one: (one.direction, one.kind, one.matched, one.unknown))
    for (direction, *_), group in alike:
        several = list(group)
        if direction == "sent" and len(several) > 1:
            yield f"{_line(several[0])} ({len(several)} times, up to {several[-1].t:.3f})"
        else:
            yield from map(_line, several)


def _line(one: Explained) -> str:
    what = ", ".join(one.matched)
    if one.unknown:
        cause = "no rule fits" if one.direction == "received" else "the file does not send this"
        what = f"UNKNOWN: {cause}"
    events = "".join(f"\n               {event}" for event in one.events if not one.unknown)
    return f"{one.t:9.3f} {_ARROWS[one.direction]} {one.kind or 'without a kind'}: {what}{events}"


def _summary(counts: Counts) -> list[str]:
    lines = [f"{counts.received} received, {counts.sent} sent"]
    if counts.events:
        lines.append("  events: " + ", ".join(f"{name} {n}" for name, n in counts.events.items()))
    if counts.unknown:
        lines.append("  unknown: " + ", ".join(f"{kind} {n}" for kind, n in counts.unknown.items()))
    lines += [f"  not as the file says: {problem}" for problem in counts.problems]
    if counts.idle:
        lines.append("  rules that nothing fitted: " + ", ".join(counts.idle))
    return lines


def _as_json(
    description: Description,
    variables: tuple[str, ...],
    explained: list[Explained],
    counts: Counts | None,
) -> dict[str, object]:
    made: dict[str, object] = {
        "valid": True,
        "problems": [],
        "name": description.name,
        "rules": len(description.rules),
        "environment": list(variables),
    }
    if counts is not None:
        made["messages"] = [dataclasses.asdict(each) for each in explained]
        made["traffic"] = {**dataclasses.asdict(counts), "good": counts.good}
    return made
