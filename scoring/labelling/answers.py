"""What people have answered, between the lines of their files and the questions of the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recordings.labels import PersonLabel
from scoring.agreement.labels import Labels, other_side
from scoring.labelling.plan import Answers, Key
from scoring.labelling.protocol import Answer, Part

DERIVED = "ratings"
"""Of a comparison that nobody was asked about: `shown` says that it was derived from the ratings."""


def answers(single: Iterable[PersonLabel], pairs: Iterable[PersonLabel]) -> Answers:
    """The answers in both of a person's files."""
    return {
        Key(part, line.item, line.dimension, line.round): Answer(
            line.label, line.unscored, derived=line.shown.get("by") == DERIVED
        )
        for part, lines in ((Part.ABSOLUTE, single), (Part.RELATIVE, pairs))
        for line in lines
    }


def line(
    person: str,
    key: Key,
    answer: Answer,
    at_utc: str,
    *,
    note: str = "",
    shown: Mapping[str, Any] | None = None,
) -> PersonLabel:
    """An answer as a line of a file."""
    return PersonLabel(
        item=key.item,
        label=answer.label,
        unscored=answer.unscored,
        annotator=person,
        dimension=key.dimension,
        at_utc=at_utc,
        note=note,
        round=key.round,
        shown={"by": DERIVED} if answer.derived else dict(shown or {}),
    )


def turned(label: str | None, first: int) -> str | None:
    """A label that names sides as shown, by the names' order; and the other way round.

    Args:
        label: Or None.
        first: Which of the pair was shown first: 0 or 1.
    """
    return other_side(label) if label and first else label


@dataclass(frozen=True, slots=True)
class Asked:
    """Which labels are meant: by part, dimension and round."""

    part: Part
    dimension: str
    round: int = 1


def source(name: str, given: Answers, asked: Asked, clusters: Mapping[str, str]) -> Labels:
    """A person's labels of one kind, as a source for agreement."""
    found = {
        key.item: answer
        for key, answer in given.items()
        if Asked(key.part, key.dimension, key.round) == asked
    }
    return Labels(
        name,
        {item: answer.label for item, answer in found.items() if answer.label is not None},
        {item: answer.unscored or "no_label" for item, answer in found.items() if answer.label is None},
        clusters={item: clusters[item] for item in found if item in clusters},
    )


def history(single: Sequence[PersonLabel], pairs: Sequence[PersonLabel]) -> list[tuple[Key, PersonLabel]]:
    """What the person was asked and said, the latest first; not what was derived from it."""
    found = [
        (Key(part, line.item, line.dimension, line.round), line)
        for part, lines in ((Part.ABSOLUTE, single), (Part.RELATIVE, pairs))
        for line in lines
        if line.shown.get("by") != DERIVED
    ]
    return sorted(found, key=lambda one: one[1].at_utc, reverse=True)
