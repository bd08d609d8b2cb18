"""`streams.playback.Microphone`: the user's side of the timeline."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams import clock
from streams.audio import FRAME_S, AudioFormatError, Frame, silence, to_pcm
from streams.playback import Microphone, Speaker, Spoken

RATE = 24000


def sound(value: int, seconds: float, rate: int = RATE) -> bytes:
    """A stretch of one value: shows which reply a sample belongs to."""
    return np.full(round(seconds * rate), value, "<i2").tobytes()


def where(track: bytes, value: int) -> tuple[int, int]:
    """First sample of a value and one past its last; every sample between must have it."""
    found = np.flatnonzero(to_pcm(track) == value)
    first, end = int(found[0]), int(found[-1]) + 1
    assert end - first == found.size
    return first, end


def test_the_microphone_is_silent_until_something_is_said() -> None:
    microphone = Microphone(RATE)
    frames = [microphone.next_frame() for _ in range(50)]
    assert frames == [Frame(silence(480), RATE)] * 50
    assert microphone.position == RATE
    assert not microphone.speaking


def test_speech_starts_with_the_next_frame_and_ends_to_the_sample() -> None:
    microphone = Microphone(RATE)
    microphone.next_frame()
    assert microphone.say(sound(7, 0.03), "hello") == 480
    track = b"".join(microphone.next_frame().pcm for _ in range(3))
    assert where(track, 7) == (0, 720)
    assert track[2 * 720 :] == silence(720)
    assert microphone.finished() == [Spoken("hello", 480, 720)]
    assert microphone.finished() == []


def test_words_that_are_queued_follow_without_a_gap() -> None:
    microphone = Microphone(RATE)
    assert microphone.say(sound(1, 0.03), "one") == 0
    assert microphone.say(sound(2, 0.03), "two") == 720
    track = b"".join(microphone.next_frame().pcm for _ in range(4))
    assert (where(track, 1), where(track, 2)) == ((0, 720), (720, 1440))
    assert microphone.finished() == [Spoken("one", 0, 720), Spoken("two", 720, 720)]


def test_an_utterance_cut_off_from_the_very_first_sample_is_known_to_start_there() -> None:
    microphone = Microphone(RATE)
    microphone.say(sound(1, 1.0), "cut off")
    microphone.say(sound(2, 1.0), "never begun")
    microphone.next_frame()
    microphone.next_frame()
    assert microphone.stop() == [Spoken("cut off", 0, 960), Spoken("never begun", 960, 0)]
    assert microphone.next_frame().silent
    assert microphone.finished() == []


def test_nothing_said_is_finished_at_once() -> None:
    microphone = Microphone(RATE)
    microphone.say(b"", "nothing")
    assert microphone.next_frame().silent
    assert microphone.finished() == [Spoken("nothing", 0, 0)]


def test_half_a_sample_is_refused_by_the_microphone() -> None:
    with pytest.raises(AudioFormatError, match="961 bytes"):
        Microphone(RATE).say(bytes(961), "odd")


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 1000)), max_size=40),
    st.sampled_from([8000, 16000, 24000, 44100]),
)
def test_what_is_said_is_what_goes_out_where_it_was_promised(plan: list[int | None], rate: int) -> None:
    """`None` is a tick, a number is an utterance of so many samples."""
    microphone, track, promised = Microphone(rate), b"", {}
    for step, samples in enumerate(plan):
        if samples is None:
            track += microphone.next_frame().pcm
        else:
            clip = np.full(samples, step + 1, "<i2").tobytes()
            promised[str(step)] = (microphone.say(clip, str(step)), clip)
    while microphone.speaking:
        track += microphone.next_frame().pcm
    expected = bytearray(len(track))
    for start, clip in promised.values():
        expected[2 * start : 2 * start + len(clip)] = clip
    assert track == bytes(expected)
    said = {s.utterance: (s.start, s.samples) for s in microphone.finished()}
    assert said == {name: (start, len(clip) // 2) for name, (start, clip) in promised.items()}


def test_ticks_on_absolute_deadlines_do_not_drift_however_long_sending_takes() -> None:
    """Pitfall D13: 5 s in 250 frames, each of which takes 1.1 ms to send."""

    async def call() -> list[float]:
        microphone, sent = Microphone(RATE), []
        microphone.say(sound(1, 5.0), "five seconds")
        for tick in range(1, 251):
            await clock.sleep_until(tick * FRAME_S)
            assert not microphone.next_frame().silent
            sent.append(clock.now())
            await asyncio.sleep(0.0011)
        assert microphone.finished() == [Spoken("five seconds", 0, 5 * RATE)]
        return sent

    sent = clock.run(call(), simulate=True)
    assert sent == [tick * FRAME_S for tick in range(1, 251)]
    assert sent[-1] == 5.0  # sleeping 20 ms after each frame: 250 x 21.1 ms = 5.275


def test_two_tracks_stay_in_step_over_twenty_turns() -> None:
    """Pitfall D18 (b, c): 3 s of user speech handed over at once, the reply's second from 4.0 on, 20 times.

    The tracks have different rates, and one absolute timeline.
    """
    microphone, ear = Microphone(16000), Speaker(RATE)
    user_frames, heard_parts = [], []
    for turn in range(20):
        microphone.say(sound(turn + 1, 3.0, 16000), str(turn))
        for tick in range(300 * turn + 1, 300 * turn + 301):  # 6 s a turn
            user_frames.append(microphone.next_frame().pcm)
            if tick == 300 * turn + 201:
                ear.play(sound(turn + 1, 1.0), at=6.0 * turn + 4.0, item=str(turn))
            heard_parts.append(ear.heard(tick * 480))
    user, heard = b"".join(user_frames), b"".join(heard_parts)
    for turn in range(20):
        assert where(user, turn + 1) == (96000 * turn, 96000 * turn + 48000)
        assert where(heard, turn + 1) == (144000 * turn + 96000, 144000 * turn + 120000)
    assert len(user) / 2 / 16000 == len(heard) / 2 / RATE == 120.0
