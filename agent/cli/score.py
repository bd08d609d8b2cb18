"""`viva score` and `viva report`: numbers from recordings."""

from __future__ import annotations

import sys
from pathlib import Path

from agent.cli import exits
from agent.cli.output import complain, print_json
from agent.cli.run import recogniser as make_recogniser
from streams.clock import run as run_loop


def score(paths: list[Path], recogniser: str, json: bool) -> int:
    """Score episodes and write scores/ beside them."""
    from recordings.errors import RecordingError
    from scoring.report.terminal import print_report
    from scoring.science.imported import ResultUnreadable
    from scoring.score import score as score_episodes
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        scores = run_loop(score_episodes(paths, make_recogniser(recogniser)))
    except (EngineMisnamed, ResultUnreadable) as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except RecordingError as error:
        return complain(error, exits.for_disk(error))
    if json:
        print_json(scores.to_json())
    else:
        print_report(scores)
    return exits.PASS


def report(paths: list[Path], html: Path | None, json: bool) -> int:
    """Show scores; what is not scored yet is scored without a recogniser."""
    from recordings.errors import RecordingError
    from scoring.report.html import write_html
    from scoring.report.terminal import print_report
    from scoring.science.imported import ResultUnreadable
    from scoring.score import score as score_episodes

    try:
        scores = run_loop(score_episodes(paths, None))
        if html is not None:
            write_html(scores, html)
            sys.stderr.write(f"report  {html}\n")
    except ResultUnreadable as error:
        return complain(error, exits.BAD_INPUT)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    if json:
        print_json(scores.to_json())
    elif html is None:
        print_report(scores)
    return exits.PASS
