"""The live judges: judges of `scoring`, given each turn as it ends; those of facts steer the user."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agent.observers import FinishedTurn, Judgement
from recordings.format import Verdict
from scenarios.facts.check import point_of
from scenarios.schema import Fact
from scoring.blueprint.measure import Instruments, blueprint_of
from scoring.blueprint.record import Blueprint
from scoring.judge.contract import (
    FactLabel,
    Judge,
    Next,
    Question,
    ReplyToJudge,
    TurnVerdict,
    next_step,
    unscored,
)
from scoring.judge.dimensions import DimensionJudge, Item, Reply, Spoken, Task
from scoring.judge.dimensions import Verdict as Rated
from scoring.judge.fusion import WORST, Fusion, FusionChoice
from scoring.judge.material import wav_bytes
from streams.audio import to_float
from streams.speech import workers
from streams.speech.interfaces import SpeechError
from user_sim.policy import Advice, Move

TIMEOUT_S = 30.0
"""A judge that takes longer leaves its turn unscored."""

_PACKS = FusionChoice(default=WORST)
"""Live nobody names a policy but the pack."""

_MOVES = {Next.FOLLOW_UP: Move.PRESS, Next.PRESS: Move.DOUBT, Next.MOVE_ON: Move.MOVE_ON}


class LiveJudge:
    """Judges the turns of one call; of several replies to one question it remembers what each fact came to.

    A turn is labelled `complete`, `partial`, `missing` or `wrong`; a turn that expects no fact, of which
    nothing was understood, or whose judge failed, is unscored with the cause.

    Args:
        judge: Who judges; it may be shared by calls.
        timeout_s: Its time for one turn, in seconds.
    """

    def __init__(self, judge: Judge, *, timeout_s: float = TIMEOUT_S) -> None:
        self._judge = judge
        self._timeout_s = timeout_s
        self._found: dict[int, tuple[int, dict[str, FactLabel | None]]] = {}

    @property
    def name(self) -> str:
        """As in its verdicts."""
        return self._judge.name

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        """Judge a turn, or what was heard of it so far."""
        question = Question(turn.asked, turn.facts, item=turn.item)
        if not question.reference:
            return Judgement(Verdict(judge=self.name, unscored="no_facts_expected"))
        if not turn.heard.strip():
            return Judgement(Verdict(judge=self.name, unscored="nothing_heard"))
        reply = ReplyToJudge.of(question, turn.heard)
        try:
            async with asyncio.timeout(self._timeout_s):
                verdict = await self._judge.judge(reply)
        except TimeoutError:
            verdict = unscored(self.name, self._judge.version, question.reference, "timeout")
        self._remember(turn, verdict)
        return Judgement(record_of(verdict), self._advice(turn.facts))

    def _remember(self, turn: FinishedTurn, verdict: TurnVerdict) -> None:
        # a verdict on a part of the turn may come after that on the whole
        if len(turn.heard) >= self._found.get(turn.turn, (0, {}))[0]:
            self._found[turn.turn] = (len(turn.heard), {fact.fact: fact.label for fact in verdict.facts})

    def _advice(self, facts: Sequence[Fact]) -> Advice | None:
        """What to ask next: a fact stands as it was last stated or contradicted in this call."""
        standing: dict[str, FactLabel | None] = {}
        for fact in facts:
            labels = [
                labels[fact.id] for _, (_, labels) in sorted(self._found.items()) if fact.id in labels
            ]
            said = [label for label in labels if label in (FactLabel.STATED, FactLabel.CONTRADICTED)]
            standing[fact.id] = (said or labels or [None])[-1]
        step = next_step(standing)
        if step is None:
            return None
        points = {fact.id: point_of(fact) for fact in facts}
        return Advice(_MOVES[step.next], points.get(step.fact, ""))


def record_of(verdict: TurnVerdict) -> Verdict:
    """A verdict as it is recorded."""
    return Verdict(
        judge=verdict.judge,
        label=None if verdict.cause else _label(verdict),
        unscored=verdict.cause or None,
        reason=_reason(verdict),
        evidence=tuple(span.text for fact in verdict.facts for span in fact.evidence),
        detail=verdict.to_json(),
    )


def _label(verdict: TurnVerdict) -> str:
    if verdict.having(FactLabel.CONTRADICTED):
        return "wrong"
    stated = len(verdict.having(FactLabel.STATED))
    if stated == len(verdict.facts):
        return "complete"
    return "partial" if stated else "missing"


def _reason(verdict: TurnVerdict) -> str:
    """Which facts got which label, in words."""
    parts = [
        (label.value, [fact.fact for fact in verdict.having(label)])
        for label in (FactLabel.STATED, FactLabel.MISSING, FactLabel.CONTRADICTED)
    ]
    return "; ".join(f"{label}: {', '.join(ids)}" for label, ids in parts if ids)


class LiveTrace:
    """Rates content, manner and voice quality of each finished turn of one call; it gives no advice.

    Its label is made of the three ratings (`good`, `acceptable`, `bad`) by the policy of the scenario's
    pack, the worst of them if it names none; the verdict says which policy it was. It is unscored if a
    rating that the turn asks for could not be given. What an endpoint sounds like where no manner is asked
    for is taken from its turns so far. What was heard of a turn that still goes on has no sound yet and is
    unscored. How the user sounded is not measured while the call goes on: a manner that must be noticed is
    taken as it was meant.

    Args:
        judge: Who judges; it may be shared by calls.
        instruments: What blueprints are made with.
        timeout_s: Time for one turn, in seconds.
    """

    def __init__(
        self, judge: DimensionJudge, instruments: Instruments, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._judge = judge
        self._instruments = instruments
        self._timeout_s = timeout_s
        self._neutral: list[Blueprint] = []

    @property
    def name(self) -> str:
        """As in its verdicts."""
        return self._judge.name

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        """Rate a turn."""
        if not turn.audio.size:
            return Judgement(Verdict(judge=self.name, unscored="no_audio"))
        try:
            async with asyncio.timeout(self._timeout_s):
                blueprint = await workers.run(self._blueprint, turn, kind="judge")
                found = await self._judge.rate(self._item(turn, blueprint))
        except TimeoutError:
            return Judgement(Verdict(judge=self.name, unscored="timeout"))
        except SpeechError:
            return Judgement(Verdict(judge=self.name, unscored="blueprint_failed"))
        if turn.expression is None or not turn.expression.manner:
            self._neutral.append(blueprint)
        return Judgement(rating_of(found, _PACKS.of("", turn.fusion)))

    def _blueprint(self, turn: FinishedTurn) -> Blueprint:
        return blueprint_of(to_float(turn.audio), turn.rate, instruments=self._instruments)

    def _item(self, turn: FinishedTurn, blueprint: Blueprint) -> Item:
        seconds = turn.audio.size / turn.rate
        spoken = Spoken(turn.heard, blueprint, wav_bytes(turn.audio, turn.rate), seconds)
        task = Task(
            Question(turn.asked, turn.facts, item=turn.item),
            Spoken(turn.asked),
            manner=turn.expression.manner if turn.expression else "",
            perceive=turn.expression.perceive if turn.expression else "",
            wanted=turn.expression.content if turn.expression else (),
        )
        return Item(str(turn.turn), task, Reply(spoken, tuple(self._neutral)))


def rating_of(found: Rated, fusion: Fusion) -> Verdict:
    """A rating as it is recorded."""
    overall = fusion.rate(found.labels)
    given = (f"{d.value} {one.label or f'unscored: {one.cause}'}" for d, one in found.labels.items())
    return Verdict(
        judge=found.judge,
        label=overall.label,
        unscored=overall.cause or None,
        reason=f"{fusion} of {'; '.join(given)}",
        detail={"fusion": str(fusion), **found.to_json()},
    )
