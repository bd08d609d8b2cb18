from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from streams import g711
from streams.audio import AudioFormat, Encoding, Frame, silence
from streams.endpoints.events import (
    AudioReceived,
    Ending,
    EndpointEvent,
    ItemEnded,
    Notice,
    NoticeLevel,
    Ready,
    TextMode,
    TextReceived,
    ToolCalled,
    Unknown,
    Usage,
    UsageUnit,
    UserTextReceived,
)
from streams.endpoints.openai_live.codec import LiveCodec, LiveOptions
from streams.endpoints.protocol import Pace, PlaybackReport

TENTH = 2400  # samples in 100 ms
LOUD = b"\x10\x27" * TENTH
QUIET = silence(TENTH)
HISS = b"\x10\x00" * TENTH  # a peak of 16: -66 dBFS, under the floor


def codec(**options: Any) -> LiveCodec:
    made = LiveCodec(LiveOptions(**{"model": "gpt-live-1", **options}))
    made.opening()
    return made


def take(made: LiveCodec, *messages: dict[str, Any], at: float = 1.0) -> list[EndpointEvent]:
    return [e for m in messages for e in made.receive(json.dumps(m), at=at, raw=7)]


def delta(pcm: bytes) -> dict[str, Any]:
    return {"type": "session.output_audio.delta", "delta": base64.b64encode(pcm).decode()}


def said(text: str, start_ms: int = 0) -> dict[str, Any]:
    kind = "session.output_transcript.delta"
    return {"type": kind, "delta": text, "start_ms": start_ms, "end_ms": start_ms + 200}


def heard(text: str, start_ms: int) -> dict[str, Any]:
    kind = "session.input_transcript.delta"
    return {"type": kind, "delta": text, "start_ms": start_ms, "end_ms": start_ms + 200}


def sent(messages: Any) -> list[dict[str, Any]]:
    return [json.loads(message) for message in messages]


def items(events: list[EndpointEvent]) -> list[tuple[str, int]]:
    """Item and samples of each piece of sound; an end has none."""
    return [
        (e.item, len(e.pcm) // 2 if isinstance(e, AudioReceived) else 0)
        for e in events
        if isinstance(e, AudioReceived | ItemEnded)
    ]


def test_a_session_starts_with_what_is_asked_and_nothing_else() -> None:
    (start,) = sent(LiveCodec(LiveOptions(model="gpt-live-1")).opening())
    assert (start["type"], start["event_id"]) == ("session.start", "session.start#1")
    assert start["session"] == {
        "model": "gpt-live-1",
        "audio": {"format": {"type": "audio/pcm", "rate": 24000}},
    }
    full = LiveOptions(
        model="m", voice="marin", instructions="Be brief.", audio=AudioFormat(8000, Encoding.MULAW)
    )
    (start,) = sent(LiveCodec(full).opening())
    assert start["session"] == {
        "model": "m",
        "instructions": "Be brief.",
        "audio": {"format": {"type": "audio/pcmu", "rate": 8000}, "output": {"voice": "marin"}},
    }


def test_the_session_is_ready_in_the_format_that_the_server_settled_for() -> None:
    made = codec()
    audio = {"format": {"type": "audio/pcm", "rate": 16000}}
    session = {"id": "live_1", "model": "gpt-live-1.1", "audio": audio}
    (ready,) = take(made, {"type": "session.started", "session": session})
    assert ready == Ready(at=1.0, raw=7, session="live_1", model="gpt-live-1.1")
    assert made.capabilities.input == made.capabilities.output == AudioFormat(16000)


def test_what_it_can_do() -> None:
    able = codec().capabilities
    assert (able.pace, able.playback_report) == (Pace.REALTIME, PlaybackReport.NONE)
    assert not (able.flush or able.response_bounds or able.speech_events or able.text_input)
    assert (able.usage_unit, able.max_session_s, able.continuous) == (UsageUnit.SECONDS, 7200, True)


def test_frames_go_out_in_the_format_of_the_session() -> None:
    (message,) = sent(codec().audio(Frame(LOUD[:960], 24000)))
    assert message["type"] == "session.input_audio.append"
    assert base64.b64decode(message["audio"]) == LOUD[:960]
    made = codec(audio=AudioFormat(8000, Encoding.MULAW))
    (message,) = sent(made.audio(Frame(LOUD[:320], 8000)))
    assert base64.b64decode(message["audio"]) == g711.encode(LOUD[:320], Encoding.MULAW)


def test_silence_parts_the_endless_stream_into_replies() -> None:
    made = codec()
    stream = [QUIET] * 30 + [LOUD] * 3 + [QUIET] * 2 + [LOUD] + [QUIET] * 20 + [HISS] * 5 + [LOUD]
    events = take(made, *map(delta, stream))
    # 300 ms, a pause of 200 ms that is no end, 100 ms, 700 ms of the silence; at 800 ms the reply is over
    assert items(events) == [("reply-1", TENTH)] * 13 + [("reply-1", 0), ("reply-2", TENTH)]


def test_a_delay_of_the_network_is_no_lag_for_the_rest_of_the_session() -> None:
    made = codec()
    first = take(made, *[delta(LOUD)] * 2, *[delta(QUIET)] * 40, at=1.0)
    (second,) = take(made, delta(LOUD), at=60.0)
    assert isinstance(second, AudioReceived) and (second.at, second.item) == (60.0, "reply-2")
    assert sum(samples for _, samples in items(first)) == 9 * TENTH  # not the forty of silence


def test_half_a_sample_too_many_spoils_one_reply_and_not_the_session() -> None:
    made = codec()
    take(made, delta(LOUD + b"\x10"), *[delta(QUIET)] * 8)
    (piece,) = take(made, delta(LOUD))
    assert isinstance(piece, AudioReceived) and piece.pcm == LOUD


def test_words_are_of_the_reply_that_is_heard_or_of_the_next() -> None:
    made = codec()
    events = take(
        made, said("Good "), delta(LOUD), said("morning."), *[delta(QUIET)] * 8, said("And "), delta(LOUD)
    )
    texts = [(e.text, e.item) for e in events if isinstance(e, TextReceived)]
    assert texts == [("Good ", "reply-1"), ("morning.", "reply-1"), ("And ", "reply-2")]
    assert items(events)[-1] == ("reply-2", TENTH)


def test_a_pause_on_the_sessions_timeline_parts_what_the_user_said() -> None:
    made = codec()
    # the pause before the third is 1000 - 400 = 600 ms, before the fourth 2000 - 1200 = 800 ms
    events = take(
        made, heard("What ", 0), heard("is ", 200), heard("this?", 1000), heard("And that?", 2000)
    )
    assert [(e.text, e.mode, e.item) for e in events if isinstance(e, UserTextReceived)] == [
        ("What ", TextMode.DELTA, "user-1"),
        ("is ", TextMode.DELTA, "user-1"),
        ("this?", TextMode.DELTA, "user-1"),
        ("And that?", TextMode.DELTA, "user-2"),
    ]


def test_handed_over_work_is_a_tool_call_and_its_result_is_told_in_pieces_of_500_characters() -> None:
    made = codec()
    delegation = {"id": "dlg_1", "target": "client"}
    (called,) = take(made, {"type": "session.delegation.created", "delegation": delegation})
    assert called == ToolCalled(at=1.0, raw=7, call="dlg_1", name="delegation", arguments="{}", told=True)
    told = sent(made.tool_result("dlg_1", "word " * 150, error=False))
    assert [(m["type"], m["delegation_id"], len(m["content"])) for m in told] == [
        ("session.commentary.append", "dlg_1", 500),
        ("session.commentary.append", "dlg_1", 250),
    ]
    assert "".join(m["content"] for m in told) == "word " * 150
    assert made.tool_result("dlg_1", "again", error=False) == []


def test_functions_of_the_backend_are_tool_calls_too() -> None:
    made = codec()
    item = {
        "type": "function_call",
        "call_id": "call_1",
        "name": "weather",
        "arguments": '{"city": "Bern"}',
    }
    done = {"type": "response.output_item.done", "item": item}
    (called,) = take(made, {"type": "response.event", "delegation_id": "dlg_1", "event": done})
    assert called == ToolCalled(at=1.0, raw=7, call="call_1", name="weather", arguments='{"city": "Bern"}')
    create, go_on = sent(made.tool_result("call_1", "no sky", error=True))
    assert create["item"] == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": '{"error": "no sky"}',
    }
    assert go_on["type"] == "response.create"


def test_seconds_are_cumulative_and_tokens_of_the_backend_are_not() -> None:
    made = codec()
    response = {"id": "resp_1", "usage": {"input_tokens": 7, "output_tokens": 9}}
    events = take(
        made,
        {"type": "session.usage.updated", "usage": {"seconds": 12}, "context_window": {"usage_ratio": 0.1}},
        {"type": "response.event", "event": {"type": "response.completed", "response": response}},
    )
    assert events == [
        Usage(at=1.0, raw=7, unit=UsageUnit.SECONDS, values={"seconds": 12}, cumulative=True),
        Usage(
            at=1.0,
            raw=7,
            unit=UsageUnit.TOKENS,
            values={"delegated.input_tokens": 7, "delegated.output_tokens": 9},
            response="resp_1",
        ),
    ]


def test_the_goodbye_is_answered() -> None:
    made = codec()
    assert made.parted
    (close,) = sent(made.closing("done"))
    assert (close["type"], made.parted) == ("session.close", False)
    (usage,) = take(made, {"type": "session.closed", "reason": "close_requested", "usage": {"seconds": 60}})
    assert isinstance(usage, Usage) and (usage.values, made.parted) == ({"seconds": 60}, True)


@pytest.mark.parametrize(("reason", "kind"), [("expired", Ending), ("content", Notice)])
def test_a_session_that_the_server_closes_says_why(reason: str, kind: type[EndpointEvent]) -> None:
    (event,) = take(codec(), {"type": "session.closed", "reason": reason, "usage": {}})
    assert isinstance(event, kind)
    if isinstance(event, Notice):
        assert (event.code, event.fatal) == ("closed_content", True)


def test_errors_and_notes_are_told_and_end_nothing() -> None:
    detail = {"code": "unknown_parameter", "message": "no", "type": "invalid", "param": "session.voice"}
    error, info = take(
        codec(),
        {"type": "error", "error": detail},
        {"type": "info", "code": "data_channel_permissions", "message": "ok"},
    )
    assert isinstance(error, Notice) and isinstance(info, Notice)
    assert (error.code, error.message, error.fatal) == ("unknown_parameter", "no (session.voice)", False)
    assert (info.level, info.code) == (NoticeLevel.INFO, "data_channel_permissions")


def test_what_is_known_is_silent_and_what_is_new_is_named() -> None:
    (event,) = take(codec(), {"type": "session.commentary.appended"}, {"type": "session.mood"})
    assert event == Unknown(at=1.0, raw=7, type="session.mood")


@pytest.mark.parametrize(
    "message", [b"\xff", "[]", "{}", '{"type": "session.output_audio.delta", "delta": "!"}']
)
def test_a_message_that_breaks_the_protocol_is_noted(message: str | bytes) -> None:
    (notice,) = codec().receive(message, at=1.0, raw=7)
    assert isinstance(notice, Notice)
    assert (notice.level, notice.code) == (NoticeLevel.ERROR, "protocol_violation")
