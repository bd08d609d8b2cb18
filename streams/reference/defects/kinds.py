"""Which defects there are, what their doses mean, and how they are written: `late:0.8,drops_words:0.2`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Defect(StrEnum):
    """What can be planted."""

    LATE = "late"
    NEVER_YIELDS = "never_yields"
    YIELDS_LATE = "yields_late"
    YIELDS_TO_BACKCHANNEL = "yields_to_backchannel"
    CUTS_IN = "cuts_in"
    TALKS_OVER = "talks_over"
    DEAD_AIR = "dead_air"
    DROPS_WORDS = "drops_words"
    SWAPS_FACT = "swaps_fact"
    SWAPS_NUMBER = "swaps_number"
    CLIPS = "clips"
    NOISE = "noise"
    MONOTONE = "monotone"
    ECHO = "echo"
    REPEATS = "repeats"
    ANSWERS_PREVIOUS = "answers_previous"
    STOPS_MID_WORD = "stops_mid_word"
    GOES_SILENT = "goes_silent"
    LEAKS = "leaks"
    FALLS_BEHIND = "falls_behind"


@dataclass(frozen=True, slots=True)
class Dose:
    """What the number of a defect means.

    Attributes:
        lowest: It may be so much,
        highest: and no more.
        usual: Taken where none is given.
        unit: "s", "share", "dB" or "count".
        means: For the reader of the documentation.
    """

    lowest: float
    highest: float
    usual: float
    unit: str
    means: str


DOSES: dict[Defect, Dose] = {
    Defect.LATE: Dose(0.02, 60, 0.8, "s", "every reply comes so much later"),
    Defect.NEVER_YIELDS: Dose(1, 1, 1, "count", "goes on to the end when interrupted, then answers"),
    Defect.YIELDS_LATE: Dose(0.1, 10, 1.5, "s", "stops so long after an interruption began"),
    Defect.YIELDS_TO_BACKCHANNEL: Dose(0.04, 0.5, 0.2, "s", "stops so long after a mere mm-hm began"),
    Defect.CUTS_IN: Dose(0.2, 5, 0.3, "s", "talks into a pause of the user after so much silence"),
    Defect.TALKS_OVER: Dose(0.1, 10, 1.0, "s", "talks so long after the user began to, whatever it says"),
    Defect.DEAD_AIR: Dose(0.1, 30, 1.2, "s", "silence within each reply, between two sentences"),
    Defect.DROPS_WORDS: Dose(0.01, 0.9, 0.2, "share", "of the words are not spoken"),
    Defect.SWAPS_FACT: Dose(0.01, 1, 1, "share", "of the replies state the wrong fact"),
    Defect.SWAPS_NUMBER: Dose(0.01, 1, 1, "share", "of the replies state the wrong number"),
    Defect.CLIPS: Dose(0.0005, 0.5, 0.02, "share", "of the samples are driven into full scale"),
    Defect.NOISE: Dose(-10, 60, 15, "dB", "signal-to-noise ratio of a reply with white noise"),
    Defect.MONOTONE: Dose(0, 1, 1, "share", "of the melody is taken away"),
    Defect.ECHO: Dose(-60, 0, -40, "dB", "level at which the user's own voice comes back, 0.2 s later"),
    Defect.REPEATS: Dose(1, 5, 1, "count", "times that the last sentence is said again"),
    Defect.ANSWERS_PREVIOUS: Dose(1, 5, 1, "count", "questions that it is behind"),
    Defect.STOPS_MID_WORD: Dose(0.1, 0.95, 0.7, "share", "of a reply after which it stops, within a word"),
    Defect.GOES_SILENT: Dose(0, 1000, 2, "count", "replies after which it says nothing more"),
    Defect.LEAKS: Dose(1, 1000, 1, "count", "the reply, from 1, that begins with its instructions"),
    Defect.FALLS_BEHIND: Dose(0.2, 0.99, 0.8, "share", "of real time at which audio is delivered"),
}
"""Every defect and its dose."""

OF_THE_VOICE = frozenset({Defect.DROPS_WORDS, Defect.CLIPS, Defect.NOISE, Defect.MONOTONE})
"""Defects that the assistant can have as well; the others are of what the rehearsed endpoint does."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is planted: pairs of a defect and its dose."""

    doses: tuple[tuple[Defect, float], ...] = ()

    def get(self, defect: Defect) -> float | None:
        """The dose of a defect, or None if it is not planted."""
        return dict(self.doses).get(defect)

    @property
    def kinds(self) -> frozenset[Defect]:
        """The defects that are planted."""
        return frozenset(defect for defect, _ in self.doses)


def parse(text: str) -> Plan:
    """Read `late:0.8,never_yields`.

    Raises:
        ValueError: Says what is wrong, and what is known.
    """
    return Plan(tuple(_checked(part for part in text.split(",") if part.strip())))


def _checked(parts: Iterable[str]) -> Iterable[tuple[Defect, float]]:
    seen: set[Defect] = set()
    for part in parts:
        name, _, dose = part.partition(":")
        defect = _named(name.strip())
        if defect in seen:
            raise ValueError(f"{defect} is planted twice")
        seen.add(defect)
        yield defect, _amount(defect, dose.strip())


def _named(name: str) -> Defect:
    try:
        return Defect(name)
    except ValueError:
        near = difflib.get_close_matches(name, [*Defect], n=1)
        guess = f"did you mean {str(near[0])!r}? " if near else ""
        raise ValueError(f"{name!r} is no defect; {guess}known are {', '.join(Defect)}") from None


def _amount(defect: Defect, text: str) -> float:
    dose = DOSES[defect]
    if not text:
        return dose.usual
    try:
        amount = float(text)
    except ValueError:
        raise ValueError(f"{defect}:{text} has no number for a dose") from None
    if not dose.lowest <= amount <= dose.highest:
        span = f"{dose.lowest:g} to {dose.highest:g} {dose.unit}"
        raise ValueError(f"{defect}:{text} is out of range, expected {span}: {dose.means}")
    return amount
