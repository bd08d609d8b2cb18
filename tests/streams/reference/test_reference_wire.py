"""The server's side of OpenAI Realtime: tables of messages, checked against the vendor's own types."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from openai.types.realtime import RealtimeServerEvent
from pydantic import TypeAdapter

from streams.audio import AudioFormat, AudioFormatError, Encoding, silence
from streams.endpoints.events import ResponseStatus
from streams.reference import commands as do
from streams.reference import happenings as did
from streams.reference.settings import SessionSettings, TurnTaking, initial
from streams.reference.wire import ServerCodec

_OPENAI: TypeAdapter[Any] = TypeAdapter(RealtimeServerEvent)

_WHOLE_REPLY: list[did.Happening] = [
    did.ReplyBegan("r1"),
    did.ReplyItemBegan("r1", "i2", "i1"),
    did.ReplyText("r1", "i2", "Hello."),
    did.ReplyAudio("r1", "i2", silence(480)),
    did.ReplyEnded(
        "r1", "i2", "Hello.", ResponseStatus.COMPLETED, "", did.Tokens(10, 20, 1), {"turn": "0"}
    ),
]


def told(codec: ServerCodec, *happenings: did.Happening) -> list[dict[str, Any]]:
    return [json.loads(message) for happening in happenings for message in codec.send(happening)]


def accepted(codec: ServerCodec, message: dict[str, Any]) -> do.Command:
    command = codec.receive(json.dumps(message))
    assert not isinstance(command, did.Refused), command
    return command


def refused(codec: ServerCodec, message: dict[str, Any] | str) -> did.Refused:
    found = codec.receive(message if isinstance(message, str) else json.dumps(message))
    assert isinstance(found, did.Refused)
    return found


def append(pcm: bytes) -> dict[str, Any]:
    return {"type": "input_audio_buffer.append", "audio": base64.b64encode(pcm).decode()}


@pytest.mark.parametrize(
    ("happening", "types"),
    [
        (did.SessionOpened(), ["session.created"]),
        (did.SessionChanged(), ["session.updated"]),
        (did.UserBegan("i1", 120), ["input_audio_buffer.speech_started"]),
        (did.UserStopped("i1", 980), ["input_audio_buffer.speech_stopped"]),
        (
            did.UserCommitted("i1", None),
            ["input_audio_buffer.committed", "conversation.item.added", "conversation.item.done"],
        ),
        (did.UserTranscribed("i1", "Hi.", 1.2), ["conversation.item.input_audio_transcription.completed"]),
        (did.UserNotTranscribed("i1", "out"), ["conversation.item.input_audio_transcription.failed"]),
        (did.InputCleared(), ["input_audio_buffer.cleared"]),
        (
            did.TextItemAdded("i1", "i0", "user", "Hi."),
            ["conversation.item.added", "conversation.item.done"],
        ),
        (did.ItemDeleted("i1"), ["conversation.item.deleted"]),
        (did.ItemTruncated("i1", 500), ["conversation.item.truncated"]),
        (did.ReplyBegan("r1"), ["response.created"]),
        (
            did.ReplyItemBegan("r1", "i2", "i1"),
            ["response.output_item.added", "conversation.item.added", "response.content_part.added"],
        ),
        (did.ReplyAudio("r1", "i2", silence(480)), ["response.output_audio.delta"]),
        (did.ReplyText("r1", "i2", "Hello."), ["response.output_audio_transcript.delta"]),
        (
            _WHOLE_REPLY[-1],
            [
                "response.output_audio.done",
                "response.output_audio_transcript.done",
                "response.content_part.done",
                "response.output_item.done",
                "conversation.item.done",
                "response.done",
            ],
        ),
        (did.ReplyEnded("r1", None, "", ResponseStatus.CANCELLED, "turn_detected"), ["response.done"]),
        (did.ReplyEnded("r1", None, "", ResponseStatus.FAILED, "no voice"), ["response.done"]),
        (did.Refused("invalid_value", "No.", "e1", "x"), ["error"]),
    ],
)
def test_happenings_become_messages_of_the_vendors_types(
    happening: did.Happening, types: list[str]
) -> None:
    messages = told(ServerCodec("s", "m"), happening)
    assert [message["type"] for message in messages] == types
    for message in messages:
        _OPENAI.validate_python(message)


def test_event_ids_are_unique() -> None:
    messages = told(ServerCodec("s"), *_WHOLE_REPLY)
    assert len({message["event_id"] for message in messages}) == len(messages) == 12


def test_a_finished_reply_tells_words_usage_and_metadata() -> None:
    done = told(ServerCodec("s"), *_WHOLE_REPLY)[-1]["response"]
    assert done["status"] == "completed"
    assert done["output"][0]["content"] == [{"type": "output_audio", "transcript": "Hello."}]
    assert done["usage"]["total_tokens"] == 31  # 10 in + 20 + 1 out
    assert done["usage"]["output_token_details"] == {"text_tokens": 1, "audio_tokens": 20}
    assert done["metadata"] == {"turn": "0"}


def test_a_cancelled_reply_says_why() -> None:
    ended = did.ReplyEnded("r1", "i2", "Hel", ResponseStatus.CANCELLED, "turn_detected")
    done = told(ServerCodec("s"), ended)[-1]["response"]
    assert done["status_details"] == {"type": "cancelled", "reason": "turn_detected"}
    assert done["output"][0]["status"] == "incomplete"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"type": "input_audio_buffer.commit"}, do.Commit),
        ({"type": "input_audio_buffer.clear"}, do.Clear),
        ({"type": "response.create", "response": {"metadata": {}}}, do.CreateResponse),
        ({"type": "response.cancel"}, do.CancelResponse),
        ({"type": "conversation.item.delete", "item_id": "i1"}, do.DeleteItem),
        (
            {"type": "conversation.item.truncate", "item_id": "i", "content_index": 0, "audio_end_ms": 1},
            do.TruncateItem,
        ),
        (append(silence(480)), do.Append),
    ],
)
def test_client_messages_become_commands(message: dict[str, Any], kind: type[do.Command]) -> None:
    command = accepted(ServerCodec("s"), {**message, "event_id": "mine"})
    assert isinstance(command, kind)
    assert command.event_id == "mine"


def test_a_text_item_holds_the_text_of_all_its_parts() -> None:
    content = [{"type": "input_text", "text": "What is"}, {"type": "input_text", "text": "CRISPR?"}]
    item = {"type": "message", "role": "user", "content": content}
    command = accepted(ServerCodec("s"), {"type": "conversation.item.create", "item": item})
    assert isinstance(command, do.CreateItem)
    assert isinstance(command.item, do.NewItem)
    assert command.item.text == "What is CRISPR?"


@pytest.mark.parametrize(
    ("message", "code", "param"),
    [
        ("not json", "invalid_json", None),
        ("[1]", "invalid_json", None),
        ({"type": "session.explode"}, "invalid_value", "type"),
        ({}, "invalid_value", "type"),
        ({"type": "conversation.item.delete"}, "missing_required_parameter", "item_id"),
        ({"type": "input_audio_buffer.append", "audio": "*"}, "invalid_value", "audio"),
        (append(b"abc"), "invalid_value", "audio"),
        (
            {"type": "session.update", "session": {"type": "realtime", "output_modalities": ["text"]}},
            "invalid_value",
            "session",
        ),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(
    message: dict[str, Any] | str, code: str, param: str | None
) -> None:
    found = refused(ServerCodec("s"), message)
    assert (found.code, found.param) == (code, param)


def test_a_refusal_names_the_clients_event() -> None:
    codec = ServerCodec("s")
    refusal = refused(codec, {"type": "nonsense", "event_id": "e7"})
    assert told(codec, refusal)[0]["error"]["event_id"] == "e7"


def update(codec: ServerCodec, **session: Any) -> SessionSettings:
    accepted(codec, {"type": "session.update", "session": session})
    return codec.settings


def test_the_ga_shape_sets_formats_turns_and_transcripts() -> None:
    heard = {
        "format": {"type": "audio/pcm", "rate": 16000},
        "transcription": {"model": "x"},
        "turn_detection": {"type": "server_vad", "silence_duration_ms": 700},
    }
    audio = {"input": heard, "output": {"format": {"type": "audio/pcmu"}, "voice": "marin"}}
    settings = update(ServerCodec("s"), type="realtime", audio=audio)
    assert settings == SessionSettings(
        AudioFormat(16000),
        AudioFormat(8000, Encoding.MULAW),
        TurnTaking(silence_s=0.7),
        transcribe=True,
        voice="marin",
    )


def test_the_beta_shape_means_the_same_and_is_answered_in_beta() -> None:
    codec = ServerCodec("s")
    settings = update(
        codec,
        modalities=["text", "audio"],
        input_audio_format="g711_alaw",
        turn_detection=None,
        voice="alloy",
    )
    assert settings.input == AudioFormat(8000, Encoding.ALAW)
    assert settings.turn_taking is None
    session = told(codec, did.SessionChanged())[0]["session"]
    assert session["input_audio_format"] == "g711_alaw"
    assert session["output_audio_format"] == "pcm16"
    types = [message["type"] for message in told(codec, *_WHOLE_REPLY)]
    assert "response.audio.delta" in types
    assert "response.audio_transcript.delta" in types
    assert "conversation.item.created" in types
    assert "conversation.item.added" not in types
    assert not any(name.startswith("response.output_audio") for name in types)


def test_what_an_update_leaves_out_keeps_its_value() -> None:
    codec = ServerCodec("s", settings=initial(0.3))
    update(codec, type="realtime", instructions="Be brief.")
    detection = {"type": "server_vad", "create_response": False}
    settings = update(codec, type="realtime", audio={"input": {"turn_detection": detection}})
    assert settings.instructions == "Be brief."
    assert settings.turn_taking == TurnTaking(silence_s=0.3, create_response=False)


def test_turn_detection_that_comes_back_has_the_endpoints_own_silence() -> None:
    codec = ServerCodec("s", settings=initial(0.3))
    assert update(codec, type="realtime", audio={"input": {"turn_detection": None}}).turn_taking is None
    detection = {"type": "server_vad"}
    again = update(codec, type="realtime", audio={"input": {"turn_detection": detection}})
    assert again.turn_taking == TurnTaking(silence_s=0.3)


def test_formats_are_frozen_once_audio_flowed() -> None:
    codec = ServerCodec("s")
    accepted(codec, append(silence(480)))
    changed = {"type": "realtime", "audio": {"input": {"format": {"type": "audio/pcmu"}}}}
    assert refused(codec, {"type": "session.update", "session": changed}).code == "cannot_update_format"
    assert codec.settings.input == AudioFormat(24000)


@pytest.mark.parametrize(("encoding", "byte"), [("audio/pcmu", 0xFF), ("audio/pcma", 0xD5)])
def test_telephone_silence_is_silence_both_ways(encoding: str, byte: int) -> None:
    codec = ServerCodec("s")
    form = {"format": {"type": encoding}}
    update(codec, type="realtime", audio={"input": form, "output": form})
    command = accepted(codec, append(bytes([byte]) * 160))
    assert isinstance(command, do.Append)
    assert max(abs(value) for value in memoryview(command.audio).cast("h")) <= 8
    delta = told(codec, did.ReplyAudio("r", "i", silence(160)))[0]["delta"]
    assert base64.b64decode(delta) == bytes([byte]) * 160


def test_an_unknown_format_is_refused_and_nothing_changes() -> None:
    codec = ServerCodec("s")
    audio = {"input": {"format": {"type": "audio/opus"}}}
    refusal = refused(codec, {"type": "session.update", "session": {"type": "realtime", "audio": audio}})
    assert "audio/opus" in refusal.message
    assert issubclass(AudioFormatError, ValueError)
    assert codec.settings == SessionSettings()
