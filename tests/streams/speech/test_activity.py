from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.speech.activity import ActivityEdge, ActivityTracker, SpeechBegan, SpeechEnded

# 10 ms windows: speech takes 6 of them (60 ms), silence 10 (100 ms)
WINDOW = 160


def tracker() -> ActivityTracker:
    return ActivityTracker(WINDOW)


def edges(probabilities: list[float]) -> list[ActivityEdge]:
    heard = tracker()
    return heard.push(probabilities) + heard.finish()


def test_edges_lie_where_speech_began_and_ended_not_where_it_was_noticed() -> None:
    # 20 windows of silence, 30 of speech, 20 of silence: 20 * 160 = 3200, 50 * 160 = 8000
    assert edges([0.0] * 20 + [1.0] * 30 + [0.0] * 20) == [SpeechBegan(3200), SpeechEnded(8000)]


def test_speech_is_noticed_as_soon_as_it_has_lasted_long_enough() -> None:
    heard = tracker()
    assert heard.push([0.0] * 5 + [1.0] * 5) == []  # 50 ms
    assert not heard.speaking
    assert heard.push([1.0]) == [SpeechBegan(800)]  # 60 ms
    assert heard.speaking


def test_the_end_is_noticed_as_soon_as_silence_has_lasted_long_enough() -> None:
    heard = tracker()
    heard.push([1.0] * 10)
    assert heard.push([0.0] * 9) == []  # 90 ms
    assert heard.speaking
    assert heard.push([0.0]) == [SpeechEnded(1600)]  # 100 ms
    assert not heard.speaking


def test_a_click_is_not_speech() -> None:
    assert edges([0.0] * 20 + [1.0] * 5 + [0.0] * 20) == []


def test_clicks_that_are_far_apart_never_add_up_to_speech() -> None:
    assert edges(([1.0] * 5 + [0.0] * 10) * 20) == []


def test_a_short_gap_belongs_to_the_speech_around_it() -> None:
    assert edges([1.0] * 10 + [0.0] * 9 + [1.0] * 10) == [SpeechBegan(0), SpeechEnded(29 * WINDOW)]


def test_speech_with_gaps_begins_at_its_first_window() -> None:
    # a stuttered start: 3 + 3 windows of speech with 40 ms between
    assert edges([0.0] * 2 + [1.0] * 3 + [0.0] * 4 + [1.0] * 3) == [
        SpeechBegan(320),
        SpeechEnded(12 * WINDOW),
    ]


def test_a_long_gap_makes_two_segments() -> None:
    assert edges([1.0] * 10 + [0.0] * 10 + [1.0] * 10) == [
        SpeechBegan(0),
        SpeechEnded(1600),
        SpeechBegan(3200),
        SpeechEnded(4800),
    ]


def test_a_doubtful_window_goes_with_what_was_before_it() -> None:
    doubtful = 0.4  # between stop (0.35) and start (0.5)
    assert edges([doubtful] * 30) == []
    assert edges([1.0] * 6 + [doubtful] * 30 + [0.0] * 10) == [SpeechBegan(0), SpeechEnded(36 * WINDOW)]
    assert edges([1.0] * 6 + [0.0] * 2 + [doubtful] * 30) == [SpeechBegan(0), SpeechEnded(6 * WINDOW)]


def test_silences_are_counted_in_samples() -> None:
    heard = tracker()
    heard.push([0.0] * 7)
    assert (heard.silence, heard.longest_silence) == (1120, 1120)
    heard.push([1.0] * 10)
    assert (heard.silence, heard.longest_silence) == (0, 1120)
    heard.push([0.0] * 12)
    assert (heard.silence, heard.longest_silence) == (1920, 1920)
    heard.push([1.0] * 3)  # not speech yet
    assert (heard.silence, heard.longest_silence) == (2400, 2400)
    heard.push([1.0] * 7)
    assert (heard.silence, heard.longest_silence) == (
        0,
        2400 - 480,
    )  # it was speech from its first window on


def test_an_hour_is_counted_without_drift() -> None:
    heard = tracker()
    heard.push([0.0] * 360_000)
    heard.push([1.0] * 10)
    assert heard.finish() == [SpeechEnded(57_601_600)]


def test_thresholds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match=r"stop 0\.6, start 0\.5"):
        ActivityTracker(WINDOW, start_probability=0.5, stop_probability=0.6)


probabilities = st.lists(st.sampled_from([0.0, 0.4, 1.0]), max_size=200)


@given(probabilities)
def test_edges_alternate_and_keep_their_distances(heard: list[float]) -> None:
    found = edges(heard)
    for first, second in pairwise(found):
        assert type(first) is not type(second)
        least = 60 if isinstance(first, SpeechBegan) else 100  # ms
        assert second.at_sample - first.at_sample >= least * 16
    if found:
        assert isinstance(found[0], SpeechBegan)
        assert isinstance(found[-1], SpeechEnded)


@given(probabilities, st.integers(0, 200))
def test_it_does_not_matter_how_the_stream_is_cut(heard: list[float], cut: int) -> None:
    parts = tracker()
    assert parts.push(heard[:cut]) + parts.push(heard[cut:]) + parts.finish() == edges(heard)
