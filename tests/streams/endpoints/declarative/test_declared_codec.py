"""What goes out: audio in every form, commands, marks, what was heard; and what the file can do."""

from __future__ import annotations

import base64
import json

import pytest
from hume.empathic_voice.types import SessionSettings

from streams import g711
from streams.audio import Encoding, Frame
from streams.endpoints.declarative.build import FILES, parse_file
from streams.endpoints.declarative.codec import DeclaredCodec
from streams.endpoints.declarative.incoming import wav_header
from streams.endpoints.declarative.load import load
from streams.endpoints.declarative.tool_use import ToolUse
from streams.endpoints.events import (
    AudioReceived,
    Flush,
    ItemEnded,
    TextReceived,
    Unknown,
    UsageUnit,
)
from streams.endpoints.protocol import (
    Capabilities,
    Pace,
    PlaybackReport,
    PlaybackState,
    Played,
    Tool,
    TurnMode,
)
from tests.streams.endpoints.declarative.declared import BINARY, JSON, codec, receive, rules, sent

FRAME = Frame(bytes(range(64)) * 10, 16000)


def test_audio_goes_out_as_binary_messages() -> None:
    assert codec(BINARY).audio(FRAME) == [FRAME.pcm]


def test_audio_goes_out_as_base64_in_the_file_s_message() -> None:
    (message,) = sent(codec(JSON).audio(FRAME))
    assert message == {"type": "in", "data": base64.b64encode(FRAME.pcm).decode()}


def test_audio_goes_out_behind_a_tag() -> None:
    tagged = 'send: {rate: 16000, form: tagged, tag: "01ff"}'
    assert codec(BINARY.replace("send: {rate: 16000, form: binary}", tagged)).audio(FRAME) == [
        b"\x01\xff" + FRAME.pcm
    ]


@pytest.mark.parametrize("encoding", ["mulaw", "alaw"])
def test_audio_goes_out_as_g711(encoding: str) -> None:
    text = BINARY.replace("send: {rate: 16000,", f"send: {{rate: 16000, encoding: {encoding},")
    assert codec(text).audio(FRAME) == [g711.encode(FRAME.pcm, Encoding(encoding))]


def test_a_wav_header_goes_out_once_or_with_each_message() -> None:
    first = codec(BINARY.replace("send: {rate: 16000,", "send: {rate: 16000, wav_header: first,"))
    audio = first.capabilities.input
    assert [*first.audio(FRAME), *first.audio(FRAME)] == [wav_header(audio) + FRAME.pcm, FRAME.pcm]
    each = codec(BINARY.replace("send: {rate: 16000,", "send: {rate: 16000, wav_header: each,"))
    whole = wav_header(audio, len(FRAME.pcm)) + FRAME.pcm
    assert [*each.audio(FRAME), *each.audio(FRAME)] == [whole, whole]


def test_frames_are_gathered_to_the_length_that_the_file_asks_for() -> None:
    made = codec(BINARY.replace("send: {rate: 16000,", "send: {rate: 16000, message_ms: 60,"))
    assert [made.audio(FRAME) for _ in range(4)] == [[], [], [FRAME.pcm * 3], []]


def test_a_message_that_keeps_the_line_alive_goes_out_by_the_audio_s_own_clock() -> None:
    made = codec(BINARY + "commands:\n  keep_alive: {every_s: 0.05, message: {type: alive}}\n")
    alive = json.dumps({"type": "alive"})
    counts = [alive in made.audio(FRAME) for _ in range(7)]
    # 20 ms a frame: 60 ms are the first 50 that are full, then the next
    assert counts == [False, False, True, False, False, True, False]


def test_with_manual_turns_audio_flows_within_a_turn_only() -> None:
    made = codec(
        BINARY.replace("send: {rate: 16000,", "send: {rate: 16000, message_ms: 40,")
        + "turns: manual\ncommands: {begin_turn: {type: go}, end_turn: {type: stop}}\n"
    )
    assert made.capabilities.turn_modes == {TurnMode.MANUAL} and not made.capabilities.continuous
    assert made.audio(FRAME) == [] and made.end_turn() == []
    assert sent(made.begin_turn()) == [{"type": "go"}]
    assert made.audio(FRAME) == []
    assert sent(made.end_turn()) == [FRAME.pcm, {"type": "stop"}]
    assert made.audio(FRAME) == []


def test_the_scenario_s_tools_stand_in_the_opening() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    weather = {"name": "weather", "description": "Of a city.", "parameters": schema}
    for name, expected in (("tools", weather), ("functions", {"type": "function", **weather})):
        text = BINARY.replace("9000/}", f'9000/, opening: {{type: hello, tools: "{{{name}}}"}}}}')
        made = codec(text)
        assert made.capabilities.tool_setup
        made.offer([Tool("weather", "Of a city.", schema)])
        assert sent(made.opening()) == [{"type": "hello", "tools": [expected]}]
        without = codec(text)
        without.offer([])
        assert sent(without.opening()) == [{"type": "hello"}]
    assert not codec(BINARY).capabilities.tool_setup


@pytest.mark.parametrize(
    ("name", "path"),
    [("deepgram", ("agent", "think", "functions")), ("assemblyai", ("session", "tools"))],
)
def test_vendors_are_told_of_the_scenario_s_tools(name: str, path: tuple[str, ...]) -> None:
    made = DeclaredCodec(load(*parse_file(str(FILES / f"{name}.yaml"))), {"call_id": "call-1"})
    made.offer([Tool("weather")])
    opening = made.opening()
    receive(made, {"type": "Welcome", "request_id": "r"})
    (found,) = sent([*opening, *made.replies()])
    for step in path:
        found = found[step]
    assert [tool["name"] for tool in found] == ["weather"]


CITY = {"type": "string", "description": "Which."}
OF_WEATHER = Tool(
    "weather",
    "Of a city.",
    {"type": "object", "properties": {"city": CITY, "day": {}}, "required": ["city"]},
)


def test_hume_is_told_of_tools_as_its_sdk_reads_them() -> None:
    made = DeclaredCodec(load(*parse_file(str(FILES / "hume.yaml"))), {"call_id": "call-1"})
    made.offer([OF_WEATHER])
    (message,) = sent(made.opening())
    settings = SessionSettings.model_validate(message)
    assert settings.tools is not None
    (tool,) = settings.tools
    assert (tool.type, tool.name, tool.description) == ("function", "weather", "Of a city.")
    assert json.loads(tool.parameters) == OF_WEATHER.parameters


def test_ultravox_is_told_of_each_argument_with_the_call() -> None:
    description = load(*parse_file(str(FILES / "ultravox.yaml")))
    made = DeclaredCodec(description, {"call_id": "call-1"})
    made.offer([OF_WEATHER])
    body = description.prepare[0].body.fill(made.values.get)
    assert isinstance(body, dict)
    place = {"location": "PARAMETER_LOCATION_BODY"}
    city = {"name": "city", "schema": CITY, "required": True, **place}
    day: dict[str, object] = {"name": "day", "schema": {}, "required": False, **place}
    assert body["selectedTools"] == [
        {
            "temporaryTool": {
                "modelToolName": "weather",
                "description": "Of a city.",
                "dynamicParameters": [city, day],
                "client": {},
            }
        }
    ]
    made.values.pop("tools")
    without = description.prepare[0].body.fill(made.values.get)
    assert isinstance(without, dict) and "selectedTools" not in without


@pytest.mark.parametrize("schema", [{}, {"type": "object", "properties": 3, "required": "city"}])
def test_a_tool_whose_schema_names_no_arguments_has_none(schema: dict[str, object]) -> None:
    use = ToolUse.model_validate({"declaration": {"a": "{arguments}"}, "argument": {"n": "{name}"}})
    assert use.declared(Tool("any", "", schema)) == {"a": []}


def test_a_result_waits_for_the_end_of_the_reply_where_the_file_says_so() -> None:
    made = DeclaredCodec(load(*parse_file(str(FILES / "assemblyai.yaml"))), {"call_id": "call-1"})
    receive(made, {"type": "reply.started", "reply_id": "r1"})
    receive(made, {"type": "tool.call", "call_id": "c1", "name": "weather", "arguments": {}})
    assert made.tool_result("c1", "sunny", error=False) == []
    receive(made, {"type": "reply.audio", "data": "AAAA"})
    assert made.replies() == []
    receive(made, {"type": "reply.done", "status": "completed"})
    result = {"type": "tool.result", "call_id": "c1", "result": "sunny"}
    assert sent(made.replies()) == [result]
    assert made.replies() == []  # once
    receive(made, {"type": "tool.call", "call_id": "c1", "name": "weather", "arguments": {}})
    assert sent(made.tool_result("c1", "sunny", error=False)) == [result]  # no reply is going on


def test_an_agent_that_is_set_up_brings_its_own_tools() -> None:
    made = DeclaredCodec(load(*parse_file(f"{FILES / 'assemblyai.yaml'}?agent=a1")), {"call_id": "call-1"})
    made.offer([Tool("weather")])
    assert not made.capabilities.tool_setup
    assert sent(made.opening()) == [{"type": "session.update", "session": {"agent_id": "a1"}}]


def test_tagged_messages_are_audio_text_json_or_nothing() -> None:
    head = BINARY.replace(
        "receive: {rate: 16000, form: binary}",
        'receive: {rate: 16000, form: tagged, tags: {"00": nothing, "01": audio, "02": text, "04": json}}',
    )
    made = codec(
        rules(
            "{kind: '02', text: {text: text, mode: delta}}",
            "{kind: '04', when: json.type == 'cut', flush: {}}",
            "{kind: '00', ignore: true}",
            head=head,
        )
    )
    events = receive(
        made, b"\x00", b"\x01" + FRAME.pcm, b"\x02hi", b'\x04{"type": "cut"}', b"\x09x", b"", b"\x04{"
    )
    kinds = [type(event) for event in events if not isinstance(event, Unknown)]
    assert kinds == [AudioReceived, TextReceived, ItemEnded, Flush]
    assert events[0].pcm == FRAME.pcm  # type: ignore[union-attr]
    unknown = [event.type for event in events if isinstance(event, Unknown)]
    assert unknown == ["tag 09", "tag ", "binary that is no JSON (JSONDecodeError)"]


def test_text_messages_beside_binary_audio_go_by_their_own_kind() -> None:
    made = codec(rules("{kind: clear, flush: {}}"))
    assert receive(made, {"type": "clear"}) == [Flush(at=1.0, raw=0)]


COMMANDS = """
rules:
  - {kind: call, tool_call: {id: id, name: name}}
  - {kind: hi, keep: {stream: id}}
commands:
  cancel: {type: stop, stream: "{stream}"}
  tool_result: {type: result, id: "{call}", name: "{name}", output: "{output}", failed: "{error}"}
  text: [{type: text, text: "{text}"}, {type: go}]
  dtmf: {type: key, key: "{digit}"}
  close: {type: bye, reason: "{reason}"}
"""


def test_commands_are_the_file_s_messages() -> None:
    made = codec(BINARY + COMMANDS)
    receive(made, {"type": "hi", "id": "s1"}, {"type": "call", "id": "c1", "name": "weather"})
    assert sent(made.cancel()) == [{"type": "stop", "stream": "s1"}]
    assert sent(made.tool_result("c1", "blue", error=False)) == [
        {"type": "result", "id": "c1", "name": "weather", "output": "blue", "failed": False}
    ]
    assert sent(made.text('say "hi" {now}')) == [{"type": "text", "text": 'say "hi" {now}'}, {"type": "go"}]
    assert sent(made.dtmf("#")) == [{"type": "key", "key": "#"}]
    assert sent(made.closing("done")) == [{"type": "bye", "reason": "done"}]


def test_a_tool_that_failed_may_have_a_message_of_its_own() -> None:
    made = codec(BINARY + COMMANDS + "  tool_error: {type: error, id: '{call}', why: '{output}'}\n")
    assert sent(made.tool_result("c1", "no", error=True)) == [{"type": "error", "id": "c1", "why": "no"}]
    (result,) = sent(made.tool_result("c1", "yes", error=False))
    assert result["type"] == "result"


def test_a_file_without_commands_sends_nothing() -> None:
    made = codec(BINARY)
    for messages in (
        made.opening(), made.cancel(), made.tool_result("c", "x", error=True), made.text("x"),
        made.dtmf("1"), made.closing("x"), made.begin_turn(), made.end_turn(), made.replies(),
        made.played(Played("i", 1, 2, PlaybackState.DROPPED)),
    ):  # fmt: skip
        assert messages == []


PLAYED = """
commands:
  played:
    states: [dropped, completed]
    message: {type: heard, item: "{item}", ms: "{heard_ms}", samples: "{heard_samples}", state: "{state}"}
"""


def test_what_was_heard_is_told_in_the_states_that_the_file_names() -> None:
    made = codec(BINARY + PLAYED)
    assert made.capabilities.playback_report is PlaybackReport.TRUNCATE
    assert made.played(Played("a", 500, 900, PlaybackState.PROGRESS)) == []
    assert sent(made.played(Played("a", 1000, 900, PlaybackState.DROPPED))) == [
        # never more than arrived; 900 samples at 16 kHz are 56.25 ms
        {"type": "heard", "item": "a", "ms": 56, "samples": 900, "state": "dropped"}
    ]


MARKS = """
rules:
  - {kind: mark, mark: {name: name}}
  - {kind: clear, flush: {}}
commands:
  mark_reached: {type: reached, name: "{mark}"}
"""


def test_a_mark_is_echoed_when_playback_has_reached_its_sample() -> None:
    made = codec(BINARY + MARKS)
    assert made.capabilities.playback_report is PlaybackReport.MARKS
    receive(made, FRAME.pcm, {"type": "mark", "name": "m1"}, FRAME.pcm, {"type": "mark", "name": "m2"})
    assert made.replies() == []
    # 320 samples are before the first mark, 640 before the second
    assert made.played(Played("item-1", 319, 640, PlaybackState.PROGRESS)) == []
    assert sent(made.played(Played("item-1", 320, 640, PlaybackState.PROGRESS))) == [
        {"type": "reached", "name": "m1"}
    ]
    assert sent(made.played(Played("item-1", 640, 640, PlaybackState.COMPLETED))) == [
        {"type": "reached", "name": "m2"}
    ]
    assert made.played(Played("item-1", 640, 640, PlaybackState.COMPLETED)) == []


def test_a_mark_is_echoed_at_once_when_nothing_is_before_it_or_that_is_dropped() -> None:
    made = codec(BINARY + MARKS)
    receive(made, {"type": "mark", "name": "now"})
    assert sent(made.replies()) == [{"type": "reached", "name": "now"}]
    receive(made, FRAME.pcm, {"type": "mark", "name": "dropped"}, {"type": "clear"})
    assert sent(made.played(Played("item-1", 5, 320, PlaybackState.DROPPED))) == [
        {"type": "reached", "name": "dropped"}
    ]


def test_capabilities_are_what_the_rules_and_commands_have() -> None:
    made = codec(BINARY)
    audio = made.capabilities.input
    assert made.capabilities == Capabilities(
        protocol="mine", input=audio, output=audio, ready_on_connect=True
    )
    rich = codec(
        rules(
            "{kind: a, text: {text: t}, user_text: {text: t}, user_speech: {edge: start}, reply_end: {}}",
            "{kind: b, flush: {}, usage: {unit: seconds, values: s}, ready: {}}",
            head=BINARY
            + "pace: realtime\nmax_session_s: 600\ncommands: {tool_result: {a: 1}, text: {b: 1}, "
            "dtmf: {c: 1}}\n",
        )
    )
    assert rich.capabilities == Capabilities(
        protocol="mine",
        input=audio,
        output=audio,
        pace=Pace.REALTIME,
        endpoint_text=True,
        user_text=True,
        speech_events=True,
        response_bounds=True,
        flush=True,
        tools=True,
        dtmf=True,
        text_input=True,
        usage_unit=UsageUnit.SECONDS,
        max_session_s=600.0,
    )


def test_what_is_remembered_does_not_grow_without_end() -> None:
    head = JSON.replace("audio: {data: data}", "audio: {data: data, item: id}")
    made = codec(rules("{kind: call, tool_call: {id: id}}", head=head))
    data = base64.b64encode(b"\0\0").decode()
    for number in range(3000):
        receive(made, {"type": "out", "data": data, "id": f"i{number}"}, {"type": "call", "id": number})
    session = made._session
    assert len(session.tools) == len(session._received) == 1000
