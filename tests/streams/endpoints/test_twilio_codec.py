from __future__ import annotations

import base64
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streams import g711
from streams.audio import AudioFormat, Encoding, Frame
from streams.endpoints.events import (
    AudioReceived,
    EndpointEvent,
    Flush,
    ItemEnded,
    Mark,
    Notice,
    NoticeLevel,
    Unknown,
)
from streams.endpoints.protocol import PlaybackState, Played
from streams.endpoints.twilio.codec import TwilioCodec
from streams.endpoints.twilio.dialects import DIALECTS, PLIVO, VONAGE
from streams.endpoints.twilio.messages import CallIds

PCM = b"\x10\x27" * 160
WIRE = g711.encode(PCM, Encoding.MULAW)
HEARD = g711.decode(WIRE, Encoding.MULAW)
IDS = CallIds(stream="MZ1", call="CA1", account="AC1")


def twilio(parameters: dict[str, str] | None = None) -> TwilioCodec:
    return TwilioCodec(IDS, parameters)


def media(data: bytes = WIRE, stream: str = "MZ1") -> str:
    return json.dumps(
        {"event": "media", "streamSid": stream, "media": {"payload": base64.b64encode(data).decode()}}
    )


def mark(name: str) -> str:
    return json.dumps({"event": "mark", "streamSid": "MZ1", "mark": {"name": name}})


CLEAR = json.dumps({"event": "clear", "streamSid": "MZ1"})


def sent(messages: Any) -> list[dict[str, Any]]:
    return [json.loads(message) for message in messages]


def take(codec: TwilioCodec, *steps: tuple[float, str | bytes]) -> list[EndpointEvent]:
    return [event for raw, (at, step) in enumerate(steps) for event in codec.receive(step, at=at, raw=raw)]


def names(messages: Any) -> list[str]:
    return [message["mark"]["name"] for message in sent(messages)]


def progress(heard: int, received: int = 320) -> Played:
    return Played("reply-1", heard, received, PlaybackState.PROGRESS)


def test_a_call_opens_as_twilio_opens_it() -> None:
    connected, start = sent(twilio({"name": "Mia"}).opening())
    assert connected == {"event": "connected", "protocol": "Call", "version": "1.0.0"}
    assert (start["event"], start["sequenceNumber"], start["streamSid"]) == ("start", "1", "MZ1")
    assert (start["start"]["callSid"], start["start"]["accountSid"]) == ("CA1", "AC1")
    assert start["start"]["customParameters"] == {"name": "Mia"}
    assert start["start"]["mediaFormat"] == {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}


def test_frames_go_out_as_mulaw_with_counters_that_are_text() -> None:
    codec = twilio()
    codec.opening()
    first, second = sent([*codec.audio(Frame(PCM, 8000)), *codec.audio(Frame(PCM, 8000))])
    assert base64.b64decode(first["media"]["payload"]) == WIRE
    assert (first["sequenceNumber"], first["media"]["chunk"], first["media"]["timestamp"]) == (
        "2",
        "1",
        "0",
    )
    assert (second["media"]["chunk"], second["media"]["timestamp"]) == ("2", "20")


def test_audio_after_a_gap_or_a_clear_is_a_new_item_and_a_mark_ends_none() -> None:
    steps = [
        (1.0, media()),
        (1.25, media()),
        (2.25, media()),
        (2.4, mark("m")),
        (2.5, media()),
        (2.6, CLEAR),
        (2.7, media()),
    ]
    assert take(twilio(), *steps) == [
        AudioReceived(at=1.0, raw=0, pcm=HEARD, item="reply-1"),
        AudioReceived(at=1.25, raw=1, pcm=HEARD, item="reply-1"),
        ItemEnded(at=2.25, raw=2, item="reply-1"),  # 1.0 s after the last
        AudioReceived(at=2.25, raw=2, pcm=HEARD, item="reply-2"),
        Mark(at=2.4, raw=3, name="m"),
        AudioReceived(at=2.5, raw=4, pcm=HEARD, item="reply-2"),
        ItemEnded(at=2.6, raw=5, item="reply-2"),
        Flush(at=2.6, raw=5),
        AudioReceived(at=2.7, raw=6, pcm=HEARD, item="reply-3"),
    ]


def test_a_mark_between_two_pieces_is_echoed_at_its_sample_not_at_the_end_of_the_item() -> None:
    codec = twilio()
    take(codec, (0.0, media()), (0.0, mark("between")), (0.0, media()), (0.0, mark("behind")))
    assert codec.replies() == []
    assert codec.played(progress(159)) == []  # 160 samples stand before it
    assert names(codec.played(progress(160))) == ["between"]
    assert codec.played(progress(319)) == []
    assert names(codec.played(progress(320))) == ["behind"]
    assert codec.played(Played("reply-1", 320, 320, PlaybackState.COMPLETED)) == []  # once


def test_an_item_that_was_heard_to_its_end_echoes_all_its_marks_in_order() -> None:
    codec = twilio()
    take(codec, (0.0, media()), (0.0, mark("end")), (0.0, mark("really")))
    assert names(codec.played(Played("reply-1", 160, 160, PlaybackState.COMPLETED))) == ["end", "really"]


def test_marks_are_echoed_at_once_after_a_clear_or_when_nothing_is_before_them() -> None:
    codec = twilio()
    take(codec, (0.0, mark("nothing before")))
    assert names(codec.replies()) == ["nothing before"]
    take(codec, (1.0, media()), (1.0, mark("dropped")), (1.01, CLEAR))
    assert names(codec.replies()) == ["dropped"]
    # what was cut is reported later, and changes nothing
    take(codec, (1.02, mark("after the clear")))
    assert names(codec.replies()) == ["after the clear"]
    assert codec.played(Played("reply-1", 80, 160, PlaybackState.DROPPED)) == []


def test_where_marks_do_not_return_on_a_clear_only_what_was_heard_before_it_is_told() -> None:
    codec = TwilioCodec(IDS, dialect=PLIVO)
    audio = {"contentType": "audio/x-mulaw", "sampleRate": 8000, "payload": base64.b64encode(WIRE).decode()}
    play = json.dumps({"event": "playAudio", "media": audio})
    checkpoints = [json.dumps({"event": "checkpoint", "name": name}) for name in ("heard", "dropped")]
    take(codec, (0.0, play), (0.0, checkpoints[0]), (0.0, play), (0.0, checkpoints[1]))
    take(codec, (0.1, json.dumps({"event": "clearAudio"})))
    assert [message["event"] for message in sent(codec.replies())] == ["clearedAudio"]
    # the report comes after the cut: 200 samples were heard, the first mark stands behind 160
    told = sent(codec.played(Played("reply-1", 200, 320, PlaybackState.DROPPED)))
    assert [(message["event"], message["name"]) for message in told] == [("playedStream", "heard")]
    assert codec.played(Played("reply-1", 200, 320, PlaybackState.DROPPED)) == []


def test_a_name_that_is_no_text_comes_back_as_it_was() -> None:
    codec = TwilioCodec(IDS, dialect=VONAGE)
    payload = {"reply": 7, "part": ["a"]}
    (event,) = take(codec, (0.0, json.dumps({"action": "notify", "payload": payload})))
    assert event == Mark(at=0.0, raw=0, name=json.dumps(payload))
    assert sent(codec.replies()) == [{"event": "websocket:notify", "payload": payload}]


def test_a_name_that_no_one_would_give_is_refused() -> None:
    codec = TwilioCodec(IDS, dialect=VONAGE)
    # too long, and nested too deeply
    for payload in (json.dumps("x" * 2001), *("[" * depth + "]" * depth for depth in range(1001, 1010))):
        (event,) = codec.receive(f'{{"action": "notify", "payload": {payload}}}', at=0.0, raw=0)
        assert isinstance(event, Notice) and event.code == "protocol_violation", payload[:9]
    assert codec.replies() == []


def test_audio_of_another_type_is_decoded_and_of_another_rate_resampled_with_one_warning() -> None:
    codec = TwilioCodec(IDS, dialect=PLIVO)  # mu-law at 8000/s was agreed
    pcm = b"\x10\x27" * 16000
    audio = {"contentType": "audio/x-l16", "sampleRate": 16000, "payload": base64.b64encode(pcm).decode()}
    message = json.dumps({"event": "playAudio", "media": audio})
    events = take(codec, (0.0, message), (0.1, message), (2.0, json.dumps({"event": "clearAudio"})))
    (notice,) = (event for event in events if isinstance(event, Notice))
    assert (notice.level, notice.code) == (NoticeLevel.WARNING, "audio_rate")
    assert "rate=16000" in notice.message
    heard = b"".join(event.pcm for event in events if isinstance(event, AudioReceived))
    # 2 s at 8000/s, less what the filter holds when the clear drops it
    assert 2 * 8000 - 1000 < len(heard) // 2 <= 2 * 8000


def test_a_broken_message_is_a_notice_and_an_unknown_one_is_counted() -> None:
    codec = twilio()
    broken: list[str | bytes] = [
        "{",
        "[]",
        json.dumps({"event": 1}),
        json.dumps({"event": "media"}),
        json.dumps({"event": "media", "media": {"payload": "a*b"}}),
        json.dumps({"event": "mark", "mark": {}}),
        b"\x7f" * 160,
    ]
    for message in broken:
        (event,) = codec.receive(message, at=0.0, raw=0)
        assert isinstance(event, Notice) and event.code == "protocol_violation", message
    assert codec.receive(json.dumps({"event": "transfer"}), at=0.0, raw=0) == [
        Unknown(at=0.0, raw=0, type="transfer")
    ]


def test_audio_for_another_stream_is_warned_of_once_and_played() -> None:
    events = take(twilio(), (0.0, media(stream="MZ2")), (0.1, media(stream="MZ2")))
    assert [type(event) for event in events] == [Notice, AudioReceived, AudioReceived]
    (notice, *_) = events
    assert isinstance(notice, Notice) and "'MZ2'" in notice.message and "'MZ1'" in notice.message


def test_keys_and_the_goodbye_are_messages() -> None:
    codec = twilio()
    (key,) = sent(codec.dtmf("5"))
    assert key["dtmf"] == {"track": "inbound_track", "digit": "5"}
    (stop,) = sent(codec.closing("done"))
    assert (stop["event"], stop["stop"]) == ("stop", {"accountSid": "AC1", "callSid": "CA1"})


def test_longer_pieces_wait_until_they_are_full_and_the_rest_goes_with_the_goodbye() -> None:
    codec = TwilioCodec(IDS, dialect=DIALECTS["exotel"])
    pieces = [codec.audio(Frame(PCM, 8000)) for _ in range(7)]  # 140 ms: one piece of 100 ms
    assert [len(piece) for piece in pieces] == [0, 0, 0, 0, 1, 0, 0]
    rest, stop = sent(codec.closing(""))
    assert len(base64.b64decode(rest["media"]["payload"])) == 40 * 8 * 2
    assert (rest["media"]["timestamp"], stop["event"]) == ("100", "stop")


def test_the_formats_of_a_provider_are_what_it_says_on_the_wire() -> None:
    codec = TwilioCodec(IDS, dialect=VONAGE, wire=AudioFormat(24000))
    (connected,) = sent(codec.opening())
    assert connected["content-type"] == "audio/l16;rate=24000"
    assert codec.audio(Frame(b"\x01\x00" * 480, 24000)) == [b"\x01\x00" * 480]
    assert codec.capabilities.output == AudioFormat(24000)


KINDS = ["media", "mark", "clear", "playAudio", "checkpoint", "clearAudio", "notify"]
VALUES = st.recursive(
    st.one_of(st.sampled_from(KINDS), st.none(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(
            st.sampled_from(
                ["media", "mark", "payload", "name", "contentType", "sampleRate", "streamSid", "x"]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)
MESSAGES = st.one_of(
    st.text(max_size=50),
    st.binary(max_size=50),
    st.dictionaries(
        st.sampled_from(["event", "action", "media", "mark", "name", "payload", "streamSid"]), VALUES
    ).map(json.dumps),
)


@given(st.sampled_from(sorted(DIALECTS)), st.lists(MESSAGES, max_size=6))
def test_whatever_arrives_is_an_event(name: str, messages: list[str | bytes]) -> None:
    codec = TwilioCodec(IDS, dialect=DIALECTS[name])
    for raw, message in enumerate(messages):
        for event in codec.receive(message, at=raw * 0.5, raw=raw):
            assert isinstance(event, AudioReceived | Flush | ItemEnded | Mark | Notice | Unknown)
            assert not isinstance(event, AudioReceived) or len(event.pcm) % 2 == 0
        codec.replies()
