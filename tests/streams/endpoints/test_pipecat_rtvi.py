"""What RTVI messages say, as events of `streams.endpoints.pipecat.rtvi`."""

from __future__ import annotations

import json

import pytest

from streams.endpoints.events import (
    AudioReceived,
    Edge,
    EndpointEvent,
    Notice,
    NoticeLevel,
    TextMode,
    TextReceived,
    ToolCalled,
    Unknown,
    Usage,
    UsageUnit,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.fake import tone
from streams.endpoints.protocol import Message
from tests.streams.endpoints.pipecat_calls import at_once, codec, ready
from tests.streams.vendors.pipecat import PipecatVendor, rtvi, sound
from tests.streams.vendors.vendor import Reply

PCM = tone(0.04)
REPLY = Reply()


def texts(events: list[EndpointEvent]) -> list[tuple[str, str]]:
    return [(event.text, event.item) for event in events if isinstance(event, TextReceived)]


def sentence(text: str, segment: int, status: str = "new", **more: object) -> Message:
    data = {"text": text, "segment_id": segment, "spoken_status": status, "will_be_spoken": True, **more}
    return rtvi("bot-output", data)


def test_a_sentence_is_told_once_and_the_next_is_put_behind_a_space() -> None:
    events = at_once(
        ready(),
        rtvi("bot-started-speaking"),
        sentence("Good morning.", 1),
        sentence("Good morning.", 1, "in-progress"),
        sentence("Good morning.", 1, "completed"),
        rtvi("bot-tts-text", {"text": "Good morning."}),
        sentence("How are you?", 2),
        sentence("(waves)", 3, will_be_spoken=False),
    )
    assert texts(events) == [("Good morning.", "reply-1"), (" How are you?", "reply-1")]
    assert all(event.mode is TextMode.DELTA for event in events if isinstance(event, TextReceived))


def test_the_words_of_an_older_bot_are_what_its_voice_says() -> None:
    events = at_once(
        ready(),
        rtvi("bot-started-speaking"),
        rtvi("bot-llm-text", {"text": "Good "}),
        rtvi("bot-tts-text", {"text": "Good"}),
        rtvi("bot-tts-text", {"text": "morning."}),
        rtvi("bot-stopped-speaking"),
        rtvi("bot-started-speaking"),
        # protocol 1: told when it is put together, and when it is said
        rtvi("bot-output", {"text": "Bye.", "spoken": False}),
        rtvi("bot-output", {"text": "Bye.", "spoken": True}),
    )
    assert texts(events) == [("Good", "reply-1"), (" morning.", "reply-1"), ("Bye.", "reply-2")]


def test_words_that_come_after_the_sound_belong_to_the_reply_before() -> None:
    vendor = PipecatVendor()
    ours = ready()
    at_once(ours, *vendor.begin(REPLY), *vendor.audio(REPLY, PCM), *vendor.end(REPLY))
    assert texts(at_once(ours, sentence("Good morning.", 1))) == [("Good morning.", "reply-1")]


def heard(text: str, kind: str = "user-input", *, final: bool = True, **more: object) -> Message:
    return rtvi(kind, {"text": text, "final": final, **more})


def test_what_the_user_said_replaces_itself_until_it_is_final() -> None:
    events = at_once(
        ready(),
        heard("Hel", final=False),
        heard("Hello.", kind="user-input"),
        heard("Hello.", kind="user-transcription"),
        heard("Are you there?"),
        heard("typed", input_type="chat"),
    )
    told = [(e.text, e.mode, e.item) for e in events if isinstance(e, UserTextReceived)]
    assert told == [
        ("Hel", TextMode.CUMULATIVE, "user-1"),
        ("Hello.", TextMode.FINAL, "user-1"),
        ("Are you there?", TextMode.FINAL, "user-2"),
    ]


# --- the rest


@pytest.mark.parametrize(
    ("kind", "field"), [("llm-function-call", "args"), ("llm-function-call-in-progress", "arguments")]
)
def test_a_tool_call_is_told_once_and_may_be_taken_back(kind: str, field: str) -> None:
    ours = ready()
    call = rtvi(kind, {"tool_call_id": "c", "function_name": "weather", field: {"city": "Bern"}})
    stopped = [
        rtvi("llm-function-call-stopped", {"tool_call_id": "c", "cancelled": gone})
        for gone in (False, True)
    ]
    assert at_once(ours, call, call, *stopped) == [
        ToolCalled(at=1.0, raw=0, call="c", name="weather", arguments='{"city": "Bern"}', told=True),
        ToolCalled(at=1.0, raw=3, call="c", name="weather", arguments="", cancelled=True),
    ]


def test_a_call_that_keeps_its_name_to_itself_is_a_call() -> None:
    (event,) = at_once(ready(), rtvi("llm-function-call-in-progress", {"tool_call_id": "c"}))
    assert event == ToolCalled(at=1.0, raw=0, call="c", name="", arguments="{}", told=True)


def test_an_error_while_the_bot_starts_is_no_reason_not_to_call_unless_it_is_fatal() -> None:
    vendor = PipecatVendor()
    (mild,), (fatal,) = vendor.error("slow", fatal=False), vendor.error("gone", fatal=True)
    levels = [event.level for event in at_once(codec(), mild, fatal) if isinstance(event, Notice)]
    assert levels == [NoticeLevel.WARNING, NoticeLevel.ERROR]
    assert at_once(ready(), mild) == [
        Notice(at=1.0, raw=0, level=NoticeLevel.ERROR, code="error", message="slow")
    ]


def test_a_version_that_the_bot_does_not_like_is_a_warning() -> None:
    (event,) = at_once(codec(), rtvi("error-response", {"error": "version"}, id="1"))
    assert isinstance(event, Notice) and event.level is NoticeLevel.WARNING


def test_metrics_are_usage_since_the_last_and_the_bot_s_own_word_on_its_latency() -> None:
    data = {
        "tokens": [{"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17}],
        "characters": [{"processor": "TTS", "value": 48}],
        "stt_usage": [{"processor": "STT", "value": {"audio_seconds": 1.5}}],
        "ttfb": [{"processor": "LLM", "value": 0.25}, {"processor": "TTS", "value": 0.0}],
        "processing": [{"processor": "LLM", "value": 0.3}],
    }
    tokens, characters, seconds, first_byte = at_once(ready(), rtvi("metrics", data))
    counted = {"prompt_tokens": 10.0, "completion_tokens": 7.0, "total_tokens": 17.0}
    assert tokens == Usage(at=1.0, raw=0, unit=UsageUnit.TOKENS, values=counted)
    assert characters == Usage(at=1.0, raw=0, unit=UsageUnit.CHARACTERS, values={"tts_characters": 48.0})
    assert seconds == Usage(at=1.0, raw=0, unit=UsageUnit.SECONDS, values={"stt_audio_seconds": 1.5})
    assert isinstance(first_byte, Notice) and first_byte.message == "LLM says 0.250 s to its first byte"


def test_types_that_are_not_known_are_counted_and_what_is_the_application_s_is_noted() -> None:
    foreign = rtvi("bot-thought")
    unlabelled = sound(b"", 24000)
    events = at_once(ready(), foreign, unlabelled, rtvi("server-message", {"mood": "good"}))
    assert events == [
        Unknown(at=1.0, raw=0, type="bot-thought"),
        Notice(at=1.0, raw=2, level=NoticeLevel.INFO, code="server-message", message='{"mood": "good"}'),
    ]


def test_rtvi_in_a_text_message_is_read_too() -> None:
    plain = json.dumps({"label": "rtvi-ai", "type": "user-started-speaking"})
    assert at_once(ready(), plain) == [UserSpeech(at=1.0, raw=0, edge=Edge.START)]


def test_a_broken_message_is_a_notice_and_breaks_nothing() -> None:
    ours = ready()
    for message in PipecatVendor().malformed():
        (event,) = at_once(ours, message)
        assert isinstance(event, Notice) and event.code == "protocol_violation"
    assert isinstance(at_once(ours, sound(PCM, 24000))[0], AudioReceived)
