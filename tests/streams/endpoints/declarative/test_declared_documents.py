"""What docs/declarative-endpoints.md says is true: its example works, its tables are whole."""

from __future__ import annotations

import re
from pathlib import Path

from streams.audio import AudioFormat
from streams.endpoints.declarative.codec import DeclaredCodec
from streams.endpoints.declarative.model import Commands, Connect, Description, Parameter, Prepare
from streams.endpoints.declarative.rule_model import Rule
from streams.endpoints.declarative.rules import MEANINGS
from streams.endpoints.events import (
    AudioReceived,
    Flush,
    Notice,
    Ready,
    ResponseEnded,
    ResponseStatus,
    TextReceived,
    ToolCalled,
    Usage,
    UserSpeech,
)
from tests.streams.endpoints.declarative.declared import describe, receive, sent

PAGE = (Path(__file__).parents[4] / "docs" / "declarative-endpoints.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
assert EXAMPLE is not None


def test_the_example_is_a_file_that_works() -> None:
    values = {"call_id": "c1", "token": "t", "where": "ws://h/", "$HOUSE_API_KEY": "k"}
    codec = DeclaredCodec(describe(EXAMPLE[1], "agent=a1&rate=8000"), values)  # type: ignore[index]
    assert sent(codec.opening()) == [
        {"type": "start", "call": "c1", "audio": {"encoding": "pcm16", "rate": 8000}}
    ]
    events = receive(
        codec,
        {"type": "started", "stream_id": "s1", "session": {"id": "x"}, "audio": {"output": "pcm_24000"}},
        {"type": "turn", "turn_id": 1},
        {"type": "audio", "data": "AAAA", "turn_id": 1},
        {"type": "words", "role": "assistant", "text": "Hello", "turn_id": 1},
        {"type": "vad", "speaking": True, "at": 120},
        {"type": "vad", "speaking": False},
        {"type": "turn_done", "turn_id": 1, "interrupted": True, "usage": {"out": 5}},
        {"type": "tools", "calls": [{"id": 1, "name": "weather", "arguments": {}}]},
        {"type": "error", "code": 7, "message": "no", "severity": "fatal"},
        {"type": "ping", "n": 3},
    )
    of = {type(event): event for event in events}
    assert codec.capabilities.output == AudioFormat(24000)
    assert {Ready, AudioReceived, TextReceived, UserSpeech, Flush, Usage, ToolCalled} <= of.keys()
    ended, notice = of[ResponseEnded], of[Notice]
    assert isinstance(ended, ResponseEnded) and ended.status is ResponseStatus.CANCELLED
    assert isinstance(notice, Notice) and notice.fatal
    assert sent(codec.replies()) == [{"type": "pong", "n": 3}]
    assert sent(codec.tool_result("1", "blue", error=False)) == [
        {"type": "tool_result", "id": "1", "output": "blue", "stream": "s1"}
    ]


def test_every_key_of_the_schema_is_in_the_page() -> None:
    for model in (Description, Parameter, Prepare, Connect, Rule, Commands):
        missing = [name for name in model.model_fields if name not in PAGE]
        assert not missing, model.__name__
    table = [line for line in PAGE.partition("## Rules")[2].splitlines() if line.startswith("|")]
    for name in MEANINGS:
        part = Rule.model_fields[name].annotation
        fields = getattr(next(iter(getattr(part, "__args__", [part]))), "model_fields", {})
        row = next(line for line in table if f"`{name}`" in line.split("|")[1])
        assert [each for each in fields if f"`{each}" not in row and each != "cancelled"] == [], name


def test_every_key_of_a_rule_has_its_meaning() -> None:
    selecting = {"kind", "when", "each", "reply", "ignore"}
    assert set(MEANINGS) == set(Rule.model_fields) - selecting


def test_the_placeholders_of_commands_are_in_the_page() -> None:
    from streams.endpoints.declarative.lint import OF_COMMANDS

    names = {name for each in OF_COMMANDS.values() for name in each}
    assert [name for name in sorted(names) if f"`{{{name}}}`" not in PAGE] == []
    assert set(OF_COMMANDS) <= set(Commands.model_fields)
