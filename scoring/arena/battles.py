"""Battles: one comparison each of two systems' answers to one prompt, and what a file of them holds.

`scoring.arena.store` reads and writes them. What is a battle but says nothing (a system against itself, an
unknown label, an id that was there before, a judge that failed, a correction of nothing) is skipped and
counted with its cause; it never becomes a tie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, model_validator
from pydantic_core import PydanticCustomError

SELF_BATTLE, UNKNOWN_LABEL, DUPLICATE_ID, TORN_LINE = (
    "self_battle",
    "unknown_label",
    "duplicate_id",
    "torn_line",
)
NOTHING_TO_CORRECT, CORRECTS_ANOTHER = "nothing_to_correct", "corrects_another"
"""Causes for which a line is skipped; a correction must come after a battle of the same judge, prompt and
systems."""


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
        corrects: Id of the battle that this one takes the place of: whoever judged pressed the wrong key.
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
    corrects: str | None = Field(default=None, min_length=1)

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

    def may_correct(self, other: Battle) -> bool:
        """Whether both are the same judge's, on the same prompt and systems."""
        mine, theirs = ((one.judge, one.prompt, {*one.systems}) for one in (self, other))
        return mine == theirs

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
        battles: Those that stand, in the order of the file; some may have no label. A correction stands in
            the place of what it corrects.
        skipped: Lines that count for nothing.
        records: Everything that was written and is valid, in the order of the file: also what was corrected
            since, or judged again.
    """

    battles: tuple[Battle, ...]
    skipped: tuple[Skipped, ...] = ()
    records: tuple[Battle, ...] = ()

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
    def corrected(self) -> int:
        """How many corrections there are."""
        return sum(one.corrects is not None for one in self.records)

    @property
    def systems(self) -> list[str]:
        """Every system that is named anywhere, sorted."""
        named = {name for battle in self.battles for name in battle.systems}
        return sorted(named.union(*(line.systems for line in self.skipped)))
