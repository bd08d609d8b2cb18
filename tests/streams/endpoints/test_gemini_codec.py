from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

from streams.audio import Frame, to_pcm
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
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.gemini.codec import GeminiCodec
from streams.endpoints.gemini.setup import GeminiOptions
from streams.endpoints.pieces import Stamp
from streams.endpoints.protocol import Pace, PlaybackReport, TurnMode

PCM = b"\x10\x27" * 240
SPEECH = Frame(b"\x10\x27" * 320, 16000)


def codec(**options: Any) -> GeminiCodec:
    made = GeminiCodec(GeminiOptions(**{"model": "gemini-x", **options}))
    made.opening()
    made.receive(b'{"setupComplete": {}}', at=0.0, raw=0)
    return made


def take(made: GeminiCodec, *messages: dict[str, Any], at: float = 1.0) -> list[EndpointEvent]:
    return [e for m in messages for e in made.receive(json.dumps(m).encode(), at=at, raw=7)]


def content(**fields: Any) -> dict[str, Any]:
    return {"serverContent": fields}


def audio(pcm: bytes = PCM, mime: str = "audio/pcm;rate=24000") -> dict[str, Any]:
    blob = {"mimeType": mime, "data": base64.b64encode(pcm).decode()}
    return content(modelTurn={"role": "model", "parts": [{"inlineData": blob}]})


def blob(mime: str, data: str) -> str:
    """Sound as it stands in a message, right or wrong."""
    parts = [{"inlineData": {"mimeType": mime, "data": data}}]
    return json.dumps({"serverContent": {"modelTurn": {"parts": parts}}})


def sent(messages: Any) -> list[dict[str, Any]]:
    return [json.loads(message) for message in messages]


def test_a_session_opens_with_its_setup_and_is_ready_when_that_is_confirmed() -> None:
    made = GeminiCodec(GeminiOptions(model="gemini-x"))
    (opening,) = sent(made.opening())
    assert opening == {
        "setup": {
            "model": "models/gemini-x",
            "generationConfig": {"responseModalities": ["AUDIO"]},
            "inputAudioTranscription": {},
            "outputAudioTranscription": {},
            "sessionResumption": {},
        }
    }
    (ready,) = made.receive(b'{"setupComplete": {"sessionId": "s-1"}}', at=2.0, raw=0)
    assert ready == Ready(at=2.0, raw=0, session="s-1", model="gemini-x")


def test_what_it_can_do() -> None:
    able = codec().capabilities
    assert (able.input.rate, able.output.rate, able.pace) == (16000, 24000, Pace.BURST)
    assert (able.playback_report, able.usage_unit) == (PlaybackReport.NONE, UsageUnit.TOKENS)
    assert able.continuous and not codec(turns=TurnMode.MANUAL).capabilities.continuous
    # a connection lasts 10 minutes, a session without compression 15
    assert codec(resumption=False).capabilities.max_session_s == 600
    assert able.max_session_s == 900
    assert codec(compression=True).capabilities.max_session_s is None


def test_frames_go_out_as_base64_with_their_rate() -> None:
    (message,) = sent(codec().audio(SPEECH))
    sound = message["realtimeInput"]["audio"]
    assert sound["mimeType"] == "audio/pcm;rate=16000"
    assert base64.b64decode(sound["data"]) == SPEECH.pcm


def test_in_manual_mode_only_what_is_within_a_turn_is_sent() -> None:
    made = codec(turns=TurnMode.MANUAL)
    assert made.audio(SPEECH) == []
    assert sent(made.begin_turn()) == [{"realtimeInput": {"activityStart": {}}}]
    assert len(made.audio(SPEECH)) == 1
    assert sent(made.end_turn()) == [{"realtimeInput": {"activityEnd": {}}}]
    assert made.audio(SPEECH) == made.end_turn() == []
    assert [next(iter(m["realtimeInput"])) for m in sent(made.text("hi"))] == [
        "activityStart",
        "text",
        "activityEnd",
    ]


def test_with_automatic_detection_turns_are_not_marked() -> None:
    made = codec()
    assert made.begin_turn() == made.end_turn() == []
    assert sent(made.text("hello")) == [{"realtimeInput": {"text": "hello"}}]


def test_a_reply_has_bounds_an_item_and_words() -> None:
    made = codec()
    events = take(
        made,
        audio(),
        content(outputTranscription={"text": "Good "}),
        content(outputTranscription={"text": "morning."}),
        content(generationComplete=True),
        content(turnComplete=True),
    )
    name, stamp = "response-1", Stamp(at=1.0, raw=7)
    assert events == [
        ResponseStarted(response=name, **stamp),
        AudioReceived(pcm=PCM, item="item-1", response=name, **stamp),
        TextReceived(text="Good ", mode=TextMode.DELTA, item="item-1", response=name, **stamp),
        TextReceived(text="morning.", mode=TextMode.DELTA, item="item-1", response=name, **stamp),
        ItemEnded(item="item-1", response=name, **stamp),
        ResponseEnded(response=name, status=ResponseStatus.COMPLETED, **stamp),
    ]


def test_words_that_come_before_their_sound_or_after_its_end_are_of_the_same_item() -> None:
    made = codec()
    events = take(
        made,
        content(outputTranscription={"text": "Good "}),
        audio(),
        content(generationComplete=True),
        content(outputTranscription={"text": "morning."}),
        content(turnComplete=True),
        audio(),
    )
    assert [e.item for e in events if isinstance(e, TextReceived | AudioReceived)] == [
        "item-1",
        "item-1",
        "item-1",
        "item-2",
    ]


def test_everything_may_stand_in_one_message() -> None:
    made = codec()
    whole = audio()
    whole["serverContent"] |= {
        "outputTranscription": {"text": "Hi."},
        "inputTranscription": {"text": "Hello."},
        "generationComplete": True,
        "turnComplete": True,
    }
    whole["usageMetadata"] = {"totalTokenCount": 9}
    assert [type(event).__name__ for event in take(made, whole)] == [
        "Usage",
        "ResponseStarted",
        "AudioReceived",
        "UserTextReceived",
        "TextReceived",
        "ItemEnded",
        "ResponseEnded",
    ]


def test_while_the_server_works_on_its_next_sound_is_another_item_of_the_same_turn() -> None:
    made = codec()
    events = take(
        made,
        audio(),
        content(generationComplete=True, turnComplete=True, interactionStatus="IN_PROGRESS"),
        audio(),
        content(generationComplete=True, turnComplete=True, interactionStatus="IDLE"),
    )
    assert [e.item for e in events if isinstance(e, AudioReceived)] == ["item-1", "item-2"]
    assert [e.response for e in events if isinstance(e, ResponseEnded)] == ["response-1"]
    assert isinstance(events[-1], ResponseEnded)


def test_an_interruption_flushes_and_late_audio_stays_of_the_cut_reply() -> None:
    made = codec()
    take(made, audio())
    assert take(made, content(interrupted=True), at=2.0) == [
        Flush(at=2.0, raw=7, responses=("response-1",))
    ]
    (late,) = take(made, audio(), at=2.3)
    assert isinstance(late, AudioReceived) and late.response == "response-1"
    *_, ended = take(made, content(turnComplete=True), at=2.4)
    assert ended == ResponseEnded(
        at=2.4, raw=7, response="response-1", status=ResponseStatus.CANCELLED, reason="interrupted"
    )
    started, *_ = take(made, audio(), at=2.5)
    assert started == ResponseStarted(at=2.5, raw=7, response="response-2")


def test_a_cut_reply_that_is_never_ended_swallows_no_later_one() -> None:
    made = codec()
    take(made, audio())
    take(made, content(interrupted=True), at=2.0)
    # 0.9 s after the cut the audio is still late, 1.0 s after it is of a new reply
    (late,) = take(made, audio(), at=2.9)
    assert isinstance(late, AudioReceived) and late.response == "response-1"
    events = take(made, audio(), at=3.0)
    assert [type(e).__name__ for e in events] == [
        "ItemEnded",
        "ResponseEnded",
        "ResponseStarted",
        "AudioReceived",
    ]


def test_an_interruption_of_a_reply_that_was_delivered_whole_still_flushes() -> None:
    made = codec()
    take(made, audio(), content(generationComplete=True), content(turnComplete=True))
    assert take(made, content(interrupted=True)) == [Flush(at=1.0, raw=7)]


@pytest.mark.parametrize("reason", ["NEED_MORE_INPUT", "RESPONSE_REJECTED"])
def test_a_turn_that_ends_for_a_reason_is_incomplete(reason: str) -> None:
    made = codec()
    take(made, audio())
    ended = take(made, content(turnComplete=True, turnCompleteReason=reason))[-1]
    assert isinstance(ended, ResponseEnded)
    assert (ended.status, ended.reason) == (ResponseStatus.INCOMPLETE, reason.lower())
    (notice,) = take(made, content(turnComplete=True, turnCompleteReason=reason))  # without any output
    assert isinstance(notice, Notice) and notice.message == reason.lower()


def test_what_the_user_said_comes_in_pieces_and_whole_when_it_is_finished() -> None:
    made = codec()
    events = take(
        made,
        content(inputTranscription={"text": "What is "}),
        content(inputTranscription={"text": "this?", "finished": True}),
        content(inputTranscription={"text": "And that?"}),
    )
    assert [(e.text, e.mode, e.item) for e in events if isinstance(e, UserTextReceived)] == [
        ("What is ", TextMode.DELTA, "user-1"),
        ("What is this?", TextMode.FINAL, "user-1"),
        ("And that?", TextMode.DELTA, "user-2"),
    ]


def test_a_transcript_without_an_end_begins_anew_after_the_reply_or_with_an_interruption() -> None:
    made = codec()
    events = take(
        made,
        content(inputTranscription={"text": "First."}),
        audio(),
        content(inputTranscription={"text": " Late."}),
        content(generationComplete=True, turnComplete=True),
        content(inputTranscription={"text": "Second."}),
        audio(),
        content(interrupted=True),
        content(inputTranscription={"text": "Third."}),
        content(turnComplete=True),
        content(inputTranscription={"text": " Still third."}),
    )
    assert [(e.text, e.item) for e in events if isinstance(e, UserTextReceived)] == [
        ("First.", "user-1"),
        (" Late.", "user-1"),
        ("Second.", "user-2"),
        ("Third.", "user-3"),
        (" Still third.", "user-3"),
    ]


def test_thoughts_are_not_said() -> None:
    parts = [{"text": "hmm", "thought": True}, {"text": "Yes."}]
    events = take(codec(), content(modelTurn={"parts": parts}))
    assert [e.text for e in events if isinstance(e, TextReceived)] == ["Yes."]


def test_tools_are_called_answered_and_taken_back() -> None:
    made = codec()
    calls = [{"id": f"c{n}", "name": "weather", "args": {"city": "Bern"}} for n in (1, 2, 3)]
    called = take(made, {"toolCall": {"functionCalls": calls}})
    assert [(e.call, e.name, e.arguments) for e in called if isinstance(e, ToolCalled)] == [
        (f"c{n}", "weather", '{"city": "Bern"}') for n in (1, 2, 3)
    ]
    (answer,) = sent(made.tool_result("c1", "blue", error=False))
    assert answer["toolResponse"]["functionResponses"] == [
        {"id": "c1", "name": "weather", "response": {"output": "blue"}}
    ]
    (failed,) = sent(made.tool_result("c2", "no sky", error=True))
    assert failed["toolResponse"]["functionResponses"][0]["response"] == {"error": "no sky"}
    (gone,) = take(made, {"toolCallCancellation": {"ids": ["c3"]}})
    assert gone == ToolCalled(at=1.0, raw=7, call="c3", name="weather", arguments="", cancelled=True)
    assert made.tool_result("c3", "too late", error=False) == []


def test_usage_is_of_its_reply_with_modalities() -> None:
    made = codec()
    take(made, audio())
    counts = {
        "promptTokenCount": 120,
        "responseTokenCount": 40,
        "totalTokenCount": 160,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 20},
            {"modality": "AUDIO", "tokenCount": 100},
        ],
        "responseTokensDetails": [{"modality": "AUDIO", "tokenCount": 40}],
    }
    (usage,) = take(made, {"usageMetadata": counts})
    assert usage == Usage(
        at=1.0,
        raw=7,
        unit=UsageUnit.TOKENS,
        values={
            "promptTokenCount": 120,
            "responseTokenCount": 40,
            "totalTokenCount": 160,
            "promptTokensDetails.TEXT": 20,
            "promptTokensDetails.AUDIO": 100,
            "responseTokensDetails.AUDIO": 40,
        },
        response="response-1",
    )


def test_voice_activity_is_told_where_the_server_tells_it() -> None:
    (event,) = take(codec(), {"voiceActivity": {"type": "ACTIVITY_START", "audioOffset": "1.500s"}})
    assert event == UserSpeech(at=1.0, raw=7, edge=Edge.START, server_ms=1500)


def test_an_announced_end_tells_its_time_and_whether_the_session_can_go_on() -> None:
    handle = {"sessionResumptionUpdate": {"newHandle": "h", "resumable": True}}
    for made, resumable in ((codec(), False), (codec(), True)):
        if resumable:
            take(made, handle)
        (ending,) = take(made, {"goAway": {"timeLeft": "50s"}})
        assert ending == Ending(at=1.0, raw=7, time_left_s=50, reason="goAway", resumable=resumable)


def test_audio_at_another_rate_is_converted_and_noted_once() -> None:
    made = codec()
    tone = (8000 * np.sin(np.arange(1600) * 2 * np.pi * 250 / 16000)).astype("<i2").tobytes()  # 0.1 s
    events = take(made, *[audio(tone, "audio/pcm;rate=16000")] * 3, content(generationComplete=True))
    pcm = b"".join(e.pcm for e in events if isinstance(e, AudioReceived))
    assert len(pcm) == 2 * 7200  # 0.3 s at 24000 a second
    rising = np.count_nonzero(np.diff((to_pcm(pcm) > 0).astype(int)) == 1)
    assert 74 <= rising <= 76  # 250 Hz for 0.3 s
    (notice,) = (e for e in events if isinstance(e, Notice))
    assert (notice.level, notice.code) == (NoticeLevel.WARNING, "audio_rate")


@pytest.mark.parametrize(
    "message",
    [
        b"\xff\xfe{",
        b"[1]",
        blob("audio/pcm", "!"),
        blob("audio/ogg", "AAAA"),
        blob("audio/pcm;rate=50", "AAAA"),
        '{"goAway": {"timeLeft": "1h"}}',
        '{"toolCall": {"functionCalls": [{"name": "f"}]}}',
    ],
)
def test_a_message_that_breaks_the_protocol_is_noted(message: str | bytes) -> None:
    (notice,) = codec().receive(message, at=1.0, raw=7)
    assert isinstance(notice, Notice)
    assert (notice.level, notice.code, notice.fatal) == (NoticeLevel.ERROR, "protocol_violation", False)


def test_what_is_new_is_named() -> None:
    part = content(modelTurn={"parts": [{"code": 1}]})
    events = take(codec(), {"newThing": {}}, content(newField=1), part)
    assert [e.type for e in events if isinstance(e, Unknown)] == [
        "newThing",
        "serverContent.newField",
        "modelTurn.code",
    ]


def test_a_cancel_interrupts_a_reply_and_asks_for_none() -> None:
    made = codec()
    assert made.cancel() == []
    take(made, audio())
    assert sent(made.cancel()) == [{"clientContent": {"turnComplete": False}}]
