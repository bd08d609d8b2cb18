from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recordings.format import (
    EndpointText,
    EndpointUserItem,
    EndpointUserSpeech,
    EndpointUserText,
    ResponseBegan,
    UserThinking,
)
from recordings.reader import Episode
from scoring.metric import Measured, Unscored
from scoring.score import EpisodeScores, measure, read_timeline, view_of
from tests.scoring.episodes import CallMaker, quiet, tone


def scored(call: CallMaker, folder: Path) -> EpisodeScores:
    episode = Episode.load(call.write(folder / "run" / "episode"))
    return measure(episode.path, view_of(episode, read_timeline(episode), None))


def values(scores: EpisodeScores, name: str) -> list[float | str]:
    return [m.cause if isinstance(m, Unscored) else round(m.value, 6) for m in scores.measurements[name]]


def padded_reply(arrival: float = 2.5) -> CallMaker:
    pcm = np.concatenate([quiet(0.4, 24000), tone(1.0, 24000)])
    return CallMaker().user(0.0, 2.0).reply(arrival, pcm, response="r0")


def test_the_parts_of_a_latency_add_up(tmp_path: Path) -> None:  # D11
    scores = scored(padded_reply(), tmp_path)
    assert values(scores, "first_byte") == [500]  # 2.5 - 2.0
    assert values(scores, "leading_silence") == [400]  # the zeros
    assert values(scores, "response_latency") == [900]  # what was heard ranks


def test_a_reply_that_waits_behind_another_says_so(tmp_path: Path) -> None:
    # r0 is heard 1.2-3.2 (cut in); r1 arrives at 2.4 and waits 0.8 s for it
    call = CallMaker().user(0.0, 1.0).reply(1.2, tone(2.0, 24000), response="r0").user(2.0, 2.2)
    call.reply(2.4, tone(1.0, 24000), response="r1")
    (_, second) = scored(call, tmp_path).measurements["response_latency"]
    assert isinstance(second, Measured)
    assert second.value == pytest.approx(1000)  # 3.2 - 2.2
    assert second.evidence["first_byte_ms"] == pytest.approx(200)
    assert second.evidence["queued_ms"] == pytest.approx(800)
    assert second.evidence["leading_silence_ms"] == pytest.approx(0)


def test_the_server_s_stop_splits_waiting_from_thinking(tmp_path: Path) -> None:
    call = padded_reply().note(
        EndpointUserSpeech(t=0.1, edge="start"),
        EndpointUserSpeech(t=2.2, edge="stop"),
        EndpointUserItem(t=2.25, item="u"),
        ResponseBegan(t=2.26, response="r0"),
    )
    scores = scored(call, tmp_path)
    assert values(scores, "endpoint_wait") == [200]  # 2.2 - 2.0
    assert values(scores, "endpoint_think") == [300]  # 2.5 - 2.2
    assert values(scores, "response_latency") == [900]  # and it is at least each of its parts


@pytest.mark.parametrize(
    "step",
    [
        ResponseBegan(t=2.204, response="r0"),
        EndpointText(t=2.204, text="a", mode="delta"),
        EndpointUserText(t=2.204, text="a", mode="final", item="u"),
    ],
)
def test_a_stop_that_was_held_back_until_the_next_step_separates_nothing(
    step: ResponseBegan | EndpointText | EndpointUserText, tmp_path: Path
) -> None:
    call = padded_reply().note(EndpointUserSpeech(t=2.2, edge="stop"), step)
    scores = scored(call, tmp_path)
    assert values(scores, "endpoint_wait") == ["not_separable"]
    assert values(scores, "endpoint_think") == ["not_separable"]


def test_a_response_that_begins_with_the_stop_holds_nothing_back(tmp_path: Path) -> None:
    # as OpenAI does: stop, item and response in one instant, and the transcript later
    call = padded_reply().note(
        EndpointUserSpeech(t=2.2, edge="stop"),
        EndpointUserItem(t=2.2, item="u"),
        ResponseBegan(t=2.201, response="r0"),
        EndpointUserText(t=2.4, text="a", mode="final", item="u"),
    )
    scores = scored(call, tmp_path)
    assert values(scores, "endpoint_wait") == [200]
    assert values(scores, "endpoint_think") == [300]


def test_without_a_server_event_nothing_is_guessed(tmp_path: Path) -> None:
    scores = scored(padded_reply(), tmp_path)
    assert values(scores, "endpoint_wait") == ["no_server_event"]
    # it heard the user stop, then go on: that stop was not the end
    call = padded_reply().note(
        EndpointUserSpeech(t=1.0, edge="stop"), EndpointUserSpeech(t=1.5, edge="start")
    )
    assert values(scored(call, tmp_path / "b"), "endpoint_wait") == ["no_server_event"]


def test_a_stop_before_the_user_had_finished_is_a_negative_wait(tmp_path: Path) -> None:
    call = padded_reply().note(
        EndpointUserSpeech(t=1.5, edge="stop"), EndpointUserText(t=1.9, text="a", mode="final")
    )
    assert values(scored(call, tmp_path), "endpoint_wait") == [-500]


def test_in_an_endless_stream_the_first_byte_is_unscored(tmp_path: Path) -> None:
    track = np.concatenate([quiet(2.0, 24000), tone(1.0, 24000), quiet(1.0, 24000)])
    call = CallMaker().user(0.5, 1.5).reply(0.0, track, piece_s=0.02, every_s=0.02)
    scores = scored(call, tmp_path)
    assert values(scores, "response_latency") == [500]
    assert values(scores, "first_byte") == ["endless_stream"]
    assert values(scores, "endpoint_think") == ["endless_stream"]


def test_three_turns_of_which_one_is_cut_into(tmp_path: Path) -> None:  # D15: +0.8, +1.2, -0.4
    call = CallMaker()
    for turn, gap in enumerate((0.8, 1.2, -0.4)):
        start = 10.0 * turn
        call.user(start, start + 3.0).reply(start + 3.0 + gap, tone(2.0, 24000), response=f"r{turn}")
    scores = scored(call, tmp_path)
    assert values(scores, "response_latency") == pytest.approx([800, 1200, -400])
    latency = scores.metrics["response_latency"]
    assert latency.value == pytest.approx(800)
    assert latency.spread is not None
    assert latency.spread.minimum == pytest.approx(-400)  # kept, never clamped
    interruptions = scores.metrics["endpoint_interruptions"]
    assert interruptions.value == pytest.approx(1 / 3)
    assert interruptions.n == 3
    assert values(scores, "overlap") == pytest.approx([0.4])


def test_nothing_said_is_no_rate_of_zero(tmp_path: Path) -> None:  # D15: unknown, not "0 talk-over"
    scores = scored(CallMaker().reply(0.5, tone(1.0, 24000)), tmp_path)
    for name in ("endpoint_interruptions", "unanswered_turns", "response_latency", "overlap"):
        assert scores.metrics[name].value is None, name
        assert scores.metrics[name].n == 0


def test_one_of_ten_turns_without_a_reply(tmp_path: Path) -> None:  # D36
    call = CallMaker()
    for turn in range(10):
        start = 30.0 * turn
        call.user(start, start + 1.0)
        if turn != 4:
            call.reply(start + 2.0, tone(1.0, 24000), response=f"r{turn}")
    scores = scored(call, tmp_path)
    latency, unanswered = scores.metrics["response_latency"], scores.metrics["unanswered_turns"]
    assert (latency.value, latency.n, latency.unscored) == (1000, 9, {"no_reply": 1})
    assert (unanswered.value, unanswered.n) == (0.1, 10)


def test_a_turn_that_nobody_could_answer_in_time_is_censored(tmp_path: Path) -> None:
    call = CallMaker().user(0.0, 1.0).reply(1.5, tone(1.0, 24000)).user(4.0, 5.0, "goodbye")
    scores = scored(call, tmp_path)
    unanswered = scores.metrics["unanswered_turns"]
    assert (unanswered.value, unanswered.n, unanswered.unscored) == (0.0, 1, {"session_ended": 1})


def test_counts_and_shares(tmp_path: Path) -> None:
    # 10 s: user 1-3, endpoint 0-0.5 (greeting) and 3.5-6.5; silent from 6.5 on
    call = CallMaker().reply(0.0, tone(0.5, 24000), response="g").user(1.0, 3.0)
    call.reply(3.5, tone(3.0, 24000), response="r").note(UserThinking(t=0.9, seconds=0.25))
    call.length = 10.0
    scores = scored(call, tmp_path)
    expected = {
        "user_turns": 1,
        "endpoint_turns": 2,
        "user_talk_share": 0.2,
        "endpoint_talk_share": 0.35,
        "overlap": 0.0,
        "dead_air": 3.5,
        "dead_air_count": 1,
        "user_thinking": 250,
    }
    found = {name: scores.metrics[name].value for name in expected}
    assert found == pytest.approx(expected)
