"""Golden tables: every server message and the events it gives."""

import base64
import re
from dataclasses import replace

import pytest
from openai.types.realtime import RealtimeServerEvent
from pydantic import TypeAdapter

from streams.endpoints.events import (
    AudioReceived,
    Edge,
    Ending,
    EndpointEvent,
    Flush,
    ItemEnded,
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
    UserItemPlaced,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.openai_realtime.dialects import DIALECTS
from tests.streams.endpoints.realtime_messages import Json, codec, done, receive, server

OFFICIAL: TypeAdapter[object] = TypeAdapter(RealtimeServerEvent)
PCM = bytes(range(16))
B64 = base64.b64encode(PCM).decode()
PART: Json = {"item_id": "a1", "response_id": "r1", "output_index": 0, "content_index": 0}
USER: Json = {"item_id": "u1", "content_index": 0}
TRANSCRIPTION = "conversation.item.input_audio_transcription"
USAGE = {
    "total_tokens": 30,
    "input_tokens": 10,
    "output_tokens": 20,
    "input_token_details": {
        "text_tokens": 4,
        "audio_tokens": 6,
        "cached_tokens_details": {"text_tokens": 1},
    },
    "output_token_details": {"text_tokens": 5, "audio_tokens": 15},
}
USAGE_VALUES = {
    "total_tokens": 30.0,
    "input_tokens": 10.0,
    "output_tokens": 20.0,
    "input_token_details.text_tokens": 4.0,
    "input_token_details.audio_tokens": 6.0,
    "input_token_details.cached_tokens_details.text_tokens": 1.0,
    "output_token_details.text_tokens": 5.0,
    "output_token_details.audio_tokens": 15.0,
}


def at(kind: type[EndpointEvent], **fields: object) -> EndpointEvent:
    return kind(at=5.0, raw=0, **fields)  # type: ignore[arg-type]


def text(words: str, mode: TextMode) -> EndpointEvent:
    return at(TextReceived, text=words, mode=mode, item="a1", response="r1")


def heard(words: str, mode: TextMode, **fields: object) -> EndpointEvent:
    return at(UserTextReceived, text=words, mode=mode, item="u1", **fields)


def user_item(kind: str) -> Json:
    content = [{"type": "input_audio"}]
    item = {"id": "u1", "type": "message", "role": "user", "content": content}
    return server(kind, item=item, previous_item_id="a0")


def call_item(kind: str) -> Json:
    item = {"id": "f1", "type": "function_call", "call_id": "c1", "name": "hours", "arguments": "{}"}
    return server(kind, response_id="r1", output_index=0, item=item)


LIMIT = {"name": "tokens", "limit": 40000, "remaining": 39500, "reset_seconds": 0.75}

GA: list[tuple[Json, list[EndpointEvent]]] = [
    (server("session.created", session={"type": "realtime"}), []),
    (server("response.created", response={"id": "r1"}), [at(ResponseStarted, response="r1")]),
    (
        server("response.output_audio.delta", **PART, delta=B64),
        [at(AudioReceived, pcm=PCM, item="a1", response="r1")],
    ),
    (server("response.output_audio.done", **PART), [at(ItemEnded, item="a1", response="r1")]),
    (server("response.output_audio_transcript.delta", **PART, delta="Hel"), [text("Hel", TextMode.DELTA)]),
    (
        server("response.output_audio_transcript.done", **PART, transcript="Hello"),
        [text("Hello", TextMode.FINAL)],
    ),
    (server("response.output_text.delta", **PART, delta="Hel"), [text("Hel", TextMode.DELTA)]),
    (server("response.output_text.done", **PART, text="Hello"), [text("Hello", TextMode.FINAL)]),
    (
        server("response.done", response={"id": "r1", "status": "completed", "usage": USAGE}),
        [
            at(Usage, unit=UsageUnit.TOKENS, values=USAGE_VALUES, response="r1"),
            at(ResponseEnded, response="r1", status=ResponseStatus.COMPLETED),
        ],
    ),
    (
        server(
            "response.done",
            response={
                "id": "r1",
                "status": "cancelled",
                "status_details": {"type": "cancelled", "reason": "turn_detected"},
            },
        ),
        [at(ResponseEnded, response="r1", status=ResponseStatus.CANCELLED, reason="turn_detected")],
    ),
    (
        server(
            "response.done",
            response={
                "id": "r1",
                "status": "failed",
                "status_details": {"type": "failed", "error": {"code": "overload", "message": "later"}},
            },
        ),
        [at(ResponseEnded, response="r1", status=ResponseStatus.FAILED, reason="overload: later")],
    ),
    (
        server("input_audio_buffer.speech_started", item_id="u1", audio_start_ms=320),
        [at(UserSpeech, edge=Edge.START, server_ms=320.0, item="u1"), at(Flush)],
    ),
    (
        server("input_audio_buffer.speech_stopped", item_id="u1", audio_end_ms=1320),
        [at(UserSpeech, edge=Edge.STOP, server_ms=1320.0, item="u1")],
    ),
    (
        server("input_audio_buffer.committed", item_id="u1", previous_item_id=None),
        [at(UserItemPlaced, item="u1", previous=None)],
    ),
    (user_item("conversation.item.added"), [at(UserItemPlaced, item="u1", previous="a0")]),
    (server(f"{TRANSCRIPTION}.delta", **USER, delta="hel"), [heard("hel", TextMode.DELTA)]),
    (
        server(
            f"{TRANSCRIPTION}.completed",
            **USER,
            transcript="hello",
            usage={"type": "duration", "seconds": 2.5},
        ),
        [
            heard("hello", TextMode.FINAL),
            at(
                Usage,
                unit=UsageUnit.SECONDS,
                values={"transcription.seconds": 2.5},
                model="gpt-4o-mini-transcribe",
            ),
        ],
    ),
    (
        server(
            f"{TRANSCRIPTION}.completed",
            **USER,
            transcript="hello",
            usage={"type": "tokens", "input_tokens": 8, "output_tokens": 2, "total_tokens": 10},
        ),
        [
            heard("hello", TextMode.FINAL),
            at(
                Usage,
                unit=UsageUnit.TOKENS,
                values={
                    "transcription.input_tokens": 8.0,
                    "transcription.output_tokens": 2.0,
                    "transcription.total_tokens": 10.0,
                },
                model="gpt-4o-mini-transcribe",
            ),
        ],
    ),
    (
        server(f"{TRANSCRIPTION}.failed", **USER, error={"code": "audio_unintelligible"}),
        [heard("", TextMode.FINAL, failed=True)],
    ),
    (
        server(
            "response.function_call_arguments.done", **PART, call_id="c1", name="hours", arguments='{"d":1}'
        ),
        [at(ToolCalled, call="c1", name="hours", arguments='{"d":1}')],
    ),
    (call_item("response.output_item.done"), [at(ToolCalled, call="c1", name="hours", arguments="{}")]),
    (
        server("rate_limits.updated", rate_limits=[LIMIT]),
        [
            at(
                Notice,
                level=NoticeLevel.INFO,
                code="rate_limits.updated",
                message="tokens: 39500.0 of 40000.0 left, reset in 0.75 s",
            )
        ],
    ),
    (
        server(
            "error", error={"type": "invalid_request_error", "code": "x", "message": "no", "param": "voice"}
        ),
        [at(Notice, level=NoticeLevel.ERROR, code="x", message="no (voice)")],
    ),
    (
        server("error", error={"type": "server_error", "message": "oops"}),
        [at(Notice, level=NoticeLevel.ERROR, code="server_error", message="oops")],
    ),
    (
        server(
            "error", error={"type": "invalid_request_error", "code": "session_expired", "message": "60 min"}
        ),
        [
            at(Notice, level=NoticeLevel.ERROR, code="session_expired", message="60 min", fatal=True),
            at(Ending, reason="60 min"),
        ],
    ),
    (
        server(
            "error",
            error={"type": "invalid_request_error", "code": "response_cancel_not_active", "message": "-"},
        ),
        [at(Notice, level=NoticeLevel.WARNING, code="response_cancel_not_active", message="-")],
    ),
    (
        server("input_audio_buffer.timeout_triggered", item_id="u1", audio_start_ms=0, audio_end_ms=9),
        [
            at(
                Notice,
                level=NoticeLevel.INFO,
                code="idle_timeout",
                message="the endpoint speaks because the user was silent",
            )
        ],
    ),
    (server("input_audio_buffer.cleared"), []),
    (server("conversation.item.truncated", item_id="a1", content_index=0, audio_end_ms=9), []),
    (server("conversation.item.deleted", item_id="a1"), []),
]

OTHERS: list[tuple[str, Json, list[EndpointEvent]]] = [
    (
        "openai-beta",
        server("response.audio.delta", **PART, delta=B64),
        [at(AudioReceived, pcm=PCM, item="a1", response="r1")],
    ),
    ("openai-beta", server("response.audio.done", **PART), [at(ItemEnded, item="a1", response="r1")]),
    ("qwen", server("response.audio_transcript.delta", **PART, delta="Hel"), [text("Hel", TextMode.DELTA)]),
    (
        "voice-live",
        server("response.audio_transcript.done", **PART, transcript="Hello"),
        [text("Hello", TextMode.FINAL)],
    ),
    ("voice-live", server("response.text.delta", **PART, delta="Hel"), [text("Hel", TextMode.DELTA)]),
    ("voice-live", server("response.text.done", **PART, text="Hello"), [text("Hello", TextMode.FINAL)]),
    (
        "voice-live",
        server("warning", warning={"code": "slow", "message": "wait"}),
        [at(Notice, level=NoticeLevel.WARNING, code="slow", message="wait")],
    ),
    ("s2s", user_item("conversation.item.created"), [at(UserItemPlaced, item="u1", previous="a0")]),
    (
        "s2s",
        server("error", error={"type": "session_limit_reached", "message": "full"}),
        [at(Notice, level=NoticeLevel.ERROR, code="session_limit_reached", message="full", fatal=True)],
    ),
    ("xai", server("ping", timestamp=1), []),
    (
        "xai",
        server(f"{TRANSCRIPTION}.updated", item_id="u1", transcript="hello th"),
        [heard("hello th", TextMode.CUMULATIVE)],
    ),
    (
        "xai",
        server("response.done", response={"id": "r1", "status": "completed"}, usage={"total_tokens": 3}),
        [
            at(Usage, unit=UsageUnit.TOKENS, values={"total_tokens": 3.0}, response="r1"),
            at(ResponseEnded, response="r1", status=ResponseStatus.COMPLETED),
        ],
    ),
    (
        "openai",
        server("error", error="plain words"),
        [at(Notice, level=NoticeLevel.ERROR, code="error", message="plain words")],
    ),
    (
        "openai",
        server("response.done", response={"id": "r1"}),
        [at(ResponseEnded, response="r1", status=ResponseStatus.INCOMPLETE, reason="status ''")],
    ),
    (
        "openai",
        server("response.audio_chunk.delta", **PART, delta=B64),
        [at(Unknown, type="response.audio_chunk.delta")],
    ),
    ("openai", server("ping"), [at(Unknown, type="ping")]),
    ("glm", server("heartbeat"), []),
    (
        "glm",
        server("response.audio.delta", response_id="r1", output_index=0, content_index=0, delta=B64),
        [at(AudioReceived, pcm=PCM, item="r1", response="r1")],
    ),
    (
        "glm",
        server("response.function_call_arguments.done", response_id="r1", name="f", arguments="{}"),
        [at(ToolCalled, call="r1#1", name="f", arguments="{}")],
    ),
    (
        "stepfun",
        server("response.audio_transcript.done", **PART, transcript="Hello"),
        [text("Hello", TextMode.FINAL)],
    ),
    ("voice-live", server("response.animation_viseme.delta", viseme_id=1), []),
    ("vllm-omni", server("response.listen"), []),
    ("vllm-omni", server("session.expired"), [at(Ending, reason="the endpoint says session.expired")]),
    (
        "vllm-omni",
        server("session.closed", reason="max_age"),
        [at(Ending, reason="the endpoint says max_age")],
    ),
]


@pytest.mark.parametrize(("message", "events"), GA, ids=[str(m["type"]) for m, _ in GA])
def test_ga_messages_give_these_events(message: Json, events: list[EndpointEvent]) -> None:
    TypeAdapter(RealtimeServerEvent).validate_python(
        message
    )  # what we call GA is GA to the official client
    assert receive(codec(), message) == events


@pytest.mark.parametrize(
    ("dialect", "message", "events"), OTHERS, ids=[f"{d} {m['type']}" for d, m, _ in OTHERS]
)
def test_messages_of_dialects_give_these_events(
    dialect: str, message: Json, events: list[EndpointEvent]
) -> None:
    assert receive(codec(dialect), message) == events


@pytest.mark.parametrize(("message", "events"), GA, ids=[str(m["type"]) for m, _ in GA])
@pytest.mark.parametrize("dialect", sorted(DIALECTS.keys() - {"openai"}))
def test_every_dialect_understands_the_ga_names(
    dialect: str, message: Json, events: list[EndpointEvent]
) -> None:
    assert receive(codec(dialect), message) == [said_by(dialect, event) for event in events]


def said_by(dialect: str, event: EndpointEvent) -> EndpointEvent:
    """OpenAI's event in a dialect: another model transcribes, and a piece may be the whole so far."""
    if isinstance(event, Usage) and event.model:
        return replace(event, model=DIALECTS[dialect].transcription)
    if isinstance(event, UserTextReceived) and event.mode is TextMode.DELTA:
        cumulative = DIALECTS[dialect].user_text is TextMode.CUMULATIVE
        return replace(event, mode=TextMode.CUMULATIVE) if cumulative else event
    return event


def test_ready_comes_with_session_updated_and_only_once() -> None:
    made = codec(ready=False)
    assert receive(made, server("session.created", session={"id": "sess_1"})) == []
    message = server("session.updated", session={"id": "sess_1", "model": "gpt-realtime-2.1"})
    assert receive(made, message) == [at(Ready, session="sess_1", model="gpt-realtime-2.1")]
    assert receive(made, message) == []


def test_a_tool_call_told_twice_is_one_call() -> None:
    arguments = server("response.function_call_arguments.done", **PART, call_id="c1", arguments="{}")
    events = receive(
        codec(), call_item("response.output_item.added"), arguments, call_item("response.output_item.done")
    )
    # the beta's `arguments.done` has no name: it comes from `output_item.added`
    assert events == [ToolCalled(at=5.0, raw=1, call="c1", name="hours", arguments="{}")]


def test_a_user_item_placed_twice_at_the_same_place_is_told_once() -> None:
    committed = server("input_audio_buffer.committed", item_id="u1", previous_item_id="a0")
    assert len(receive(codec(), committed, user_item("conversation.item.added"))) == 1


def test_late_and_interleaved_transcripts_keep_their_items() -> None:
    def placed(item: str, previous: str | None) -> Json:
        return server("input_audio_buffer.committed", item_id=item, previous_item_id=previous)

    def words(kind: str, item: str, name: str, value: str) -> Json:
        return server(f"{TRANSCRIPTION}.{kind}", item_id=item, content_index=0, **{name: value})

    events = receive(
        codec(),
        placed("u1", None),
        placed("u2", "a1"),
        words("delta", "u1", "delta", "hello "),
        words("delta", "u2", "delta", "world "),
        words("delta", "u1", "delta", "how "),
        words("delta", "u2", "delta", "are you"),
        words("completed", "u2", "transcript", "world are you"),
        words("completed", "u1", "transcript", "hello how"),
    )
    order = {each.item: each.previous for each in events if isinstance(each, UserItemPlaced)}
    assert order == {"u1": None, "u2": "a1"}
    texts = [each for each in events if isinstance(each, UserTextReceived)]
    finals = {each.item: each.text for each in texts if each.mode is TextMode.FINAL}
    assert finals == {"u1": "hello how", "u2": "world are you"}
    deltas = [
        "".join(e.text for e in texts if e.item == i and e.mode is TextMode.DELTA) for i in ("u1", "u2")
    ]
    assert deltas == ["hello how ", "world are you"]


@pytest.mark.parametrize(
    ("name", "received", "unknown"),
    [
        ("response.output_audio.delta", 24000, 0),
        ("response.audio.delta", 24000, 0),
        ("response.audio_chunk.delta", 0, 10),
    ],
)
def test_a_reply_under_a_renamed_event_has_no_audio_and_says_so(
    name: str, received: int, unknown: int
) -> None:
    hundred_ms = base64.b64encode(b"\x01\x00" * 2400).decode()
    deltas = [server(name, **PART, delta=hundred_ms) for _ in range(10)]
    reply = [server("response.created", response={"id": "r1"}), *deltas, done("r1")]
    events = receive(codec(), *reply)
    assert sum(len(each.pcm) // 2 for each in events if isinstance(each, AudioReceived)) == received
    assert [e.type for e in events if isinstance(e, Unknown)] == [name] * unknown
    assert isinstance(events[-1], ResponseEnded)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("{", "no JSON"),
        ("[]", "JSON list"),
        ("{}", "field type: nothing"),
        ('{"type": 7}', "field type: int"),
        ('{"type": "response.created"}', r"field response\.id: nothing"),
        ('{"type": "response.created", "response": "r1"}', "field response: str, expected an object"),
        ('{"type": "response.output_audio.delta", "item_id": "a", "delta": "*"}', "expected base64"),
        ('{"type": "response.output_audio.delta", "item_id": 7, "delta": "AAAA"}', "field item_id: int"),
        (
            '{"type": "input_audio_buffer.speech_started", "audio_start_ms": "1"}',
            "expected a finite number",
        ),
        ('{"type": "rate_limits.updated", "rate_limits": [1]}', "expected a list of objects"),
    ],
)
def test_a_broken_message_is_a_notice_and_never_an_exception(message: str, found: str) -> None:
    (event,) = codec().receive(message, at=5.0, raw=0)
    assert isinstance(event, Notice)
    assert (event.level, event.code) == (NoticeLevel.ERROR, "protocol_violation")
    assert re.search(found, event.message)
