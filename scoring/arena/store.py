"""The file that keeps battles: one JSON document a line, appended to and never changed.

A line that is no battle is an error with its number. Who pressed the wrong key writes a further battle that
`corrects` the first: both stay in the file, and the latest one counts, in the place of the first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from recordings.reading import first_problem
from recordings.strict_json import encode
from scoring.arena.battles import (
    CORRECTS_ANOTHER,
    DUPLICATE_ID,
    NOTHING_TO_CORRECT,
    SELF_BATTLE,
    TORN_LINE,
    UNKNOWN_LABEL,
    Battle,
    BattleError,
    BattleSet,
    Skipped,
)


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
    known = {battle.id: battle for battle in read(path).records} if path.exists() else {}
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
    judged again. A correction takes the place of what it names, or of what has taken that place before.
    """
    standing: dict[str, Battle] = {}  # by the id of the first battle in their place
    place: dict[str, str] = {}
    records: list[Battle] = []
    skipped: list[Skipped] = []
    for number, line in lines:
        if isinstance(line, Skipped):
            skipped.append(line)
            continue
        named = line.id if line.id in place else line.corrects
        there = None if named is None else standing.get(place.get(named, ""))
        if cause := _of_no_use(line, there, again=line.id in place):
            found = line.id if cause == DUPLICATE_ID else line.corrects or ""
            skipped.append(Skipped(number, cause, found, line.systems))
            continue
        place[line.id] = line.id if named is None else place[named]
        standing[place[line.id]] = line
        records.append(line)
    return BattleSet(tuple(standing.values()), tuple(skipped), tuple(records))


def _of_no_use(line: Battle, there: Battle | None, *, again: bool) -> str:
    """Why a battle counts for nothing, given what stands in its place; "" if it counts."""
    if again:
        judged_again = there is not None and there.id == line.id and there.label is None
        return "" if judged_again and line.label is not None else DUPLICATE_ID
    if line.corrects is None:
        return ""
    if there is None:
        return NOTHING_TO_CORRECT
    return "" if line.may_correct(there) else CORRECTS_ANOTHER


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
