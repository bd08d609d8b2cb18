from __future__ import annotations

import numpy as np
import pytest

from recordings.format import Flushed
from scoring.pairing import Tracks, build_timeline
from scoring.timeline import Timeline
from streams.audio import Pcm
from tests.scoring.episodes import CallMaker, quiet, tone


def timeline(call: CallMaker, *, index: bool = True, by_endpoint: bool = False) -> Timeline:
    tracks = Tracks(call.endpoint_track, call.endpoint_rate, call.user_rate, call.user_track)
    return build_timeline(
        tracks,
        call.events,
        call.pieces if index else (),
        duration_s=call.seconds,
        ended_by_endpoint=by_endpoint,
    )


def latencies(made: Timeline) -> list[float | None]:
    return [None if e.latency is None else made.milliseconds(e.latency) for e in made.exchanges]


def beep(seconds: float, rate: int = 24000) -> Pcm:
    return tone(seconds, rate)


@pytest.mark.parametrize("user_rate", [8000, 16000, 24000])
@pytest.mark.parametrize("endpoint_rate", [8000, 16000, 22050, 24000, 48000])
def test_latency_is_exact_at_every_pair_of_rates(user_rate: int, endpoint_rate: int) -> None:
    call = CallMaker(user_rate, endpoint_rate).user(1.0, 3.0)
    call.reply(3.8, beep(1.0, endpoint_rate))
    (latency,) = latencies(timeline(call))
    # 3.8 - 3.0; at 22050 Hz the sample at or after 3.8 s is the nearest there is
    assert latency == pytest.approx(800, abs=1000 / endpoint_rate)
    assert endpoint_rate == 22050 or latency == 800


def test_latency_does_not_know_where_the_clip_has_silence() -> None:  # D12
    # the clip holds 2.0 s of sound and 2.5 s of zeros; the reply is heard at 5.9: 5.9 - 2.0 = 3.9
    call = CallMaker().user(0.0, 2.0, tail=2.5).reply(5.9, beep(1.0))
    assert latencies(timeline(call)) == [3900]
    early = CallMaker().user(0.0, 2.0, tail=2.5).reply(2.6, beep(1.0))
    assert latencies(timeline(early)) == [600]


def test_a_burst_is_heard_at_its_own_pace_and_speech_into_it_is_a_barge_in() -> None:  # D10 (a)
    # 50 deltas of 120 ms, one every 24 ms from 1.2 s: heard 1.2 to 7.2, all there by 2.376
    call = CallMaker().reply(1.2, beep(6.0), every_s=0.024, response="r0").user(4.0, 5.0)
    made = timeline(call)
    assert [made.seconds(s.end) for s in made.greeting] == [7.2]
    assert [made.seconds(s.samples) for s in made.overlaps] == [1.0]
    assert made.greeting[0].cut  # the user talked into it, 2.8 s after its start
    assert latencies(made) == [None]  # what was under way does not answer


def test_an_underrun_is_a_hole_in_the_reply() -> None:  # D10 (b)
    call = CallMaker().user(0.0, 0.5)
    for at in (1.0, 1.5, 1.6):  # played 1.0-1.2, 1.5-1.7, 1.7-1.9
        call.reply(at, beep(0.2), piece_s=0.2)
    made = timeline(call)
    (exchange,) = made.exchanges
    assert [(made.seconds(s.start), made.seconds(s.end)) for s in exchange.reply[0].segments] == [
        (1.0, 1.2),
        (1.5, 1.9),
    ]
    assert latencies(made) == [500]


def test_leading_silence_is_no_speech() -> None:  # D11: first delta at 2.5 holds 400 ms of zeros
    call = CallMaker().user(0.0, 2.0).reply(2.5, np.concatenate([quiet(0.4, 24000), beep(1.0)]))
    assert latencies(timeline(call)) == [900]


def test_a_quiet_word_has_its_own_end_and_no_stamp_is_used_twice() -> None:  # D14
    call = CallMaker().user(8.0, 10.0).reply(11.0, beep(2.0), response="r0")
    call.user(29.0, 29.25, "no", dbfs=-56).reply(30.0, beep(1.0), response="r1")
    assert latencies(timeline(call)) == [1000, 750]  # 11 - 10; 30 - 29.25, never 20


def test_an_endpoint_that_cuts_in_keeps_its_negative_latency() -> None:  # D15
    call = CallMaker().user(0.0, 3.0).reply(2.6, beep(2.4))
    made = timeline(call)
    assert latencies(made) == [-400]
    assert made.exchanges[0].cut_ins == 1
    assert [made.seconds(s.samples) for s in made.overlaps] == [0.4]


def test_a_sound_of_the_endpoint_inside_a_long_turn_is_no_reply() -> None:
    call = CallMaker().user(0.0, 5.0).reply(1.0, beep(0.3), response="r0")
    call.reply(5.8, beep(1.0), response="r1")
    made = timeline(call)
    assert latencies(made) == [800]
    assert made.exchanges[0].cut_ins == 1


def test_a_turn_with_only_a_sound_inside_it_is_unanswered() -> None:
    call = CallMaker().user(0.0, 5.0).reply(1.0, beep(0.3))
    call.length = 40.0
    (exchange,) = timeline(call).exchanges
    assert (exchange.unanswered, exchange.cut_ins) == ("no_reply", 1)


def test_a_reply_with_a_pause_over_the_users_end_began_before_it() -> None:
    # heard 2.6-2.9 and 3.2-4.2, all of it there at 2.6; the user stops at 3.0
    pcm = np.concatenate([beep(0.3), quiet(0.3, 24000), beep(1.0)])
    for response in ("", "r0"):
        assert latencies(timeline(CallMaker().user(0.0, 3.0).reply(2.6, pcm, response=response))) == [-400]


def test_the_greeting_answers_nothing() -> None:
    call = (
        CallMaker().reply(0.5, beep(1.0), response="r0").user(2.0, 3.0).reply(3.5, beep(1.0), response="r1")
    )
    made = timeline(call)
    assert len(made.greeting) == 1
    assert latencies(made) == [500]


def test_utterances_that_follow_each_other_are_one_turn() -> None:
    call = CallMaker().user(0.0, 1.0, "one").user(2.5, 3.0, "two").reply(3.4, beep(1.0))
    made = timeline(call)
    assert [exchange.user.text for exchange in made.exchanges] == ["one two"]
    assert latencies(made) == [400]


def test_a_second_question_after_a_long_wait_is_a_turn_of_its_own() -> None:
    # 1.0 to 9.0 is 8 s of waiting: the first turn got no reply, the second got one after 0.5 s
    call = CallMaker().user(0.0, 1.0).user(9.0, 10.0, "hello?").reply(10.5, beep(1.0))
    made = timeline(call)
    assert latencies(made) == [None, 500]
    assert [exchange.unanswered for exchange in made.exchanges] == ["no_reply", ""]


def test_a_reply_between_two_utterances_parts_them() -> None:
    call = CallMaker().user(0.0, 1.0).reply(1.3, beep(0.4), response="r0")
    call.user(2.2, 3.0).reply(3.6, beep(1.0), response="r1")
    assert latencies(timeline(call)) == [300, 600]


def test_the_last_turn_is_censored_if_the_call_ended_before_the_reply_timeout() -> None:
    call = CallMaker().user(0.0, 1.0)
    call.length = 20.9  # 19.9 s of waiting, and 20 would have been needed
    assert timeline(call).exchanges[0].unanswered == "session_ended"
    assert timeline(call, by_endpoint=True).exchanges[0].unanswered == "no_reply"
    call.length = 21.0
    assert timeline(call).exchanges[0].unanswered == "no_reply"


@pytest.mark.parametrize("response", ["r0", ""])
def test_an_endpoint_that_talks_on_over_an_interruption_has_not_answered_it(response: str) -> None:
    # the reply of 6 s is all there at 2.0 and has a pause at 4.0-4.5, after the user's 3.0-4.2
    pcm = np.concatenate([beep(2.0), quiet(0.5, 24000), beep(3.5)])
    call = CallMaker().user(0.0, 1.0).reply(2.0, pcm, response=response).user(3.0, 4.2, "wait")
    call.reply(8.5, beep(1.0), response=response and "r1")
    made = timeline(call)
    assert latencies(made) == [1000, 4300]  # 2.0 - 1.0; 8.5 - 4.2, not 4.5 - 4.2
    assert made.exchanges[0].interrupted
    assert not made.exchanges[1].interrupted


def test_a_reply_that_was_under_way_before_the_user_spoke_answers_the_turn_before() -> None:
    # r1 arrives at 2.1, waits behind r0 and is heard from 5.0 on, while the user talks 4.0-4.5
    call = (
        CallMaker().user(0.0, 1.0).reply(2.0, beep(3.0), response="r0").reply(2.1, beep(1.0), response="r1")
    )
    call.user(4.0, 4.5).reply(7.0, beep(1.0), response="r2")
    assert latencies(timeline(call)) == [1000, 2500]  # 7.0 - 4.5


def test_a_reply_right_after_a_cut_is_told_from_what_was_cut() -> None:
    # r0 is cut at 3.3; r1 is heard from 3.31 on, 10 ms later: the ids part what no silence parts
    call = CallMaker().user(0.0, 1.0).reply(1.5, beep(5.0), response="r0", item="i0").user(2.5, 3.2)
    call.flush(3.3).reply(3.31, beep(1.0), response="r1", item="i1")
    call.note(Flushed(t=3.3, by="endpoint", at=79200, items=(("i0", 43200, 120000),)))
    made = timeline(call)
    assert latencies(made) == [500, 110]
    assert [exchange.interrupted for exchange in made.exchanges] == [True, False]


def test_an_endless_stream_without_ids_is_paired_by_time() -> None:
    # one delivery of silence and speech from 0.02 s on, in 20 ms pieces at 1x
    track = np.concatenate([quiet(1.6, 24000), beep(1.0), quiet(1.4, 24000), beep(1.0), quiet(2.0, 24000)])
    call = CallMaker().user(0.1, 1.0).user(3.0, 3.5, "yes")
    call.reply(0.02, track, piece_s=0.02, every_s=0.02)
    made = timeline(call)
    assert latencies(made) == [620, 520]  # 0.02 + 1.6 - 1.0; 0.02 + 4.0 - 3.5
    assert all(exchange.reply[0].endless for exchange in made.exchanges)


def test_a_reply_that_still_sounds_at_the_end_of_the_call_is_interrupted() -> None:  # D19
    call = CallMaker().user(0.0, 1.0).reply(2.6, beep(4.8))
    call.length = 5.0  # 2.4 s of the reply were never heard
    (exchange,) = timeline(call).exchanges
    assert exchange.interrupted


def test_twenty_turns_accumulate_no_error() -> None:  # D18 (c)
    call = CallMaker(16000, 22050)
    for turn in range(20):
        start = 6.0 * turn
        call.user(start, start + 3.0).reply(start + 4.0, beep(1.0, 22050), response=f"r{turn}")
    for latency in latencies(timeline(call)):
        assert latency == pytest.approx(1000, abs=1000 / 22050)


def test_gaps_without_user_audio_keep_their_length() -> None:  # D18 (a)
    call = CallMaker().reply(0.0, beep(1.0)).reply(8.0, beep(1.0))
    assert [made.start for made in timeline(call).endpoint] == [0, 8 * 48000]


def test_latency_comes_from_one_axis_for_both_files() -> None:  # D20: 4.363 - 2.0
    call = CallMaker().user(0.0, 2.0).reply(4.363, beep(1.0))
    assert latencies(timeline(call)) == [2363]
    assert latencies(timeline(call, index=False)) == [2363]


def test_without_events_the_users_edges_come_from_its_track() -> None:
    call = CallMaker().user(1.0, 3.0).reply(3.8, beep(1.0))
    tracks = Tracks(call.endpoint_track, 24000, 16000, call.user_track)
    assert latencies(build_timeline(tracks, ())) == [800]


@pytest.mark.parametrize("piece_s", [0.01, 0.02, 0.1, 0.237, 2.0])
def test_the_size_of_the_pieces_changes_no_latency(piece_s: float) -> None:
    pcm = np.concatenate([quiet(0.25, 24000), beep(1.0)])
    call = CallMaker().user(0.0, 2.0).reply(2.5, pcm, piece_s=piece_s, response="r0")
    call.user(5.0, 6.0).reply(6.2, pcm, piece_s=piece_s, response="r1")
    assert latencies(timeline(call)) == [750, 450]


@pytest.mark.parametrize("lead", [0.0, 0.0131, 1.0, 7.77])
def test_silence_before_everything_changes_no_latency(lead: float) -> None:
    call = CallMaker().user(lead, lead + 2.0).reply(lead + 2.5, beep(1.0))
    (latency,) = latencies(timeline(call))
    assert latency == pytest.approx(500, abs=0.1)


def test_dead_air_counts_what_nobody_fills() -> None:
    # silent 0-3 (3.0 s), 4-6.9 (2.9 s, too short), 7.9-12 (4.1 s)
    call = CallMaker().user(3.0, 4.0).reply(6.9, beep(1.0))
    call.length = 12.0
    made = timeline(call)
    assert [made.seconds(s.samples) for s in made.dead_air] == pytest.approx([3.0, 4.1])


def test_pauses_inside_an_utterance_are_silence_but_its_edges_stay() -> None:
    call = CallMaker()
    call.user(1.0, 4.0)
    _, clip = call.user_parts[0]
    clip[16000:32000] = 0  # silent from 2.0 to 3.0
    made = timeline(call)
    assert [(made.seconds(s.start), made.seconds(s.end)) for s in made.user] == [
        (1.0, pytest.approx(2.0, abs=0.001)),
        (3.0, 4.0),
    ]
