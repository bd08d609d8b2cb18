"""`viva gate`, and the gate of `viva run --gate`: exit code 1, with the reasons."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.configuration import ConfigurationError
from agent.cli.output import complain, print_json
from agent.cli.runs.request import GateOptions
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from recordings.format import Planned
    from scoring.gate.checks import GateResult


def gate(run: Path, options: GateOptions, json: bool) -> int:
    """Check a run that was held; returns the exit code."""
    from recordings.errors import RecordingError
    from scoring.compare.sides import NothingToCompare

    try:
        found = run_loop(checked(run, options))
        tell(found, options, json=json)
    except (ConfigurationError, NothingToCompare) as error:
        return complain(error, exits.BAD_INPUT)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    if json:
        print_json(found.to_json())
    return exit_code(found)


def check_gate(options: GateOptions) -> None:
    """What can be known to go wrong with a gate before anything is called.

    Raises:
        ConfigurationError: viva.toml names bounds that are none, or a file cannot be written.
        RecordingError: The baseline holds no episode.
    """
    from agent.cli.runs.end import digest_at
    from agent.cli.runs.gate_settings import read_settings
    from recordings.reader import find_episodes

    if options:
        read_settings()
    for flag, file in (("--junit", options.junit), ("--summary", options.summary)):
        if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
            raise ConfigurationError(f"{flag} {file}: expected a file in a folder that there is")
    if options.baseline is not None and options.baseline.is_file():
        run_loop(digest_at(options.baseline))
    elif options.baseline is not None:
        find_episodes(options.baseline)


async def checked(run: Path, options: GateOptions) -> GateResult:
    """Check a run.

    Raises:
        RecordingError: It, or the baseline, holds no episode, or one that cannot be read.
        ConfigurationError: viva.toml names bounds that are none.
        NothingToCompare: Run and baseline have no endpoint in common.
    """
    from agent.cli.runs.end import digest_at
    from agent.cli.runs.gate_settings import read_settings
    from scoring.compare.metrics import chosen
    from scoring.gate.gate import gate as check
    from scoring.score import METRICS

    settings = read_settings()

    digest = await digest_at(run)
    baseline = None if options.baseline is None else await digest_at(options.baseline)
    metrics = {metric.name: metric for metric in METRICS}
    compared = chosen((), settings.effects)
    return check(str(run), digest, settings.bounds, metrics, baseline, compared, _plan(run))


def _plan(run: Path) -> tuple[Planned, ...]:
    """What was to be held; nothing of a folder of episodes that is no run, or of a digest alone."""
    from recordings.run import RUN, load_run

    return load_run(run).episodes if (run / RUN).is_file() else ()


def tell(result: GateResult, options: GateOptions, *, json: bool) -> None:
    """Write the files that were asked for, annotate in GitHub Actions, and say what failed.

    Raises:
        OSError: A file cannot be written.
    """
    from scoring.gate.annotations import annotate
    from scoring.gate.checks import Status, reason_of
    from scoring.gate.junit import write_junit
    from scoring.gate.markdown import counted, write_markdown
    from scoring.report.safe import neutralise

    if options.junit is not None:
        write_junit(result, options.junit)
    if options.summary is not None:
        write_markdown(result, options.summary)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        # its runner reads both streams
        for line in annotate(result):
            (sys.stderr if json else sys.stdout).write(f"{line}\n")
    sys.stderr.write(f"gate {result.status.value}: {counted(result)}\n")
    told = [*result.having(Status.FAILED), *result.having(Status.UNDECIDED), *result.compared_with_nothing]
    for check in told:
        sys.stderr.write(f"viva: {neutralise(reason_of(check))}\n")


def exit_code(result: GateResult) -> int:
    """1 if the gate failed, 3 if too little was held to decide."""
    from scoring.gate.checks import Status

    codes = {Status.FAILED: exits.GATE_FAILED, Status.UNDECIDED: exits.OUR_FAILURE}
    return codes.get(result.status, exits.PASS)
