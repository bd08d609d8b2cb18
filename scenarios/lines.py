"""Everything that a scenario's user may say, with its place. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.basics import Say
from scenarios.problems import Place
from scenarios.schema import Scenario


def lines(scenario: Scenario) -> Iterator[tuple[Place, Say]]:
    """All words to say: turns, questions and follow-ups of the aspects, the goodbye, behaviours."""
    for i, turn in enumerate(scenario.turns):
        yield ("turns", i), turn
    for i, aspect in enumerate(scenario.aspects):
        yield ("aspects", i, "question"), aspect.question
        for j, say in enumerate(aspect.follow_ups):
            yield ("aspects", i, "follow_ups", j), say
    if scenario.goodbye is not None:
        yield ("goodbye",), scenario.goodbye
    for i, behaviour in enumerate(scenario.behaviours):
        words = getattr(behaviour, "say", None)
        if isinstance(words, Say):
            yield ("behaviours", i, "say"), words
