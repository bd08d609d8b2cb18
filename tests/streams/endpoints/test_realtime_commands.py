"""What the OpenAI Realtime codec sends: audio, turns, playback, cancelling, tools, text."""

from __future__ import annotations

import base64
import json

import pytest
from openai.types.realtime import RealtimeClientEvent
from pydantic import TypeAdapter

from streams.audio import AudioFormat, Encoding, Frame
from streams.endpoints.events import Notice, NoticeLevel
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import RealtimeOptions
from streams.endpoints.protocol import Message, PlaybackState, Played, TurnMode
from tests.streams.endpoints.realtime_messages import (
    Json,
    audio_done,
    codec,
    created,
    delta,
    done,
    receive,
    sent,
    server,
    speech_started,
)

FRAME = Frame(b"\x01\x02" * 480, 24000)
CREATE: Json = {"type": "response.create"}
COMMIT: Json = {"type": "input_audio_buffer.commit"}


def test_audio_is_the_message_that_a_json_encoder_makes() -> None:
    made, name = codec(), "input_audio_buffer.append"
    numbers = []
    for _ in range(2):
        (message,) = made.audio(FRAME)
        fields = json.loads(message)
        assert message == json.dumps(fields)
        assert base64.b64decode(fields["audio"]) == FRAME.pcm
        numbers.append(int(fields["event_id"].removeprefix(f"{name}#")))
        assert list(fields) == ["type", "event_id", "audio"] and fields["type"] == name
    assert numbers[1] == numbers[0] + 1


def manual() -> RealtimeCodec:
    return codec("openai", RealtimeOptions(turns=TurnMode.MANUAL))


def dropped(heard: int, received: int, item: str = "a1") -> Played:
    return Played(item, heard, received, PlaybackState.DROPPED)


def reply(samples: int, *, ended: bool = False) -> RealtimeCodec:
    made = codec()
    receive(made, created("r1"), delta(bytes(2 * samples), "a1", "r1"))
    if ended:
        receive(made, audio_done("a1", "r1"), done("r1"))
    return made


def truncate(end_ms: int) -> Json:
    return {
        "type": "conversation.item.truncate",
        "item_id": "a1",
        "content_index": 0,
        "audio_end_ms": end_ms,
    }


@pytest.mark.parametrize(
    ("heard", "received", "expected"),
    [
        (19200, 48000, truncate(800)),  # 2000 ms arrived, cut at +0.8 s
        (19223, 48000, truncate(800)),  # 800.96 ms: floor, never more than was there
        (48000, 48000, truncate(2000)),  # all that arrived was heard, but the item was not complete
        (99999, 99999, truncate(2000)),  # a report beyond what arrived is clamped
        (0, 48000, {"type": "conversation.item.delete", "item_id": "a1"}),
        (23, 48000, {"type": "conversation.item.delete", "item_id": "a1"}),  # under 1 ms
    ],
)
def test_a_dropped_item_is_truncated_at_what_was_heard(heard: int, received: int, expected: Json) -> None:
    assert sent(reply(48000).played(dropped(heard, received))) == [expected]


def test_the_truncation_counts_samples_at_the_outputs_rate() -> None:
    mulaw = AudioFormat(8000, Encoding.MULAW)
    made = codec("openai", RealtimeOptions(output=mulaw))
    receive(made, created("r1"), delta(bytes(8000), "a1", "r1"))  # one byte a sample: 1000 ms
    assert sent(made.played(dropped(4000, 8000))) == [truncate(500)]


def test_an_item_heard_to_its_end_is_never_truncated() -> None:
    assert list(reply(48000, ended=True).played(dropped(48000, 48000))) == []


def test_a_complete_item_that_was_cut_is_truncated() -> None:
    assert sent(reply(48000, ended=True).played(dropped(24000, 48000))) == [truncate(1000)]


@pytest.mark.parametrize("state", [PlaybackState.PROGRESS, PlaybackState.COMPLETED])
def test_progress_and_completion_are_not_reported(state: PlaybackState) -> None:
    assert list(reply(48000).played(Played("a1", 24000, 48000, state))) == []


def test_before_the_first_audio_there_is_nothing_to_truncate() -> None:
    made = codec()
    receive(made, created("r1"))
    assert list(made.played(dropped(0, 0))) == []


def test_an_item_is_truncated_once() -> None:
    made = reply(48000)
    assert len(made.played(dropped(24000, 48000))) == 1
    assert list(made.played(dropped(24000, 48000))) == []


def test_a_dialect_without_truncation_gets_none() -> None:
    made = codec("qwen")
    receive(made, created("r1"), delta(bytes(960), "a1", "r1"))
    assert list(made.played(dropped(100, 480))) == []


def test_with_server_vad_audio_flows_always_and_nothing_is_committed() -> None:
    made = codec()
    assert [each["type"] for each in sent(made.audio(FRAME))] == ["input_audio_buffer.append"]
    assert [*made.begin_turn(), *made.end_turn()] == []
    assert [each["type"] for each in sent(made.audio(FRAME))] == ["input_audio_buffer.append"]


def test_in_manual_mode_audio_flows_within_turns_and_a_turn_is_committed_once() -> None:
    made = manual()
    assert list(made.audio(FRAME)) == []
    made.begin_turn()
    assert len(made.audio(FRAME)) == 1
    assert sent(made.end_turn()) == [COMMIT, CREATE]
    assert [*made.end_turn(), *made.audio(FRAME)] == []


def test_an_empty_manual_turn_is_not_committed() -> None:
    made = manual()
    made.begin_turn()
    assert list(made.end_turn()) == []


def test_cancel_names_the_responses_that_are_under_way() -> None:
    made = codec()
    assert list(made.cancel()) == []
    receive(made, created("r1"))
    assert sent(made.cancel()) == [{"type": "response.cancel", "response_id": "r1"}]
    receive(made, done("r1", "cancelled"))
    assert list(made.cancel()) == []


def test_a_response_cancelled_before_it_began_is_cancelled_when_it_begins() -> None:
    made = codec()
    made.text("hello")
    assert list(made.cancel()) == []
    receive(made, created("r1"))
    assert sent(made.replies()) == [{"type": "response.cancel", "response_id": "r1"}]
    assert list(made.replies()) == []


def test_a_refused_request_leaves_no_cancel_behind() -> None:
    made = codec()
    request = json.loads(made.text("hello")[-1])
    receive(made, server("error", error={"code": "busy", "event_id": request["event_id"]}))
    made.cancel()
    receive(made, created("r1"))
    assert list(made.replies()) == []


def test_a_request_during_a_response_waits_for_its_end() -> None:
    made = codec()
    receive(made, created("r1"))
    (item,) = sent(made.text("hello"))
    assert item["type"] == "conversation.item.create"
    receive(made, done("r1"))
    assert sent(made.replies()) == [CREATE]


def call(name: str) -> Json:
    return server("response.function_call_arguments.done", call_id=name, name="f", arguments="{}")


def output(name: str, text: str) -> Json:
    item = {"type": "function_call_output", "call_id": name, "output": text}
    return {"type": "conversation.item.create", "item": item}


def test_the_reply_goes_on_once_every_tool_call_has_its_output() -> None:
    made = codec()
    receive(made, created("r1"), call("c1"), call("c2"))
    assert sent(made.tool_result("c1", "9 to 5", error=False)) == [output("c1", "9 to 5")]
    receive(made, done("r1"))
    assert list(made.replies()) == []
    assert sent(made.tool_result("c2", "shut", error=True)) == [output("c2", '{"error": "shut"}'), CREATE]


def test_tool_outputs_before_the_response_is_done_wait_with_the_request() -> None:
    made = codec()
    receive(made, created("r1"), call("c1"))
    assert sent(made.tool_result("c1", "x", error=False)) == [output("c1", "x")]
    receive(made, done("r1"))
    assert sent(made.replies()) == [CREATE]
    receive(made, created("r2"), done("r2"))
    assert list(made.replies()) == []


def test_every_client_message_is_valid_to_the_official_client_and_has_an_id_of_its_own() -> None:
    made = manual()
    made.begin_turn()
    messages: list[Message] = [*made.opening(), *made.audio(FRAME), *made.end_turn(), *made.text("hi")]
    receive(made, created("r1"), delta(bytes(96000), "a1", "r1"), delta(bytes(96000), "a2", "r1"))
    messages += [*made.cancel(), *made.played(dropped(24000, 48000)), *made.played(dropped(0, 48000, "a2"))]
    messages += made.tool_result("c1", "x", error=False)
    official: TypeAdapter[object] = TypeAdapter(RealtimeClientEvent)
    ids = set()
    for each in messages:
        official.validate_json(each)
        ids.add(json.loads(each)["event_id"])
    assert len(ids) == len(messages) == 10


def test_the_refusal_of_our_own_housekeeping_is_no_error_of_the_endpoint() -> None:
    made = reply(48000)
    (message,) = made.played(dropped(0, 48000))
    refused = {"code": "item_not_found", "message": "-", "event_id": json.loads(message)["event_id"]}
    (event,) = receive(made, server("error", error=refused))
    assert isinstance(event, Notice)
    assert event.level is NoticeLevel.WARNING


def test_a_flush_names_what_may_still_be_heard_and_forgets_what_was() -> None:
    made = codec()
    receive(made, created("r1"), delta(bytes(960), "a1", "r1"), audio_done("a1", "r1"), done("r1"))
    made.played(Played("a1", 480, 480, PlaybackState.COMPLETED))
    receive(made, created("r2"), delta(bytes(960), "a2", "r2"), audio_done("a2", "r2"), done("r2"))
    receive(made, created("r3"), done("r3"))  # no audio: nothing to cut
    receive(made, created("r4"))
    flush = receive(made, speech_started())[1]
    assert getattr(flush, "responses", None) == ("r2", "r4")
    flush = receive(made, speech_started("u2"))[1]
    assert getattr(flush, "responses", None) == ("r4",)
