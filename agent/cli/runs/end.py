"""The end of `viva run`: what was held is scored and reported, and what does not count is owned up to."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import print_json
from recordings.disk import EPISODE
from recordings.format import Outcome

if TYPE_CHECKING:
    from agent.cli.runs.request import RunRequest
    from agent.suite.run import Held
    from scoring.digest.columns import Digest
    from scoring.gate.checks import GateResult
    from scoring.score import RunScores
    from streams.speech.interfaces import Recogniser


async def conclude(request: RunRequest, held: Held, recogniser: Recogniser | None, out: Path) -> int:
    """Score, report and check a run, say what does not count; returns the exit code.

    Raises:
        RecordingError: An episode, or one of the baseline's, cannot be read.
        OSError: A file of the report or the gate cannot be written.
        NothingToCompare: The baseline has other endpoints.
    """
    from agent.cli.runs.gate import checked, tell

    found = None
    try:
        data, scores = await _report(request, recogniser, out)
        if request.gate:
            found = await checked(out, request.gate)
            data["gate"] = found.to_json()
        if request.json:
            print_json(data)
        if scores is not None:
            await _write_page(scores, out / "report.html")
    finally:
        _own_up(held, request.store or str(out))
    if found is not None:
        tell(found, request.gate, json=request.json)
    return _exit_code(held, found if request.gate.closes else None)


async def _report(
    request: RunRequest, recogniser: Recogniser | None, out: Path
) -> tuple[dict[str, Any], RunScores | None]:
    """Score and report; returns what a program is told, and the scores for the page."""
    from scoring.report.collect import as_json, collect, collect_json, named
    from scoring.report.terminal import print_report
    from scoring.score import RunScores, combine

    folders = recorded(out)
    if not request.report:
        sys.stderr.write(f"\nrecordings  {out}\nnot scored  viva score {out}\n")
        return {"run": str(out)}, None
    sys.stderr.write("scoring ...\n")
    if folders:
        scores = named(await collect(folders, recogniser, one_by_one=True), out)
    else:
        scores = RunScores(str(out), (), combine(()))
    data: dict[str, Any] = {}
    if not request.json:
        print_report(scores)
    else:
        data = as_json(scores) if scores.digest is None else await collect_json(folders)
    sys.stderr.write(f"\nrecordings  {out}\n")
    return {**data, "run": str(out)}, scores


async def _write_page(scores: RunScores, page: Path) -> None:
    from scoring.report.html import write_html

    await asyncio.to_thread(write_html, scores, page)
    sys.stderr.write(f"report      {page}\n")


def recorded(out: Path, *, last: bool = False) -> list[Path]:
    """The episodes of a run, which may have older runs beside it in its folder.

    Args:
        out: Its folder.
        last: Leave out calls that were void and have been held again.

    Raises:
        RecordingError: It is not the folder of a run.
    """
    from recordings.run import load_run

    episodes = load_run(out).episodes
    attempts = [attempt for one in episodes for attempt in (one.attempts[-1:] if last else one.attempts)]
    files = [out / attempt.folder / EPISODE for attempt in attempts]
    return [file.parent for file in files if file.is_file() and file.stat().st_size]


async def digest_at(path: Path) -> Digest:
    """The digest of a run, with each of its episodes once; of another folder; or of a digest's own file.

    Raises:
        RecordingError: There is none, or the file is of other metrics than today's.
    """
    from recordings.errors import RecordingError
    from scoring.digest.read import read_digest
    from scoring.digest.store import load_file

    folders = _episodes_at(path)
    if folders is not None:
        return await read_digest(folders)
    digest = await asyncio.to_thread(load_file, path)
    if digest is None:
        remedy = "Name the folder of the run instead, or make it again with this vivavoce."
        raise RecordingError(path, "is no digest of a run that was measured as runs are today", remedy)
    return digest


def say_what_is_left(runs: Iterable[Path]) -> None:
    """Say of runs that were not held to their end, or go on, that there is more to come."""
    from recordings.errors import RecordingError
    from recordings.run import load_run

    for run in runs:
        try:
            plan = load_run(run).episodes
        except RecordingError:  # a folder of episodes, or a digest: it has no plan
            continue
        if left := sum(planned.state != "done" for planned in plan):
            sys.stderr.write(
                f"viva: {left} of {len(plan)} calls of the plan are not held yet: viva run --resume {run}\n"
            )


def _episodes_at(path: Path) -> list[Path] | None:
    """What is to be read of a folder; None of a file."""
    from recordings.run import RUN

    if path.is_file():
        return None
    return recorded(path, last=True) if (path / RUN).is_file() else [path]


def _own_up(held: Held, run: str) -> None:
    """Say last of all which calls do not count, and why; many calls with one cause are one line."""
    from scoring.report.safe import neutralise

    names: dict[str, list[str]] = {}
    for result in held.results:
        if not result.recorded:
            names.setdefault(f"not recorded to its end: {result.reason}", []).append(result.job.id)
        elif result.outcome.void:
            names.setdefault(f"void ({result.outcome.value}): {result.reason}", []).append(result.episode)
    for left in held.not_held:
        names.setdefault(f"not held: {left.reason}", []).append(left.job.id)
    if held.again:
        sys.stderr.write(f"viva: {len(held.again)} void calls were held again\n")
    if held.not_held:
        sys.stderr.write(f"viva: to hold the calls that are left: viva run --resume {run}\n")
    elif any(result.may_pass for result in held.results):
        sys.stderr.write(f"viva: to hold the void calls again: viva run --resume {run}\n")
    for cause, ids in names.items():
        which = ids[0] if len(ids) == 1 else f"{len(ids)} calls ({ids[0]}, ...)"
        sys.stderr.write(f"viva: {which}: {neutralise(cause)}\n")


def _exit_code(held: Held, gate: GateResult | None) -> int:
    """A gate allows for a few void calls, but not for calls that were not held."""
    from agent.cli.runs.gate import exit_code

    if gate is not None:
        code = exit_code(gate)
        return exits.OUR_FAILURE if held.not_held and code != exits.GATE_FAILED else code
    outcomes = {result.outcome for result in held.results}
    nobodys_failure = {Outcome.SCENARIO_INVALID, Outcome.TAKEN_OVER}
    if held.not_held or any(o.void for o in outcomes - nobodys_failure):
        return exits.OUR_FAILURE
    return exits.BAD_INPUT if Outcome.SCENARIO_INVALID in outcomes else exits.PASS
