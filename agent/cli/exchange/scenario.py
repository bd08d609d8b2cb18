"""Which lines of a scenario an imported user spoke: by their words, never by their order. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recordings.format import Role
from recordings.importing.speech import Said
from scenarios.basics import Say
from scenarios.items import query
from scenarios.schema import Scenario
from scoring.text import normalise

ALIKE = 75.0
"""Likeness (0 to 100, share of letters in common) from which an utterance is a line of the scenario."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The user's utterances as lines of a scenario.

    Attributes:
        labels: By number of the utterance: the scenario's label, and ids of the facts it expects.
        inferred: How many were found.
        notes: What was not.
    """

    said: Sequence[Said]
    labels: Mapping[int, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    inferred: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    label: str
    say: Say
    expected: tuple[str, ...] = ()


def fitted(said: Sequence[Said], scenario: Scenario) -> Fitted:
    """Find for each utterance that wants an answer the line of the scenario that it is most like.

    An utterance that is one gets the scenario's written words as its text; the others keep their own.
    """
    wanted = list(_wanted(scenario))
    found: list[Said] = []
    labels: dict[int, tuple[str, tuple[str, ...]]] = {}
    asked = 0
    for number, one in enumerate(said):
        wants = (one.role or Role.TURN).wants_answer
        asked += wants
        best = _best(one, wanted) if wants else None
        if best is not None:
            labels[number] = best.label, best.expected
            one = replace(one, text=best.say.text)
        found.append(one)
    missed = asked - len(labels)
    notes = (f"user: {missed} utterances are like no line of scenario {scenario.id}",) if missed else ()
    how = f"{len(labels)} of {asked} utterances, by likeness of their words"
    return Fitted(found, labels, {"lines of the scenario": how}, notes)


def _wanted(scenario: Scenario) -> Iterator[_Wanted]:
    """The lines, labelled as the user's policies label them."""
    for number, turn in enumerate(scenario.turns, 1):
        yield _Wanted(f"turn {number}", query(turn), tuple(fact.id for fact in turn.facts))
    for aspect in scenario.aspects:
        facts = tuple(fact.id for fact in aspect.facts)
        for attempt, say in enumerate((aspect.question, *aspect.follow_ups), 1):
            yield _Wanted(f"aspect {aspect.id}, try {attempt}", say, facts)
    if scenario.goodbye is not None:
        yield _Wanted("goodbye", scenario.goodbye)


def _best(one: Said, wanted: Sequence[_Wanted]) -> _Wanted | None:
    from rapidfuzz.fuzz import ratio

    words = normalise(one.words or "")
    if not words:
        return None
    scored = [
        (max(ratio(words, normalise(form)) for form in (line.say.text, line.say.spoken or "")), line)
        for line in wanted
    ]
    likeness, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best if likeness >= ALIKE else None
