"""`viva judge`: recorded turns judged again from what was heard; and the judge of `viva run`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.observers import TurnObserver
    from scoring.judge.budget import Budget
    from scoring.judge.contract import Judge
    from scoring.judge.rejudge import JudgedEpisode
    from scoring.judge.select import JudgeChoice

LiveJudges = Callable[[], "Sequence[TurnObserver]"]
"""Makes live judges for a call."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """A judge as named on the command line; see `scoring.judge.select.JudgeChoice`."""

    judge: str = "rules"
    llm: str = ""
    cache: Path | None = None
    tokens: int | None = None
    usd: float | None = None

    @property
    def choice(self) -> JudgeChoice:
        """The same for the room that makes judges."""
        from scoring.judge.select import JudgeChoice

        return JudgeChoice(self.judge, self.llm, self.cache, self.tokens, self.usd)

    @property
    def facts(self) -> JudgeChoice:
        """The judge of facts: beside one of content, manner and voice quality, the rules."""
        kind, _, model = self.judge.partition(":")
        if not kind.startswith("trace-"):
            return self.choice
        return replace(self.choice, spec=f"rules:{model}" if kind == "trace-rules" and model else "rules")


def make_judge(options: JudgeOptions, *, simulated: bool = False) -> tuple[Judge | None, Budget]:
    """The judge, None for "none", and the budget it keeps.

    Raises:
        JudgeUnfit: It is misnamed, its budget cannot be kept, or it lives in another time than the run.
        EncoderMissing: Its sentence model can't be used.
        LanguageError: Its language model's name is none, or its key is not set.
    """
    from scoring.judge.select import JudgeMisnamed, budget_of
    from scoring.judge.select import judge as named

    if simulated and options.judge in ("llm", "trace-llm"):
        raise JudgeMisnamed(
            options.judge,
            "it lives in real time and judges nothing in simulated time",
            "Leave out --simulated, or judge by rules now and run `viva judge --judge llm` afterwards.",
        )
    budget = budget_of(options.choice)
    return named(options.facts, os.environ, budget), budget


def make_live(options: JudgeOptions, budget: Budget) -> LiveJudges:
    """Makes the judges of content, manner and voice quality for one call after another; none unless named.

    Raises:
        JudgeUnfit: It lacks its language model, or its budget cannot be kept.
        EncoderMissing: Its sentence model can't be used.
        LanguageError: Its language model's name is none, or its key is not set.
    """
    from scoring.judge.select_dimensions import (
        DimensionChoice,
        default_studio,
        dimension_judge,
        names_dimensions,
    )

    if not names_dimensions(options.judge):
        return lambda: ()
    from agent.live_judge import LiveTrace

    judge = dimension_judge(DimensionChoice(options.choice), os.environ, budget)
    instruments = default_studio().instruments
    return lambda: (LiveTrace(judge, instruments),)


def judge(paths: list[Path], options: JudgeOptions, json: bool) -> int:
    """Judge episodes and write scores/judge.json beside each."""
    from recordings.errors import RecordingError
    from recordings.reader import find_episodes
    from scoring.judge.contract import JudgeUnfit
    from scoring.judge.select import JudgeMisnamed
    from streams.language.errors import LanguageError
    from streams.language.sentences import EncoderMissing

    try:
        chosen, budget = make_judge(options)
        folders = [folder for path in paths for folder in find_episodes(path)]
        if chosen is None:
            raise JudgeMisnamed("none", "it judges nothing", "Name rules or llm.")
        judged = run_loop(_judge_all(folders, chosen))
    except (JudgeUnfit, LanguageError) as error:
        return complain(error, exits.BAD_INPUT)
    except EncoderMissing as error:
        return complain(error, exits.OUR_FAILURE)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    if json:
        print_json({"judge": chosen.name, "episodes": [episode.to_json() for episode in judged]})
    else:
        _show(judged)
    if budget.spent:
        sys.stderr.write("viva: the judge's budget is spent; what came after is unscored\n")
        return exits.OUR_FAILURE
    return exits.PASS


async def _judge_all(folders: Sequence[Path], judge: Judge) -> list[JudgedEpisode]:
    from scoring.judge.rejudge import rejudge

    return [await rejudge(folder, judge) for folder in folders]


def _show(judged: Sequence[JudgedEpisode]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scoring.report.safe import neutralise

    table = Table("episode", "turn", "fact", "label", "because")
    for episode in judged:
        for turn in episode.turns:
            for fact in turn.verdict.facts:
                label = fact.label.value if fact.label else f"unscored: {fact.cause}"
                quotes = "; ".join(span.text for span in fact.evidence)
                because = f"{fact.reason}: {quotes}" if fact.reason and quotes else fact.reason or quotes
                cells = (episode.episode, str(turn.turn), fact.fact, label, because)
                table.add_row(*(Text(neutralise(cell)) for cell in cells))
    Console().print(table)
