"""What can be wrong with a scenario, said so that its author finds the place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

Place = tuple[str | int, ...]
"""Keys and indices from the top of a document: `("aspects", 0, "question", "text")`."""


def place_text(place: Place) -> str:
    """A place as text: `aspects[0].question.text`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return "".join(parts).removeprefix(".")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, or doubtful, in a file.

    Attributes:
        line: From 1; 0 if the problem is the file itself.
        column: From 1.
        place: Where in the document.
        hint: What to do, or "".
    """

    file: Path
    line: int
    column: int
    place: Place
    found: str
    expected: str
    hint: str = ""

    @property
    def where(self) -> str:
        """The place as text: `aspects[0].question.text`."""
        return place_text(self.place)

    def __str__(self) -> str:
        position = f":{self.line}:{self.column}" if self.line else ""
        where = f" {self.where}:" if self.place else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.file}{position}:{where} found {self.found}, expected {self.expected}{hint}"


class ScenarioError(ValueError):
    """Scenarios that cannot be used, with everything that is wrong with them.

    Attributes:
        problems: In the order of the files and their lines.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)
