"""`viva science`: the tables of calls and of results made elsewhere, side by side."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.cli.judging.judge import JudgeOptions
    from scoring.judge.ask import Asker
    from scoring.science.run import Science


def science(paths: list[Path], guessing: JudgeOptions | None, substring: bool, json: bool) -> int:
    """Score what is named, and show the tables."""
    from recordings.errors import RecordingError
    from scoring.judge.contract import JudgeUnfit
    from scoring.science.imported import ResultUnreadable
    from scoring.science.report import to_json
    from scoring.science.terminal import print_science
    from streams.language.errors import LanguageError

    try:
        asker = None if guessing is None else _asker(guessing)
        found = run_loop(_science(paths, asker, substring))
    except (JudgeUnfit, LanguageError, ResultUnreadable) as error:
        return complain(error, exits.BAD_INPUT)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    if json:
        print_json(to_json(found))
    elif found:
        print_science(found)
    else:
        sys.stderr.write("viva: no call asks about an item or an aspect, and there are no results\n")
    return exits.PASS


async def _science(paths: list[Path], asker: Asker | None, substring: bool) -> Science:
    """Calls and results put together; guesses are written beside the episodes."""
    from recordings.reader import find_episodes, write_scores
    from scoring.science.audience import ask_level
    from scoring.science.dialogues import replies_of
    from scoring.science.imported import Rule, find_results, read_results
    from scoring.science.run import AUDIENCE
    from scoring.score import science_of, score_episode

    files = [path for path in paths if path.is_file()]
    folders = [path for path in paths if not path.is_file()]
    only_results = [folder for folder in folders if find_results(folder) and not _has_episode(folder)]
    episodes = {
        one.resolve(): one for path in folders if path not in only_results for one in find_episodes(path)
    }
    calls = [await score_episode(folder) for folder in episodes.values()]
    for call in calls if asker else ():
        replies = replies_of(call.view)
        if asker is not None and replies:
            write_scores(call.path, AUDIENCE, (await ask_level(asker, replies)).to_json())
    files += [file for path in folders for file in find_results(path)]
    named = {file.resolve(): file for file in files}
    results = [result for file in named.values() for result in read_results(file)]
    return science_of(calls, results, Rule.SUBSTRING if substring else Rule.WORDS)


def _has_episode(folder: Path) -> bool:
    from recordings.disk import EPISODE

    return any(folder.rglob(EPISODE))


def _asker(options: JudgeOptions) -> Asker:
    """Who is asked for levels, as the judge is.

    Raises:
        JudgeUnfit: There is no language model, or its budget cannot be kept.
        LanguageError: The language model's name is none, or its key is not set.
    """
    from scoring.judge.answers import AnswerCache
    from scoring.judge.ask import Asker
    from scoring.judge.select import JudgeMisnamed, budget_of
    from streams.language.client import language_model

    if not options.llm:
        found = "--guess needs a language model"
        raise JudgeMisnamed("llm", found, "Add --judge-llm http://HOST:PORT/v1#MODEL.")
    cache = AnswerCache(options.cache) if options.cache else None
    return Asker(language_model(options.llm, os.environ), cache=cache, budget=budget_of(options.choice))
