"""What people say of grown scenarios: answers from the studio, and those filled into the queue by hand.

Every person answers two questions on a scenario. It is consistent in one of them if more people say so than
do not; one about which they are divided is not. Pure, but for the reading of a folder of labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recordings.label_files import LabelFolder
from scenarios.growing.review import Review
from scoring.agreement.labels import LabelSet
from scoring.labelling.answers import answers
from scoring.labelling.plan import Answers, Key
from scoring.labelling.protocol import Answer, Part

LEVEL, MANNER = "level", "manner"
QUESTIONS = (LEVEL, MANNER)
"""What is asked of each scenario, in this order."""

YES, NO = "consistent", "not_consistent"
LABELS = LabelSet((YES, NO))
"""Answers to both questions."""

BY_HAND = "by hand"
"""Who has filled in the queue without a name."""

Opinions = Mapping[str, Answers]
"""What people say, by their names."""


def key(scenario: str, question: str) -> Key:
    """The name of a question on a scenario."""
    return Key(Part.ABSOLUTE, scenario, question)


def by_hand(lines: Iterable[Review]) -> dict[str, dict[Key, Answer]]:
    """The answers that stand in the queue itself."""
    found: dict[str, dict[Key, Answer]] = {}
    for line in lines:
        for question, said in line.answers.model_dump().items():
            if said is not None:
                own = found.setdefault(line.reviewer or BY_HAND, {})
                own[key(line.scenario, question)] = Answer(YES if said else NO)
    return found


def opinions(lines: Sequence[Review], folder: LabelFolder) -> dict[str, dict[Key, Answer]]:
    """All answers about the scenarios of a queue; of one person those of the studio count.

    Raises:
        RecordingError: A file of labels cannot be read.
    """
    found = by_hand(lines)
    queued = {line.scenario for line in lines}
    for person in folder.people():
        given = answers(folder.labels(person), ()).items()
        own = {one: said for one, said in given if one.item in queued and one.dimension in QUESTIONS}
        if own:
            found[person] = {**found.get(person, {}), **own}
    return found


def notes(folder: LabelFolder) -> dict[str, list[str]]:
    """What people wrote about scenarios in the studio, by scenario, each with its writer."""
    found: dict[str, list[str]] = {}
    for person in folder.people():
        for label in folder.labels(person):
            if label.note:
                found.setdefault(label.item, []).append(f"{person}: {label.note}")
    return found


def votes(scenario: str, question: str, everybody: Opinions) -> tuple[int, int]:
    """How many say yes, and how many say no."""
    said = [given.get(key(scenario, question)) for given in everybody.values()]
    labels = [one.label for one in said if one is not None]
    return labels.count(YES), labels.count(NO)


def consistent(scenario: str, question: str, everybody: Opinions) -> bool | None:
    """Whether a scenario is what it says; None if nobody has an answer."""
    yes, no = votes(scenario, question, everybody)
    return yes > no if yes or no else None


def refused(lines: Iterable[Review], everybody: Opinions) -> dict[str, str]:
    """Scenarios that people find inconsistent, each with who says what."""
    found = {}
    for line in lines:
        wrong = [name for name in QUESTIONS if consistent(line.scenario, name, everybody) is False]
        if wrong:
            found[line.scenario] = "; ".join(_told(line.scenario, name, everybody) for name in wrong)
    return found


def _told(scenario: str, question: str, everybody: Opinions) -> str:
    """Who says what, such as "level: ann no, bob yes"."""
    words: dict[Any, str] = {YES: "yes", NO: "no"}
    asked = key(scenario, question)
    said = [
        f"{person} {words[given[asked].label]}"
        for person, given in sorted(everybody.items())
        if asked in given and given[asked].label in words
    ]
    return f"{question}: {', '.join(said)}"
