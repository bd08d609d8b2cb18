"""Battles, and the file that keeps them: one JSON document a line, appended to and never changed.

A battle is one comparison of two systems' answers to one prompt. `append` writes battles, `read` reads them
strictly: a line that is no battle is an error with its number. What is a battle but says nothing (a system
against itself, an unknown label, an id that was there before, a judge that failed) is skipped and counted
with its cause; it never becomes a tie.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from recordings.reading import first_problem
from recordings.strict_json import encode

SELF_BATTLE, UNKNOWN_LABEL, DUPLICATE_ID, TORN_LINE = (
    "self_battle",
    "unknown_label",
    "duplicate_id",
    "torn_line",
)
"""Causes for which a line is skipped."""


class BattleError(ValueError):
    """A file of battles that cannot be read or written.

    Attributes:
        path: The file.
        line: From 1; 0 if it is the file as a whole.
        found: What is wrong.
        remedy: What is expected, or what to do.
    """

    def __init__(self, path: Path, line: int, found: str, remedy: str = "") -> None:
        self.path, self.line, self.found, self.remedy = path, line, found, remedy
        super().__init__(path, line, found, remedy)

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.found}." + (f" {self.remedy}" if self.remedy else "")


class Label(StrEnum):
    """Who won: one side, or nobody; the three ties are half a win for each, and counted apart."""

    A = "a"
    B = "b"
    TIE = "tie"
    BOTH_GOOD = "both_good"
    BOTH_BAD = "both_bad"

    @property
    def score(self) -> float:
        """What side a gets of the one point."""
        return {Label.A: 1.0, Label.B: 0.0}.get(self, 0.5)

    @property
    def swapped(self) -> Label:
        """The same outcome with the sides exchanged."""
        return {Label.A: Label.B, Label.B: Label.A}.get(self, self)


class First(StrEnum):
    """Which side the judge was shown first; `both`: judged in both orders."""

    A = "a"
    B = "b"
    BOTH = "both"

    @property
    def swapped(self) -> First:
        """The same order with the sides exchanged."""
        return {First.A: First.B, First.B: First.A}.get(self, self)


class Battle(BaseModel):
    """One comparison.

    Attributes:
        id: Unique in its file.
        prompt: What both systems were asked; battles on one prompt are resampled together.
        system_a: One system; which is `a` means nothing.
        system_b: The other.
        first: The order in which the judge was shown them; None if it is not known.
        judge: Who decided: a judge's name and version, or a person's.
        label: The outcome; None if there is none, with the cause in `unscored`.
        evidence: What the judge said and saw, as far as it was kept.
        domain: Of the prompt, e.g. "medical".
        level: Of the prompt, e.g. "L3".
        condition: Under which both answered, e.g. "noise 10 dB".
        duration_a_s: Length of the answer of `system_a`, in seconds.
        duration_b_s: Length of the answer of `system_b`, in seconds.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    id: str = Field(min_length=1)
    prompt: str = Field(min_length=1)
    system_a: str = Field(min_length=1)
    system_b: str = Field(min_length=1)
    first: First | None = None
    judge: str = ""
    label: Label | None = None
    unscored: str | None = Field(default=None, min_length=1)
    evidence: Mapping[str, Any] = Field(default_factory=dict)
    domain: str | None = None
    level: str | None = None
    condition: str | None = None
    duration_a_s: PositiveFloat | None = None
    duration_b_s: PositiveFloat | None = None

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.system_a == self.system_b:
            raise PydanticCustomError(SELF_BATTLE, "a system cannot be compared with itself")
        if (self.label is None) == (self.unscored is None):
            raise ValueError("expected a label, or the cause for which there is none in unscored")
        return self

    @property
    def systems(self) -> tuple[str, str]:
        """Both sides."""
        return self.system_a, self.system_b

    def swapped(self) -> Battle:
        """The same battle with the sides exchanged: whoever won has still won."""
        return self.model_copy(
            update={
                "system_a": self.system_b,
                "system_b": self.system_a,
                "first": self.first and self.first.swapped,
                "label": self.label and self.label.swapped,
                "duration_a_s": self.duration_b_s,
                "duration_b_s": self.duration_a_s,
            }
        )


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line of a file that counts for nothing.

    Attributes:
        line: From 1.
        cause: Why, as a word for machines.
        found: What stood there.
        systems: The systems it names.
    """

    line: int
    cause: str
    found: str
    systems: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """As `viva arena` prints it."""
        return {"line": self.line, "cause": self.cause, "found": self.found}


@dataclass(frozen=True, slots=True)
class BattleSet:
    """What a file of battles holds.

    Attributes:
        battles: In the order of the file; some may have no label.
        skipped: Lines that count for nothing.
    """

    battles: tuple[Battle, ...]
    skipped: tuple[Skipped, ...] = ()

    @property
    def scored(self) -> tuple[Battle, ...]:
        """Battles with an outcome, in the order of the file."""
        return tuple(battle for battle in self.battles if battle.label is not None)

    @property
    def unscored(self) -> Counter[str]:
        """How many have none, by cause."""
        causes = Counter(line.cause for line in self.skipped)
        causes.update(battle.unscored for battle in self.battles if battle.unscored is not None)
        return causes

    @property
    def systems(self) -> list[str]:
        """Every system that is named anywhere, sorted."""
        named = {name for battle in self.battles for name in battle.systems}
        return sorted(named.union(*(line.systems for line in self.skipped)))


def append(path: Path, *battles: Battle) -> None:
    """Write battles at the end of a store; it is made if it is not there.

    Raises:
        BattleError: The store ends in the middle of a line.
        OSError: It cannot be written.
    """
    text = b"".join(encode(battle) + b"\n" for battle in battles)
    with path.open("a+b") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                raise BattleError(path, 0, "ends in the middle of a line", "Remove that line.")
        file.write(text)


def append_new(path: Path, battles: Iterable[Battle]) -> int:
    """Write the battles that the store has no outcome of; returns how many.

    Raises:
        BattleError: The store cannot be read, or has another battle of the same id.
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {battle.id: battle for battle in read(path).battles} if path.exists() else {}
    new: dict[str, Battle] = {}
    for battle in battles:
        there = known.get(battle.id)
        if there is not None and (there.prompt, there.systems) != (battle.prompt, battle.systems):
            found = f"has another battle {battle.id!r}, on {there.prompt!r}"
            raise BattleError(path, 0, found, "Rename the file that is imported, or take another store.")
        if there is None or (there.label is None and battle.label is not None):
            new[battle.id] = battle
    append(path, *new.values())
    return len(new)


def read(path: Path) -> BattleSet:
    """Read a store.

    Raises:
        BattleError: It cannot be read, or a line is no battle. Only the last line may be torn, by the death
            of the process that wrote it: it is skipped and counted.
    """
    lines = read_text(path).split("\n")
    return collect(
        (number, _parse(path, number, line, last=number == len(lines)))
        for number, line in enumerate(lines, start=1)
        if line or number < len(lines)
    )


def collect(lines: Iterable[tuple[int, Battle | Skipped]]) -> BattleSet:
    """Battles and what was skipped, by line.

    Of battles with the same id only the first that has an outcome counts: what could not be judged may be
    judged again.
    """
    battles: dict[str, Battle] = {}
    skipped: list[Skipped] = []
    for number, line in lines:
        if isinstance(line, Skipped):
            skipped.append(line)
        elif line.id in battles and (battles[line.id].label is not None or line.label is None):
            skipped.append(Skipped(number, DUPLICATE_ID, line.id, line.systems))
        else:
            battles[line.id] = line
    return BattleSet(tuple(battles.values()), tuple(skipped))


def read_text(path: Path) -> str:
    """The text of a file of battles.

    Raises:
        BattleError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BattleError(path, 0, f"cannot be read ({error.strerror})", "Expected battles.") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BattleError(path, line, "is not UTF-8") from error


def _parse(path: Path, number: int, line: str, *, last: bool) -> Battle | Skipped:
    """A line of a store; what is no battle is an error, unless it is the torn last line."""
    try:
        return Battle.model_validate_json(line)
    except ValidationError as error:
        if last:
            return Skipped(number, TORN_LINE, line[:80])
        problems = error.errors(include_url=False, include_context=False)
        if len(problems) == 1:
            kind, place = problems[0]["type"], problems[0]["loc"]
            if kind == SELF_BATTLE or place == ("label",):
                given = json.loads(line)
                systems = given["system_a"], given["system_b"]
                if kind == SELF_BATTLE:
                    return Skipped(number, SELF_BATTLE, systems[0], systems[:1])
                return Skipped(number, UNKNOWN_LABEL, str(given["label"]), systems)
        raise BattleError(path, number, f"is no battle ({first_problem(error)})") from error
