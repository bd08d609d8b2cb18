"""What is kept of every question: the journal of a pack that grows. Pure.

`grown.jsonl` holds what was taken, `rejected.jsonl` what was not, one JSON object a line. Together they are
the whole state: whoever reads them goes on where they end. A line that was cut off by a crash is no line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scenarios.expression_task import Level
from scenarios.growing.cells import Cell, Example, example
from scenarios.schema import Scenario

GROWING_VERSION = 1
"""Version of these files."""

MOST_RAW = 4000
"""Characters that are kept of a reply that was not taken."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Origin(_Record):
    """How a proposal came about.

    Attributes:
        model: As it was asked for.
        server: Where.
        answered_by: As the server names it, or "".
        prompt_version: Of our words around the examples.
        seed: Of all choices.
        shots: Names of the examples that were shown.
        usd: US dollars; None if the price is not known.
        cached: The answer was known from an earlier question in the same words.
    """

    model: str
    server: str
    answered_by: str = ""
    prompt_version: int
    temperature: float | None
    seed: int
    shots: tuple[str, ...]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    cached: bool = False


class _Line(_Record):
    number: int = Field(ge=1)
    domain: str
    task: str
    level: Level
    origin: Origin
    checks: dict[str, Any] = {}

    @property
    def cell(self) -> Cell:
        """What was wanted."""
        return Cell(self.domain, self.task, self.level)


class Grown(_Line):
    """A scenario that was taken.

    Attributes:
        number: Of the question, from 1.
        checks: What was measured of it.
    """

    scenario: Scenario


class Rejected(_Line):
    """A proposal that was not taken.

    Attributes:
        cause: Why, as a word to count by.
        detail: What exactly was found.
        proposal: Its fields; None if there was none that could be read.
        raw: The replies as they came, at most `MOST_RAW` characters of each.
    """

    cause: str
    detail: str = ""
    proposal: dict[str, Any] | None = None
    raw: tuple[str, ...] = ()


class Settings(_Record):
    """What must stay the same while a pack grows: `grow.json`.

    Attributes:
        seeds: The packs, as they were named.
        seeds_sha256: Of their scenarios.
        seed: Of all choices.
    """

    version: int = GROWING_VERSION
    seeds: tuple[str, ...]
    seeds_sha256: str
    seed: int


class Unreadable(ValueError):
    """A journal that is none of ours.

    Attributes:
        line: From 1.
        found: What is wrong with it.
    """

    def __init__(self, line: int, found: str) -> None:
        self.line = line
        self.found = found
        super().__init__(f"line {line}: {found}")


R = TypeVar("R", bound=BaseModel)


def read_lines(data: bytes, model: type[R]) -> tuple[list[R], int]:
    """The records of a file, and how many bytes of it they are: what follows was cut off in the writing.

    Raises:
        Unreadable: A whole line is no such record.
    """
    records = []
    whole = data.rfind(b"\n") + 1
    for number, line in enumerate(data[:whole].split(b"\n")[:-1], 1):
        try:
            records.append(model.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise Unreadable(number, f"{place}: {first['msg']}" if place else first["msg"]) from None
    return records, whole


@dataclass
class Growth:
    """Where a pack stands.

    Attributes:
        seeds: What it grows from.
        pack: The name of the new pack.
        grown: What was taken, in order.
        rejected: What was not.
        removed: What was taken, and taken out of the pack by hand.
    """

    seeds: Sequence[Example]
    pack: str
    grown: list[Grown] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    removed: list[Grown] = field(default_factory=list)

    @property
    def next_number(self) -> int:
        """Of the question that comes next."""
        asked = (*self.grown, *self.rejected, *self.removed)
        return 1 + max((line.number for line in asked), default=0)

    @property
    def filled(self) -> Counter[Cell]:
        """Scenarios of each cell, seeds and grown."""
        return Counter([seed.cell for seed in self.seeds]) + Counter(line.cell for line in self.grown)

    @property
    def refused(self) -> Counter[Cell]:
        """Proposals for each cell that were not taken."""
        return Counter(line.cell for line in self.rejected)

    @property
    def by_cause(self) -> dict[str, int]:
        """How many were not taken, the commonest cause first."""
        return dict(Counter(line.cause for line in self.rejected).most_common())

    def examples(self) -> list[Example]:
        """Everything that was grown, as examples."""
        made = (example(f"{self.pack}/{line.scenario.id}", line.scenario) for line in self.grown)
        return [one for one in made if one is not None]
