"""Which reply audio and words belong to, where the wire does not say."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from streams.audio import to_pcm
from streams.endpoints.declarative.codec import DeclaredCodec
from streams.endpoints.events import (
    AudioReceived,
    EndpointEvent,
    Flush,
    ItemEnded,
    ResponseEnded,
    ResponseStarted,
    TextReceived,
    UserTextReceived,
)
from streams.playback import Speaker
from tests.streams.endpoints.declarative.declared import BINARY, JSON, codec, receive, rules

PCM = b"\x10\x27" * 160
B64 = base64.b64encode(PCM).decode()


def belongs(events: list[EndpointEvent]) -> list[tuple[str, str]]:
    """Item and response of audio and words."""
    return [(e.item, e.response) for e in events if isinstance(e, AudioReceived | TextReceived)]


def names(events: list[EndpointEvent]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_audio_after_a_gap_or_a_flush_is_a_new_item() -> None:
    made = codec(rules("{kind: clear, flush: {}}"))
    steps: list[tuple[float, Any]] = [
        (1.0, PCM),
        (1.5, PCM),
        (2.5, PCM),
        (2.6, {"type": "clear"}),
        (2.7, PCM),
    ]
    events = [event for at, message in steps for event in receive(made, message, at=at)]
    assert belongs(events) == [("item-1", ""), ("item-1", ""), ("item-2", ""), ("item-3", "")]
    ended = [(event.at, event.item) for event in events if isinstance(event, ItemEnded)]
    assert ended == [(2.5, "item-1"), (2.6, "item-2")]  # 1.0 s after the last, more than 0.8


def test_the_gap_is_what_the_file_says() -> None:
    made = codec(BINARY.replace("receive: {rate: 16000,", "receive: {rate: 16000, gap_s: 2.0,"))
    events = [event for at in (1.0, 2.9, 4.95) for event in receive(made, PCM, at=at)]
    assert belongs(events) == [("item-1", ""), ("item-1", ""), ("item-2", "")]


def test_where_the_end_is_told_no_gap_parts_a_reply() -> None:
    made = codec(rules("{kind: done, reply_end: {}}"))
    events = (
        receive(made, PCM, at=1.0) + receive(made, PCM, at=9.0) + receive(made, {"type": "done"}, at=9.1)
    )
    assert belongs(events) == [("item-1", "reply-1")] * 2
    assert events[-2:] == [
        ItemEnded(at=9.1, raw=0, item="item-1", response="reply-1"),
        ResponseEnded(at=9.1, raw=0, response="reply-1", status=events[-1].status),  # type: ignore[union-attr]
    ]
    assert belongs(receive(made, PCM, at=9.2)) == [("item-2", "reply-2")]


def test_the_end_of_nothing_is_no_event() -> None:
    assert receive(codec(rules("{kind: done, reply_end: {}}")), {"type": "done"}) == []


def test_a_reply_that_begins_ends_the_item_before_it() -> None:
    made = codec(rules("{kind: go, reply_start: {}}"))
    events = receive(made, {"type": "go"}, PCM, {"type": "go"}, PCM)
    assert names(events) == [
        "ResponseStarted",
        "AudioReceived",
        "ItemEnded",
        "ResponseStarted",
        "AudioReceived",
    ]
    assert belongs(events) == [("item-1", "reply-1"), ("item-2", "reply-2")]


def test_words_open_a_reply_and_its_audio_joins_them() -> None:
    made = codec(rules("{kind: say, text: {text: t}}"))
    events = receive(made, {"type": "say", "t": "hello"}, at=1.0) + receive(made, PCM, at=1.5)
    assert belongs(events) == [("item-1", ""), ("item-1", "")]


def test_words_of_the_latest_reply_open_none_after_it_has_ended() -> None:
    made = codec(rules("{kind: say, text: {text: t, last: true}}", "{kind: done, reply_end: {}}"))
    events = receive(made, PCM, {"type": "done"}, {"type": "say", "t": "hello"})
    assert belongs(events) == [("item-1", "reply-1")] * 2
    assert belongs(receive(made, PCM)) == [("item-2", "reply-2")]


def test_items_with_names_end_when_another_begins_if_nothing_else_tells() -> None:
    head = JSON.replace("audio: {data: data}", "audio: {data: data, item: id}")
    made = codec(head)
    events = receive(made, *({"type": "out", "data": B64, "id": name} for name in "aab"))
    assert names(events) == ["AudioReceived", "AudioReceived", "ItemEnded", "AudioReceived"]
    told = codec(rules("{kind: end, item_end: {item: id}}", head=head))
    events = receive(told, *({"type": "out", "data": B64, "id": name} for name in "aba"))
    assert names(events) == ["AudioReceived"] * 3  # two at once: each ends where it is told


def test_where_only_replies_have_names_each_is_one_item() -> None:
    made = codec(JSON.replace("audio: {data: data}", "audio: {data: data, response: id}"))
    events = receive(made, *({"type": "out", "data": B64, "id": name} for name in ("r1", "r1", "r2")))
    assert belongs(events) == [("r1", "r1"), ("r1", "r1"), ("r2", "r2")]


def test_transcripts_of_the_user_are_numbered_by_their_ends() -> None:
    made = codec(rules("{kind: u, user_text: {text: t, mode: delta, final_when: f}}"))
    events = receive(made, *({"type": "u", "t": "x", "f": final} for final in (False, True, True)))
    assert [e.item for e in events if isinstance(e, UserTextReceived)] == ["user-1", "user-1", "user-2"]


class Ear:
    """Plays events as a session would."""

    def __init__(self, made: DeclaredCodec) -> None:
        self.made = made
        self.speaker = Speaker(16000)
        self.heard = b""

    def at(self, seconds: float, *messages: Any) -> None:
        self.heard += self.speaker.heard(round(seconds * 16000))
        for event in receive(self.made, *messages, at=seconds):
            match event:
                case AudioReceived():
                    self.speaker.play(event.pcm, at=event.at, item=event.item, response=event.response)
                case ItemEnded():
                    self.speaker.end_item(event.item)
                case ResponseEnded():
                    self.speaker.end_response(event.response)
                case Flush():
                    self.speaker.flush(at=event.at, responses=event.responses)
                case _:
                    pass

    def loud(self) -> list[int]:
        """Samples that were heard, in tens of milliseconds from the start."""
        samples = to_pcm(self.heard)
        return [n for n in range(len(samples) // 160) if np.any(samples[160 * n : 160 * n + 160])]


def test_late_audio_up_to_an_interruption_stays_unheard() -> None:
    head = JSON.replace("audio: {data: data}", "audio: {data: data, order: n}")
    ear = Ear(codec(rules("{kind: cut, flush: {upto: n}}", head=head)))
    ear.at(0.10, {"type": "out", "data": B64, "n": 1})
    ear.at(0.20, {"type": "cut", "n": 3})  # the first was heard to its end; 2 and 3 are on their way
    ear.at(0.21, *({"type": "out", "data": B64, "n": n} for n in (2, 3)))
    ear.at(0.30, {"type": "out", "data": B64, "n": 4})
    ear.at(0.50)
    assert ear.loud() == [10, 30]  # 10 ms each
    assert ear.speaker.late == 2


def test_the_rest_of_a_reply_that_was_cut_stays_unheard_where_the_file_says_so() -> None:
    told = "{kind: done, reply_end: {}}", "{kind: go, reply_start: {}}"
    for rest, expected in (("late", [10, 40]), ("new", [10, 30, 40])):
        ear = Ear(codec(rules(f"{{kind: cut, flush: {{rest: {rest}}}}}", *told)))
        ear.at(0.10, {"type": "go"}, PCM)
        ear.at(0.20, {"type": "cut"})
        ear.at(0.30, PCM)
        ear.at(0.35, {"type": "done"}, {"type": "go"})
        ear.at(0.40, PCM)
        ear.at(0.50)
        assert ear.loud() == expected


def test_a_response_that_was_cut_before_its_audio_is_named_to_the_ear() -> None:
    made = codec(rules("{kind: go, reply_start: {response: id}}", "{kind: cut, flush: {}}"))
    events = receive(made, {"type": "go", "id": "r1"}, {"type": "cut"})
    assert events == [
        ResponseStarted(at=1.0, raw=0, response="r1"),
        Flush(at=1.0, raw=1, responses=("r1",)),
    ]
