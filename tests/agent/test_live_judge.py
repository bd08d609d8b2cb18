"""The live judge in whole calls, in simulated time: verdicts, advice that steers, no late tick."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.live_judge import LiveJudge
from agent.observers import FinishedTurn, Judgement
from recordings.check import check
from recordings.format import Side, Verdict
from scenarios.schema import Aspect, Fact, Item, ItemKind, Limits, PolicyKind, Say, Scenario, Turn
from scoring.judge.contract import Judge, ReplyToJudge, TurnVerdict, unscored
from scoring.judge.rejudge import rejudge
from scoring.judge.rules import RulesJudge
from streams.audio import to_pcm
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from tests.agent.calls import Call, hold
from user_sim.policy import Advice, Move

GUIDE = Fact(
    id="guide",
    point="the guide",
    text="A guide RNA leads Cas9 to a matching DNA sequence.",
    keywords=(("guide rna",), ("matching", "matches")),
    wrong=("protein finds the target",),
)
CUT = Fact(id="cut", point="the cut", text="Cas9 cuts the DNA.", keywords=(("cuts", "cleaves"), ("dna",)))
DIALOGUE = Scenario(
    id="call",
    title="A dialogue",
    policy=PolicyKind.ADAPTIVE,
    aspects=(
        Aspect(id="how", question=Say(text="How does it work?"), facts=(GUIDE, CUT), tries=4),
        Aspect(id="why", question=Say(text="Why is it used?"), facts=(GUIDE,), tries=2),
    ),
    limits=Limits(max_duration_s=120),
)

RIGHT = "A guide RNA leads it to the matching DNA."
WRONG = "A protein finds the target."
CUTS = "It cuts the DNA."


class Slow:
    """A judge that takes its time."""

    name = "slow"
    version = 1

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def warm_up(self) -> None:
        pass

    async def judge(self, reply: ReplyToJudge) -> TurnVerdict:
        await asyncio.sleep(self.seconds)
        return unscored(self.name, 1, reply.question.reference, "never reached")


def dialogue(tmp_path: Path, texts: Sequence[str], judge: Judge | None, **options: float) -> Call:
    replies = [FakeReply(pcm=tone(1.0), delay_s=0.6) for _ in texts]
    observers = () if judge is None else (LiveJudge(judge, **options),)
    return hold(tmp_path, FakeEndpoint(replies), DIALOGUE, texts=texts, observers=observers)


def asked(call: Call) -> list[str]:
    return [turn.intended or "" for turn in call.episode.turns if turn.side is Side.USER]


def verdicts(call: Call) -> list[Verdict]:
    return [verdict for turn in call.episode.turns for verdict in turn.verdicts]


def test_verdicts_steer_the_user_to_what_is_missing_or_wrong_and_then_on(tmp_path: Path) -> None:
    call = dialogue(tmp_path, ["Well.", WRONG, RIGHT, CUTS, RIGHT, "Bye."], RulesJudge())
    questions = asked(call)
    assert questions[0] == "How does it work?"
    assert "the guide" in questions[1]  # missing: asked about
    assert "the guide" in questions[2]  # wrong: doubted
    assert "the cut" in questions[3]  # stated since; the other fact is missing
    assert questions[4] == "Why is it used?"
    assert [v.label for v in verdicts(call)][:5] == ["missing", "wrong", "partial", "partial", "complete"]
    assert check(call.episode) == []


def test_a_verdict_is_on_record_with_its_words_and_a_label_for_each_fact(tmp_path: Path) -> None:
    call = dialogue(tmp_path, [RIGHT], RulesJudge())
    first = verdicts(call)[0]
    assert (first.judge, first.label, first.reason) == ("rules", "partial", "stated: guide; missing: cut")
    assert first.evidence == ("guide RNA", "matching")
    assert [fact["label"] for fact in first.detail["facts"]] == ["stated", "missing"]


def test_a_judge_that_hangs_for_30_s_changes_no_tick_and_ends_as_timeout(tmp_path: Path) -> None:
    texts = ["Well."] * 12
    plain = dialogue(tmp_path / "plain", texts, None)
    hung = dialogue(tmp_path / "hung", texts, Slow(30.0), timeout_s=3.0)
    assert hung.info.lateness is not None and plain.info.lateness is not None
    assert (hung.info.lateness.worst, plain.info.lateness.worst) == (0, 0)
    assert hung.info.outcome is plain.info.outcome
    assert asked(hung) == asked(plain)  # without a verdict the user goes by its own check
    causes = [verdict.unscored for verdict in verdicts(hung) if verdict.unscored != "no_facts_expected"]
    assert causes[0] == "timeout"
    assert set(causes) <= {"timeout", "call_ended"}
    # every turn has its verdict, or its cause
    assert len(verdicts(hung)) == sum(turn.side is Side.ENDPOINT for turn in hung.episode.turns)


def test_a_turn_that_is_still_being_judged_when_the_call_ends_says_so(tmp_path: Path) -> None:
    call = dialogue(tmp_path, ["Well."] * 12, Slow(1000.0), timeout_s=900.0)
    assert {verdict.unscored for verdict in verdicts(call)} <= {"call_ended", "no_facts_expected"}
    assert "call_ended" in {verdict.unscored for verdict in verdicts(call)}


def turn(index: int, heard: str, *facts: Fact) -> FinishedTurn:
    return FinishedTurn(index, "How?", heard, to_pcm(b""), 24000, None, facts)


def judge_turns(*turns: FinishedTurn) -> list[Judgement]:
    live = LiveJudge(RulesJudge())

    async def main() -> list[Judgement]:
        return [await live.turn_finished(one) for one in turns]

    return asyncio.run(main())


def test_a_shorter_reading_of_a_turn_with_other_facts_is_no_fault() -> None:
    _, later = judge_turns(turn(1, f"{RIGHT} {RIGHT}", GUIDE), turn(1, CUTS, CUT))
    assert later.verdict.label == "complete"
    assert later.advice is None  # what stands is still that of the longer reading


def test_a_fact_stands_as_it_was_last_stated_or_contradicted() -> None:
    advice = [
        judgement.advice
        for judgement in judge_turns(
            turn(1, RIGHT, GUIDE, CUT), turn(3, CUTS, GUIDE, CUT), turn(5, WRONG, GUIDE, CUT)
        )
    ]
    assert advice == [Advice(Move.PRESS, "the cut"), Advice(Move.MOVE_ON), Advice(Move.DOUBT, "the guide")]


def test_the_verdict_on_a_whole_turn_replaces_that_on_its_beginning() -> None:
    whole = f"{WRONG} No, sorry. {CUTS}"
    advice = [judgement.advice for judgement in judge_turns(turn(1, CUTS, CUT), turn(1, whole, GUIDE, CUT))]
    assert advice == [Advice(Move.MOVE_ON), Advice(Move.DOUBT, "the guide")]


@pytest.mark.parametrize(
    ("heard", "facts", "cause"),
    [("Hello.", (), "no_facts_expected"), ("  ", (GUIDE,), "nothing_heard")],
)
def test_a_turn_without_facts_or_words_is_unscored(heard: str, facts: tuple[Fact, ...], cause: str) -> None:
    (judgement,) = judge_turns(turn(1, heard, *facts))
    assert (judgement.verdict.label, judgement.verdict.unscored) == (None, cause)
    assert judgement.advice is None


def test_a_recorded_call_is_judged_again_as_it_was_judged_live(tmp_path: Path) -> None:
    call = dialogue(tmp_path, ["Well.", WRONG, RIGHT, CUTS, RIGHT, "Bye."], RulesJudge())
    again = asyncio.run(rejudge(call.episode.path, RulesJudge()))
    live = {
        t.index: v.detail["facts"] for t in call.episode.turns for v in t.verdicts if v.label is not None
    }
    assert {t.turn: t.verdict.to_json()["facts"] for t in again.turns} == live
    written = json.loads((call.episode.path / "scores/judge.json").read_text())
    assert written["judge"] == "rules"
    # Well: 2 missing; wrong: 1 + 1 missing; right: 1 + 1 missing; cuts: 1 missing + 1; right: 1
    assert written["facts"] == {"stated": 3, "contradicted": 1, "missing": 5}
    assert written["unscored"] == {}
    assert written["turns"][0]["asked"] == "How does it work?"


def test_a_question_with_a_key_is_judged_by_its_key(tmp_path: Path) -> None:
    item = Item(kind=ItemKind.CHOICE, options={"A": "Helium", "B": "Neon"}, answer="B")
    scenario = Scenario(id="call", title="One item", turns=(Turn(text="Which glows red?", item=item),))
    replies = [FakeReply(pcm=tone(1.0), delay_s=0.6)]
    call = hold(
        tmp_path,
        FakeEndpoint(replies),
        scenario,
        texts=["It is neon."],
        observers=(LiveJudge(RulesJudge(None)),),
    )
    (turn,) = [turn for turn in call.episode.turns if turn.side is Side.ENDPOINT]
    assert [verdict.label for verdict in turn.verdicts] == ["complete"]
    assert turn.verdicts[0].evidence == ("neon",)
