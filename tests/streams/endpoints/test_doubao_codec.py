from __future__ import annotations

import json
from typing import Any

import pytest

from streams.audio import Frame
from streams.endpoints.doubao.codec import DoubaoCodec
from streams.endpoints.doubao.events import DoubaoOptions
from streams.endpoints.doubao.frames import Kind, WireFrame, unpack
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
    Unknown,
    Usage,
    UsageUnit,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.pieces import Stamp
from streams.endpoints.protocol import Message, PlaybackReport, PlaybackState, Played, TurnMode
from tests.streams.vendors.doubao import failure, frame, sound

PCM = b"\x10\x27" * 240
SPEECH = Frame(b"\x10\x27" * 320, 16000)
STAMP = Stamp(at=1.0, raw=7)


def codec(**options: Any) -> DoubaoCodec:
    made = DoubaoCodec(DoubaoOptions(**options), "s-1")
    made.opening()
    made.receive(frame(50, {}), at=0.0, raw=0)
    made.replies()
    made.receive(frame(150, {"dialog_id": "d-1"}, name="s-1"), at=0.0, raw=1)
    return made


def take(made: DoubaoCodec, *messages: Message, at: float = 1.0) -> list[EndpointEvent]:
    return [event for message in messages for event in made.receive(message, at=at, raw=7)]


def event(number: int, **body: Any) -> bytes:
    return frame(number, body, name="s-1")


def read(messages: Any) -> list[WireFrame]:
    return [unpack(message) for message in messages]


def test_a_session_opens_in_two_steps() -> None:
    made = DoubaoCodec(DoubaoOptions(voice="zh_female_vv_jupiter_bigtts", silence_ms=800), "s-1")
    (first,) = read(made.opening())
    assert (first.kind, first.event, first.id, first.payload) == (Kind.CLIENT, 1, "", b"{}")
    assert take(made, frame(50, {}, name="c-1")) == []
    (second,) = read(made.replies())
    assert (second.event, second.id) == (100, "s-1")
    assert json.loads(second.payload) == {
        "dialog": {"extra": {"model": "1.2.1.1", "enable_conversation_truncate": True}},
        "tts": {
            "audio_config": {"channel": 1, "format": "pcm_s16le", "sample_rate": 24000},
            "speaker": "zh_female_vv_jupiter_bigtts",
        },
        "asr": {"extra": {"end_smooth_window_ms": 800}},
    }
    assert take(made, event(150, dialog_id="d-1")) == [Ready(session="d-1", model="1.2.1.1", **STAMP)]
    assert made.replies() == []


@pytest.mark.parametrize(
    ("model", "field", "report"),
    [
        ("1.2.1.1", "system_role", PlaybackReport.TRUNCATE),
        ("2.2.0.0", "character_manifest", PlaybackReport.TRUNCATE),
        ("O", "system_role", PlaybackReport.NONE),
        ("SC", "character_manifest", PlaybackReport.NONE),
    ],
)
def test_models_differ_in_where_they_are_instructed_and_whether_they_truncate(
    model: str, field: str, report: PlaybackReport
) -> None:
    made = DoubaoCodec(DoubaoOptions(model=model, instructions="Be brief."), "s-1")
    take(made, frame(50, {}))
    asked = json.loads(read(made.replies())[0].payload)
    assert asked["dialog"][field] == "Be brief."
    assert made.capabilities.playback_report is report
    truncates = "enable_conversation_truncate" in asked["dialog"]["extra"]
    assert truncates is (report is PlaybackReport.TRUNCATE)


def test_frames_go_out_as_they_are() -> None:
    (task,) = read(codec().audio(SPEECH))
    assert task == WireFrame(kind=Kind.CLIENT_AUDIO, event=200, id="s-1", payload=SPEECH.pcm, raw=True)


def test_push_to_talk_marks_the_end_and_interrupts_a_reply() -> None:
    made = codec(turns=TurnMode.MANUAL)
    assert made.audio(SPEECH) == made.begin_turn() == []
    assert len(made.audio(SPEECH)) == 1
    assert [each.event for each in read(made.end_turn())] == [400]
    assert made.audio(SPEECH) == made.end_turn() == []
    take(made, event(350, reply_id="r-1"))
    assert [each.event for each in read(made.begin_turn())] == [515]
    assert not made.capabilities.continuous
    automatic = codec()
    take(automatic, event(350, reply_id="r-1"))
    assert automatic.begin_turn() == automatic.end_turn() == automatic.cancel() == []


def test_a_reply_has_the_name_that_the_server_gave_it() -> None:
    made = codec()
    events = take(
        made,
        event(550, content="Good ", question_id="q-1", reply_id="r-1"),
        event(350, tts_type="default", text="Good morning.", question_id="q-1", reply_id="r-1"),
        sound(PCM, "s-1"),
        event(550, content="morning.", question_id="q-1", reply_id="r-1"),
        event(351, question_id="q-1", reply_id="r-1"),
        event(350, tts_type="default", text="And you?", question_id="q-1", reply_id="r-1"),
        sound(PCM, "s-1"),
        event(559, question_id="q-1", reply_id="r-1"),
        event(359, question_id="q-1", reply_id="r-1"),
    )
    assert events == [
        TextReceived(text="Good ", mode=TextMode.DELTA, item="r-1", response="r-1", **STAMP),
        ResponseStarted(response="r-1", **STAMP),
        AudioReceived(pcm=PCM, item="r-1", response="r-1", **STAMP),
        TextReceived(text="morning.", mode=TextMode.DELTA, item="r-1", response="r-1", **STAMP),
        AudioReceived(pcm=PCM, item="r-1", response="r-1", **STAMP),
        ItemEnded(item="r-1", response="r-1", **STAMP),
        ResponseEnded(response="r-1", status=ResponseStatus.COMPLETED, **STAMP),
    ]


def test_replies_without_names_get_names_of_ours_that_are_never_told_to_the_server() -> None:
    made = codec()
    events = take(
        made,
        event(550, content="Hello."),
        sound(PCM, "s-1"),
        event(359),
        sound(PCM, "s-1"),
    )
    names = [e.item for e in events if isinstance(e, TextReceived | AudioReceived)]
    assert names == ["unnamed-1", "unnamed-1", "unnamed-2"]
    assert made.played(Played("unnamed-2", 10, 240, PlaybackState.DROPPED)) == []


def test_the_first_word_of_the_user_flushes_and_late_sound_stays_of_the_cut_reply() -> None:
    made = codec()
    take(made, event(350, reply_id="r-1"), sound(PCM, "s-1"))
    assert take(made, event(450, question_id="q-2")) == [
        UserSpeech(edge=Edge.START, item="q-2", **STAMP),
        Flush(responses=("r-1",), **STAMP),
    ]
    (late,) = take(made, sound(PCM, "s-1"))
    assert isinstance(late, AudioReceived) and late.item == "r-1"
    events = take(made, event(350, reply_id="r-2"), sound(PCM, "s-1"))
    assert events == [
        ItemEnded(item="r-1", response="r-1", **STAMP),
        ResponseEnded(response="r-1", status=ResponseStatus.CANCELLED, reason="interrupted", **STAMP),
        ResponseStarted(response="r-2", **STAMP),
        AudioReceived(pcm=PCM, item="r-2", response="r-2", **STAMP),
    ]
    assert take(made, event(359, reply_id="r-1")) == []  # an end that comes too late


def test_what_was_heard_of_a_cut_reply_is_told_in_milliseconds() -> None:
    made = codec()
    # 10830 samples at 24000 a second are 451.25 ms
    (told,) = read(made.played(Played("r-1", 10830, 24000, PlaybackState.DROPPED)))
    assert (told.event, json.loads(told.payload)) == (513, {"item_id": "r-1", "audio_end_ms": 451})
    assert made.played(Played("r-1", 24000, 24000, PlaybackState.COMPLETED)) == []
    assert codec(model="O").played(Played("r-1", 10, 240, PlaybackState.DROPPED)) == []


def test_what_the_user_said_replaces_what_came_before_until_it_is_final() -> None:
    made = codec()
    events = take(
        made,
        event(450, question_id="q-1"),
        event(451, results=[{"text": "What", "is_interim": True}]),
        event(451, results=[{"text": "What is this?", "is_interim": False}]),
        event(459),
    )
    assert [(e.text, e.mode, e.item) for e in events if isinstance(e, UserTextReceived)] == [
        ("What", TextMode.CUMULATIVE, "q-1"),
        ("What is this?", TextMode.CUMULATIVE, "q-1"),
        ("What is this?", TextMode.FINAL, "q-1"),
    ]
    assert [e.edge for e in events if isinstance(e, UserSpeech)] == [Edge.START, Edge.STOP]


def test_usage_is_in_tokens_of_the_reply() -> None:
    made = codec()
    take(made, event(350, reply_id="r-1"))
    (usage,) = take(made, event(154, usage={"input_audio_tokens": 12, "output_audio_tokens": 30}))
    values = {"input_audio_tokens": 12.0, "output_audio_tokens": 30.0}
    assert usage == Usage(unit=UsageUnit.TOKENS, values=values, response="r-1", **STAMP)


def test_text_is_a_query() -> None:
    (query,) = read(codec().text("你好"))
    assert (query.event, json.loads(query.payload)) == (501, {"content": "你好"})


def test_the_goodbye_has_two_steps() -> None:
    made = codec()
    assert [each.event for each in read(made.closing("done"))] == [102]
    assert not made.parted
    assert take(made, event(152)) == []
    assert [each.event for each in read(made.replies())] == [2]
    assert take(made, frame(52, {})) == []
    assert made.parted


def test_a_session_that_the_server_finishes_is_an_end() -> None:
    (ending,) = take(codec(), event(152))
    assert isinstance(ending, Ending) and ending.time_left_s == 0


@pytest.mark.parametrize("number", [51, 153])
def test_a_failed_set_up_is_a_fatal_error(number: int) -> None:
    made = DoubaoCodec(DoubaoOptions(), "s-1")
    (notice,) = take(made, event(number, error="InvalidSpeaker"))
    assert notice == Notice(
        level=NoticeLevel.ERROR, code="failed", message="InvalidSpeaker", fatal=True, **STAMP
    )


def test_errors_come_as_events_or_as_frames() -> None:
    mild, grave, silent, ending = take(
        codec(),
        event(599, status_code="50000000", message="AudioQueryError"),
        failure(52000042, "DialogAudioIdleTimeoutError"),
        failure(45000003, "Abnormal silence audio"),
    )
    assert isinstance(mild, Notice) and isinstance(grave, Notice) and isinstance(silent, Notice)
    assert (mild.code, mild.message, mild.fatal) == ("50000000", "AudioQueryError", False)
    assert (grave.code, grave.message, grave.fatal) == ("52000042", "DialogAudioIdleTimeoutError", True)
    assert isinstance(ending, Ending) and ending.reason == "ten minutes without dialogue"


def test_a_reply_of_the_audit_is_noted() -> None:
    _, notice = take(codec(), event(350, reply_id="r-1", tts_type="audit_content_risky"))
    assert isinstance(notice, Notice) and notice.code == "audit_content_risky"


def test_what_is_new_is_named_and_what_is_no_frame_is_noted() -> None:
    new, text, broken, wrong = take(
        codec(), event(777), "{}", b"\x11\x94", frame(451, {"results": 7}, name="s-1")
    )
    assert new == Unknown(type="event 777, message type 9", **STAMP)
    assert text == Unknown(type="text", **STAMP)
    assert isinstance(broken, Notice) and isinstance(wrong, Notice)
    assert broken.code == wrong.code == "protocol_violation"
    assert "results" in wrong.message
