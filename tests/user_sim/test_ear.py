from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from streams.speech.activity import ActivityEdge, SpeechBegan, SpeechEnded
from user_sim.ear import (
    Decision,
    DraftWanted,
    EarSettings,
    EarTracker,
    EdgeHeard,
    PauseHeard,
    TurnEnd,
    TurnOver,
)

RATE = 1000  # one sample is one millisecond: pause 200, complete 500, silence 800, longest 2000


def ear(*, asks: bool = False) -> EarTracker:
    return EarTracker(RATE, EarSettings(), asks=asks)


def speech(*spans: tuple[int, int]) -> list[ActivityEdge]:
    return [edge for start, end in spans for edge in (SpeechBegan(start), SpeechEnded(end))]


def test_without_a_model_800_ms_of_silence_end_a_turn() -> None:
    tracker = ear()
    assert tracker.hear(speech((100, 1100)), 1299) == [EdgeHeard(True, 100), EdgeHeard(False, 1100)]
    # 1100 + 200: the draft begins at the pause, so that it is there when it is needed
    assert tracker.hear([], 1300) == [DraftWanted(100, 1100)]
    assert tracker.hear([], 1899) == []
    assert tracker.hear([], 1900) == [TurnOver(100, 1100, TurnEnd.SILENCE)]
    assert tracker.hear([], 9000) == [] and tracker.idle


def test_a_complete_turn_is_over_after_500_ms() -> None:
    tracker = ear(asks=True)
    tracker.hear(speech((100, 1100)), 1250)
    (pause,) = tracker.hear([], 1300)
    assert pause == PauseHeard(100, 1100) and isinstance(pause, PauseHeard)
    assert tracker.answer(pause, 0.5) == [DraftWanted(100, 1100)]
    assert tracker.hear([], 1599) == []
    assert tracker.hear([], 1600) == [TurnOver(100, 1100, TurnEnd.SMART_TURN, 0.5)]


def test_an_answer_that_comes_late_ends_the_turn_when_it_comes() -> None:
    tracker = ear(asks=True)
    tracker.hear(speech((100, 1100)), 1700)
    over = TurnOver(100, 1100, TurnEnd.SMART_TURN, 0.9)
    assert tracker.answer(PauseHeard(100, 1100), 0.9) == [DraftWanted(100, 1100), over]


def test_an_incomplete_turn_is_over_after_two_seconds() -> None:
    tracker = ear(asks=True)
    tracker.hear(speech((100, 1100)), 1300)
    assert tracker.answer(PauseHeard(100, 1100), 0.49) == []
    assert tracker.hear([], 1900) == [DraftWanted(100, 1100)]  # 800 ms: likely over by now
    assert tracker.hear([], 3099) == []
    assert tracker.hear([], 3100) == [TurnOver(100, 1100, TurnEnd.SILENCE, 0.49)]


def test_without_an_answer_two_seconds_end_it_too() -> None:
    tracker = ear(asks=True)
    decisions = tracker.hear(speech((100, 1100)), 3100)
    assert decisions[-1] == TurnOver(100, 1100, TurnEnd.SILENCE)


def test_speech_that_goes_on_makes_one_turn_and_a_new_pause() -> None:
    tracker = ear(asks=True)
    tracker.hear(speech((100, 1100)), 1300)
    tracker.answer(PauseHeard(100, 1100), 0.1)
    assert tracker.hear(speech((1500, 2000)), 2200) == [
        EdgeHeard(True, 1500),
        EdgeHeard(False, 2000),
        PauseHeard(100, 2000),
    ]
    assert tracker.answer(PauseHeard(100, 1100), 0.9) == []  # an answer about the pause before
    tracker.answer(PauseHeard(100, 2000), 0.9)
    assert tracker.hear([], 2500) == [TurnOver(100, 2000, TurnEnd.SMART_TURN, 0.9)]


def test_a_cough_is_no_turn_and_has_no_edges() -> None:
    tracker = ear()
    assert tracker.hear(speech((100, 249)), 5000) == []
    assert tracker.idle and not tracker.in_turn


def test_a_turn_is_noticed_when_it_is_long_enough() -> None:
    tracker = ear()
    assert tracker.hear([SpeechBegan(100)], 249) == [] and not tracker.in_turn
    assert tracker.hear([], 250) == [EdgeHeard(True, 100)] and tracker.in_turn


def test_a_cough_before_a_turn_does_not_belong_to_it() -> None:
    tracker = ear()
    decisions = tracker.hear(speech((100, 200), (1000, 1500)), 2300)
    assert decisions[-1] == TurnOver(1000, 1500, TurnEnd.SILENCE)


def test_a_turn_that_the_user_talks_into_ends_where_its_speech_stops() -> None:
    tracker = ear()
    tracker.hear([SpeechBegan(100)], 900)
    assert tracker.interrupt(1000, TurnEnd.USER_SPOKE) == []  # not heard so far yet
    assert tracker.hear([], 1050) == []  # both talk
    assert tracker.hear([SpeechEnded(1400)], 1599) == [EdgeHeard(False, 1400)]
    # 1400 + 200 of silence: no question whether it is complete
    assert tracker.hear([], 1600) == [TurnOver(100, 1400, TurnEnd.USER_SPOKE, interrupted=True)]
    assert tracker.idle


def test_what_is_said_after_an_interrupted_turn_is_a_turn_of_its_own() -> None:
    tracker = ear()
    tracker.hear([SpeechBegan(100)], 900)
    tracker.interrupt(1000, TurnEnd.USER_SPOKE)
    decisions = tracker.hear([SpeechEnded(1100), *speech((2000, 2500))], 3300)
    assert [d for d in decisions if isinstance(d, TurnOver)] == [
        TurnOver(100, 1100, TurnEnd.USER_SPOKE, interrupted=True),
        TurnOver(2000, 2500, TurnEnd.SILENCE),
    ]


def test_playback_that_is_cut_ends_a_turn_at_once() -> None:
    tracker = ear()
    tracker.hear([SpeechBegan(100)], 900)
    tracker.interrupt(1000, TurnEnd.CUT)
    assert tracker.hear([], 1050) == [TurnOver(100, 1000, TurnEnd.CUT, interrupted=True)]
    # the ringing of a detector after the cut is no turn
    assert tracker.hear([SpeechEnded(1060)], 5000)[1:] == []
    assert tracker.idle


def test_edges_and_interruptions_are_taken_in_the_order_of_the_track() -> None:
    tracker = ear()
    tracker.interrupt(1000, TurnEnd.USER_SPOKE)
    assert tracker.hear(speech((100, 700)), 1100) == [
        EdgeHeard(True, 100),
        EdgeHeard(False, 700),
        DraftWanted(100, 700),  # at 900
        TurnOver(100, 700, TurnEnd.USER_SPOKE),  # it had paused: nothing was cut
    ]


def test_an_interruption_while_nobody_talks_changes_nothing() -> None:
    tracker = ear()
    tracker.interrupt(1000, TurnEnd.USER_SPOKE)
    tracker.hear([], 5000)
    assert tracker.hear(speech((6000, 7000)), 7800)[-1] == TurnOver(6000, 7000, TurnEnd.SILENCE)


def test_an_endpoint_that_begins_with_the_user_keeps_its_first_sounds() -> None:
    tracker = ear()
    tracker.interrupt(1000, TurnEnd.USER_SPOKE)
    assert tracker.hear(speech((950, 2000)), 2800)[-1] == TurnOver(950, 2000, TurnEnd.SILENCE)


def test_the_end_of_the_call_ends_a_turn() -> None:
    tracker = ear()
    tracker.hear([SpeechBegan(100)], 1000)
    assert tracker.close() == [TurnOver(100, 1000, TurnEnd.CLOSED, interrupted=True)]
    tracker = ear()
    tracker.hear(speech((100, 1000)), 1100)
    assert tracker.close() == [TurnOver(100, 1000, TurnEnd.CLOSED)]


@given(
    st.lists(st.tuples(st.integers(60, 900), st.integers(110, 2500)), max_size=8),
    st.lists(st.integers(1, 400), min_size=1, max_size=5),
)
def test_turns_do_not_depend_on_how_the_time_is_cut(
    lengths: list[tuple[int, int]], steps: list[int]
) -> None:
    spans, at = [], 0
    for talk, gap in lengths:
        spans.append((at, at + talk))
        at += talk + gap
    end = at + 3000
    whole = ear().hear(speech(*spans), end)

    tracker, edges, position = ear(), speech(*spans), 0
    pieces: list[Decision] = []
    while position < end:
        position = min(end, position + steps[position % len(steps)])
        due = [edge for edge in edges if edge.at_sample <= position]
        edges = edges[len(due) :]
        pieces += tracker.hear(due, position)
    assert pieces == whole
    turns = [decision for decision in whole if isinstance(decision, TurnOver)]
    assert all(turn.start < turn.end for turn in turns)
    assert all(first.end < second.start for first, second in pairwise(turns))
