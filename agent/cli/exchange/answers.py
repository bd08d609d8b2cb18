"""A table of single answers becomes results that `viva science` reads: text, and what its voice said."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from agent.cli import exits
from agent.cli.exchange.progress import progress
from agent.cli.output import print_json
from recordings.errors import RecordingError
from recordings.importing.sound import read_sound
from scenarios.load import LoadedScenario
from scoring.csvfile import FileUnfit
from scoring.science.answer_table import Row, read_answers
from scoring.science.asking import Question, questions_of
from scoring.science.imported import SUFFIX, Result, result_line
from scoring.science.report import to_json
from scoring.science.run import collect
from scoring.science.terminal import print_science
from scoring.transcribe import listen
from streams.speech.interfaces import Recogniser

UNREADABLE = "audio_unreadable"
"""Cause of a missing transcript: the file of the answer cannot be read."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What a table became.

    Attributes:
        path: The file of results.
        problems: Of files that cannot be read, in sentences.
    """

    path: Path
    results: Sequence[Result]
    problems: Sequence[str]


@dataclass(frozen=True, slots=True)
class Listening:
    """What holds for every answer of a table.

    Attributes:
        system: Name of who answered, where the table has none.
        scenarios: Their questions of knowledge, by id, are those of the table.
        language: Of the answers.
        recogniser: Listens where the table has no transcript; None leaves that unscored.
    """

    system: str = ""
    scenarios: Sequence[LoadedScenario] = ()
    language: str = "en"
    recogniser: Recogniser | None = None


async def import_answers(table: Path, out: Path, how: Listening, step: Callable[[str], None]) -> Answers:
    """Listen to every answer, and write the results into `out`.

    Args:
        table: The CSV file.
        out: Folder of the results.
        how: Who answered what, and who listens.
        step: Called with the id of each row that is done.

    Raises:
        FileUnfit: It is no such table, or names a file outside its folder.
        RecordingError: The results are there already.
        OSError: They cannot be written.
    """
    path = out / f"{table.stem}{SUFFIX}"
    if path.exists():
        raise RecordingError(path, "exists already", "Choose another --out: nothing is overwritten.")
    rows = read_answers(table)
    files = {row.line: _below(table, row) for row in rows if row.audio}
    known = {question.id: question for question in questions_of(one.scenario for one in how.scenarios)}
    results: list[Result] = []
    problems: list[str] = []
    for row in rows:
        spoken, cause = row.transcript, ""
        if spoken is None and row.line in files:
            try:
                spoken, cause = await _heard(files[row.line], how)
            except RecordingError as error:
                problems.append(str(error))
                cause = UNREADABLE
        results.append(_result(row, spoken, cause, how.system or table.stem, known.get(row.id)))
        step(row.id)
    _write(path, results)
    return Answers(path, results, problems)


def _below(table: Path, row: Row) -> Path:
    """The file of a row's sound.

    Raises:
        FileUnfit: It is not beside or below the table, links resolved.
    """
    root = table.parent.resolve()
    path = None if PureWindowsPath(row.audio).drive or "\0" in row.audio else (root / row.audio).resolve()
    if path is None or not path.is_relative_to(root):
        found = f"names {row.audio[:80]!r}, which lies outside its folder"
        raise FileUnfit(table, row.line, found, "Put the files beside the table, and name them from there.")
    return path


def _write(path: Path, results: Sequence[Result]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        file.writelines(map(result_line, results))


async def _heard(path: Path, how: Listening) -> tuple[str | None, str]:
    """What a recogniser makes of an answer, or None and the cause."""
    sound = read_sound(path, 1)  # also without a recogniser: a file that is none is told
    if how.recogniser is None:
        return None, "not_transcribed"
    words = await listen(sound.channels[0], sound.rate, how.recogniser, how.language)
    return words.text, words.unscored


def _result(row: Row, spoken: str | None, cause: str, system: str, known: Question | None) -> Result:
    return Result(
        id=row.id,
        system=row.system or system,
        text=row.text,
        transcript=spoken,
        reference=None if known else row.reference or None,
        correct=row.correct,
        question=row.question or (known.text if known else ""),
        recognised=row.recognised,
        domain=row.domain or (known.domain if known else ""),
        item=known.item if known else None,
        unscored=cause,
    )


async def import_tables(tables: Sequence[Path], out: Path, how: Listening, *, json: bool) -> int:
    """Import tables one after the other, and show what `viva science` makes of all of them.

    Raises:
        As `import_answers`.
    """
    made = []
    for table in tables:
        with progress(len(read_answers(table)), "listening") as step:
            made.append(await import_answers(table, out, how, step))
    problems = [problem for one in made for problem in one.problems]
    for problem in problems:
        sys.stderr.write(f"viva: {problem}\n")
    science = collect((), [result for one in made for result in one.results])
    if json:
        count = sum(len(one.results) for one in made)
        files = [str(one.path) for one in made]
        print_json({"results": files, "answers": count, "failed": problems, "science": to_json(science)})
    else:
        print_science(science)
        sys.stderr.write(f"wrote {', '.join(str(one.path) for one in made)}\n")
    return exits.BAD_INPUT if problems else exits.PASS
