"""What a transcript says: who spoke from when to when, and the words. Errors of reading one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from recordings.format import Role


class WordsUnreadable(ValueError):
    """A file of words that is not what it should be.

    Attributes:
        source: The file.
        line: From 1; 0 if the place is not known.
        found: What is wrong.
        expected: What should be there.
    """

    def __init__(self, source: str, line: int, found: str, expected: str = "") -> None:
        self.source = source
        self.line = line
        self.found = found
        self.expected = expected
        place = f"{source}:{line}" if line else source
        super().__init__(f"{place}: {found}" + (f"; expected {expected}" if expected else ""))


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch of one speaker.

    Attributes:
        speaker: As the file names him; "" if it does not.
        text: None if the file has times alone.
        role: What it was for, if the file says so.
        place: Line of the file.
    """

    speaker: str
    start_s: float
    end_s: float
    text: str | None = None
    role: Role | None = None
    place: int = 0


def line(source: str, place: int, speaker: object, start: object, end: object, text: object) -> Line:
    """A line of checked values.

    Raises:
        WordsUnreadable: A time is no number, negative, or the end is before the start.
    """
    times = [_seconds(source, place, name, value) for name, value in (("start", start), ("end", end))]
    if times[1] < times[0]:
        raise WordsUnreadable(source, place, f"ends at {times[1]:g} s, before its start at {times[0]:g} s")
    words = None if text is None else " ".join(str(text).split())
    return Line("" if speaker is None else str(speaker).strip(), times[0], times[1], words, place=place)


def _seconds(source: str, place: int, name: str, value: object) -> float:
    try:
        seconds = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise WordsUnreadable(source, place, f"the {name} is {value!r}", "seconds") from None
    if not math.isfinite(seconds) or not 0 <= seconds <= 1e6:
        raise WordsUnreadable(source, place, f"the {name} is {seconds:g}", "seconds from 0 on")
    return seconds
