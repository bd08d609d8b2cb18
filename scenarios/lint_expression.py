"""What an expression demands that its turn does not give: a manner to notice in which nobody speaks."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.document import Document
from scenarios.problems import Problem
from scenarios.schema import Scenario


def errors(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """Turns whose manner is to be noticed and that are spoken in another one; a recording has any."""
    for i, turn in enumerate(scenario.turns):
        wanted = turn.expression.perceive if turn.expression else ""
        spoken = turn.style or scenario.persona.style
        if wanted and turn.audio is None and wanted != spoken:
            how = f"in the style {spoken!r}" if spoken else "neutrally"
            found = f"{wanted!r}, and the turn is spoken {how}"
            place = ("turns", i, "expression", "perceive")
            yield document.problem(place, found, "the style in which the turn is spoken")
