from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recordings.format import BehaviourSettled, Flushed, Role
from scoring.metric import Measured
from streams.audio import Pcm
from tests.scoring.duplex.test_yielding import METRICS, interrupted, seen, values
from tests.scoring.episodes import CallMaker, tone

LATENCIES = [(-0.5, 0.0), (0.0, 0.5), (0.5, 1.0), (1.9, 1.0), (2.75, 0.5), (3.5, 0.0), (5.0, 0.0)]


@pytest.mark.parametrize(("latency", "score"), LATENCIES)
def test_eva_s_latency_score_has_its_corners(tmp_path: Path, latency: float, score: float) -> None:
    call = CallMaker(length=12.0).user(0.0, 2.0).reply(2.0 + latency, tone(2.0, 24000), response="r0")
    (measured,) = METRICS["eva_turn_taking"].measure(seen(call, tmp_path))
    assert isinstance(measured, Measured)
    assert measured.evidence["latency"] == pytest.approx(score, abs=1e-4)


def test_eva_takes_the_worst_of_latency_cutting_in_and_yielding(tmp_path: Path) -> None:
    # 0.4 s over the user: 0.5 (1 - 0.4 / 2) = 0.4; the latency of -0.4 s scores 0.1
    call = CallMaker(length=8.0).user(0.0, 2.0).reply(1.6, tone(2.0, 24000), response="r0")
    assert values(seen(call, tmp_path / "cut"), "eva_turn_taking") == [pytest.approx(0.1, abs=1e-4)]
    # stops 0.5 s after the barge-in: 1 - 0.5 / 2 = 0.75, the answer comes after 0.5 s: 1.0
    call = interrupted(stops_after=0.5).reply(4.5, tone(1.0, 24000), response="r1", item="new")
    found = values(seen(call, tmp_path / "yield"), "eva_turn_taking")
    assert found == [1.0, pytest.approx(0.75, abs=1e-4)]


def test_a_pause_inside_a_turn_may_be_taken_for_its_end(tmp_path: Path) -> None:
    waits = CallMaker(length=9.0).user(0.0, 4.0, pauses=[(1.0, 2.5)]).reply(4.5, tone(2.0, 24000))
    assert values(seen(waits, tmp_path / "waits"), "pause_take_over") == [0]
    assert values(seen(waits, tmp_path / "waits"), "endpoint_cut_ins") == [0]
    hasty = CallMaker(length=9.0).user(0.0, 4.0, pauses=[(1.0, 2.5)]).reply(2.0, tone(3.0, 24000))
    assert values(seen(hasty, tmp_path / "hasty"), "pause_take_over") == [1]
    assert values(seen(hasty, tmp_path / "hasty"), "endpoint_cut_ins") == [1]
    # 0.5 s are heard, then the user goes on and 2.5 s are dropped: it had taken the turn
    stopped = CallMaker(length=9.0).user(0.0, 4.0, pauses=[(1.0, 2.5)])
    stopped.reply(2.1, tone(3.0, 24000), response="r0").flush(2.6)
    stopped.note(Flushed(t=2.6, by="endpoint", at=62400, items=(("item", 12000, 72000),)))
    assert values(seen(stopped, tmp_path / "stopped"), "pause_take_over") == [1]
    assert values(seen(stopped, tmp_path / "stopped"), "endpoint_backchannels") == [0]
    nods = CallMaker(length=9.0).user(0.0, 4.0, pauses=[(1.0, 2.5)]).reply(1.5, tone(0.4, 24000))
    assert values(seen(nods, tmp_path / "nods"), "pause_take_over") == [0]  # 0.4 s is a backchannel
    # one short "mm-hm" in 4.0 - 1.5 s of speech
    found = values(seen(nods, tmp_path / "nods"), "endpoint_backchannels")
    assert found == [pytest.approx(1 / 2.5)]


def test_rates_of_answers_leave_out_what_the_end_of_the_call_cut_off(tmp_path: Path) -> None:
    call = CallMaker(length=10.0).user(0.0, 1.0).reply(1.5, tone(2.0, 24000), response="r0").user(9.0, 9.5)
    view = seen(call, tmp_path)
    assert values(view, "answer_rate") == [1, "session_ended"]
    assert values(view, "answer_latency") == [0.5, "session_ended"]
    assert values(view, "smooth_take_over") == [1, "session_ended"]
    assert values(view, "on_time") == [1, "session_ended"]


def test_interruptions_have_a_take_over_rate_of_their_own(tmp_path: Path) -> None:
    call = interrupted(stops_after=0.5).reply(4.5, tone(1.5, 24000), response="r1", item="new")
    view = seen(call, tmp_path)
    assert values(view, "smooth_take_over") == [1]
    assert values(view, "interruption_take_over") == [1]


def fading(seconds: float) -> Pcm:
    """A tone that fades away within its last 0.2 s."""
    pcm = tone(seconds, 24000).astype(np.float64)
    pcm[-4800:] *= np.linspace(1, 0.002, 4800)
    return pcm.astype(np.int16)


def test_a_reply_that_breaks_off_is_told_from_one_that_fades(tmp_path: Path) -> None:
    fades = CallMaker().user(0.0, 1.0).reply(1.5, fading(2.0), response="r0")
    assert values(seen(fades, tmp_path / "fades"), "cut_off") == [0]
    # loud until 10 ms before its end, 20 dB lower there: over 30 ms as a whole it would pass for broken off
    loud = tone(2.0, 24000).astype(np.float64)
    loud[-240:] *= 0.1
    ends_loud = CallMaker().user(0.0, 1.0).reply(1.5, loud.astype(np.int16), response="r0")
    assert values(seen(ends_loud, tmp_path / "loud"), "cut_off") == [0]
    breaks = CallMaker().user(0.0, 1.0).reply(1.5, fading(2.0)[:24000], response="r0")
    assert values(seen(breaks, tmp_path / "breaks"), "cut_off") == [1]
    assert values(seen(interrupted(stops_after=0.5), tmp_path / "cut"), "cut_off") == ["interrupted"]


def test_reprompts_and_what_did_not_happen_are_counted(tmp_path: Path) -> None:
    call = CallMaker(length=20.0).user(0.0, 1.0).user(9.0, 10.0, "hello?", role=Role.REPROMPT)
    call.note(
        BehaviourSettled(t=1.0, behaviour="nod", type="backchannel", happened=True),
        BehaviourSettled(
            t=19.0, behaviour="cut", type="barge_in", happened=False, cause="keyword_not_heard"
        ),
    )
    view = seen(call, tmp_path)
    assert values(view, "reprompts") == [1]
    (missed,) = METRICS["behaviours_missed"].measure(view)
    assert isinstance(missed, Measured)
    assert (missed.value, missed.evidence) == (1, {"causes": {"cut": "keyword_not_heard"}})


@pytest.mark.parametrize(("latency", "expected"), [(0.15, 0), (0.25, 1), (2.7, 1), (2.8, 0)])
def test_on_time_is_neither_early_nor_late(tmp_path: Path, latency: float, expected: int) -> None:
    call = CallMaker(length=9.0).user(0.0, 1.0).reply(1.0 + latency, tone(1.0, 24000), response="r0")
    assert values(seen(call, tmp_path), "on_time") == [expected]


@pytest.mark.parametrize(("seconds", "took"), [(0.9, 0), (1.1, 1)])
def test_a_take_over_lasts_a_second(tmp_path: Path, seconds: float, took: int) -> None:
    call = CallMaker(length=30.0).user(0.0, 1.0).reply(1.5, tone(seconds, 24000), response="r0")
    assert values(seen(call, tmp_path), "smooth_take_over") == [took]


def test_an_endpoint_that_never_answers_takes_no_turn(tmp_path: Path) -> None:
    assert values(seen(CallMaker(length=30.0).user(0.0, 1.0), tmp_path), "smooth_take_over") == [0]


@pytest.mark.parametrize(("answer", "took"), [(None, 0), (0.5, 0), (1.5, 1)])
def test_a_nod_is_taken_for_a_turn_if_something_new_is_said(
    tmp_path: Path, answer: float | None, took: int
) -> None:
    call = interrupted(stops_after=0.4, role=Role.BACKCHANNEL)
    if answer is not None:
        call.reply(4.6, tone(answer, 24000), response="r1", item="new")
    assert values(seen(call, tmp_path), "backchannel_take_over") == [took]
