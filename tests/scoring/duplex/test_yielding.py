from __future__ import annotations

from pathlib import Path

import pytest

from recordings.format import Flushed, ResponseFinished, Role
from recordings.reader import Episode
from scoring.duplex.metrics import DUPLEX
from scoring.metric import Measured, Unscored, aggregate
from scoring.score import read_timeline, view_of
from scoring.view import EpisodeView
from tests.scoring.episodes import CallMaker, tone

METRICS = {metric.name: metric for metric in DUPLEX}


def seen(call: CallMaker, folder: Path) -> EpisodeView:
    episode = Episode.load(call.write(folder / "run" / "episode"))
    return view_of(episode, read_timeline(episode), None)


def values(view: EpisodeView, name: str) -> list[float | str]:
    found = METRICS[name].measure(view)
    return [m.cause if isinstance(m, Unscored) else round(m.value, 6) for m in found]


def interrupted(*, stops_after: float, role: Role = Role.BARGE_IN) -> CallMaker:
    """A question (0-1 s), a reply from 1.5 s, cut into at 3.0 s for 1 s; playback is flushed."""
    call = CallMaker().user(0.0, 1.0).reply(1.5, tone(5.0, 24000), response="r0")
    call.user(3.0, 4.0, role=role)
    call.flush(3.0 + stops_after)
    at = round((3.0 + stops_after) * 24000)
    items = (("item", at - 36000, 120000),)
    return call.note(Flushed(t=3.0 + stops_after, by="endpoint", at=at, items=items))


@pytest.mark.parametrize("stops_after", [0.04, 0.3, 0.62, 1.8])
def test_the_time_to_yield_runs_from_the_first_word_to_the_last_sample(
    tmp_path: Path, stops_after: float
) -> None:
    view = seen(interrupted(stops_after=stops_after), tmp_path)
    (measured,) = METRICS["time_to_yield"].measure(view)
    assert isinstance(measured, Measured)
    assert not measured.censored
    assert measured.value == pytest.approx(stops_after * 1000, abs=1000 / 24000)
    assert values(view, "yield_rate") == [1]
    assert values(view, "yield_latency") == [pytest.approx(stops_after, abs=1e-4)]


def test_an_endpoint_that_never_stops_is_right_censored(tmp_path: Path) -> None:
    call = CallMaker(length=9.0).user(0.0, 1.0).reply(1.5, tone(5.0, 24000), response="r0")
    call.user(3.0, 4.0, role=Role.BARGE_IN)
    call.note(ResponseFinished(t=1.6, response="r0", status="completed"))
    view = seen(call, tmp_path)
    (measured,) = METRICS["time_to_yield"].measure(view)
    assert isinstance(measured, Measured)
    assert measured.censored
    assert measured.value == pytest.approx(3500)  # the reply is over at 6.5, and was not stopped before
    assert values(view, "yield_rate") == [0]
    assert values(view, "yield_latency") == ["did_not_yield"]


def test_a_reply_that_was_ending_anyway_tells_nothing(tmp_path: Path) -> None:
    call = CallMaker(length=9.0).user(0.0, 1.0).reply(1.5, tone(2.0, 24000), response="r0")
    call.user(3.0, 4.0, role=Role.BARGE_IN)
    call.note(ResponseFinished(t=1.6, response="r0", status="completed"))
    view = seen(call, tmp_path)
    assert values(view, "yield_rate") == ["reply_ended_by_itself"]
    assert values(view, "time_to_yield") == [500]


def test_without_responses_who_stops_within_two_seconds_has_yielded(tmp_path: Path) -> None:
    paced = CallMaker(length=9.0).user(0.0, 1.0)
    paced.reply(1.5, tone(2.4, 24000), every_s=0.12)  # stops sending at 3.9
    paced.user(3.0, 4.0, role=Role.BARGE_IN)
    assert values(seen(paced, tmp_path), "time_to_yield") == [pytest.approx(900)]
    assert values(seen(paced, tmp_path), "yield_rate") == [1]


def test_words_that_want_no_answer_open_no_turn(tmp_path: Path) -> None:
    call = CallMaker().user(0.0, 1.0).reply(1.5, tone(5.0, 24000), response="r0")
    call.user(3.0, 3.4, "mm-hm", role=Role.BACKCHANNEL).user(8.0, 9.0).reply(9.5, tone(1.0, 24000))
    view = seen(call, tmp_path)
    assert [exchange.user.start / view.timeline.rate for exchange in view.timeline.exchanges] == [0.0, 8.0]
    assert [utterance.role for utterance in view.timeline.utterances] == [
        Role.TURN,
        Role.BACKCHANNEL,
        Role.TURN,
    ]


def test_a_backchannel_is_ignored_or_not(tmp_path: Path) -> None:
    deaf = CallMaker().user(0.0, 1.0).reply(1.5, tone(5.0, 24000), response="r0")
    deaf.user(3.0, 3.4, "mm-hm", role=Role.BACKCHANNEL)
    deaf.note(ResponseFinished(t=1.6, response="r0", status="completed"))
    view = seen(deaf, tmp_path / "deaf")
    assert values(view, "backchannels_ignored") == [1]
    assert values(view, "false_yields") == [0]

    view = seen(interrupted(stops_after=0.5, role=Role.BACKCHANNEL), tmp_path / "yields")
    assert values(view, "backchannels_ignored") == [0]
    assert values(view, "false_yields") == [1]
    assert values(view, "time_to_yield") == []  # a backchannel is no interruption


def test_an_endpoint_that_falters_at_a_cough_and_goes_on_has_not_ignored_it(tmp_path: Path) -> None:
    call = CallMaker().user(0.0, 1.0).reply(1.5, tone(2.0, 24000), response="r0")
    call.user(3.0, 3.3, "(coughs)", role=Role.TIC)
    call.reply(4.5, tone(2.0, 24000), response="r0")  # silent from 3.5 to 4.5
    call.note(ResponseFinished(t=6.0, response="r0", status="completed"))
    assert values(seen(call, tmp_path), "tics_ignored") == [0]


@pytest.mark.parametrize(
    ("answer_at", "expected"),
    [(None, 1), (7.0, 0), (8.9, 1)],  # the aside ends at 6.5; 2 s later nobody can mean it
)
def test_an_aside_into_silence_wants_no_answer(
    tmp_path: Path, answer_at: float | None, expected: int
) -> None:
    call = CallMaker(length=12.0).user(0.0, 1.0).reply(1.5, tone(2.0, 24000), response="r0")
    call.user(6.0, 6.5, "not you, the dog", role=Role.ASIDE)
    if answer_at is not None:
        call.reply(answer_at, tone(1.0, 24000), response="r1", item="other")
    assert values(seen(call, tmp_path), "asides_ignored") == [expected]


def test_an_aside_while_an_answer_is_due_tells_nothing(tmp_path: Path) -> None:
    call = CallMaker(length=8.0).user(0.0, 1.0).user(1.4, 1.8, "hush", role=Role.ASIDE)
    call.reply(2.5, tone(1.0, 24000), response="r0")
    assert values(seen(call, tmp_path), "asides_ignored") == ["reply_was_due"]


def test_a_rate_is_withheld_below_ten_events_and_never_zeroed() -> None:
    metric = METRICS["yield_rate"]
    nine = aggregate(metric, [Measured(1.0)] * 9)
    assert (nine.value, nine.n, nine.withheld) == (None, 9, "fewer_than_10_events")
    ten = aggregate(metric, [Measured(1.0)] * 9 + [Measured(0.0)])
    assert ten.value == 0.9
    # Wilson, 9 of 10: (0.9 + 1.9207/10 ± 1.96 sqrt(0.09/10 + 0.9604/100)) / (1 + 3.8415/10)
    assert ten.interval is not None
    assert ten.interval.low == pytest.approx(0.5958, abs=1e-4)
    assert ten.interval.high == pytest.approx(0.9821, abs=1e-4)


def test_times_that_never_came_move_the_median_up() -> None:
    metric = METRICS["time_to_yield"]
    seen_stops = [Measured(200.0), Measured(400.0), Measured(600.0)]
    assert aggregate(metric, seen_stops).value == 400
    never = Measured(3000.0, censored=True)
    # survivors after 200, 400, 600: 4/5, 3/5, 2/5
    assert aggregate(metric, [*seen_stops, never, never]).value == 600
    open_ended = aggregate(metric, [seen_stops[0], never, never])
    assert (open_ended.value, open_ended.withheld, open_ended.censored) == (None, "median_not_reached", 2)


def test_the_old_reply_may_come_back_after_an_interruption(tmp_path: Path) -> None:
    gone = interrupted(stops_after=0.5).reply(4.5, tone(1.0, 24000), response="r1", item="new")
    assert values(seen(gone, tmp_path / "gone"), "old_reply_resumed") == [0]
    assert values(seen(gone, tmp_path / "gone"), "interruptions_answered") == [1]
    back = interrupted(stops_after=0.5).reply(4.5, tone(1.0, 24000), response="r0", item="item")
    assert values(seen(back, tmp_path / "back"), "old_reply_resumed") == [1]


def test_overlap_within_the_grace_is_no_talking_over(tmp_path: Path) -> None:
    # 1 s and 1 s of user speech; the endpoint talks 0.9 s into the second, 0.6 s of which are forgiven
    assert values(seen(interrupted(stops_after=0.9), tmp_path), "talk_over") == [
        pytest.approx(0.15, abs=1e-4)
    ]


# each bound of a definition, missed by little on one side and on the other


@pytest.mark.parametrize(("stops_after", "expected"), [(1.95, 1), (2.05, 0)])
def test_yielding_has_two_seconds(tmp_path: Path, stops_after: float, expected: int) -> None:
    assert values(seen(interrupted(stops_after=stops_after), tmp_path), "yield_rate") == [expected]


@pytest.mark.parametrize(("stops_after", "ignored"), [(0.95, 0), (1.05, 1)])
def test_a_backchannel_has_one_second(tmp_path: Path, stops_after: float, ignored: int) -> None:
    view = seen(interrupted(stops_after=stops_after, role=Role.BACKCHANNEL), tmp_path)
    assert values(view, "backchannels_ignored") == [ignored]
    assert values(view, "false_yields") == [1 - ignored]


@pytest.mark.parametrize(("answer_at", "expected"), [(8.45, 0), (8.55, 1)])  # it ends at 6.5
def test_an_aside_has_two_seconds(tmp_path: Path, answer_at: float, expected: int) -> None:
    call = CallMaker(length=12.0).user(0.0, 1.0).reply(1.5, tone(2.0, 24000), response="r0")
    call.user(6.0, 6.5, "not you", role=Role.ASIDE)
    call.reply(answer_at, tone(1.0, 24000), response="r1", item="other")
    assert values(seen(call, tmp_path), "asides_ignored") == [expected]


@pytest.mark.parametrize(("silence", "faltered"), [(0.55, False), (0.65, True)])
def test_a_silence_of_point_six_seconds_is_a_stop(tmp_path: Path, silence: float, faltered: bool) -> None:
    call = CallMaker(length=12.0).user(0.0, 1.0).reply(1.5, tone(2.0, 24000), response="r0")
    call.user(3.0, 3.3, "(coughs)", role=Role.TIC)
    call.reply(3.5 + silence, tone(2.0, 24000), response="r0")
    call.note(ResponseFinished(t=6.0, response="r0", status="completed"))
    assert values(seen(call, tmp_path), "tics_ignored") == [0 if faltered else 1]


@pytest.mark.parametrize(("after", "cut_short"), [(0.2, True), (0.3, False)])
def test_a_flush_belongs_to_a_stop_for_a_quarter_second(
    tmp_path: Path, after: float, cut_short: bool
) -> None:
    call = CallMaker(length=9.0).user(0.0, 1.0).reply(1.5, tone(2.0, 24000), response="r0")
    call.user(3.0, 4.0, role=Role.BARGE_IN)
    call.note(ResponseFinished(t=1.6, response="r0", status="completed"))
    at = 3.5 + after  # playback had run dry at 3.5
    call.note(Flushed(t=at, by="endpoint", at=round(at * 24000)))
    (measured,) = METRICS["time_to_yield"].measure(seen(call, tmp_path))
    assert isinstance(measured, Measured)
    assert measured.censored is not cut_short


@pytest.mark.parametrize(("heard", "expected"), [(0.45, 0), (0.55, 1)])
def test_half_a_second_of_the_old_reply_is_a_return(tmp_path: Path, heard: float, expected: int) -> None:
    call = interrupted(stops_after=0.5).reply(4.5, tone(heard, 24000), response="r0", item="item")
    assert values(seen(call, tmp_path), "old_reply_resumed") == [expected]


def test_an_interruption_that_nobody_answers_is_counted(tmp_path: Path) -> None:
    call = interrupted(stops_after=0.5)
    call.length = 30.0  # beyond the 20 s in which an answer is due
    view = seen(call, tmp_path)
    assert values(view, "interruptions_answered") == [0]
    assert values(view, "interruption_take_over") == [0]


def test_who_goes_on_at_a_cough_has_ignored_it(tmp_path: Path) -> None:
    call = CallMaker(length=9.0).user(0.0, 1.0).reply(1.5, tone(5.0, 24000), response="r0")
    call.user(3.0, 3.3, "(coughs)", role=Role.TIC)
    call.note(ResponseFinished(t=1.6, response="r0", status="completed"))
    assert values(seen(call, tmp_path), "tics_ignored") == [1]


def test_a_call_without_words_of_the_user_has_no_talking_over(tmp_path: Path) -> None:
    call = CallMaker(length=5.0).reply(1.0, tone(1.0, 24000), response="r0")
    assert values(seen(call, tmp_path), "talk_over") == ["user_never_spoke"]
