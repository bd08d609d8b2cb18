"""`viva score` and `viva report`: numbers from recordings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from agent.cli import exits
from agent.cli.output import complain, print_json
from agent.cli.run import recogniser as make_recogniser
from streams.clock import run as run_loop

T = TypeVar("T")


def score(paths: list[Path], recogniser: str, json: bool) -> int:
    """Score episodes and write scores/ beside them."""
    from scoring.report.collect import collect, collect_json
    from scoring.report.terminal import print_report
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        ears = make_recogniser(recogniser)
    except EngineMisnamed as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    if json:
        return _told(collect_json(paths, ears), print_json)
    return _told(collect(paths, ears, again=True), print_report)


def report(paths: list[Path], html: Path | None, json: bool) -> int:
    """Show scores; what is not scored yet is scored without a recogniser."""
    from scoring.report.collect import collect, collect_json
    from scoring.report.html import write_html
    from scoring.report.terminal import print_report
    from scoring.score import RunScores

    def write(scores: RunScores) -> None:
        assert html is not None
        write_html(scores, html)
        sys.stderr.write(f"report  {html}\n")

    code = exits.PASS
    if html is not None:
        code = _told(collect(paths, one_by_one=True), write)
    if json and code == exits.PASS:
        code = _told(collect_json(paths), print_json)
    elif html is None:
        code = _told(collect(paths), print_report)
    return code


def _told(work: Coroutine[Any, Any, T], tell: Callable[[T], object]) -> int:
    """Measure, then tell; returns the exit code."""
    from recordings.errors import RecordingError
    from scoring.science.imported import ResultUnreadable
    from streams.speech.interfaces import SpeechError

    try:
        tell(run_loop(work))
    except ResultUnreadable as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    return exits.PASS
