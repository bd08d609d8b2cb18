"""Question after question: asks for a scenario, refuses or takes it, and keeps what became of it."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from pydantic import ValidationError

from agent.cli.packs.grow_sound import heard
from agent.cli.packs.grow_store import SCENARIOS, Store
from agent.cli.packs.spoken_queries import Bench
from scenarios.growing.cells import cells, next_cell, shots
from scenarios.growing.proposal import Proposal, Refusal, Refused, problems_of, refusal, scenario_of
from scenarios.growing.records import MOST_RAW, Grown, Growth, Origin, Rejected
from scenarios.load import LoadedScenario, from_scenario
from scenarios.schema import Scenario
from scoring.growing.likeness import Likeness
from scoring.growing.propose import PROMPT_VERSION, Wanted, plain, propose, refused_for_judges
from scoring.judge.ask import Asker, of_server
from scoring.judge.cost import Cost, of_exchange
from scoring.judge.exchange import Exchange
from scoring.report.safe import neutralise
from scoring.verify import Look
from streams.clock import now
from streams.speech import workers

SAME, SIMILAR = "same_words", "similar"
"""Causes: the prompt was there before, in the same words or in others."""

MOST_FAILURES = 3
"""So many failures of the server, or of our voice and ears, in a row end the growing."""


class Ended(StrEnum):
    """Why the growing ended."""

    DONE = "done"
    GAVE_UP = "gave_up"  # so many questions for so few scenarios
    BUDGET_SPENT = "budget_spent"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to grow.

    Attributes:
        count: Scenarios that the pack should have.
        seed: Of all choices.
        shots: Examples to a question.
        tries: Questions for each scenario that is missing, on average, before giving up.
        similar: Cosine from which two prompts are the same.
        temperature: Of the model.
    """

    count: int
    seed: int
    shots: int
    tries: int
    similar: float
    temperature: float


@dataclass(frozen=True, slots=True)
class Taken:
    """A scenario that passed, and what was measured of it."""

    scenario: Scenario
    checks: Mapping[str, Any]


@dataclass
class Grower:
    """Grows one pack.

    Attributes:
        bench: What speaks and hears.
        cost: What was spent so far, by this process.
        failures: Questions that the server failed to answer, by cause.
        why: The last failure, in words.
    """

    growth: Growth
    store: Store
    asker: Asker
    likeness: Likeness
    bench: Bench
    recipe: Recipe
    cost: Cost = field(default_factory=Cost)
    failures: Counter[str] = field(default_factory=Counter)
    why: str = ""

    async def grow(self) -> Ended:
        """Ask until the pack has what is wanted, or cannot get it."""
        missing = self.recipe.count - len(self.growth.grown)
        in_a_row = 0
        for _ in range(max(0, missing) * self.recipe.tries):
            cause = await self._question()
            in_a_row = in_a_row + 1 if cause else 0
            if cause == "budget_spent":
                return Ended.BUDGET_SPENT
            if in_a_row >= MOST_FAILURES:
                return Ended.FAILED
            if len(self.growth.grown) >= self.recipe.count:
                break
        return Ended.DONE if len(self.growth.grown) >= self.recipe.count else Ended.GAVE_UP

    async def _question(self) -> str:
        """One question; the cause if the server or an engine of ours failed, else ""."""
        question = wanted(self.growth, self.recipe)
        asked = await propose(self.asker, question)
        self.cost += of_exchange(asked.exchange)
        if asked.value is None and of_server(asked.cause):
            self.failures[asked.cause] += 1
            self.why = asked.exchange.problems[-1] if asked.exchange.problems else asked.cause
            self._say(question, asked.cause, self.why)
            return asked.cause
        proposal = plain(asked.value) if asked.value is not None else None
        taken: Taken | Refused = Refused(asked.cause, "; ".join(asked.exchange.problems)[:400])
        if proposal is not None:
            began = now()
            taken = await self._judged(proposal, question)
            self.cost += Cost(compute_s=now() - began)
        await self._keep(question, proposal, taken, asked.exchange)
        if isinstance(taken, Refused) and taken.cause == Look.FAILED:
            self.why = taken.detail
            return taken.cause
        return ""

    async def _judged(self, proposal: Proposal, question: Wanted) -> Taken | Refused:
        """The scenario of a proposal with what was measured of it, or why it is not taken."""
        number, cell = question.number, question.cell
        if wrong := refusal(proposal, cell) or refused_for_judges(proposal):
            return wrong
        try:
            scenario = scenario_of(
                proposal, cell, number, self.growth.seeds, _draw(self.recipe.seed, "scenario", number)
            )
        except ValidationError as error:
            return Refused(Refusal.INVALID, str(error.errors(include_url=False)[0]["msg"])[:400])
        if problems := problems_of(scenario):
            return Refused(Refusal.INVALID, "; ".join(problems)[:400])
        near = await workers.run(self.likeness.nearest, proposal.text, kind="sentences")
        if near is not None and near.same:
            return Refused(SAME, near.name)
        if near is not None and (near.similarity or 0.0) >= self.recipe.similar:
            return Refused(SIMILAR, f"{near.similarity:.3f} to {near.name}")
        sound = await heard(in_folder(scenario, self.store), self.bench)
        if sound.cause:
            return Refused(sound.cause, sound.detail, {"sound": sound.to_json()})
        nearest = None if near is None else {"name": near.name, "similarity": near.similarity}
        return Taken(scenario, {"nearest": nearest, "sound": sound.to_json()})

    async def _keep(
        self, question: Wanted, proposal: Proposal | None, taken: Taken | Refused, exchange: Exchange
    ) -> None:
        domain, task, level = question.cell
        about = {"number": question.number, "domain": domain, "task": task, "level": level}
        about |= {"origin": self._origin(question, exchange), "checks": dict(taken.checks)}
        if isinstance(taken, Refused):
            refused = Rejected(
                **about,
                cause=taken.cause,
                detail=taken.detail,
                proposal=proposal.model_dump() if proposal else None,
                raw=tuple(raw[:MOST_RAW] for raw in exchange.raw),
            )
            self.store.keep(refused)
            self.growth.rejected.append(refused)
            self._say(question, taken.cause, taken.detail)
            return
        grown = Grown(**about, scenario=taken.scenario)
        self.store.keep(grown)
        self.growth.grown.append(grown)
        text = taken.scenario.turns[-1].text
        await workers.run(
            self.likeness.add, f"{self.growth.pack}/{taken.scenario.id}", text, kind="sentences"
        )
        self._say(question, "taken", text)

    def _origin(self, question: Wanted, exchange: Exchange) -> Origin:
        tokens = exchange.tokens
        return Origin(
            model=exchange.model,
            server=exchange.server,
            answered_by=exchange.answered_by,
            prompt_version=PROMPT_VERSION,
            temperature=exchange.temperature,
            seed=self.recipe.seed,
            shots=tuple(one.name for one in question.shots),
            prompt_tokens=tokens.prompt if tokens else None,
            completion_tokens=tokens.completion if tokens else None,
            usd=exchange.usd,
            cached=exchange.cached,
        )

    def _say(self, question: Wanted, what: str, said: str) -> None:
        there = f"[{len(self.growth.grown)}/{self.recipe.count}] question {question.number} {question.cell}"
        sys.stderr.write(f"{there}  {what}: {neutralise(said)[:160]}\n")


def wanted(growth: Growth, recipe: Recipe) -> Wanted:
    """What the next question asks for."""
    cell = next_cell(cells(growth.seeds), growth.filled, growth.refused, recipe.seed)
    number, grown = growth.next_number, growth.examples()
    examples = shots(cell, growth.seeds, grown, recipe.shots, _draw(recipe.seed, "shots", number))
    there = [one.ask.text for one in (*growth.seeds, *grown) if one.cell == cell]
    shown = {one.ask.text for one in examples}
    taken = [text for text in there if text not in shown]
    return Wanted(cell, growth.seeds[0].scenario.language, number, examples, taken)


def _draw(seed: int, about: str, number: int) -> random.Random:
    return random.Random(f"{seed} {about} {number}")  # noqa: S311 (no secret)


def in_folder(scenario: Scenario, store: Store) -> LoadedScenario:
    """A grown scenario as its pack's folder will have it."""
    return replace(from_scenario(scenario), path=store.folder / SCENARIOS)
