"""What a language model proposes for a cell, and the scenario that is made of it.

Its reply is data: it fills texts, never names or keys. Ids, voices, limits and files are ours. Pure.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from scenarios import lint
from scenarios.document import Document
from scenarios.expression_task import Expression
from scenarios.growing.cells import Cell, Example
from scenarios.growing.plain import is_plain
from scenarios.manners import STYLES, VOICES, MannerError, style, voice
from scenarios.schema import Persona, Scenario, Turn
from scenarios.validate import validated

STYLE_NAMES = tuple(name for name in STYLES if name != "neutral")
"""Manners that a proposal may name: those that are heard, and that declared bands measure."""

MOST_CHARACTERS, MOST_WORDS, FEWEST_WORDS = 300, 50, 3
"""Of what the user says; the longest prompt of ours has 23 words."""

TITLE_CHARACTERS = 80
DEMAND_WORDS, MOST_DEMANDS = 30, 6
"""Of a demand on the answer; ours have 22 words at most, and four to an answer."""

_Style = Field(json_schema_extra={"enum": ["", *STYLE_NAMES]})


class Proposal(BaseModel):
    """What is asked for. Level, domain and task repeat what was asked, so that a stray answer is seen.

    Attributes:
        text: What the user says.
        perceive: The manner in which it is spoken, to be noticed; "" for none.
        manner: The manner that it asks the answer to have; "" for none.
        content: What a good answer does, one demand each.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    domain: str
    task: str
    level: int
    title: str
    text: str
    perceive: str = _Style
    manner: str = _Style
    content: list[str]

    def texts(self) -> tuple[str, ...]:
        """Everything that people and judges will read."""
        return (self.title, self.text, *self.content)


class Refusal(StrEnum):
    """Why a proposal is not taken, found in its texts."""

    WRONG_CELL = "wrong_cell"  # another task, domain or level, or manners that its level has not
    UNKNOWN_STYLE = "unknown_style"  # a manner that no voice has
    NOT_PLAIN = "not_plain"  # markup, control characters, paths: more than a line of prose
    TOO_LONG = "too_long"
    TOO_SHORT = "too_short"
    NAMES_MANNER = "names_manner"  # says what should be heard
    INVALID = "invalid"  # the scenario's schema, or its lint, says no


@dataclass(frozen=True, slots=True)
class Refused:
    """A proposal that is not taken.

    Attributes:
        cause: A word to count by.
        detail: What exactly was found.
        checks: What was measured.
    """

    cause: str
    detail: str = ""
    checks: Mapping[str, Any] = field(default_factory=dict)


def refusal(proposal: Proposal, cell: Cell) -> Refused | None:
    """What is wrong with a proposal in itself; None if it can be made a scenario of."""
    where = (proposal.domain, proposal.task, proposal.level)
    manners = {"perceive": proposal.perceive, "manner": proposal.manner}
    wanted = {"perceive": cell.level.perceives, "manner": cell.level.expresses}
    if where != cell:
        return Refused(Refusal.WRONG_CELL, f"{'/'.join(map(str, where))} for {cell}"[:200])
    for key, name in manners.items():
        if bool(name) != wanted[key]:
            return Refused(Refusal.WRONG_CELL, f"level {cell.level:d} with {key}: {name or 'none'}"[:200])
        if name and name not in STYLE_NAMES:
            return Refused(Refusal.UNKNOWN_STYLE, f"{key}: {name}"[:200])
    for text in proposal.texts():
        if text.strip() and not is_plain(text):
            return Refused(Refusal.NOT_PLAIN, repr(text)[:200])
    if cause := _length(proposal):
        return cause
    if proposal.perceive and re.search(rf"\b{proposal.perceive}\b", proposal.text, re.IGNORECASE):
        return Refused(Refusal.NAMES_MANNER, proposal.perceive)
    return None


def _length(proposal: Proposal) -> Refused | None:
    words, demands = len(proposal.text.split()), proposal.content
    long = {
        f"{words} words to say": words > MOST_WORDS or len(proposal.text) > MOST_CHARACTERS,
        f"{len(proposal.title)} characters of title": len(proposal.title) > TITLE_CHARACTERS,
        f"{len(demands)} demands": len(demands) > MOST_DEMANDS,
        "a demand": any(len(d.split()) > DEMAND_WORDS or len(d) > MOST_CHARACTERS for d in demands),
    }
    for detail, too in long.items():
        if too:
            return Refused(Refusal.TOO_LONG, detail)
    if words < FEWEST_WORDS or not demands or not all(map(str.strip, proposal.texts())):
        return Refused(Refusal.TOO_SHORT, f"{words} words to say, {len(demands)} demands")
    return None


def scenario_of(
    proposal: Proposal, cell: Cell, number: int, seeds: Sequence[Example], draw: random.Random
) -> Scenario:
    """The scenario of a proposal that passed; voice, first turn and limits are after the seeds.

    Args:
        proposal: What to say and what to do.
        cell: Where it belongs.
        number: Of the question, unique in the pack: its id is made of it.
        seeds: At least one at the cell's level.
        draw: What chooses.

    Raises:
        ValidationError: It is no valid scenario.
    """
    alike = [seed for seed in seeds if seed.cell.level is cell.level]
    before = [seed.before for seed in alike if seed.before is not None]
    of_person = {seed.scenario.persona.style for seed in seeds}  # a child is one from its first word
    whole = proposal.perceive if proposal.perceive in of_person else ""
    ask = Turn(
        text=proposal.text,
        style="" if whole else proposal.perceive,
        expression=Expression(
            level=cell.level,
            task=cell.task,
            content=tuple(proposal.content),
            perceive=proposal.perceive,
            manner=proposal.manner,
        ),
    )
    first = [Turn(text=said.text, spoken=said.spoken) for said in draw.sample(before, min(1, len(before)))]
    return Scenario(
        id=f"{cell.task[:60]}-{cell.level:d}-g{number:04d}",
        title=proposal.title,
        language=seeds[0].scenario.language,
        domain=cell.domain,
        persona=Persona(voice=draw.choice(voices_for(proposal.perceive)), style=whole),
        limits=alike[0].scenario.limits,
        turns=(*first, ask),
        tags=(f"level-{cell.level:d}", cell.task, "grown"),
    )


def voices_for(spec: str) -> list[str]:
    """Voices that can speak in a style: together they stay within the limits of a voice."""
    return [name for name in VOICES if _together(name, spec)]


def problems_of(scenario: Scenario) -> list[str]:
    """What the ordinary check of a scenario's file says of it: schema, errors and warnings of the lint."""
    data = scenario.model_dump(mode="json", exclude_defaults=True)
    document = Document(Path(f"{scenario.id}.yaml"), data)
    read = validated(document, Scenario)
    if read is None:
        return [str(problem) for problem in document.problems]
    found = (*document.problems, *lint.errors(document, read), *lint.warnings(document, read))
    return [f"{problem.where}: found {problem.found}, expected {problem.expected}" for problem in found]


def _together(name: str, spec: str) -> bool:
    try:
        _ = voice(name) + style(spec)
    except MannerError:
        return False
    return True
