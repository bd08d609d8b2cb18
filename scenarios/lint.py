"""What the schema cannot see: names that clash, files that are missing, keywords that prove nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scenarios.document import Document
from scenarios.problems import Place, Problem
from scenarios.schema import Fact, Say, Scenario

_AUDIO = (".wav", ".flac")
_SHORTEST = 3
_WORD = re.compile(r"[^\W_]+|\|")


def errors(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """What makes a scenario unusable: ids that are used twice, recordings that are not there."""
    yield from _duplicates(document, [(("aspects", i, "id"), a.id) for i, a in enumerate(scenario.aspects)])
    yield from _duplicates(document, [((*asked.place, "id"), asked.fact.id) for asked in _facts(scenario)])
    for place, say in _lines(scenario):
        if say.audio is not None:
            yield from _audio(document, (*place, "audio"), say.audio)


def warnings(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """What lets an answer pass that says nothing."""
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


def _lines(scenario: Scenario) -> Iterator[tuple[Place, Say]]:
    for i, turn in enumerate(scenario.turns):
        yield ("turns", i), turn
    for i, aspect in enumerate(scenario.aspects):
        yield ("aspects", i, "question"), aspect.question
        for j, say in enumerate(aspect.follow_ups):
            yield ("aspects", i, "follow_ups", j), say
    if scenario.goodbye is not None:
        yield ("goodbye",), scenario.goodbye


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


def _audio(document: Document, place: Place, name: str) -> Iterator[Problem]:
    path = document.file.parent / name
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        yield document.problem(place, repr(name), "a path relative to the scenario's file")
    elif path.suffix.lower() not in _AUDIO:
        yield document.problem(place, repr(name), f"a file that ends in {' or '.join(_AUDIO)}")
    elif not path.is_file():
        yield document.problem(place, f"{name!r}, but there is no file {path}", "a recording")


def _words(text: str) -> str:
    """Lower-case words between single spaces, with one at each end; `|` keeps texts apart."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
