"""A user that works through the scenario's aspects, checks what it hears, and follows up. Pure.

The dialogue of S3-Bench as a state machine without a language model: for each aspect in order, ask; check
the facts over all replies heard for this aspect; ask again about what is wrong, then about what is
missing, up to the aspect's `tries` turns; then move on. Every choice of words depends on the scenario's
seed, the aspect and the number of the try alone, so every endpoint is asked in the same way.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from scenarios.facts.check import FactCheck, check_facts, point_of
from scenarios.schema import Aspect, Scenario
from user_sim.policy import Action, Advice, Ending, Line, Move, Percept, TurnHeard
from user_sim.turn_taking import Phase, TurnTaking, line


@dataclass(frozen=True, slots=True)
class AspectSummary:
    """How an aspect went, for the record.

    Attributes:
        aspect: Its id.
        tries: Turns the user spent on it; 0 if the call ended before it.
        satisfied: Every fact was stated, and none contradicted since.
        missing: Ids of facts that were not stated.
        contradicted: Ids of facts that were last heard wrong.
    """

    aspect: str
    tries: int
    satisfied: bool
    missing: tuple[str, ...]
    contradicted: tuple[str, ...]


@dataclass(slots=True)
class _Progress:
    aspect: Aspect
    asked: list[Line] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)

    @property
    def tries(self) -> int:
        return len(self.asked)

    @property
    def exhausted(self) -> bool:
        return self.tries >= self.aspect.tries

    def check(self) -> FactCheck:
        return check_facts(self.aspect.facts, *self.replies)

    def summary(self) -> AspectSummary:
        check = self.check()
        return AspectSummary(
            self.aspect.id,
            self.tries,
            check.satisfied,
            tuple(fact.id for fact in check.missing),
            tuple(finding.fact.id for finding in check.contradicted),
        )


class AdaptivePolicy(TurnTaking):
    """Asks about each aspect until its facts are stated or its tries are used up.

    A reply that was not understood is asked for again, which counts as a try; so does an unanswered
    question. Advice of a live judge on a reply overrides the check of the facts: it acts at once if it
    comes before the reply's `TurnHeard`; if it comes later, at the next reply, if that is still about
    the same aspect. A question that was dropped for another one leaves its aspect as it stands.
    """

    def __init__(self, scenario: Scenario, seed: int) -> None:
        super().__init__(scenario)
        self._seed = seed
        self._progress = [_Progress(aspect) for aspect in scenario.aspects]
        self._at = 0
        self._judged = 0
        self._advice: tuple[int, Advice] | None = None

    @property
    def summary(self) -> tuple[AspectSummary, ...]:
        """How each aspect has gone so far."""
        return tuple(progress.summary() for progress in self._progress)

    # --- turns

    def _first(self, greeting: TurnHeard | None) -> Sequence[Action]:
        return self._ask(self._question(self._at))

    def _reply(self, heard: TurnHeard) -> Sequence[Action]:
        self._judged = self._at
        now = self._now
        understood = heard.understood and bool(heard.text.strip())
        if understood:
            now.replies.append(heard.text)
        advice = self._take_advice()
        if advice is not None and advice.move is Move.MOVE_ON:
            return self._move_on()
        satisfied = advice is None and understood and now.check().satisfied
        if satisfied or now.exhausted:
            return self._move_on(let_go=not satisfied)
        if advice is not None:
            return self._ask(self._advised(advice))
        return self._ask(self._follow_up() if understood else Line(self._wording("repeat")))

    def _dropped(self, heard: TurnHeard) -> Sequence[Action]:
        return self._move_on()

    def _unanswered(self) -> Sequence[Action]:
        return self._move_on(let_go=True) if self._at + 1 < len(self._progress) else ()

    def _move_on(self, *, let_go: bool = False) -> Sequence[Action]:
        self._at += 1
        if self._at == len(self._progress):
            return self.part(Ending.DONE)
        return self._ask(self._question(self._at, let_go=let_go))

    def _ask(self, words: Line) -> Sequence[Action]:
        now = self._now
        now.asked.append(words)
        expected = [fact.id for fact in now.aspect.facts]
        return self.say(words, f"aspect {now.aspect.id}, try {now.tries}", expected=expected)

    # --- advice

    def _notice(self, percept: Percept) -> Sequence[Action]:
        if isinstance(percept, Advice):
            late = self.phase is Phase.SPEAKING
            self._advice = (self._judged if late else self._at, percept)
        return ()

    def _take_advice(self) -> Advice | None:
        about, self._advice = self._advice, None
        return about[1] if about is not None and about[0] == self._at else None

    # --- words

    @property
    def _now(self) -> _Progress:
        return self._progress[min(self._at, len(self._progress) - 1)]

    def _question(self, index: int, *, let_go: bool = False) -> Line:
        asked = line(self._progress[index].aspect.question)
        if not let_go or asked.audio:
            return asked
        before = self.phrases.let_go
        spoken = f"{before} {asked.spoken}" if asked.spoken else ""
        return Line(f"{before} {asked.text}", spoken, asked.style)

    def _follow_up(self) -> Line:
        """About what is wrong, else about what is missing, where the scenario's own words come first."""
        contradicted = self._now.check().contradicted
        if contradicted:
            return self._about("doubtful", point_of(contradicted[0].fact))
        return self._written() or self._about("missing", self._open_point())

    def _advised(self, advice: Advice) -> Line:
        """What a judge wants asked; about a fact that is missing the scenario's own words come first."""
        point = advice.point or self._open_point()
        if advice.move is Move.DOUBT:
            return self._about("doubtful", point)
        known = any(point == point_of(fact) for fact in self._now.aspect.facts)
        return (self._written() if known else None) or self._about("missing", point)

    def _written(self) -> Line | None:
        """The scenario's next follow-up, if one is left."""
        written = (line(words) for words in self._now.aspect.follow_ups)
        return next((words for words in written if words not in self._now.asked), None)

    def _open_point(self) -> str:
        return point_of((self._now.check().missing or self._now.aspect.facts)[0])

    def _about(self, kind: str, point: str) -> Line:
        return Line(self._wording(kind).format(point=point))

    def _wording(self, kind: str) -> str:
        """One of the wordings of a kind: a seeded start, then one after the other."""
        options: Sequence[str] = {
            "missing": self.phrases.asking(self.scenario.persona.trait),
            "doubtful": self.phrases.doubtful,
            "repeat": self.phrases.repeat,
        }[kind]
        seeded = random.Random(f"{self._seed} {self._now.aspect.id} {kind}")  # noqa: S311 (no secret)
        return options[(seeded.randrange(len(options)) + self._now.tries) % len(options)]

    def lines_ahead(self) -> Sequence[Line]:
        """The next aspect's question or the goodbye, the next follow-up, "are you there?"."""
        if self.phase is Phase.OVER or self._parting is not None or self._at == len(self._progress):
            return ()
        if self.phase is Phase.OPENING:
            return [self._question(0)]
        ahead: list[Line] = []
        exhausted = self._now.exhausted
        if self._at + 1 < len(self._progress):
            ahead += [self._question(self._at + 1)]
            ahead += [self._question(self._at + 1, let_go=True)] if exhausted else []
        else:
            ahead += [self.goodbye()]
        if not exhausted:
            ahead += [self._follow_up()]
        return [*ahead, Line(self.phrases.still_there)]
