"""What the schema cannot see: names that clash, files that are missing, keywords that prove nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from scenarios import lint_behaviours, lint_expression, lint_manners, lint_tools, sound
from scenarios.behaviours import BargeIn, ChangeOfMind, Cough
from scenarios.conditions import SOUND_FILES
from scenarios.document import Document
from scenarios.lines import lines
from scenarios.problems import Place, Problem
from scenarios.schema import Fact, Say, Scenario
from scenarios.sound import Fault

_SHORTEST = 3
_WORD = re.compile(r"[^\W_]+|\|")


def errors(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """What makes a scenario unusable: ids that are used twice, recordings that are not there."""
    yield from _duplicates(document, [(("aspects", i, "id"), a.id) for i, a in enumerate(scenario.aspects)])
    yield from _duplicates(document, [((*asked.place, "id"), asked.fact.id) for asked in _facts(scenario)])
    for place, say in lines(scenario):
        if say.audio is not None:
            in_noise = bool(scenario.conditions.snrs)  # a level against speech is none without speech
            yield from _audio(
                document, (*place, "audio"), say.audio, sound.speech_fault if in_noise else None
            )
    for i, noise in enumerate(scenario.conditions.noise):
        if noise.file is not None:
            yield from _audio(document, ("conditions", "noise", i, "bed"), noise.file, sound.noise_fault)

    behaviours = scenario.behaviours
    yield from _duplicates(document, [(("behaviours", i, "id"), b.id) for i, b in enumerate(behaviours)])
    for i, behaviour in enumerate(behaviours):
        if isinstance(behaviour, Cough) and behaviour.audio is not None:
            yield from _audio(document, ("behaviours", i, "audio"), behaviour.audio)
    yield from lint_behaviours.errors(document, scenario)
    yield from lint_manners.errors(document, scenario, lines(scenario))
    yield from lint_expression.errors(document, scenario)
    yield from lint_tools.errors(document, scenario)


def warnings(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """What lets an answer pass that says nothing, and conditions that change nothing."""
    yield from _unreachable(document, scenario)
    for place, fact, question in _facts(scenario):
        asked = _words(f"{question.text} | {question.spoken or ''}")
        for g, group in enumerate(fact.keywords):
            for k, keyword in enumerate(group):
                here = (*place, "keywords", g, k)
                if f" {_words(keyword).strip()} " in asked:
                    found = f"{keyword!r}, which is in the question itself"
                    yield document.problem(here, found, "a word that only an answer holds")
                elif len(keyword) < _SHORTEST and keyword.isascii() and keyword.isalpha():
                    yield document.problem(
                        here, f"{keyword!r}", f"a keyword of at least {_SHORTEST} letters"
                    )


class _Asked(NamedTuple):
    place: Place
    fact: Fact
    question: Say


def _facts(scenario: Scenario) -> Iterator[_Asked]:
    for i, aspect in enumerate(scenario.aspects):
        for j, fact in enumerate(aspect.facts):
            yield _Asked(("aspects", i, "facts", j), fact, aspect.question)
    for i, turn in enumerate(scenario.turns):
        for j, fact in enumerate(turn.facts):
            yield _Asked(("turns", i, "facts", j), fact, turn)
    for i, behaviour in enumerate(scenario.behaviours):
        if isinstance(behaviour, BargeIn | ChangeOfMind):
            for j, fact in enumerate(behaviour.facts):
                yield _Asked(("behaviours", i, "facts", j), fact, behaviour.say)


def _duplicates(document: Document, ids: list[tuple[Place, str]]) -> Iterator[Problem]:
    first: dict[str, Problem] = {}
    for place, id in ids:
        here = document.problem(place, f"the id {id!r} a second time", "an id of its own")
        if id in first:
            before = first[id]
            hint = f"the other is {before.where} in line {before.line}"
            yield document.problem(place, here.found, here.expected, hint)
        else:
            first[id] = here


def _audio(
    document: Document, place: Place, name: str, fault: Callable[[Path], Fault | None] | None = None
) -> Iterator[Problem]:
    path = document.file.parent / name
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        yield document.problem(place, repr(name), "a path relative to the scenario's file")
    elif path.suffix.lower() not in SOUND_FILES:
        yield document.problem(place, repr(name), f"a file that ends in {' or '.join(SOUND_FILES)}")
    elif not path.is_file():
        yield document.problem(place, f"{name!r}, but there is no file {path}", "a recording")
    elif fault is not None and (wrong := fault(path)) is not None:
        yield document.problem(place, f"{name!r}, which holds {wrong.found}", wrong.expected, wrong.remedy)


def _unreachable(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """Clipping above what the voice, its gain and the noises reach."""
    conditions = scenario.conditions
    if conditions.clipping_dbfs is None:
        return
    # speech at -26 dBov peaks at about -6; a noise peaks some 12 dB over its level
    loudest = conditions.gain_db + max([-6.0, *(-14.0 - snr for snr in conditions.snrs.values())])
    if conditions.clipping_dbfs > loudest:
        found = f"clipping at {conditions.clipping_dbfs:g} dBFS, which is hardly ever reached"
        expected = f"a level below {loudest:g} dBFS, or a higher gain_db"
        yield document.problem(("conditions", "clipping_dbfs"), found, expected)


def _words(text: str) -> str:
    """Lower-case words between single spaces, with one at each end; `|` keeps texts apart."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
