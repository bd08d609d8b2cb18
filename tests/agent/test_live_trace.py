"""Content, manner and voice quality rated live, turn by turn, in whole calls in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.live_judge import LiveJudge, LiveTrace
from agent.observers import FinishedTurn, Judgement
from recordings.format import Side
from scenarios.expression_task import Expression, Level
from scenarios.load import from_scenario
from scenarios.schema import Pack, Persona, Scenario, Turn
from scoring.blueprint.measure import Instruments
from scoring.judge.dimensions import Dimension, Item, Labelled, Verdict
from scoring.judge.fusion import fusion_named
from scoring.judge.rules import RulesJudge
from scoring.judge.trace_rules import TraceRules
from streams.audio import Pcm, to_pcm
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from tests.agent.calls import hold
from tests.scoring.blueprint.sounds import talk
from tests.scoring.blueprint.test_blueprint_record import Listener
from tests.scoring.judging import GUIDE, SAID

QUIZ = Scenario(id="call", title="A quiz", turns=(Turn(text="How does it work?", facts=(GUIDE,)),) * 2)
TOOLS = Instruments(Listener())


class Remembering(TraceRules):
    """The rules judge, which keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(RulesJudge())
        self.asked: list[Item] = []

    async def rate(self, item: Item) -> Verdict:
        self.asked.append(item)
        return await super().rate(item)


def spoken() -> Pcm:
    return np.asarray(talk(24000) * 32767, np.int16)


def finished(turn: int, audio: Pcm, fusion: str = "") -> FinishedTurn:
    return FinishedTurn(turn, "How does it work?", SAID, audio, 24000, 0.5, (GUIDE,), fusion=fusion)


def judged(judge: TraceRules, *turns: FinishedTurn) -> list[Judgement]:
    live = LiveTrace(judge, TOOLS)

    async def main() -> list[Judgement]:
        return [await live.turn_finished(one) for one in turns]

    return asyncio.run(main())


def test_every_turn_of_a_call_is_rated_beside_the_judge_of_facts(tmp_path: Path) -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.6) for _ in range(2)])
    observers = (LiveJudge(RulesJudge()), LiveTrace(TraceRules(RulesJudge()), TOOLS))
    call = hold(tmp_path, endpoint, QUIZ, texts=[SAID, SAID], observers=observers)
    assert call.info.lateness is not None and call.info.lateness.worst == 0
    for turn in call.episode.turns:
        if turn.side is Side.ENDPOINT:
            found = {verdict.judge: verdict for verdict in turn.verdicts}
            assert found["rules"].label == "complete"
            # the listener of these tests hears a background of 2 of 5
            assert found["trace-rules"].detail["dimensions"]["content"]["label"] == "good"
            assert found["trace-rules"].detail["dimensions"]["voice_quality"]["label"] == "bad"
            assert "voice_quality bad" in found["trace-rules"].reason


@pytest.mark.parametrize(
    ("declared", "used", "label"),
    [
        ("", "rating-min@1", "bad"),  # no dimension's fault is hidden
        ("rating-min@1", "rating-min@1", "bad"),
        ("content-first@1", "content-first@1", "acceptable"),  # content is good: a bad voice is a weakness
        ("majority@1", "majority@1", "acceptable"),  # content and manner are two of three
    ],
)
def test_the_label_of_a_turn_is_made_as_its_pack_says(declared: str, used: str, label: str) -> None:
    (judgement,) = judged(TraceRules(RulesJudge()), finished(1, spoken(), declared))
    verdict = judgement.verdict
    assert (verdict.judge, verdict.label, verdict.detail["fusion"]) == ("trace-rules", label, used)
    assert verdict.reason.startswith(f"{used} of content good; ")
    assert "voice_quality bad" in verdict.reason
    assert judgement.advice is None


def test_a_call_goes_by_the_fusion_of_its_pack_and_says_which(tmp_path: Path) -> None:
    pack = Pack(id="quiz", title="A quiz", licence="CC0-1.0", fusion="content-first@1")
    loaded = replace(from_scenario(QUIZ), pack=pack)
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.6) for _ in range(2)])
    observers = (LiveTrace(TraceRules(RulesJudge()), TOOLS),)
    call = hold(tmp_path, endpoint, loaded, texts=[SAID, SAID], observers=observers)
    given = [verdict for turn in call.episode.turns for verdict in turn.verdicts]
    assert [verdict.detail["fusion"] for verdict in given] == ["content-first@1"] * 2
    offline = fusion_named(call.info.fusion)
    for verdict in given:
        assert verdict.label == offline.rate(ratings_in(verdict.detail)).label


def ratings_in(detail: Mapping[str, Any]) -> dict[Dimension, Labelled]:
    """What a recorded verdict says of each dimension."""
    return {
        Dimension(n): Labelled(d["label"], d["unscored"] or "") for n, d in detail["dimensions"].items()
    }


def test_the_turns_so_far_are_the_neutral_voice() -> None:
    judge = Remembering()
    judged(judge, *(finished(n, spoken()) for n in range(3)))
    assert [len(item.reply.neutral) for item in judge.asked] == [0, 1, 2]
    assert judge.asked[0].reply.spoken.wav.startswith(b"RIFF")


def test_the_manner_that_a_turn_asks_for_is_judged_and_is_not_the_neutral_voice(tmp_path: Path) -> None:
    calm = Expression(level=Level.BOTH, task="advice", content=("helps",), perceive="sad", manner="calm")
    asking = Scenario(
        id="call",
        title="Manners",
        persona=Persona(style="sad"),
        turns=(Turn(text="Hello."), Turn(text="Calm me down.", expression=calm), Turn(text="Thanks.")),
    )
    judge = Remembering()
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.6) for _ in range(3)])
    hold(tmp_path, endpoint, asking, texts=[SAID] * 3, observers=(LiveTrace(judge, TOOLS),))
    tasks = [item.task for item in judge.asked]
    assert [(task.perceive, task.manner, task.wanted) for task in tasks] == [
        ("", "", ()),
        ("sad", "calm", ("helps",)),
        ("", "", ()),
    ]
    assert [len(item.reply.neutral) for item in judge.asked] == [0, 1, 1]


def test_words_so_far_have_no_sound_and_are_unscored() -> None:
    (judgement,) = judged(TraceRules(RulesJudge()), finished(1, to_pcm(b"")))
    assert (judgement.verdict.label, judgement.verdict.unscored) == (None, "no_audio")
