"""What a schema cannot see: names that stand for nothing, keys in a file, files that would hear nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from streams.endpoints.declarative.model import Description, Form
from streams.endpoints.declarative.paths import complaint
from streams.endpoints.declarative.templates import ALWAYS, ENVIRONMENT_NAME, Messages, Template
from streams.endpoints.declarative.tool_use import OF_ARGUMENT, OF_DECLARATION
from streams.endpoints.protocol import TurnMode
from streams.endpoints.secrets import is_sensitive
from streams.endpoints.strict_yaml import Document, Fault, Place, nearest

OF_COMMANDS: dict[str, frozenset[str]] = {
    "tool_result": frozenset({"call", "name", "output", "error"}),
    "tool_error": frozenset({"call", "name", "output", "error"}),
    "text": frozenset({"text"}),
    "dtmf": frozenset({"digit"}),
    "mark_reached": frozenset({"mark"}),
    "played": frozenset({"item", "heard_ms", "heard_samples", "state"}),
    "close": frozenset({"reason"}),
}
"""What placeholders may stand for in one command."""

_SHORTEST_KEY = 6
_KEY = re.compile(
    r"\b(?:sk|pk|xi|dg|hf|gsk|rk)[-_][A-Za-z0-9_-]{16,}"
    r"|\bAIza[\w-]{30,}"
    r"|\b(?:Bearer|Token|Basic) [\w.=-]{16,}"
)
"""What keys look like, whatever they are called."""

Used = tuple[Place, Template | Messages, frozenset[str]]
"""A template, where it stands, and the names that it may use."""


def faults(document: Document, description: Description) -> Iterator[Fault]:
    """Everything that is wrong with a description whose schema is right."""
    for place, template, known in _templates(description):
        yield from _unknown_names(document, place, template.names, known)
        values = template.templates if isinstance(template, Messages) else [template]
        for each in values:
            yield from _keys(document, place, each.value)
    yield from _answers(document, description)
    yield from _requests(document, description)
    yield from _kept(document, description)
    receive = description.audio.receive
    if receive.form is Form.JSON and not any(rule.audio for rule in description.rules):
        yield document.fault(("rules",), "no rule with `audio`", "one, since audio.receive.form is json")
    if description.turns is TurnMode.MANUAL and not description.commands.end_turn:
        yield document.fault(("turns",), "manual", "`commands.end_turn`, which ends a turn")


def variables(description: Description) -> tuple[frozenset[str], frozenset[str]]:
    """Names of environment variables: of the requests before the call, and of the call itself."""
    before: set[str] = set()
    during: set[str] = {name for rule in description.rules for name in rule.reply.names}
    for place, template, _ in _templates(description):
        (before if place[0] == "prepare" else during).update(template.names)
    return _of_environment(before), _of_environment(during)


def _of_environment(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name[1:] for name in names if name.startswith("$"))


def _templates(description: Description) -> Iterator[Used]:
    """All templates but the answers of rules, which hold expressions."""
    known = ALWAYS
    for index, step in enumerate(description.prepare):
        at: Place = ("prepare", index)
        yield (*at, "url"), step.url, known
        yield (*at, "body"), step.body, known
        for part, entries in (("headers", step.headers), ("otherwise", step.otherwise)):
            for name, template in entries.items():
                yield (*at, part, name), template, known
        known |= frozenset(step.take)
    connect = description.connect
    yield ("connect", "url"), connect.url, known
    yield ("connect", "path"), connect.path, known
    yield ("connect", "opening"), connect.opening, known
    for part, entries in (("headers", connect.headers), ("query", connect.query)):
        for name, template in entries.items():
            yield ("connect", part, name), template, known
    yield ("connect", "own_tools"), connect.own_tools, known
    for index, template in enumerate(connect.subprotocols):
        yield ("connect", "subprotocols", index), template, known
    yield ("tools", "declaration"), description.tools.declaration, OF_DECLARATION
    yield ("tools", "argument"), description.tools.argument, OF_ARGUMENT
    known |= _keeping(description)
    yield ("audio", "send", "message"), description.audio.send.message, known | {"audio"}
    for name, command in description.commands:
        messages = command if isinstance(command, Messages) else getattr(command, "message", None)
        if messages is not None:
            inner = () if isinstance(command, Messages) else ("message",)
            yield ("commands", name, *inner), messages, known | OF_COMMANDS.get(name, frozenset())


def _keeping(description: Description) -> frozenset[str]:
    return frozenset(name for rule in description.rules for name in rule.keep)


def _unknown_names(
    document: Document, place: Place, names: Iterable[str], known: frozenset[str]
) -> Iterator[Fault]:
    for name in sorted(names):
        if name.startswith("$"):
            yield from _wrong_variable(document, place, name[1:])
        elif name not in known:
            expected = f"one of {', '.join(sorted(known))}"
            hint = nearest(name, known) or "a brace of the message itself is doubled: {{"
            yield document.fault(place, f"the placeholder {{{name}}}", expected, hint)


def _wrong_variable(document: Document, place: Place, name: str) -> Iterator[Fault]:
    if not ENVIRONMENT_NAME.fullmatch(name):
        expected = "${parameter} in small letters, or ${VARIABLE} of the environment in capitals"
        yield document.fault(place, f"${{{name}}}", expected)


def _answers(document: Document, description: Description) -> Iterator[Fault]:
    taken = frozenset(name for step in description.prepare for name in step.take)
    known = ALWAYS | taken | _keeping(description)
    for index, rule in enumerate(description.rules):
        place: Place = ("rules", index, "reply")
        for name in sorted(rule.reply.names - known):
            if name.startswith("$"):
                yield from _wrong_variable(document, place, name[1:])
            elif wrong := complaint(name):
                yield document.fault(place, f"{{{name}}}", f"a JMESPath expression: {wrong}")
        for template in rule.reply.templates:
            yield from _keys(document, place, template.value)


def _keys(document: Document, place: Place, value: JsonValue, name: str = "") -> Iterator[Fault]:
    """Keys that stand in the file itself."""
    name = name or str(place[-1])
    if isinstance(value, dict):
        for inner, each in value.items():
            yield from _keys(document, (*place, inner), each, inner)
    elif isinstance(value, list):
        for each in value:
            yield from _keys(document, place, each, name)
    elif value is not None and not isinstance(value, bool):
        text = str(value)
        named = is_sensitive(name) and len(text) >= _SHORTEST_KEY and "{" not in text
        if named or _KEY.search(text):
            expected = "the name of an environment variable, as ${API_KEY}"
            yield document.fault(place, f"what looks like a key in `{name}`", expected)


def _requests(document: Document, description: Description) -> Iterator[Fault]:
    for index, step in enumerate(description.prepare):
        place: Place = ("prepare", index)
        if not str(step.url.value).startswith(("http://", "https://")):
            yield document.fault((*place, "url"), f"{step.url.value!r}", "an address of http or https")
        if step.when_set and set(step.otherwise) != set(step.take):
            missing = ", ".join(sorted(set(step.take) ^ set(step.otherwise)))
            expected = "a value for each name of `take`, for calls without the request"
            yield document.fault((*place, "otherwise"), f"not the names of `take` ({missing})", expected)
        if step.otherwise and not step.when_set:
            yield document.fault((*place, "otherwise"), "it alone", "it beside `when_set`", key=True)
    url = str(description.connect.url.value)
    if url and not url.startswith(("ws://", "wss://", "{")):
        yield document.fault(
            ("connect", "url"), repr(url), "an address of ws or wss, or a {name} of `prepare`"
        )


def _kept(document: Document, description: Description) -> Iterator[Fault]:
    """Names that would hide those of a command."""
    reserved = ALWAYS.union({"audio"}, *OF_COMMANDS.values())
    places: list[tuple[Place, Iterable[str]]] = [
        (("prepare", index, "take"), step.take) for index, step in enumerate(description.prepare)
    ]
    places += [(("rules", index, "keep"), rule.keep) for index, rule in enumerate(description.rules)]
    for place, names in places:
        for name in sorted(reserved.intersection(names)):
            expected = f"another: {', '.join(sorted(reserved))} are names of ours"
            yield document.fault((*place, name), f"the name {name!r}", expected, key=True)
