"""`streams.playback.Speaker`: the user's ear."""

from __future__ import annotations

import numpy as np
import pytest

from streams.audio import AudioFormatError, sample_at, silence, to_pcm
from streams.playback import ItemPlayback, Placed, Speaker

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


# --- the ear: pitfall D10 ----------------------------------------------------------------------


def test_a_reply_that_bursts_is_heard_at_its_own_pace() -> None:
    """Pitfall D10 (a): 6 s of reply arrive in 1.2 s."""
    ear = Speaker(RATE)
    for delta in range(50):
        ear.play(sound(9, 0.12), at=1.2 + 0.024 * delta, item="reply")
    assert ear.end == sample_at(7.2, RATE)
    track = ear.heard(8 * RATE)
    assert where(track, 9) == (sample_at(1.2, RATE), sample_at(7.2, RATE))


def test_a_user_who_speaks_into_a_burst_interrupts_it_where_it_is_heard() -> None:
    """Pitfall D10 (a): the user starts at 4.0, that is 2.8 s into the reply, long after its last packet."""
    ear = Speaker(RATE)
    for delta in range(50):
        ear.play(sound(9, 0.12), at=1.2 + 0.024 * delta, item="reply")
    ear.end_item("reply")
    track = ear.heard(4 * RATE)
    assert ear.pending == sample_at(3.2, RATE)
    assert ear.flush(at=4.0) == [ItemPlayback("reply", received=6 * RATE, heard=67200)]  # 2.8 x 24000
    track += ear.heard(8 * RATE)
    assert where(track, 9) == (28800, 28800 + 67200)
    assert ear.completed() == []


def test_a_hole_in_the_delivery_is_a_hole_in_what_is_heard() -> None:
    """Pitfall D10 (b): 200 ms arrive at 1.0, 1.5 and 1.6: heard at 1.0-1.2, 1.5-1.7 and 1.7-1.9."""
    ear = Speaker(RATE)
    starts = [ear.play(sound(value, 0.2), at=at, item="a") for value, at in ((1, 1.0), (2, 1.5), (3, 1.6))]
    assert starts == [Placed(24000, 4800), Placed(36000, 4800), Placed(40800, 4800)]
    track = ear.heard(2 * RATE)
    assert where(track, 1) == (24000, 28800)
    assert where(track, 2) == (36000, 40800)
    assert where(track, 3) == (40800, 45600)
    assert track[2 * 28800 : 2 * 36000] == silence(7200)


def test_an_arrival_between_two_ticks_is_heard_from_its_own_sample() -> None:
    """The ear runs a frame behind, so that what came before the tick still finds its place."""
    ear = Speaker(RATE)
    ear.heard(sample_at(0.98, RATE))
    assert ear.play(sound(1, 0.01), at=0.9851, item="a").start == 23643  # 0.9851 x 24000 = 23642.4
    assert where(ear.heard(RATE), 1) == (23643 - 23520, 23643 - 23520 + 240)


def test_an_arrival_that_is_told_too_late_is_heard_from_now_on() -> None:
    ear = Speaker(RATE)
    ear.heard(RATE)
    assert ear.play(sound(1, 0.1), at=0.5, item="a").start == RATE


# --- the ear: pitfall D03 ----------------------------------------------------------------------


def test_late_audio_of_a_cancelled_response_stays_unheard() -> None:
    """Pitfall D03: ten deltas of A, a cut, three more of A, then five of B."""
    ear = Speaker(RATE)
    for delta in range(10):
        ear.play(sound(5, 0.1), at=1.0 + 0.01 * delta, item="a1", response="A")
    track = ear.heard(sample_at(1.3, RATE))
    assert ear.flush(at=1.3, responses=("A",)) == [ItemPlayback("a1", received=24000, heard=7200)]
    late = [ear.play(sound(5, 0.1), at=1.31, item="a1", response="A") for _ in range(3)]
    assert late == [Placed(None, 2400)] * 3
    ear.end_response("A")
    for delta in range(5):
        ear.play(sound(9, 0.1), at=1.5 + 0.01 * delta, item="b1", response="B")
    ear.end_response("B")
    track += ear.heard(3 * RATE)
    assert where(track, 5) == (24000, 31200)
    assert where(track, 9) == (36000, 48000)
    assert ear.late == 3
    assert ear.completed() == [ItemPlayback("b1", received=12000, heard=12000)]
    assert (ear.received, ear.dropped, ear.pending) == (13 * 2400 + 12000, 13 * 2400 - 7200, 0)


def test_late_audio_is_told_from_the_next_reply_even_when_they_are_interleaved() -> None:
    """Pitfall D03, variant 2: B begins before A is done; deltas come A, B, A, B."""
    ear = Speaker(RATE)
    ear.play(sound(5, 1.0), at=1.0, item="a1", response="A")
    track = ear.heard(sample_at(1.3, RATE))
    ear.flush(at=1.3)
    for turn in range(5):
        assert ear.play(sound(5, 0.1), at=1.4 + 0.01 * turn, item="a1", response="A").start is None
        assert ear.play(sound(9, 0.1), at=1.4 + 0.01 * turn, item="b1", response="B").start is not None
    track += ear.heard(3 * RATE)
    assert where(track, 5) == (24000, 31200)
    assert where(track, 9) == (33600, 45600)  # complete: 500 ms, from its first sample
    assert ear.late == 5


def test_audio_that_came_just_before_the_cut_is_cut_with_the_rest() -> None:
    """Pitfall D03, variant 3: a delta of A lies in the same socket read as the cut."""
    ear = Speaker(RATE)
    ear.play(sound(5, 0.5), at=1.0, item="a1", response="A")
    track = ear.heard(sample_at(1.28, RATE))
    ear.play(sound(5, 0.1), at=1.3, item="a1", response="A")
    assert ear.flush(at=1.3) == [ItemPlayback("a1", received=14400, heard=7200)]
    track += ear.heard(2 * RATE)
    assert where(track, 5) == (24000, 31200)


def test_another_item_of_a_cancelled_response_stays_unheard_too() -> None:
    ear = Speaker(RATE)
    ear.play(sound(5, 1.0), at=0.0, item="a1", response="A")
    ear.flush(at=0.5)
    assert ear.play(sound(5, 1.0), at=0.6, item="a2", response="A").start is None
    assert ear.flush(at=0.7) == []  # nothing was playing: a second flush proves nothing


def test_a_response_cut_before_its_first_audio_stays_unheard() -> None:
    ear = Speaker(RATE)
    assert ear.flush(at=1.0, responses=("A",)) == []
    assert ear.play(sound(5, 1.0), at=1.1, item="a1", response="A").start is None
    assert ear.play(sound(9, 1.0), at=1.2, item="b1", response="B").start == 28800
    assert ear.late == 1


def test_without_response_ids_the_next_item_is_heard_after_a_cut() -> None:
    ear = Speaker(RATE)
    ear.play(sound(5, 1.0), at=0.0, item="a")
    ear.flush(at=0.5)
    assert ear.play(sound(9, 1.0), at=0.6, item="b").start == 14400


# --- the ear: flush ----------------------------------------------------------------------------


def test_a_flush_while_silent_proves_nothing() -> None:
    ear = Speaker(RATE)
    assert ear.flush(at=0.0) == []
    ear.play(sound(5, 0.5), at=0.0, item="a", response="A")
    ear.end_response("A")
    ear.heard(RATE)
    assert ear.flush(at=1.0) == []
    assert ear.completed() == [ItemPlayback("a", 12000, 12000)]


def test_a_reply_that_ends_before_the_cut_was_not_interrupted_though_the_ear_is_a_frame_behind() -> None:
    ear = Speaker(RATE)
    ear.play(sound(5, 0.49), at=0.0, item="a", response="A")
    ear.end_response("A")
    ear.heard(sample_at(0.48, RATE))
    assert ear.flush(at=0.5) == []
    assert where(ear.heard(RATE), 5) == (0, 240)
    assert ear.completed() == [ItemPlayback("a", 11760, 11760)]


def test_a_reply_still_being_delivered_is_cut_even_if_all_that_came_was_heard() -> None:
    ear = Speaker(RATE)
    ear.play(sound(5, 0.2), at=0.0, item="a", response="A")
    ear.heard(RATE)
    assert ear.flush(at=1.0) == [ItemPlayback("a", 4800, 4800)]
    assert ear.play(sound(5, 0.2), at=1.1, item="a", response="A").start is None


def test_what_lies_before_the_cut_is_still_heard() -> None:
    ear = Speaker(RATE)
    ear.play(sound(1, 0.1), at=0.0, item="a")
    ear.play(sound(2, 0.1), at=0.0, item="b")
    ear.play(sound(3, 0.1), at=0.0, item="c")
    ear.end_item("a")
    track = ear.heard(sample_at(0.08, RATE))
    assert ear.flush(at=0.15) == [ItemPlayback("b", 2400, 1200), ItemPlayback("c", 2400, 0)]
    assert ear.end == 3600
    track += ear.heard(RATE)
    assert (where(track, 1), where(track, 2)) == ((0, 2400), (2400, 3600))
    assert 3 not in to_pcm(track)
    assert ear.completed() == [ItemPlayback("a", 2400, 2400)]


def test_a_cut_cannot_reach_into_what_was_heard() -> None:
    ear = Speaker(RATE)
    ear.play(sound(1, 1.0), at=0.0, item="a")
    ear.heard(sample_at(0.5, RATE))
    assert ear.flush(at=0.1) == [ItemPlayback("a", 24000, 12000)]
    assert (ear.dropped, ear.pending) == (12000, 0)


def test_the_next_reply_does_not_wait_for_the_tail_that_was_cut() -> None:
    ear = Speaker(RATE)
    ear.play(sound(1, 10.0), at=0.0, item="a")
    ear.heard(RATE)
    ear.flush(at=1.0)
    assert ear.play(sound(2, 0.1), at=1.5, item="b").start == 36000


# --- the ear: completion -----------------------------------------------------------------------


def test_an_item_is_complete_when_it_was_heard_and_not_when_it_was_delivered() -> None:
    ear = Speaker(RATE)
    ear.play(sound(1, 1.0), at=0.0, item="a")
    ear.end_item("a")
    ear.heard(RATE - 1)
    assert ear.completed() == []
    ear.heard(RATE)
    assert ear.completed() == [ItemPlayback("a", RATE, RATE)]
    assert ear.completed() == []


def test_an_item_that_ends_after_it_was_heard_is_complete_at_once() -> None:
    ear = Speaker(RATE)
    ear.play(sound(1, 1.0), at=0.0, item="a")
    ear.heard(2 * RATE)
    assert ear.completed() == []
    ear.end_item("a")
    assert ear.completed() == [ItemPlayback("a", RATE, RATE)]


def test_an_item_that_ends_by_itself_and_with_its_response_is_complete_once() -> None:
    ear = Speaker(RATE)
    ear.play(sound(1, 1.0), at=0.0, item="a", response="A")
    ear.heard(2 * RATE)
    ear.end_item("a")
    ear.end_response("A")
    assert ear.completed() == [ItemPlayback("a", RATE, RATE)]


def test_a_response_ends_all_its_items_and_no_others() -> None:
    ear = Speaker(RATE)
    for item, response in (("a1", "A"), ("b1", "B"), ("a2", "A")):
        ear.play(sound(1, 0.1), at=0.0, item=item, response=response)
    ear.end_response("A")
    ear.heard(RATE)
    assert ear.completed() == [ItemPlayback("a1", 2400, 2400), ItemPlayback("a2", 2400, 2400)]


def test_the_end_of_an_item_that_never_came_is_nothing() -> None:
    ear = Speaker(RATE)
    ear.end_item("ghost")
    ear.end_response("ghost")
    assert ear.completed() == []


# --- pitfalls D18 and D19 ----------------------------------------------------------------------


def test_gaps_stay_as_long_as_they_were_with_no_user_audio_at_all() -> None:
    """Pitfall D18 (a): tones at 0-1 and 8-9 make a track of 9 s, not of 2."""
    ear = Speaker(RATE)
    ear.play(sound(1, 1.0), at=0.0, item="a")
    track = b"".join(ear.heard(tick * 480) for tick in range(1, 401))
    ear.play(sound(2, 1.0), at=8.0, item="b")
    track += ear.heard(9 * RATE)
    assert len(track) == 2 * 9 * RATE
    assert where(track, 1) == (0, RATE)
    assert where(track, 2) == (8 * RATE, 9 * RATE)


def test_what_has_not_been_heard_when_the_call_stops_is_counted_or_drained() -> None:
    """Pitfall D19: the call stops at 5.0 with 2.4 s of the reply still queued."""
    ear = Speaker(RATE)
    ear.play(sound(1, 4.4), at=3.0, item="a")
    track = ear.heard(5 * RATE)
    assert ear.pending * 1000 / RATE == 2400
    assert ear.end == sample_at(7.4, RATE)
    track += ear.heard(ear.end)
    assert where(track, 1) == (3 * RATE, sample_at(7.4, RATE))
    assert (ear.pending, ear.dropped) == (0, 0)


# --- details -----------------------------------------------------------------------------------


def test_half_a_sample_is_refused_by_the_ear() -> None:
    with pytest.raises(AudioFormatError, match="961 bytes"):
        Speaker(RATE).play(bytes(961), at=0.0, item="odd")


def test_a_piece_without_samples_takes_no_time() -> None:
    ear = Speaker(RATE)
    assert ear.play(b"", at=1.0, item="a") == Placed(RATE, 0)
    assert ear.play(sound(1, 0.1), at=0.5, item="a") == Placed(12000, 2400)


def test_hearing_up_to_the_past_is_nothing() -> None:
    ear = Speaker(RATE)
    ear.heard(RATE)
    assert ear.heard(RATE) == ear.heard(0) == b""
    assert ear.position == ear.end == RATE
