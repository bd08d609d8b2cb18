from __future__ import annotations

import io
import wave

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import Frame, to_pcm
from streams.endpoints import events as wire
from streams.endpoints.events import (
    AudioReceived,
    Edge,
    Flush,
    ItemEnded,
    Notice,
    NoticeLevel,
    Ready,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    UserSpeech,
)
from streams.endpoints.fake import tone
from streams.endpoints.pipecat import rtvi as types
from streams.endpoints.protocol import Message
from tests.streams.endpoints.pipecat_calls import at_once, codec, ready, take
from tests.streams.vendors.pipecat import PipecatVendor, rtvi, sound
from tests.streams.vendors.vendor import Reply

PCM = tone(0.04)
REPLY = Reply()


# --- set-up


def test_the_session_is_ready_when_the_bot_has_answered() -> None:
    ours, vendor = codec(), PipecatVendor()
    (hello,) = ours.opening()
    (answer,) = vendor.take(hello)
    assert take(ours, (0.5, answer), (0.6, answer)) == [Ready(at=0.5, raw=0, model="pipecat-ai 1.14.0")]


def test_without_rtvi_the_socket_is_enough_and_nothing_of_rtvi_is_sent() -> None:
    ours = codec(use_rtvi=False)
    assert ours.capabilities.ready_on_connect
    assert [*ours.opening(), *ours.text("hi"), *ours.dtmf("5")] == []
    assert len(ours.audio(Frame(b"\0\0" * 320, 16000))) == 1
    # what the bot says of itself is read all the same
    assert at_once(ours, *PipecatVendor().user_speech(Edge.START)) == [
        UserSpeech(at=1.0, raw=0, edge=Edge.START)
    ]


# --- replies


def test_a_reply_runs_from_the_language_model_to_the_last_sound() -> None:
    vendor = PipecatVendor()
    first, second = (sound(PCM, 24000) for _ in range(2))
    steps = [
        (1.0, rtvi("bot-llm-started")),
        (1.2, rtvi("bot-tts-started")),
        (1.5, first),
        (1.51, rtvi("bot-started-speaking")),
        (3.0, second),  # a hole of 1.5 s is no end: the bot says when it stops
        (3.1, vendor.end(REPLY)[1]),
    ]
    assert take(ready(), *steps) == [
        ResponseStarted(at=1.0, raw=0, response="reply-1"),
        AudioReceived(at=1.5, raw=2, pcm=PCM, item="reply-1", response="reply-1"),
        AudioReceived(at=3.0, raw=4, pcm=PCM, item="reply-1", response="reply-1"),
        ItemEnded(at=3.1, raw=5, item="reply-1", response="reply-1"),
        ResponseEnded(at=3.1, raw=5, response="reply-1", status=ResponseStatus.COMPLETED),
    ]


def test_each_reply_has_an_item_of_its_own() -> None:
    vendor = PipecatVendor()
    ours = ready()
    for _ in range(2):
        at_once(ours, *vendor.begin(REPLY), *vendor.audio(REPLY, PCM), *vendor.end(REPLY))
    (event,) = at_once(ours, sound(PCM, 24000))
    assert isinstance(event, AudioReceived) and event.item == "reply-3"


def test_a_bot_that_never_says_when_it_speaks_has_its_replies_cut_by_gaps() -> None:
    ours = codec(use_rtvi=False, reply_gap_s=0.8)
    events = take(ours, *((at, sound(PCM, 24000)) for at in (1.0, 1.7, 2.5)))
    assert [(type(event), getattr(event, "item", "")) for event in events] == [
        (AudioReceived, "reply-1"),
        (AudioReceived, "reply-1"),
        (ItemEnded, "reply-1"),  # 0.8 s
        (AudioReceived, "reply-2"),
    ]


def test_an_interruption_cuts_the_reply_and_what_comes_after_it_is_another() -> None:
    vendor = PipecatVendor()
    ours = ready()
    at_once(ours, *vendor.begin(REPLY), *vendor.audio(REPLY, PCM))
    assert take(ours, *((2.0, message) for message in vendor.flush())) == [
        Flush(at=2.0, raw=0, responses=("reply-1",)),
        ItemEnded(at=2.0, raw=0, item="reply-1", response="reply-1"),
        ResponseEnded(at=2.0, raw=0, response="reply-1", status=ResponseStatus.CANCELLED),
    ]
    assert at_once(ours, *vendor.end(REPLY)) == []  # the bot still says that it stopped
    (event,) = take(ours, (3.0, sound(PCM, 24000)))
    assert isinstance(event, AudioReceived) and event.item == "reply-2"


def test_a_piece_that_slips_out_behind_an_interruption_belongs_to_what_was_cut() -> None:
    vendor = PipecatVendor()
    ours = ready()
    at_once(ours, *vendor.begin(REPLY), *vendor.audio(REPLY, PCM))
    piece = sound(PCM, 24000)
    steps = [
        (2.0, vendor.flush()[0]),
        (2.0, piece),
        (2.2, piece),
        (2.3, piece),  # so long after it, it is something else: sound in the background, say
        (2.31, vendor.flush()[0]),
        (3.0, rtvi("bot-llm-started")),
        (3.1, vendor.flush()[0]),
        (3.2, rtvi("bot-tts-started")),
        (3.2, piece),  # announced
    ]
    events = [event for event in take(ours, *steps) if isinstance(event, AudioReceived)]
    assert [event.item for event in events] == ["reply-1", "reply-1", "reply-2", "reply-4"]


def test_an_interruption_of_silence_is_a_flush_and_nothing_else() -> None:
    interruption, notice = PipecatVendor().flush()
    assert at_once(ready(), interruption, notice) == [Flush(at=1.0, raw=0)]


def test_a_response_that_is_given_up_before_its_first_sound_is_cancelled() -> None:
    ours = ready()
    events = at_once(ours, rtvi("bot-llm-started"), PipecatVendor().flush()[0])
    assert [type(event) for event in events] == [ResponseStarted, Flush, ResponseEnded]
    assert isinstance(events[1], Flush) and events[1].responses == ("reply-1",)


# --- audio


def test_a_wav_header_before_each_piece_is_no_sound() -> None:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(24000)
        writer.writeframes(PCM)
    events = at_once(ready(), sound(file.getvalue(), 24000), sound(file.getvalue(), 24000))
    assert [event.pcm for event in events if isinstance(event, AudioReceived)] == [PCM, PCM]


def test_two_channels_become_their_mean() -> None:
    both = np.array([[100, 300], [-100, 200], [7, 8]], "<i2").tobytes()
    (event,) = at_once(ready(), sound(both, 24000, channels=2))
    assert isinstance(event, AudioReceived)
    # 200, 50, and 7.5, which rounds to the even 8
    assert to_pcm(event.pcm).tolist() == [200, 50, 8]


def test_samples_that_are_cut_in_two_are_put_together() -> None:
    events = at_once(ready(), sound(PCM[:777], 24000), sound(PCM[777:], 24000))
    assert b"".join(event.pcm for event in events if isinstance(event, AudioReceived)) == PCM


def test_audio_of_another_rate_is_resampled_to_its_exact_length_with_one_warning() -> None:
    vendor = PipecatVendor()
    ours = ready()
    piece = tone(0.5, rate=16000)
    events = at_once(
        ours, *vendor.begin(REPLY), sound(piece, 16000), sound(piece, 16000), *vendor.end(REPLY)
    )
    (notice,) = (event for event in events if isinstance(event, Notice))
    assert (notice.level, notice.code) == (NoticeLevel.WARNING, "audio_rate")
    assert "out_rate=16000" in notice.message
    heard = b"".join(event.pcm for event in events if isinstance(event, AudioReceived))
    assert len(heard) == 2 * 24000  # 1 s
    # the last of it is there before the item ends
    assert [type(event) for event in events[-3:]] == [AudioReceived, ItemEnded, ResponseEnded]


@pytest.mark.parametrize("message", [sound(PCM, 1), sound(PCM, 4_000_000), sound(PCM, 24000, channels=9)])
def test_sound_that_no_audio_has_is_refused(message: Message) -> None:
    (event,) = at_once(ready(), message)
    assert isinstance(event, Notice) and event.code == "protocol_violation"


# --- laws

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = st.dictionaries(
    st.sampled_from(
        [
            "text",
            "final",
            "spoken",
            "spoken_status",
            "segment_id",
            "tool_call_id",
            "args",
            "error",
            "tokens",
            "characters",
            "stt_usage",
            "ttfb",
            "fatal",
            "cancelled",
            "about",
            "function_name",
            "input_type",
        ]
    ),
    st.one_of(VALUES, st.sampled_from(["x", "chat", True, 3])),
    max_size=5,
)
KINDS = sorted({*types.READERS, *types.NOTED, *types.SILENT, "bot-ready", "x"})
MESSAGES = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=30),
    st.builds(rtvi, st.sampled_from(KINDS), FIELDS),
    st.builds(lambda kind, data: rtvi(kind, data), st.sampled_from(KINDS), VALUES),
    st.builds(sound, st.binary(max_size=60), st.integers(0, 200_000), st.integers(0, 10)),
    st.sampled_from([PipecatVendor().flush()[0]]),
)


@given(st.lists(MESSAGES, max_size=8), st.booleans())
def test_whatever_arrives_is_events_and_the_books_of_replies_balance(
    messages: list[Message], use_rtvi: bool
) -> None:
    ours = codec(use_rtvi=use_rtvi)
    open_items: list[str] = []
    for raw, message in enumerate(messages):
        for event in ours.receive(message, at=raw * 0.5, raw=raw):
            assert isinstance(event, wire.EndpointEvent)
            match event:
                case AudioReceived(pcm=pcm, item=item):
                    assert pcm and len(pcm) % 2 == 0
                    if item not in open_items:
                        open_items.append(item)
                case ItemEnded(item=item) if item in open_items:
                    # items end in their order, and nothing of theirs comes later
                    assert open_items.pop() == item and not open_items
