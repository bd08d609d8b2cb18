"""Whole calls in simulated time, with the fake endpoint and a user who says tone bursts.

Times: the user's burst is 0.6 s; the ear ends a turn after 0.8 s of silence when it goes by silence alone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from agent.observers import FinishedTurn, Judgement, TurnObserver
from agent.session import Engines, Session, SessionPlan
from recordings.check import check
from recordings.format import (
    EpisodeInfo,
    Flushed,
    Outcome,
    Side,
    UnknownMessage,
    UserThinking,
    Verdict,
    VerdictGiven,
)
from recordings.reader import Episode
from scenarios.load import from_scenario
from scenarios.schema import Limits
from streams import clock
from streams.endpoints.errors import AuthenticationFailed, ConnectFailed
from streams.endpoints.events import Ending as SessionEnding
from streams.endpoints.events import Notice, NoticeLevel, Unknown
from streams.endpoints.fake import Delivery, FakeEndpoint, FakeReply, tone
from streams.endpoints.protocol import PlaybackState
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from streams.speech.interfaces import Speech, SpeechError
from tests.agent.calls import Call, audible, hold, scripted
from user_sim.policy import (
    Action,
    Advice,
    CallStarted,
    Ending,
    EndpointBegan,
    HangUp,
    Line,
    Move,
    Percept,
    Say,
    Silence,
    TurnHeard,
)

# --- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("delivery", list(Delivery))
def test_a_reply_is_heard_on_its_exact_sample_whatever_the_pace(tmp_path: Path, delivery: Delivery) -> None:
    reply = FakeReply(pcm=tone(1.5), delay_s=0.7, leading_silence_s=0.15, delivery=delivery)
    call = hold(tmp_path, FakeEndpoint([reply]))
    assert audible(call.episode, "user") == [(0.0, 0.6)]
    # 0.6 speech + 0.7 delay = 1.3; 1.3 + 1.5 = 2.8
    assert audible(call.episode, "endpoint") == [(1.3, 2.8)]
    assert check(call.episode) == []


def test_two_runs_of_the_same_call_are_the_same_byte_for_byte(tmp_path: Path) -> None:
    def once(name: str) -> list[bytes]:
        replies = [FakeReply(pcm=tone(0.8), text=f"reply {n}", delay_s=0.61) for n in range(3)]
        hold(tmp_path / name, FakeEndpoint(replies), scripted(3), texts=["one", "two", "three"])
        folder = tmp_path / name / "call"
        files = [
            "user.wav",
            "endpoint.wav",
            "received.wav",
            "events.jsonl",
            "turns.jsonl",
            "received.jsonl",
        ]
        return [(folder / file).read_bytes() for file in files]

    assert once("first") == once("second")


def test_a_burst_ends_when_it_has_been_heard_not_when_it_has_arrived(tmp_path: Path) -> None:
    # D10: 6 s arrive at 1.2; the turn ends 0.8 s after 1.2 + 6.0 = 7.2
    call = hold(tmp_path, FakeEndpoint([FakeReply(pcm=tone(6.0), delay_s=0.6)]))
    (turn,) = [t for t in call.episode.turns if t.side is Side.ENDPOINT]
    assert (turn.start_s, turn.end_s) == (1.2, 7.2)
    assert call.info.duration_s == pytest.approx(8.0, abs=0.2)  # noticed with the next batch of frames


def test_the_clip_s_own_silence_is_no_speech(tmp_path: Path) -> None:
    # D12: a clip with 0.4 s of silence at its end; the reply comes 0.7 s after the last audible sample
    engines = Engines(voice=ToneVoice(trailing_s=0.4), detector=EnergyDetector())
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.7)])

    async def main() -> None:
        plan = SessionPlan(id="call", scenario=from_scenario(scripted()))
        await Session(plan, endpoint, engines, tmp_path / "call").run()

    clock.run(main(), simulate=True)
    user, reply = Episode.load(tmp_path / "call").turns
    assert (user.end_s, reply.start_s) == (0.6, 1.3)


def test_the_line_is_never_quiet_for_the_endpoint(tmp_path: Path) -> None:
    # D09: one frame per tick from first to last, whether somebody speaks or not
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=3.0)])
    frames: list[float] = []
    send = endpoint.send

    async def counted(frame: object) -> None:
        frames.append(clock.now())
        await send(frame)  # type: ignore[arg-type]

    endpoint.send = counted  # type: ignore[method-assign]
    call = hold(tmp_path, endpoint)
    assert len(frames) == round(call.info.duration_s * 50)
    assert np.allclose(np.diff(frames), 0.02)


def test_tracks_have_one_length_and_one_beginning(tmp_path: Path) -> None:
    call = hold(tmp_path, FakeEndpoint([FakeReply(pcm=tone(1.0))], rate=16000, out_rate=24000))
    tracks = [call.episode.track("user"), call.episode.track("user_clean"), call.episode.track("endpoint")]
    lengths = {len(pcm) / rate for pcm, rate in tracks}
    assert lengths == {call.info.duration_s}


# --- turns --------------------------------------------------------------------------------------


def test_turns_hold_what_was_intended_said_and_heard(tmp_path: Path) -> None:
    replies = [
        FakeReply(pcm=tone(1.0), text="I am fine.", user_text="How are you", delay_s=0.6),
        FakeReply(pcm=tone(1.0), text="Goodbye.", user_text="Bye", delay_s=0.6),
    ]
    call = hold(tmp_path, FakeEndpoint(replies), scripted(2), texts=["I am fine", "goodbye"])
    rows = [(t.side.value, t.intended, t.heard) for t in call.episode.turns]
    assert rows == [
        ("user", "question 0", "How are you"),
        ("endpoint", "I am fine.", "I am fine"),
        ("user", "question 1", "Bye"),
        ("endpoint", "Goodbye.", "goodbye"),
    ]
    assert call.info.outcome is Outcome.COMPLETED


def test_the_user_waits_while_the_endpoint_only_pauses(tmp_path: Path) -> None:
    # a pause of 0.5 s within the reply is no end of turn: 0.8 s would be
    pcm = tone(1.0) + bytes(2 * 12000) + tone(1.0)
    call = hold(tmp_path, FakeEndpoint([FakeReply(pcm=pcm, delay_s=0.6)]), scripted(2), texts=["a", "b"])
    assert [t.side for t in call.episode.turns][:3] == [Side.USER, Side.ENDPOINT, Side.USER]
    assert call.episode.turns[1].end_s == pytest.approx(1.2 + 2.5)


class BargeIn:
    """Talks over the first reply 1 s after it was noticed."""

    def __init__(self) -> None:
        self.heard: list[TurnHeard] = []
        self.broke_in = False

    def observe(self, percept: Percept) -> Sequence[Action]:
        match percept:
            case CallStarted():
                return (Say(Line("tell me a long story")),)
            case EndpointBegan() if not self.broke_in:
                self.broke_in = True
                return (Say(Line("stop please"), delay_s=1.0),)
            case TurnHeard():
                self.heard.append(percept)
                return (HangUp(Ending.DONE),)
            case Silence():
                return (HangUp(Ending.IMPATIENT),)
            case _:
                return ()

    def lines_ahead(self) -> Sequence[Line]:
        return ()


def test_a_barge_in_drops_what_was_not_heard_and_reports_what_was(tmp_path: Path) -> None:
    replies = [
        FakeReply(pcm=tone(8.0), text="A very long story", delay_s=0.6),
        FakeReply(pcm=tone(1.0), text="Sorry.", delay_s=0.6),
    ]
    endpoint = FakeEndpoint(replies, reaction_s=0.3)
    policy = BargeIn()
    call = hold(tmp_path, endpoint, policy=policy, texts=["a very", "sorry"])
    (_, second), (story, answer) = (
        [t for t in call.episode.turns if t.side is side] for side in (Side.USER, Side.ENDPOINT)
    )
    # the story plays from 1.2 s; the fake cuts it 0.3 s after the user's first audible sample
    cut_s = second.start_s + 0.3
    assert audible(call.episode, "endpoint")[0] == pytest.approx((1.2, cut_s), abs=1e-4)
    heard = round((cut_s - 1.2) * 24000)
    (dropped,) = [r for r in endpoint.reports if r.state is PlaybackState.DROPPED]
    assert (dropped.item, dropped.heard, dropped.received) == ("reply-1", heard, 8 * 24000)
    (flush,) = [e for e in call.episode.events if isinstance(e, Flushed)]
    assert flush.items == (("reply-1", heard, 8 * 24000),)
    assert story.interrupted and not answer.interrupted
    assert answer.start_s == pytest.approx(second.end_s + 0.6)
    assert [t.text for t in policy.heard] == ["sorry"]
    assert check(call.episode) == []


def test_audio_that_arrives_after_the_cut_stays_unheard(tmp_path: Path) -> None:
    # D03: three late pieces of the cut reply
    replies = [
        FakeReply(pcm=tone(8.0), delay_s=0.6, delivery=Delivery.REALTIME, late_chunks=3),
        FakeReply(pcm=tone(0.5, hz=900), delay_s=0.6),
    ]
    call = hold(tmp_path, FakeEndpoint(replies, reaction_s=0.3), policy=BargeIn(), texts=["x", "y"])
    assert call.info.late_pieces == 3
    _, answer = audible(call.episode, "endpoint")
    assert answer[1] - answer[0] == pytest.approx(0.5)
    assert [piece.start for piece in call.episode.received].count(None) == 3
    assert check(call.episode) == []


def test_the_user_s_own_thinking_is_on_record(tmp_path: Path) -> None:
    class SlowVoice(ToneVoice):
        async def speak(self, text: str) -> Speech:
            if text == "question one":
                await asyncio.sleep(9.0)
            return await super().speak(text)

    engines = Engines(voice=SlowVoice(), detector=EnergyDetector())
    replies = [FakeReply(pcm=tone(1.0), delay_s=0.6), FakeReply(pcm=tone(1.0), delay_s=0.6)]

    async def main() -> None:
        plan = SessionPlan(id="call", scenario=from_scenario(scripted(2)))
        await Session(plan, FakeEndpoint(replies), engines, tmp_path / "call").run()

    clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "call")
    first, second = [e.seconds for e in episode.events if isinstance(e, UserThinking)]
    # prepared while the endpoint talked, from the first word at 0.0; the reply was over at 1.2 + 1.0 + 0.8
    assert first == 0.0
    assert second == pytest.approx(9.0 - 3.0, abs=0.1)


# --- ends ---------------------------------------------------------------------------------------


def test_an_endpoint_that_never_speaks_is_asked_again_and_then_given_up(tmp_path: Path) -> None:
    call = hold(tmp_path, FakeEndpoint(), scripted(1))
    assert call.info.outcome is Outcome.ENDPOINT_SILENT
    assert not call.info.outcome.void
    assert [t.intended for t in call.episode.turns if t.side is Side.USER][
        1
    ] == "Sorry, are you still there?"


def test_an_endpoint_that_speaks_for_ever_ends_with_the_scenario_s_limit(tmp_path: Path) -> None:
    endless = FakeReply(pcm=tone(1.0), delivery=Delivery.REALTIME, endless=True)
    call = hold(tmp_path, FakeEndpoint([endless]), scripted(limits=Limits(max_duration_s=10)))
    assert call.info.outcome is Outcome.MAX_DURATION
    assert call.info.duration_s == 10.0
    (turn,) = [t for t in call.episode.turns if t.side is Side.ENDPOINT]
    assert turn.end_s == pytest.approx(10.0, abs=0.1)


def test_what_arrived_is_heard_out_when_the_endpoint_closes_mid_word(tmp_path: Path) -> None:
    # D19: 3 s arrived in a burst at 1.2; the connection breaks 0.5 s later; the reply is heard to 4.2
    reply = FakeReply(pcm=tone(3.0), delay_s=0.6, hang_up_s=0.5)
    call = hold(tmp_path, FakeEndpoint([reply]))
    assert call.info.outcome is Outcome.ENDPOINT_ERROR
    assert "1011" in call.info.reason
    assert audible(call.episode, "endpoint") == [(1.2, 4.2)]
    assert call.info.unheard_tail_ms == 0


def test_an_announced_end_is_acted_on_by_a_timer_of_our_own(tmp_path: Path) -> None:
    # D04: "2 s left" at 1.2 + 1.0, then nothing; we hang up before 3.2
    ending = SessionEnding(at=0, time_left_s=2.0, reason="session limit")
    reply = FakeReply(pcm=tone(1.0), delay_s=0.6, delivery=Delivery.REALTIME, after=(ending,))
    call = hold(tmp_path, FakeEndpoint([reply]), scripted(5))
    assert call.info.outcome is Outcome.SESSION_LIMIT
    assert call.info.reason == "session limit"
    assert call.info.duration_s == pytest.approx(2.2 + 2.0 - 0.3, abs=0.05)


def test_an_error_event_is_on_record_and_ends_nothing_by_itself(tmp_path: Path) -> None:
    notice = Notice(at=0, level=NoticeLevel.ERROR, code="bad_tool", message="no such tool")
    reply = FakeReply(pcm=tone(1.0), delay_s=0.6, before=(notice, Unknown(at=0, type="response.new")))
    call = hold(tmp_path, FakeEndpoint([reply]))
    assert call.info.outcome is Outcome.COMPLETED
    kinds = [e.kind for e in call.episode.events]
    assert "noticed" in kinds
    assert [e.type for e in call.episode.events if isinstance(e, UnknownMessage)] == ["response.new"]


@pytest.mark.parametrize("failure", [ConnectFailed, AuthenticationFailed])
def test_a_call_that_never_connects_is_void_and_says_why(
    tmp_path: Path, failure: type[ConnectFailed]
) -> None:
    refusal = failure("openai://x", "the key was rejected", "Set OPENAI_API_KEY.")
    call = hold(tmp_path, FakeEndpoint(refuses=refusal))
    assert call.info.outcome is Outcome.CONNECT_FAILED and call.info.outcome.void
    assert call.info.reason == "openai://x: the key was rejected. Set OPENAI_API_KEY."
    assert call.episode.turns == []


def test_a_voice_that_fails_is_our_fault_not_the_endpoint_s(tmp_path: Path) -> None:
    class BrokenVoice(ToneVoice):
        async def speak(self, text: str) -> Speech:
            if text == "question one":
                raise SpeechError("voice", "the model is gone", "Install it again.")
            return await super().speak(text)

    engines = Engines(voice=BrokenVoice(), detector=EnergyDetector())
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.6)])

    async def main() -> EpisodeInfo:
        plan = SessionPlan(id="call", scenario=from_scenario(scripted(2)))
        return await Session(plan, endpoint, engines, tmp_path / "call").run()

    info = clock.run(main(), simulate=True)
    assert info.outcome is Outcome.USER_FAILED and info.outcome.void
    assert "the model is gone" in info.reason
    # what came before is kept
    assert audible(Episode.load(tmp_path / "call"), "endpoint") == [(1.2, 2.2)]


def test_a_cancelled_session_leaves_a_complete_episode(tmp_path: Path) -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(30.0), delay_s=0.6)])
    engines = Engines(voice=ToneVoice(), detector=EnergyDetector())

    async def main() -> None:
        plan = SessionPlan(id="call", scenario=from_scenario(scripted()))
        session = asyncio.create_task(Session(plan, endpoint, engines, tmp_path / "call").run())
        await asyncio.sleep(5.0)
        session.cancel()
        with pytest.raises(asyncio.CancelledError):
            await session

    clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "call")
    assert episode.info.outcome is Outcome.CANCELLED
    assert audible(episode, "endpoint")[0] == pytest.approx((1.2, 5.0), abs=0.03)
    assert [t.unscored.get("heard") for t in episode.turns][-1] == "session_ended"
    assert check(episode) == []


# --- live judges --------------------------------------------------------------------------------


class Judge:
    """Takes so long, and advises."""

    name = "test"

    def __init__(self, seconds: float, advice: Advice | None = None) -> None:
        self.seconds = seconds
        self.advice = advice
        self.seen: list[FinishedTurn] = []

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        self.seen.append(turn)
        await asyncio.sleep(self.seconds)
        return Judgement(Verdict(judge=self.name, label="good"), self.advice)


def test_a_judge_sees_what_was_heard_and_its_verdict_is_on_record(tmp_path: Path) -> None:
    judge: TurnObserver = Judge(0.1)
    replies = [FakeReply(pcm=tone(1.0), text="own words", delay_s=0.7)]
    call = hold(tmp_path, FakeEndpoint(replies), texts=["heard words"], observers=(judge,))
    assert isinstance(judge, Judge)
    (turn,) = judge.seen
    assert (turn.asked, turn.heard, turn.turn) == ("question 0", "heard words", 1)
    assert turn.latency_s == pytest.approx(0.7)
    assert len(turn.audio) == 24000
    assert call.episode.turns[1].verdicts == (Verdict(judge="test", label="good"),)
    assert [e.label for e in call.episode.events if isinstance(e, VerdictGiven)] == ["good"]


def test_a_judge_that_hangs_changes_no_tick_and_delays_the_user_only_a_little(tmp_path: Path) -> None:
    def call(judges: tuple[TurnObserver, ...], name: str) -> Call:
        replies = [FakeReply(pcm=tone(1.0), delay_s=0.6) for _ in range(2)]
        return hold(tmp_path / name, FakeEndpoint(replies), scripted(2), texts=["a", "b"], observers=judges)

    plain, judged = call((), "plain"), call((Judge(30.0),), "judged")
    assert judged.info.lateness is not None and judged.info.lateness.worst == 0
    starts = [[t.start_s for t in c.episode.turns if t.side is Side.USER] for c in (plain, judged)]
    assert starts[1][1] - starts[0][1] == pytest.approx(0.3, abs=0.021)  # the user waits 0.3 s for advice


def test_advice_to_stop_ends_the_call(tmp_path: Path) -> None:
    replies = [FakeReply(pcm=tone(1.0), delay_s=0.6) for _ in range(5)]
    judge = Judge(0.1, Advice(Move.STOP))
    call = hold(tmp_path, FakeEndpoint(replies), scripted(5), texts=["a"] * 5, observers=(judge,))
    assert call.info.outcome is Outcome.USER_STOPPED
    assert len(judge.seen) <= 2


def test_no_secret_and_only_strict_json_is_in_an_episode(tmp_path: Path) -> None:
    hold(tmp_path, FakeEndpoint([FakeReply(pcm=tone(1.0), text="\ud800 lone surrogate")]))
    info = json.loads((tmp_path / "call" / "episode.json").read_text())
    assert info["outcome"] == "completed"
    for line in (tmp_path / "call" / "events.jsonl").read_text(encoding="utf-8").splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
