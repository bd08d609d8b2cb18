from __future__ import annotations

import base64
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from streams import g711
from streams.audio import Encoding, Frame
from streams.endpoints.events import AudioReceived, Flush, ItemEnded, Mark, Unknown
from streams.endpoints.protocol import PlaybackState, Played
from streams.endpoints.twilio.codec import TwilioCodec

PCM = b"\x10\x27" * 160
WIRE = g711.encode(PCM, Encoding.MULAW)
HEARD = g711.decode(WIRE, Encoding.MULAW)


def media(data: bytes = WIRE) -> str:
    return json.dumps(
        {"event": "media", "streamSid": "x", "media": {"payload": base64.b64encode(data).decode()}}
    )


def mark(name: str) -> str:
    return json.dumps({"event": "mark", "streamSid": "x", "mark": {"name": name}})


CLEAR = json.dumps({"event": "clear", "streamSid": "x"})


def sent(messages: Any) -> list[dict[str, Any]]:
    return [json.loads(message) for message in messages]


def test_a_call_opens_as_twilio_opens_it() -> None:
    connected, start = sent(TwilioCodec({"name": "Mia"}).opening())
    assert connected == {"event": "connected", "protocol": "Call", "version": "1.0.0"}
    assert (start["event"], start["sequenceNumber"]) == ("start", "1")
    assert start["start"]["customParameters"] == {"name": "Mia"}
    assert start["start"]["mediaFormat"] == {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}


def test_frames_go_out_as_mulaw_with_counters_that_are_text() -> None:
    codec = TwilioCodec()
    codec.opening()
    first, second = sent([*codec.audio(Frame(PCM, 8000)), *codec.audio(Frame(PCM, 8000))])
    assert base64.b64decode(first["media"]["payload"]) == WIRE
    assert (first["sequenceNumber"], first["media"]["chunk"], first["media"]["timestamp"]) == (
        "2",
        "1",
        "0",
    )
    assert (second["media"]["chunk"], second["media"]["timestamp"]) == ("2", "20")


def test_audio_after_a_gap_a_mark_or_a_clear_is_a_new_item() -> None:
    codec = TwilioCodec()
    steps = [
        (1.0, media()),
        (1.25, media()),
        (2.25, media()),
        (2.4, mark("m")),
        (2.5, media()),
        (2.6, CLEAR),
    ]
    events = [
        event for raw, (at, step) in enumerate(steps) for event in codec.receive(step, at=at, raw=raw)
    ]
    assert events == [
        AudioReceived(at=1.0, raw=0, pcm=HEARD, item="reply-1"),
        AudioReceived(at=1.25, raw=1, pcm=HEARD, item="reply-1"),
        ItemEnded(at=2.25, raw=2, item="reply-1"),  # 1.0 s after the last
        AudioReceived(at=2.25, raw=2, pcm=HEARD, item="reply-2"),
        ItemEnded(at=2.4, raw=3, item="reply-2"),
        Mark(at=2.4, raw=3, name="m"),
        AudioReceived(at=2.5, raw=4, pcm=HEARD, item="reply-3"),
        ItemEnded(at=2.6, raw=5, item="reply-3"),
        Flush(at=2.6, raw=5),
    ]


def test_a_mark_is_echoed_when_playback_has_reached_it() -> None:
    codec = TwilioCodec()
    codec.receive(media(), at=0.0, raw=0)
    codec.receive(mark("end"), at=0.0, raw=1)
    codec.receive(mark("really"), at=0.0, raw=2)
    assert codec.replies() == []
    assert codec.played(Played("reply-1", 80, 160, PlaybackState.PROGRESS)) == []
    echoed = sent(codec.played(Played("reply-1", 160, 160, PlaybackState.COMPLETED)))
    assert [(message["event"], message["mark"]["name"]) for message in echoed] == [
        ("mark", "end"),
        ("mark", "really"),
    ]
    assert codec.played(Played("reply-1", 160, 160, PlaybackState.COMPLETED)) == []  # once


def test_a_mark_is_echoed_at_once_when_what_stands_before_it_is_dropped_or_nothing_does() -> None:
    codec = TwilioCodec()
    codec.receive(mark("nothing before"), at=0.0, raw=0)
    assert [message["mark"]["name"] for message in sent(codec.replies())] == ["nothing before"]
    codec.receive(media(), at=1.0, raw=1)
    codec.receive(mark("dropped"), at=1.0, raw=2)
    codec.receive(CLEAR, at=1.01, raw=3)
    echoed = sent(codec.played(Played("reply-1", 80, 160, PlaybackState.DROPPED)))
    assert [message["mark"]["name"] for message in echoed] == ["dropped"]


def test_keys_and_the_goodbye_are_messages() -> None:
    codec = TwilioCodec()
    (key,) = sent(codec.dtmf("5"))
    assert key["dtmf"] == {"track": "inbound_track", "digit": "5"}
    (stop,) = sent(codec.closing("done"))
    assert stop["event"] == "stop"


@given(
    st.one_of(
        st.text(max_size=50),
        st.binary(max_size=50),
        st.dictionaries(
            st.sampled_from(["event", "media", "mark"]),
            st.one_of(
                st.sampled_from(["media", "mark", "clear"]),
                st.none(),
                st.dictionaries(st.text(), st.integers()),
            ),
        ).map(json.dumps),
    )
)
def test_whatever_arrives_is_an_event_or_unknown(message: str | bytes) -> None:
    events = TwilioCodec().receive(message, at=0.0, raw=0)
    assert all(isinstance(event, AudioReceived | Flush | ItemEnded | Mark | Unknown) for event in events)
