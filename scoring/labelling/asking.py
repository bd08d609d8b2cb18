"""What all desks do alike: know a person, offer answers, check them, hand out sounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from recordings.label_files import NameUnfit, person_named
from recordings.studio.label_cards import AnswerSent, CannotAnswer, Offer
from scoring.labelling.clips import Clips
from scoring.labelling.protocol import WITHHELD

T = TypeVar("T")

KEYS = {
    "bad": "1",
    "acceptable": "2",
    "good": "3",
    "1": "1",
    "2": "2",
    "both_good": "3",
    "both_bad": "4",
    "consistent": "1",
    "not_consistent": "2",
    "skipped": "s",
    "inaudible": "i",
}
"""One key for each answer; of comparisons sides are as shown."""

_TITLES = {
    "1": "the first",
    "2": "the second",
    "both_good": "both are good",
    "both_bad": "both are bad",
    "consistent": "yes",
    "not_consistent": "no",
    **WITHHELD,
}


def offers(labels: Iterable[str]) -> tuple[Offer, ...]:
    """Answers with their keys."""
    return tuple(Offer(label=name, key=KEYS[name], title=_TITLES.get(name, name)) for name in labels)


def known(person: str, fixed: str) -> str:
    """A person who may work here.

    Raises:
        CannotAnswer: The name cannot be that of a file, or the desk is somebody else's.
    """
    try:
        name = person_named(person)
    except NameUnfit as error:
        raise CannotAnswer(400, "name_unfit", str(error)) from error
    if fixed and name != fixed:
        raise CannotAnswer(403, "somebody_else", "This studio was opened for somebody else.")
    return name


def check(sent: AnswerSent, labels: Sequence[str]) -> None:
    """See that an answer is one of those offered.

    Raises:
        CannotAnswer: It is not.
    """
    if sent.unscored is None and sent.label in labels:
        return
    if sent.label is None and sent.unscored in WITHHELD:
        return
    expected = ", ".join((*labels, *WITHHELD))
    raise CannotAnswer(400, "no_such_label", f"The answer is none of {expected}.")


def wav(clips: Clips, token: str) -> bytes:
    """A sound.

    Raises:
        CannotAnswer: There is none of that name.
        RecordingError: Its recording cannot be read.
    """
    found = clips.wav(token)
    if found is None:
        raise unknown_sound()
    return found


def earlier(answers: Sequence[T], steps: int) -> T:
    """An answer of before.

    Args:
        answers: The latest first.
        steps: So many answers ago; 1 is the latest.

    Raises:
        CannotAnswer: So many were not given.
    """
    if not 1 <= steps <= len(answers):
        raise CannotAnswer(404, "nothing_before", f"There are {len(answers)} answers to go back to.")
    return answers[steps - 1]


def unknown_sound() -> CannotAnswer:
    """A token that names no sound."""
    return CannotAnswer(404, "no_such_sound", "There is no sound of that name; load the page again.")


def unknown_question() -> CannotAnswer:
    """A token that names nothing: it is of another person, or of a studio that has ended."""
    message = "The question is not known: the studio was started anew. Load the page again."
    return CannotAnswer(409, "no_such_question", message)
