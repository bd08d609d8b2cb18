"""Battles from files of others: a plain CSV, and the files of AudioJudge.

Labels in other words (`1` and `2`, `model_a`, "tie (bothbad)", the winner's name) are resolved where they
can mean one thing only; anything else is skipped and counted as an unknown label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from recordings.reading import first_problem
from scoring.arena.battles import (
    SELF_BATTLE,
    UNKNOWN_LABEL,
    Battle,
    BattleError,
    BattleSet,
    First,
    Label,
    Skipped,
)
from scoring.arena.store import collect, read, read_text
from scoring.audiojudge import COMPARISON, read_annotations
from scoring.csvfile import CsvFile, FileUnfit
from scoring.csvfile import read_csv as read_table

PLAIN = ("prompt", "system_a", "system_b", "label")
"""Columns of a plain CSV."""

OPTIONAL = (
    *("id", "judge", "first", "domain", "level", "condition", "duration_a_s", "duration_b_s"),
    "corrects",
)
"""Columns that a plain CSV may have; whatever else it has is kept as evidence."""

_DECLARED = {label.value: label for label in Label}
_WORDS = {
    "1": Label.A,
    "model1": Label.A,
    "model_a": Label.A,
    "system_a": Label.A,
    "2": Label.B,
    "model2": Label.B,
    "model_b": Label.B,
    "system_b": Label.B,
    "tie (bothbad)": Label.BOTH_BAD,
}


def load(path: Path, against: str | None = None) -> BattleSet:
    """Read battles, whatever the format of the file: a store, a plain CSV, or AudioJudge's.

    Args:
        path: The file; its first line tells the format.
        against: The baseline of AudioJudge's CSV, which does not name it.

    Raises:
        BattleError: It cannot be read, has another format, or a line is not valid.
    """
    first = read_text(path).lstrip().split("\n", 1)[0]
    if not first and path.suffix == ".jsonl":  # a store that was made, and nothing was held
        return read(path)
    if not first.startswith("{"):
        ours = not set(COMPARISON) <= {cell.strip() for cell in first.split(",")}
        return read_csv(path) if ours else read_audiojudge_csv(path, against)
    return read_audiojudge_jsonl(path) if '"model1"' in first else read(path)


def resolve(label: str, system_a: str, system_b: str) -> Label | None:
    """What a label means for these two systems; None if nothing, or more than one thing.

    The declared labels (`a`, `b`, `tie`, `both_good`, `both_bad`) always mean what they say. Then come the
    words of other tools and the names of the systems, which must not contradict each other.
    """
    word = label.strip()
    if declared := _DECLARED.get(word.lower()):
        return declared
    named = {system_a: Label.A, system_b: Label.B}
    found = {words[key] for words, key in ((named, word), (_WORDS, word.lower())) if key and key in words}
    return found.pop() if len(found) == 1 else None


def read_csv(path: Path) -> BattleSet:
    """Read a plain CSV with columns `prompt,system_a,system_b,label`, and optional ones.

    Raises:
        BattleError: It cannot be read, lacks a column, or a row is not valid.
    """
    return collect(_plain_rows(path))


def read_audiojudge_jsonl(path: Path) -> BattleSet:
    """Read AudioJudge's human annotations; the order in which people heard the two is not in the file.

    Raises:
        BattleError: It cannot be read, or a line is not valid.
    """
    return collect(_annotations(path))


def read_audiojudge_csv(path: Path, against: str | None) -> BattleSet:
    """Read AudioJudge's comparisons with a baseline: each row is one battle, judged in both orders.

    The predictions name positions: `pos1` has the model first, `pos2` the baseline. Read back to systems,
    two orders that agree give their label, and two that do not give a tie, with both in the evidence.

    Args:
        path: The file.
        against: The baseline.

    Raises:
        BattleError: It cannot be read, a row is not valid, or the baseline is not given.
    """
    if not against:
        remedy = 'Name the system that all are compared with (--against "gpt4o-audio").'
        raise BattleError(path, 0, "does not name its baseline", remedy)
    return collect(_comparisons(path, against))


def _plain_rows(path: Path) -> Iterator[tuple[int, Battle | Skipped]]:
    stem = path.stem
    for line, cells in _table(path, PLAIN).rows:
        row = dict(cells)
        prompt, one, two, given = (row.pop(name) for name in PLAIN)
        fields: dict[str, Any] = {"id": f"{stem}:{line}", "prompt": prompt, "evidence": row}
        for name in OPTIONAL:
            if value := row.pop(name, ""):
                fields[name] = value
        yield line, _battle(path, line, (one, two), given, resolve(given, one, two), fields)


def _annotations(path: Path) -> Iterator[tuple[int, Battle | Skipped]]:
    try:
        for one in read_annotations(path):
            systems, label = (one.model1, one.model2), resolve(one.preference, one.model1, one.model2)
            fields = {"prompt": one.prompt, "id": f"{path.stem}:{one.line}", "judge": "person"}
            made = _battle(path, one.line, systems, one.preference, label, {**fields, "evidence": one.more})
            yield one.line, made
    except FileUnfit as error:
        raise BattleError(path, error.line, error.found, error.remedy) from error


def _comparisons(path: Path, against: str) -> Iterator[tuple[int, Battle | Skipped]]:
    for line, row in _table(path, COMPARISON).rows:
        systems = row["model"], against
        forth = resolve(row["pos1_prediction"], "", "")
        back = resolve(row["pos2_prediction"], "", "")
        back = back and back.swapped
        label = forth and back and (forth if forth is back else Label.TIE)
        given = f"{row['pos1_prediction']}, {row['pos2_prediction']}"
        fields = {
            "prompt": row["instruction_id"],
            "id": f"{path.stem}:{line}",
            "judge": path.stem,
            "first": First.BOTH,
            "evidence": {name: value for name, value in row.items() if name not in COMPARISON[:2]},
        }
        yield line, _battle(path, line, systems, given, label, fields)


def _battle(
    path: Path,
    line: int,
    systems: tuple[str, str],
    given: str,
    label: Label | None,
    fields: Mapping[str, Any],
) -> Battle | Skipped:
    """A row as a battle; skipped if it says nothing.

    Raises:
        BattleError: A value is not valid.
    """
    if systems[0] == systems[1] and systems[0]:
        return Skipped(line, SELF_BATTLE, systems[0], systems[:1])
    if label is None:
        return Skipped(line, UNKNOWN_LABEL, given, systems)
    try:
        return Battle(system_a=systems[0], system_b=systems[1], label=label, **fields)
    except ValidationError as error:
        raise BattleError(path, line, f"is no battle ({first_problem(error)})") from error


def _table(path: Path, needed: Sequence[str]) -> CsvFile:
    """A table with these columns.

    Raises:
        BattleError: It cannot be read, or lacks a column.
    """
    try:
        table = read_table(path)
    except FileUnfit as error:
        raise BattleError(path, error.line, error.found, error.remedy) from error
    if missing := [name for name in needed if name not in table.columns]:
        found = f"has no column {', '.join(missing)}"
        raise BattleError(path, 1, found, f"Expected a header with {', '.join(needed)}.")
    return table
