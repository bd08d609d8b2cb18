"""Voices and styles of a scenario: names that are not known, and manners that no voice can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scenarios.basics import Say
from scenarios.document import Document
from scenarios.manners import Manner, MannerError, style, voice
from scenarios.problems import Place, Problem
from scenarios.schema import Scenario


def errors(document: Document, scenario: Scenario, lines: Iterable[tuple[Place, Say]]) -> Iterator[Problem]:
    """What cannot be spoken.

    Args:
        document: The scenario's file.
        scenario: The same, read.
        lines: All words to say, with their places.
    """
    persona = scenario.persona
    who: Manner | None = None
    try:
        who = voice(persona.voice)
    except MannerError as error:
        yield document.problem(("persona", "voice"), error.found, error.expected, error.hint)
    yield from _style(document, ("persona", "style"), persona.style, who)
    for place, say in lines:
        if say.style and say.audio is not None:
            found = f"the style {say.style!r} for a recording"
            yield document.problem((*place, "style"), found, "none: a recording is played as it is")
        else:
            yield from _style(document, (*place, "style"), say.style, who)


def _style(document: Document, place: Place, spec: str, who: Manner | None) -> Iterator[Problem]:
    try:
        how = style(spec)
    except MannerError as error:
        yield document.problem(place, error.found, error.expected, error.hint)
        return
    try:
        _ = (who or Manner()) + how
    except MannerError as error:
        found = f"{error.found} from voice and style together"
        yield document.problem(place, found, error.expected, "change one of the two")
