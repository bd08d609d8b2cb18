"""`viva compare`: endpoints of one run, or two runs, on the same scenarios and seeds."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.configuration import ConfigurationError
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from scoring.compare.verdict import Comparison, Question


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What `viva compare` was asked to do.

    Attributes:
        runs: One run whose sides are compared, or two.
        by: What the sides of one run differ in.
        against: The side that the others of one run are compared with; "" is the first.
        metrics: Names; none takes the usual ones.
    """

    runs: tuple[Path, ...]
    by: str
    against: str
    metrics: tuple[str, ...]
    json: bool


def compare(request: CompareRequest) -> int:
    """Compare, and tell; returns the exit code."""
    from agent.cli.runs.end import say_what_is_left
    from recordings.errors import RecordingError
    from scoring.compare.metrics import NotCompared
    from scoring.compare.sides import NothingToCompare
    from scoring.compare.terminal import print_comparisons

    try:
        found = run_loop(_compared(request))
    except (ConfigurationError, NotCompared, NothingToCompare) as error:
        return complain(error, exits.BAD_INPUT)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    say_what_is_left(request.runs)
    if request.json:
        print_json({"comparisons": [comparison.to_json() for comparison in found]})
    else:
        print_comparisons(found)
    return exits.PASS


async def _compared(request: CompareRequest) -> list[Comparison]:
    from agent.cli.runs.gate_settings import read_settings
    from scoring.compare import metrics, verdict
    from scoring.score import METRICS

    chosen = metrics.chosen(request.metrics, read_settings().effects)
    questions = await _questions(request)
    return verdict.compare(questions, chosen, {metric.name: metric for metric in METRICS})


async def _questions(request: CompareRequest) -> list[Question]:
    from agent.cli.runs.end import digest_at
    from scoring.compare.sides import By, NothingToCompare, between_runs, within_run

    if len(request.runs) > 2:
        raise NothingToCompare(f"{len(request.runs)} runs; name one or two")
    digests = [await digest_at(run) for run in request.runs]
    if len(digests) == 1:
        return within_run(digests[0], By(request.by), request.against, _planned_first(request.runs[0]))
    questions = between_runs(digests[0], digests[1], (str(request.runs[0]), str(request.runs[1])))
    for place, (run, digest) in enumerate(zip(request.runs, digests, strict=True)):
        sides = [(question.first, question.second)[place] for question in questions]
        compared = {row.endpoint for side in sides for row in side.digest.rows}
        for endpoint in dict.fromkeys(row.endpoint for row in digest.rows if row.endpoint not in compared):
            sys.stderr.write(f"viva: {endpoint} is not compared: only {run} has calls with it\n")
    return questions


def _planned_first(run: Path) -> str:
    """Id of the first episode of a run's plan; "" of a folder without one."""
    from recordings.errors import RecordingError
    from recordings.run import load_run

    try:
        episodes = load_run(run).episodes
    except RecordingError:
        return ""
    return episodes[0].id if episodes else ""
