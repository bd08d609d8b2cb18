"""The user cuts into a reply: when exactly, with what, and what becomes of its old question.

Times: the user's burst is 0.6 s; LONG is heard 0.61 s after it, from 1.21 s on; ticks are 20 ms.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest

from agent.observers import FinishedTurn, Judgement
from agent.session import Engines, Session, SessionPlan
from recordings.format import BehaviourSettled, Role, Side, UtteranceStarted, Verdict, VerdictGiven
from recordings.reader import Episode
from scenarios.load import find, from_scenario
from scenarios.schema import Scenario
from streams import clock
from streams.endpoints.fake import Delivery, FakeEndpoint, FakeReply, tone
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from tests.agent.calls import Call, audible, hold
from tests.agent.messy_calls import (
    LONG,
    SHORT,
    Listener,
    barge_in,
    call_with,
    events,
    messy,
    said,
    script,
    settled,
    with_behaviours,
)
from user_sim import policy as user


class Strict:
    """Says "wrong" as soon as it hears w2."""

    name = "strict"

    def __init__(self) -> None:
        self.seen: list[FinishedTurn] = []

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        self.seen.append(turn)
        return Judgement(Verdict(judge=self.name, label="wrong" if "w2" in turn.heard else "good"))


FACT = {"id": "price", "text": "Nine euros.", "keywords": [["nine"]]}


@pytest.mark.parametrize("after_s", [0.7, 1.234, 2.0, 5.555])
@pytest.mark.parametrize("delivery", list(Delivery))
def test_a_barge_in_begins_at_the_first_tick_after_so_much_of_the_reply(
    tmp_path: Path, after_s: float, delivery: Delivery
) -> None:
    reply = dataclasses.replace(LONG, delivery=delivery)
    call = call_with(tmp_path, messy(barge_in(after_s=after_s)), reply, SHORT, SHORT)
    (cut,) = said(call, Role.BARGE_IN)
    expected = math.ceil(round((1.21 + after_s) / 0.02, 6)) * 480  # samples at 24 kHz
    assert (cut.start, cut.audible_start) == (expected, expected)
    assert audible(call.episode, "user")[1][0] == expected / 24000
    assert (cut.behaviour, cut.t) == ("cut", expected / 24000)


@pytest.mark.parametrize("rates", [(8000, 24000), (16000, 16000), (24000, 48000)])
def test_the_onset_is_exact_at_every_rate(tmp_path: Path, rates: tuple[int, int]) -> None:
    rate, out_rate = rates
    reply = FakeReply(pcm=tone(6.0, rate=out_rate), delay_s=0.6)
    endpoint = FakeEndpoint([reply], rate=rate, out_rate=out_rate, reaction_s=0.1)
    call = hold(tmp_path, endpoint, messy(barge_in(after_s=1.5), turns=1))
    (cut,) = said(call, Role.BARGE_IN)
    (story, *_) = [turn for turn in call.episode.turns if turn.side is Side.ENDPOINT]
    # heard on the detector's 10 ms windows, where the resampler rings into the one beside the edge
    due = math.ceil(round((story.start_s + 1.5) / 0.02, 6)) * 0.02
    assert cut.start / rate == pytest.approx(due) and abs(story.start_s - 1.2) <= 0.0101


def test_a_clip_with_silence_around_its_words_is_heard_at_the_moment_it_is_for(tmp_path: Path) -> None:
    voice = ToneVoice(leading_s=0.2, trailing_s=0.3)
    scenario = messy(barge_in(after_s=2.0))
    endpoint = FakeEndpoint([LONG, SHORT], interruptible=False)

    async def main() -> None:
        plan = SessionPlan(id="call", scenario=from_scenario(scenario))
        await Session(plan, endpoint, Engines(voice, EnergyDetector()), tmp_path / "call").run()

    clock.run(main(), simulate=True)
    heard = audible(Episode.load(tmp_path / "call"), "user")
    # the turn is audible 0.2 to 0.8 s, so the reply 1.41 s on; 1.41 + 2.0 = 3.41, at the tick of 3.42
    assert heard[:2] == [(0.2, 0.8), (3.42, 4.02)]


def test_the_new_words_have_facts_of_their_own_for_the_judge(tmp_path: Path) -> None:
    scenario = messy(barge_in(after_s=2.0, facts=[FACT]))
    strict = Strict()
    call = call_with(tmp_path, scenario, LONG, SHORT, SHORT, observers=(strict,))
    (cut,) = said(call, Role.BARGE_IN)
    assert cut.expected == ("price",)
    (answer,) = [turn for turn in strict.seen if turn.asked == "stop" and turn.heard == "reply 1"]
    assert [fact.id for fact in answer.facts] == ["price"]
    # the reply that was cut answers the turn before, whose facts these are not
    (cut_off,) = [turn for turn in strict.seen if turn.heard == "reply 0"]
    assert (cut_off.asked, list(cut_off.facts)) == ("question 0", [])
    roles = [turn.role for turn in call.episode.turns if turn.side is Side.USER]
    assert roles == [Role.TURN, Role.BARGE_IN, Role.TURN]


# --- the old question ---------------------------------------------------------------------------


def test_a_dropped_question_is_followed_by_the_next_turn(tmp_path: Path) -> None:
    call = call_with(tmp_path, messy(barge_in(after_s=2.0)), LONG, SHORT, SHORT)
    assert script(call) == [("turn", "question 0"), ("barge_in", "stop"), ("turn", "question 1")]


def test_an_open_question_is_asked_again_and_is_no_turn_more(tmp_path: Path) -> None:
    late = barge_in(id="late", turn=2, after_s=0.5)
    scenario = messy(barge_in(after_s=2.0, old_question="open"), late)
    call = call_with(tmp_path, scenario, LONG, SHORT, SHORT, SHORT, SHORT)
    assert script(call) == [
        ("turn", "question 0"),
        ("barge_in", "stop"),
        ("turn", "question 0"),  # the reply to this one sets nothing off: it is turn 1 still
        ("turn", "question 1"),
        ("barge_in", "stop"),
    ]


@pytest.mark.parametrize(
    ("old", "then"),
    [("dropped", "How does it work, step by step?"), ("open", "Hello! What is CRISPR-Cas9?")],
)
def test_an_adaptive_user_leaves_the_aspect_or_asks_for_it_again(
    tmp_path: Path, old: str, then: str
) -> None:
    (demo,) = find("demo/crispr")
    scenario = with_behaviours(demo.scenario, barge_in(after_s=2.0, old_question=old))
    call = call_with(tmp_path, scenario, LONG, SHORT, *[SHORT] * 12)
    assert [text for _, text in script(call)][:3] == ["Hello! What is CRISPR-Cas9?", "stop", then]


@pytest.mark.parametrize("old", ["dropped", "open"])
def test_a_language_model_is_told_what_became_of_its_question(tmp_path: Path, old: str) -> None:
    asked: list[tuple[tuple[str, str], ...]] = []

    async def compose(request: user.Compose) -> user.Composed:
        asked.append(request.messages)
        own = sum(role == "assistant" for role, _ in request.messages)
        return user.Composed(request.request, ("Question 1?", "Question 2?", "[END]")[own])

    scenario = messy(barge_in(after_s=2.0, old_question=old), policy="llm", aim="find out", turns=1)
    endpoint = FakeEndpoint([LONG, SHORT, SHORT])

    async def main() -> None:
        engines = Engines(ToneVoice(), EnergyDetector(), recogniser=Listener(), composer=compose)
        plan = SessionPlan(id="call", scenario=from_scenario(scenario))
        await Session(plan, endpoint, engines, tmp_path / "call").run()

    clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "call")
    spoken = [event.text for event in episode.events if isinstance(event, UtteranceStarted)]
    assert spoken == ["Question 1?", "stop", "Question 2?"]
    (_, own), (_, note) = asked[1][-2:]
    assert own == "Question 1?\nstop"
    assert ("ask it again" in note) is (old == "open")


def test_an_endpoint_that_does_not_answer_the_new_question_is_asked_whether_it_is_there(
    tmp_path: Path,
) -> None:
    call = call_with(tmp_path, messy(barge_in(after_s=2.0)), LONG)
    assert script(call)[:3] == [
        ("turn", "question 0"),
        ("barge_in", "stop"),
        ("reprompt", "Sorry, are you still there?"),
    ]


# --- what sets it off ---------------------------------------------------------------------------


def listened(tmp_path: Path, scenario: Scenario, *replies: FakeReply, **plan: Any) -> tuple[Call, Listener]:
    listener = Listener()
    endpoint = FakeEndpoint(replies, reaction_s=0.3)

    async def main() -> None:
        engines = Engines(ToneVoice(), EnergyDetector(), recogniser=listener)
        whole = SessionPlan(id="call", scenario=from_scenario(scenario), **plan)
        await Session(whole, endpoint, engines, tmp_path / "call").run()

    clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "call")
    return Call(episode.info, episode, endpoint), listener


def test_a_keyword_sets_it_off_while_the_reply_goes_on(tmp_path: Path) -> None:
    call, listener = listened(tmp_path, messy(barge_in(keyword="W3")), LONG, SHORT, SHORT)
    (cut,) = said(call, Role.BARGE_IN)
    # a transcript each time that a second or a little more was heard; the third is complete at 1.21 + 3.0
    assert 4.2 <= cut.t <= 4.8
    assert listener.clips[:3] == pytest.approx([1.1, 2.2, 3.3], abs=0.15)
    (event,) = events(call, BehaviourSettled)
    assert (event.happened, event.trigger) == (True, "'W3' heard")


@pytest.mark.parametrize(("keyword", "cause"), [("w20", "keyword_not_heard"), ("w1", "heard_too_late")])
def test_a_keyword_that_comes_too_late_or_never_did_not_happen(
    tmp_path: Path, keyword: str, cause: str
) -> None:
    call, _ = listened(tmp_path, messy(barge_in(keyword=keyword), turns=1), SHORT)
    assert settled(call) == [("cut", False, cause)]


def test_without_a_keyword_nothing_is_transcribed_while_the_reply_goes_on(tmp_path: Path) -> None:
    _, listener = listened(tmp_path, messy(barge_in(after_s=6.0), turns=1), LONG, SHORT)
    assert listener.clips == pytest.approx([6.3, 1.0], abs=0.2)  # the whole turns, when they are over


def test_a_live_verdict_sets_it_off_before_the_turn_is_over(tmp_path: Path) -> None:
    call, _ = listened(tmp_path, messy(barge_in(verdict="wrong")), LONG, SHORT, observers=(Strict(),))
    (cut,) = said(call, Role.BARGE_IN)
    assert 3.2 <= cut.t <= 3.7  # the second second is complete at 1.21 + 2.0
    (event,) = events(call, BehaviourSettled)
    assert event.trigger == "verdict of strict: wrong"
    # only whole turns have verdicts on record
    assert [event.turn for event in events(call, VerdictGiven)] == [1, 3]


def test_a_verdict_that_comes_when_its_turn_is_over_cuts_into_no_other(tmp_path: Path) -> None:
    class Slow(Strict):
        async def turn_finished(self, turn: FinishedTurn) -> Judgement:
            await asyncio.sleep(3.0)
            return Judgement(Verdict(judge=self.name, label="wrong" if turn.turn == 1 else "good"))

    # the first reply is over at 2.2 s; that it was wrong is known in the middle of the second
    scenario = messy(barge_in(turn=2, verdict="wrong"))
    call = call_with(tmp_path, scenario, SHORT, LONG, SHORT, observers=(Slow(),))
    assert [event.label for event in events(call, VerdictGiven)][:1] == ["wrong"]
    assert settled(call) == [("cut", False, "verdict_not_given")]


def test_a_random_moment_is_the_seeds_alone(tmp_path: Path) -> None:
    scenario = messy(barge_in(random=[1.0, 5.0]))

    def onset(name: str, seed: int, delay_s: float) -> float:
        reply = dataclasses.replace(LONG, delay_s=delay_s)
        call = call_with(tmp_path / name, scenario, reply, SHORT, seed=seed)
        (cut,) = said(call, Role.BARGE_IN)
        return cut.start / 24000 - (0.6 + delay_s)

    first, same, other = onset("a", 1, 0.6), onset("b", 1, 1.6), onset("c", 2, 0.6)
    assert first == pytest.approx(same) and 1.0 <= first <= 5.02
    assert abs(first - other) > 0.1


def test_nobody_cuts_into_a_silence(tmp_path: Path) -> None:
    # the reply has a hole from 1.21 + 1.5 to 1.21 + 2.0; 1.8 s lie in it: the user waits for the sound
    pcm = tone(1.5) + bytes(2 * 12000) + tone(3.0)
    call = call_with(tmp_path, messy(barge_in(after_s=1.8)), dataclasses.replace(LONG, pcm=pcm), SHORT)
    (cut,) = said(call, Role.BARGE_IN)
    # heard again at 3.21; the ear is a frame behind: noticed at the tick of 3.24
    assert cut.start == round(3.24 * 24000)


def test_a_reply_that_is_too_short_is_not_cut(tmp_path: Path) -> None:
    call = call_with(tmp_path, messy(barge_in(after_s=1.2)), SHORT, SHORT)
    assert script(call) == [("turn", "question 0"), ("turn", "question 1")]
    assert settled(call) == [("cut", False, "reply_too_short")]
