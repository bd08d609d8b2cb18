"""`viva mic-report`: how far the simulated user is from people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json

if TYPE_CHECKING:
    from scoring.people.compare import Report, Side
    from scoring.statistics.intervals import Interval
    from scoring.statistics.undefined import Undefined


def mic_report(paths: list[Path], json: bool) -> int:
    """Compare all calls below some folders; returns the exit code."""
    from recordings.errors import RecordingError
    from recordings.reader import Episode, find_episodes
    from scoring.people.compare import NothingInCommon, compare
    from scoring.people.traits import traits_of
    from scoring.score import read_timeline, view_of

    calls = []
    try:
        for folder in (folder for path in paths for folder in find_episodes(path)):
            episode = Episode.load(folder)
            if not episode.info.outcome.void:
                calls.append(traits_of(view_of(episode, read_timeline(episode), None)))
        report = compare(calls)
    except (RecordingError, NothingInCommon) as error:
        return complain(error, exits.BAD_INPUT)
    if json:
        print_json(report.to_json())
    else:
        _show(report)
    return exits.PASS


def _show(report: Report) -> None:
    from rich.console import Console
    from rich.table import Table

    from scoring.people.traits import TRAITS
    from scoring.report.safe import neutralise

    console = Console()
    table = Table("", "people", "simulated user", "difference")
    for trait in report.traits:
        gap = "unscored" if trait.difference is None else f"{trait.difference:+.2f} {_in(trait.interval)}"
        table.add_row(TRAITS[trait.name], _side(trait.people), _side(trait.simulated), gap)
    console.print(table)
    verdicts = report.verdicts
    if verdicts.share is None:
        console.print(f"facts that came to the same label: {_in(verdicts.interval)}", markup=False)
    else:
        console.print(
            f"facts that came to the same label: {verdicts.share:.0%} {_in(verdicts.interval)} of "
            f"{verdicts.n}, {verdicts.scenarios} scenarios",
            markup=False,
        )
    console.print(f"scenarios of both: {neutralise(', '.join(report.scenarios))}", markup=False)
    if report.left_out:
        console.print(f"{report.left_out} calls of other scenarios are left out", markup=False)


def _side(side: Side) -> str:
    if side.mean is None:
        return "unscored: n = 0"
    return f"{side.mean:.2f} {_in(side.interval)}  n = {side.n} ({side.calls} calls)"


def _in(found: Interval | Undefined) -> str:
    from scoring.statistics.intervals import Interval

    return f"({found.low:.2f} to {found.high:.2f})" if isinstance(found, Interval) else f"({found.cause})"
