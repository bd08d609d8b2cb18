"""What each key of a rule makes of a message."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from streams.audio import AudioFormat, Encoding
from streams.endpoints.events import (
    AudioReceived,
    Edge,
    Ending,
    EndpointEvent,
    Flush,
    ItemEnded,
    Mark,
    Notice,
    NoticeLevel,
    Ready,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    TextMode,
    TextReceived,
    ToolCalled,
    Unknown,
    Usage,
    UsageUnit,
    UserSpeech,
    UserTextReceived,
)
from tests.streams.endpoints.declarative.declared import BINARY, JSON, codec, receive, rules, sent

PCM = bytes(range(8))
B64 = base64.b64encode(PCM).decode()
AT: dict[str, Any] = {"at": 1.0, "raw": 0}

ONE_EACH: list[tuple[str, dict[str, Any], list[EndpointEvent]]] = [
    (
        "{kind: x, reply_start: {response: id}}",
        {"type": "x", "id": "r1"},
        [ResponseStarted(**AT, response="r1")],
    ),
    ("{kind: x, reply_start: {}}", {"type": "x"}, [ResponseStarted(**AT, response="reply-1")]),
    (
        "{kind: x, user_speech: {edge: start, at_ms: t, item: id}}",
        {"type": "x", "t": 120, "id": 4},
        [UserSpeech(**AT, edge=Edge.START, server_ms=120.0, item="4")],
    ),
    (
        "{kind: x, user_text: {text: t, mode: delta, final_when: done}}",
        {"type": "x", "t": "hi", "done": False},
        [UserTextReceived(**AT, text="hi", mode=TextMode.DELTA, item="user-1")],
    ),
    (
        "{kind: x, user_text: {text: t, mode: cumulative, final_when: done, item: id}}",
        {"type": "x", "t": "hi", "done": True, "id": "u"},
        [UserTextReceived(**AT, text="hi", mode=TextMode.FINAL, item="u")],
    ),
    (
        "{kind: x, user_text: {text: t, failed_when: error}}",
        {"type": "x", "error": "noise"},
        [UserTextReceived(**AT, text="", mode=TextMode.FINAL, item="user-1", failed=True)],
    ),
    (
        "{kind: x, text: {text: t, mode: cumulative, item: i, response: r}}",
        {"type": "x", "t": "hi", "i": "a", "r": "b"},
        [TextReceived(**AT, text="hi", mode=TextMode.CUMULATIVE, item="a", response="b")],
    ),
    ("{kind: x, text: {text: t}}", {"type": "x", "t": "hi"}, [
        TextReceived(**AT, text="hi", mode=TextMode.FINAL, item="item-1")
    ]),
    (
        "{kind: x, audio: {data: d, item: i, response: r}}",
        {"type": "x", "d": B64, "i": "a", "r": "b"},
        [AudioReceived(**AT, pcm=PCM, item="a", response="b")],
    ),
    (
        "{kind: x, tool_call: {id: i, name: n, arguments: a}}",
        {"type": "x", "i": 3, "n": "weather", "a": {"city": "Bern"}},
        [ToolCalled(**AT, call="3", name="weather", arguments='{"city": "Bern"}')],
    ),
    (
        "{kind: x, tool_call: {id: i, cancelled: true}}",
        {"type": "x", "i": "c"},
        [ToolCalled(**AT, call="c", name="", arguments="{}", cancelled=True)],
    ),
    ("{kind: x, mark: {name: n}}", {"type": "x", "n": "m"}, [Mark(**AT, name="m")]),
    (
        "{kind: x, usage: {unit: tokens, values: u, cumulative: true, response: r}}",
        {"type": "x", "u": {"in": {"audio": 3}, "out": 4, "note": "x"}, "r": "b"},
        [
            Usage(
                **AT,
                unit=UsageUnit.TOKENS,
                values={"in.audio": 3.0, "out": 4.0},
                cumulative=True,
                response="b",
            )
        ],
    ),
    (
        "{kind: x, usage: {unit: seconds, values: s}}",
        {"type": "x", "s": 2.5},
        [Usage(**AT, unit=UsageUnit.SECONDS, values={"seconds": 2.5})],
    ),
    (
        "{kind: x, notice: {level: warning, code: \"'slow'\", message: m}}",
        {"type": "x", "m": "so slow"},
        [Notice(**AT, level=NoticeLevel.WARNING, code="slow", message="so slow")],
    ),
    (
        "{kind: x, notice: {code: c, fatal_when: c == 'dead'}}",
        {"type": "x", "c": "dead"},
        [Notice(**AT, level=NoticeLevel.ERROR, code="dead", message="", fatal=True)],
    ),
    (
        "{kind: x, item_end: {item: i}}",
        {"type": "x", "i": "a"},
        [ItemEnded(**AT, item="a")],
    ),
    (
        "{kind: x, reply_end: {response: r, status_when: {cancelled: s == 'cut'}, reason: s}}",
        {"type": "x", "r": "b", "s": "cut"},
        [ResponseEnded(**AT, response="b", status=ResponseStatus.CANCELLED, reason="cut")],
    ),
    ("{kind: x, flush: {}}", {"type": "x"}, [Flush(**AT)]),
    (
        "{kind: x, ending: {time_left_s: t, reason: r}}",
        {"type": "x", "t": 30, "r": "limit"},
        [Ending(**AT, time_left_s=30.0, reason="limit")],
    ),
    ("{kind: x, ignore: true}", {"type": "x"}, []),
    ("{when: setup, keep: {id: setup.id}}", {"setup": {"id": 5}}, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "message", "events"), ONE_EACH, ids=[rule[:60] for rule, _, _ in ONE_EACH]
)
def test_each_key_has_its_event(rule: str, message: dict[str, Any], events: list[EndpointEvent]) -> None:
    assert receive(codec(rules(rule)), message) == events


def test_ready_takes_over_the_formats_that_the_endpoint_names() -> None:
    rule = "{kind: ok, ready: {session: id, model: m, send_format: i, receive_format: o}}"
    spellings: list[tuple[object, AudioFormat]] = [
        ("pcm_24000", AudioFormat(24000)),
        ("ulaw_8000", AudioFormat(8000, Encoding.MULAW)),
        (48000, AudioFormat(48000)),
        ({"encoding": "linear16", "sample_rate": 8000}, AudioFormat(8000)),
        (None, AudioFormat(16000)),
    ]
    for spelling, expected in spellings:
        made = codec(rules(rule))
        assert not made.capabilities.ready_on_connect
        ready = receive(made, {"type": "ok", "id": "s", "m": "big", "i": spelling, "o": spelling})
        assert ready == [Ready(**AT, session="s", model="big")]
        assert (made.capabilities.input, made.capabilities.output) == (expected, expected)


def test_a_format_that_nobody_knows_ends_the_set_up() -> None:
    made = codec(rules("{kind: ok, ready: {receive_format: o}}"))
    wrongs: list[object] = ["opus", [], True, 7]
    for wrong in wrongs:
        (notice,) = receive(made, {"type": "ok", "o": wrong})
        assert isinstance(notice, Notice)
        assert (notice.level, notice.code) == (NoticeLevel.ERROR, "protocol_violation")
        assert notice.message.startswith("rule 1 (ready): audio format ")
    assert receive(made, {"type": "ok", "o": "pcm_8000"}) == [Ready(**AT)]


def test_every_rule_that_fits_applies_in_the_order_of_the_file() -> None:
    made = codec(
        rules(
            "{when: final, notice: {code: \"'final'\", level: info}}",
            "{kind: [a, b], text: {text: t}}",
            "{kind: b, when: t != '', flush: {}}",
        )
    )
    events = receive(made, {"type": "b", "t": "hi", "final": True})
    assert [type(event) for event in events] == [Notice, TextReceived, ItemEnded, Flush]
    assert [type(event) for event in receive(made, {"type": "a", "t": "x"})] == [TextReceived]


def test_a_list_in_a_message_is_read_element_by_element() -> None:
    made = codec(rules("{kind: x, each: 'calls[?ours]', tool_call: {id: id}}"))
    calls = [{"id": 1, "ours": True}, {"id": 2, "ours": False}, {"id": 3, "ours": True}]
    assert [event.call for event in receive(made, {"type": "x", "calls": calls})] == ["1", "3"]  # type: ignore[union-attr]
    assert receive(made, {"type": "x", "calls": None}) == []
    assert receive(made, {"type": "x", "calls": {"id": 1}}) == []


def test_the_kind_of_a_message_is_where_the_file_says() -> None:
    made = codec(BINARY + "kind_at: event || head.kind\nrules:\n  - {kind: '7', flush: {}}\n")
    assert receive(made, {"event": 7}) == [Flush(**AT)]
    assert receive(made, {"head": {"kind": "7"}}) == [Flush(**AT)]
    assert receive(made, {"event": ["7"]}) == [Unknown(**AT, type="JSON without a kind")]


def test_what_no_rule_fits_is_unknown_by_its_kind() -> None:
    made = codec(rules("{kind: x, when: y, flush: {}}"))
    assert receive(made, {"type": "x"}) == [Unknown(**AT, type="x")]
    assert receive(made, {"type": "z" * 500}) == [Unknown(**AT, type="z" * 80)]
    assert receive(made, "hello") == [Unknown(**AT, type="text that is no JSON (JSONDecodeError)")]
    assert receive(made, '{"type": NaN}') == [Unknown(**AT, type="text that is no JSON (ValueError)")]
    assert receive(made, "[]", "7", "null") == [
        Unknown(at=1.0, raw=n, type="JSON without a kind") for n in range(3)
    ]


def test_a_value_that_is_not_what_its_rule_expects_names_rule_and_field() -> None:
    made = codec(rules("{kind: x, text: {text: a.b}, flush: {}}"))
    notice, *rest = receive(made, {"type": "x", "a": {"b": 5}})
    assert notice == Notice(
        **AT,
        level=NoticeLevel.ERROR,
        code="protocol_violation",
        message="rule 1 (text, flush): field a.b: int, expected a string",
    )
    assert [type(event) for event in rest] == [Flush]  # the rest of the rule still holds


def test_a_reply_is_filled_in_from_the_message_and_from_what_was_kept() -> None:
    made = codec(
        rules(
            "{kind: hi, keep: {stream: id}}",
            '{kind: ping, reply: [{type: pong, n: "{a.n}", s: "{stream}", c: "{call_id}"}, "plain {a.n}"]}',
        )
    )
    receive(made, {"type": "hi", "id": "s1"}, {"type": "ping", "a": {"n": 7}})
    first, second = made.replies()
    assert json.loads(first) == {"type": "pong", "n": 7, "s": "s1", "c": "call-1"}
    assert second == "plain 7"
    assert made.replies() == []


def test_a_key_from_the_environment_may_be_asked_for_during_the_call() -> None:
    made = codec(rules('{kind: who, reply: {key: "${MY_KEY}"}}'), **{"$MY_KEY": "k-123456"})
    receive(made, {"type": "who"})
    assert sent(made.replies()) == [{"key": "k-123456"}]


def test_json_may_come_in_binary_messages_where_audio_is_in_json() -> None:
    made = codec(JSON)
    (event,) = receive(made, json.dumps({"type": "out", "data": B64}).encode())
    assert event == AudioReceived(**AT, pcm=PCM, item="item-1")
    (event,) = receive(made, b"\xff\x00")
    assert isinstance(event, Unknown) and event.type.startswith("binary that is no JSON")
