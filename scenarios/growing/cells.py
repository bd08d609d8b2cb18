"""Which scenario is wanted next, and after which examples.

A cell is a kind of task in a domain at a level. The cells of a pack are all its kinds of task at all its
levels, filled or not. The emptiest is next, so that a grown pack is even. Pure.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scenarios.basics import Say
from scenarios.expression_task import Expression, Level
from scenarios.load import LoadedScenario, scenario_sha256
from scenarios.schema import PolicyKind, Scenario

REFUSED_PER_SCENARIO = 3
"""So many refused proposals weigh like a scenario in a cell: a hopeless cell does not starve the others."""

GROWN_SHARE = 4
"""One shot in so many may be a scenario that was grown before (Self-Instruct, Wang et al. 2023: 2 of 8)."""


class Cell(NamedTuple):
    """A kind of task in a domain, at a level."""

    domain: str
    task: str
    level: Level

    def __str__(self) -> str:
        return f"{self.domain}/{self.task}/{self.level:d}"


@dataclass(frozen=True, slots=True)
class Example:
    """A scenario that new ones can be made after.

    Attributes:
        name: As it is called: `pack/scenario`.
        ask: The words of the turn that asks.
        expression: What a good answer to them must do.
        before: The turn that goes before it, or None.
    """

    name: str
    scenario: Scenario
    ask: Say
    expression: Expression
    before: Say | None = None

    @property
    def cell(self) -> Cell:
        """Where it belongs."""
        return Cell(self.scenario.domain, self.expression.task, self.expression.level)


def example(name: str, scenario: Scenario) -> Example | None:
    """A scenario as an example; None unless it is scripted and the last of at most two turns alone asks."""
    *before, last = scenario.turns or (None,)
    if last is None or last.expression is None or scenario.policy is not PolicyKind.SCRIPTED:
        return None
    if len(before) > 1 or any(turn is not None and turn.expression for turn in before):
        return None
    return Example(name, scenario, last, last.expression, before[0] if before else None)


def examples(loaded: Iterable[LoadedScenario]) -> list[Example]:
    """Those scenarios that can be examples, in their order."""
    found = (example(one.name, one.scenario) for one in loaded)
    return [one for one in found if one is not None]


def cells(seeds: Sequence[Example]) -> list[Cell]:
    """Every kind of task of the seeds at every level of theirs, in order."""
    kinds = {(seed.cell.domain, seed.cell.task) for seed in seeds}
    levels = {seed.cell.level for seed in seeds}
    return sorted(Cell(domain, task, level) for domain, task in kinds for level in levels)


def next_cell(every: Sequence[Cell], filled: Counter[Cell], refused: Counter[Cell], seed: int) -> Cell:
    """The emptiest cell; of equal ones that which was refused least, then by a seeded order.

    Args:
        every: All cells, at least one.
        filled: Scenarios of a cell, seeds and grown.
        refused: Proposals for a cell that were not taken.
        seed: Of the order.
    """

    def rank(cell: Cell) -> tuple[int, int, float]:
        weight = filled[cell] + refused[cell] // REFUSED_PER_SCENARIO
        draw = random.Random(f"{seed} {cell}")  # noqa: S311 (no secret)
        return weight, refused[cell], draw.random()

    return min(every, key=rank)


def shots(
    cell: Cell, seeds: Sequence[Example], grown: Sequence[Example], most: int, draw: random.Random
) -> list[Example]:
    """Examples to show: those of the cell first, then of its level, then of its task, then any.

    A quarter at most was grown before, and only from the cell itself; the rest are seeds.

    Args:
        cell: What is wanted.
        seeds: At least one.
        grown: Scenarios that were grown so far.
        most: How many to show.
        draw: What decides among equals.
    """
    own = [one for one in grown if one.cell == cell]
    chosen = draw.sample(own, min(len(own), most // GROWN_SHARE))

    def distance(one: Example) -> tuple[bool, bool, bool, float]:
        there = one.cell
        return there != cell, there.level != cell.level, there.task != cell.task, draw.random()

    nearest = sorted(seeds, key=distance)[: most - len(chosen)]
    return [*nearest, *chosen]


def fingerprint(seeds: Sequence[Example]) -> str:
    """SHA-256 of the seeds' hashes: the same for the same seeds, in whatever order."""
    hashes = sorted(scenario_sha256(seed.scenario) for seed in seeds)
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()
