"""A table of single answers, the sound of each in a file: results of a benchmark without calls. Pure.

A CSV file whose first row names its columns, in any order; others are left alone:

    id          of the question; else rows are counted from 1
    audio       file with the spoken answer, relative to the table
    text        what the system wrote
    transcript  what its voice was heard to say; else a recogniser listens
    question, reference (the key), correct (true or false), recognised (its transcript of the question),
    domain, system
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoring.csvfile import Cells, FileUnfit, read_csv

_NAMES: Mapping[str, Sequence[str]] = {
    "id": ("id", "question_id", "item", "item_id", "index"),
    "audio": ("audio", "audio_file", "answer_file", "file", "file_name", "filename", "path", "wav"),
    "text": ("text", "answer", "response", "answer_text", "response_text"),
    "transcript": ("transcript", "transcription", "asr", "spoken"),
    "question": ("question", "prompt", "query", "instruction"),
    "reference": ("reference", "key", "gold", "expected", "ground_truth", "answer_key"),
    "correct": ("correct", "is_correct", "right"),
    "recognised": ("recognised", "recognized", "heard_question"),
    "domain": ("domain", "category", "subject"),
    "system": ("system", "model", "endpoint"),
}
"""Columns, and the names they are known by."""

_YES, _NO = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})


@dataclass(frozen=True, slots=True)
class Row:
    """One answer; what the table does not have is "" or None.

    Attributes:
        line: Of the table.
    """

    line: int
    id: str
    audio: str = ""
    text: str | None = None
    transcript: str | None = None
    question: str = ""
    reference: str = ""
    correct: bool | None = None
    recognised: str | None = None
    domain: str = ""
    system: str = ""


def read_answers(path: Path) -> list[Row]:
    """The rows of a table.

    Raises:
        FileUnfit: It cannot be read, is no such table, or names an answer twice.
    """
    table = read_csv(path)
    spelt = {name.casefold(): name for name in table.columns}
    columns = {
        field: next((spelt[name] for name in names if name in spelt), "") for field, names in _NAMES.items()
    }
    if not (columns["audio"] or columns["text"] or columns["transcript"]):
        found = f"has columns {', '.join(table.columns[:8]) or 'without names'}"
        raise FileUnfit(path, 1, found, "One must be audio, text or transcript.")
    rows = [
        _row(path, line, number, {field: cells.get(name, "") for field, name in columns.items()})
        for number, (line, cells) in enumerate(table.rows, 1)
    ]
    if not rows:
        raise FileUnfit(path, 1, "holds no answer", "Each answer is a row below the names.")
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if (row.system, row.id) in seen:
            remedy = "Give each answer of a system an id of its own."
            raise FileUnfit(path, row.line, f"has the id {row.id!r} twice", remedy)
        seen.add((row.system, row.id))
    return rows


def _row(path: Path, line: int, number: int, cells: Cells) -> Row:
    correct = cells["correct"].casefold()
    if correct and correct not in _YES | _NO:
        raise FileUnfit(path, line, f"has {cells['correct']!r} as correct", "Write true or false.")
    return Row(
        line=line,
        id=cells["id"] or str(number),
        audio=cells["audio"],
        text=cells["text"] or None,
        transcript=cells["transcript"] or None,
        question=cells["question"],
        reference=cells["reference"],
        correct=correct in _YES if correct else None,
        recognised=cells["recognised"] or None,
        domain=cells["domain"],
        system=cells["system"],
    )
