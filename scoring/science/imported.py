"""Answers that were given elsewhere, as JSON lines: of other programs, or of `viva ask`.

A line is `{"id", "system", "text"?, "transcript"?, "reference"?, "correct"?}`: the text that the system
wrote, a transcript of what it said, the key, and whether the source calls it right. Also `question`,
`recognised` (the system's transcript of the question), `domain`, `condition` ("speech", or "text" for
questions that were put in writing), `item` (as in a scenario, with options and features), and `unscored`
(why there is no text, or no transcript of what was said). Other keys are an error.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scenarios.basics import Text
from scenarios.schema import Item, ItemKind, Keywords
from scoring.science.answers import Answered, Condition
from scoring.text import normalise

SUFFIX = ".results.jsonl"
"""Files of this name in a run's folder are scored with it."""


class ResultUnreadable(ValueError):
    """A line that is no result, or a file without one."""

    def __init__(self, source: str, line: int, found: str) -> None:
        self.source = source
        self.line = line
        self.found = found
        expected = 'expected {"id", "system", "text"?, "transcript"?, "reference"?, "correct"?}'
        super().__init__(f"{source}:{line}: {found}; {expected}")


class Result(BaseModel):
    """One answer; see the module."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    system: str = Field(min_length=1)
    text: str | None = None
    transcript: str | None = None
    reference: Text | None = None
    correct: bool | None = None
    question: str = ""
    recognised: str | None = None
    domain: str = ""
    condition: Condition = Condition.SPEECH
    item: Item | None = None
    unscored: str = ""


class Rule(StrEnum):
    """How a short key is looked for in an answer that nobody has judged."""

    WORDS = "words"  # as whole words, not negated
    SUBSTRING = "substring"  # anywhere in the normalised text, as VocalBench does: "no" is in "know"


def read_results(path: Path) -> list[Result]:
    """The results of a file.

    Raises:
        ResultUnreadable: With file and line.
        OSError: The file cannot be read.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ResultUnreadable(
            str(path), error.object[: error.start].count(b"\n") + 1, "no UTF-8"
        ) from error
    results = [_result(line, str(path), number) for number, line in enumerate(lines, 1) if line.strip()]
    if not results:
        raise ResultUnreadable(str(path), 1, "no result")
    return results


def find_results(folder: Path) -> list[Path]:
    """The files of results at or below a folder."""
    return sorted(folder.rglob(f"*{SUFFIX}")) if folder.is_dir() else []


def as_answered(result: Result, known: Item | None = None, rule: Rule = Rule.WORDS) -> Answered:
    """A result as it is scored.

    Args:
        result: With an item, a reference, or neither.
        known: The item of that id in the episodes it is compared with, if the result has none.
        rule: How a reference is looked for.
    """
    spoken = result.condition is Condition.SPEECH
    answer = result.transcript if spoken and result.transcript is not None else result.text
    item = result.item or known
    right = result.correct
    if item is None and result.reference is not None:
        item = Item(kind=ItemKind.OPEN, answer=result.reference)
        if right is None and answer is not None and rule is Rule.SUBSTRING:
            right = normalise(result.reference) in normalise(answer)
    absent = {"recognised": result.recognised, "written": result.text, "spoken": result.transcript}
    causes = {"answer": result.unscored, "spoken": result.unscored} if result.unscored else {}
    return Answered(
        id=result.id,
        system=result.system,
        condition=result.condition,
        asked=result.question,
        item=item,
        keywords=item.keywords if item else Keywords(),
        domain=result.domain,
        recognised=result.recognised,
        answer=answer,
        written=result.text,
        spoken=result.transcript,
        right=right,
        unscored=causes,
        unasked=frozenset(name for name, text in absent.items() if text is None and name not in causes),
    )


def result_line(result: Result) -> str:
    """A result as a line; what has its default is left out."""
    return f"{json.dumps(result.model_dump(mode='json', exclude_defaults=True), ensure_ascii=False)}\n"


def _result(line: str, source: str, number: int) -> Result:
    try:
        return Result.model_validate_json(line)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise ResultUnreadable(
            source, number, f"{place}: {problem['msg']}" if place else problem["msg"]
        ) from None
