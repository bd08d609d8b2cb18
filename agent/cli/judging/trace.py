"""Judging content, manner and voice quality: of one call, of two systems, or with something changed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.judging.judge import JudgeOptions
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from scoring.arena.episodes import Judged, Matches
    from scoring.judge.budget import Budget
    from scoring.judge.cost import Cost
    from scoring.judge.dimensions import DimensionJudge
    from scoring.judge.rate import Heard, RatedEpisode


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """How content, manner and voice quality are to be judged.

    Attributes:
        judge: "trace-rules" or "trace-llm".
        view: What a language model is shown: "blueprint", "transcript" or "audio".
        full: Blueprints in full.
        without: Families of the blueprint that are withheld.
        fusion: Policy that makes one label of three; "" takes that of each scenario's pack.
        orders: "as_is", "swapped" or "both".
        dry_run: Say what it would take, and do nothing.
    """

    judge: JudgeOptions = field(default_factory=lambda: JudgeOptions("trace-rules"))
    view: str = "blueprint"
    full: bool = False
    without: tuple[str, ...] = ()
    fusion: str = ""
    orders: str = "as_is"
    dry_run: bool = False
    json: bool = False


def make(options: TraceOptions, budget: Budget | None = None) -> DimensionJudge:
    """The judge; see `dimension_judge` for what it raises."""
    from scoring.judge.select_dimensions import DimensionChoice, dimension_judge

    choice = DimensionChoice(options.judge.choice, options.view, options.full, options.without)
    return dimension_judge(choice, os.environ, budget)


def guarded(work: Callable[[], int]) -> int:
    """Do the work of a command; its failures become an exit code and a line on standard error."""
    from recordings.errors import RecordingError
    from scoring.agreement.labels import LabelError
    from scoring.arena.battles import BattleError
    from scoring.judge.contract import JudgeUnfit
    from streams.language.errors import LanguageError
    from streams.language.sentences import EncoderMissing
    from streams.speech.interfaces import SpeechError

    try:
        return work()
    except (JudgeUnfit, LanguageError, LabelError, BattleError) as error:
        return complain(error, exits.BAD_INPUT)
    except (EncoderMissing, SpeechError) as error:
        return complain(error, exits.OUR_FAILURE)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))


def rate(paths: Sequence[Path], options: TraceOptions) -> int:
    """Rate every reply of episodes, and write scores/dimensions.json beside each."""
    return guarded(lambda: run_loop(_rate(paths, options)))


async def _rate(paths: Sequence[Path], options: TraceOptions) -> int:
    from recordings.reader import find_episodes
    from scoring.judge.fusion import WORST, FusionChoice
    from scoring.judge.rate import estimate, fusion_of, rate_episode
    from scoring.judge.select import budget_of

    budget = budget_of(options.judge.choice)
    judge, choice = make(options, budget), FusionChoice(options.fusion, WORST)
    episodes = await open_all([f for path in paths for f in find_episodes(path)], options)
    if options.dry_run:
        return tell_estimate(estimate(episodes, judge), options.json)
    await judge.warm_up()
    rated = [await rate_episode(heard, judge, fusion_of(heard, choice)) for heard in episodes]
    if options.json:
        print_json({"judge": judge.name, "episodes": [one.to_json() for one in rated]})
    else:
        _show_ratings(rated)
    return spent_code(budget)


async def open_all(folders: Sequence[Path], options: TraceOptions) -> list[Heard]:
    """Episodes with their blueprints, made where there are none and the judge wants some."""
    from scoring.judge.neutral_users import with_neutral_users
    from scoring.judge.rate import hear
    from scoring.judge.select_dimensions import default_studio

    wanted = options.view == "blueprint" or options.judge.judge.startswith("trace-rules")
    studio = default_studio() if wanted and not options.dry_run else None
    with_sound = options.view == "audio"
    opened = []
    for number, folder in enumerate(folders, 1):
        sys.stderr.write(f"{number}/{len(folders)}  {folder.name}\n")
        opened.append(await hear(folder, studio, with_sound=with_sound))
    return with_neutral_users(opened)


def tell_estimate(cost: Cost, json: bool) -> int:
    """Say what a command would take."""
    if json:
        print_json({"estimate": cost.to_json()})
    else:
        sys.stdout.write(f"would take {cost}\n")
    return exits.PASS


def spent_code(budget: Budget) -> int:
    """3 if the budget is spent: what came after is unscored."""
    if budget.spent:
        sys.stderr.write("viva: the judge's budget is spent; what came after is unscored\n")
        return exits.OUR_FAILURE
    return exits.PASS


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run, and what its system is to be called; "" calls it by its address."""

    path: Path
    system: str = ""

    @classmethod
    def of(cls, text: str) -> NamedRun:
        """Read `RUN` or `NAME=RUN`; a folder that has such a name is meant first."""
        name, equals, path = text.partition("=")
        if equals and name and not Path(text).exists():
            return cls(Path(path), name)
        return cls(Path(text))


def systems(calls: Sequence[tuple[NamedRun, Heard]]) -> dict[str, list[Heard]]:
    """Episodes by system: as named, or by address; with the run's name, if several runs called the same."""
    runs: dict[str, set[Path]] = {}
    for run, heard in calls:
        runs.setdefault(heard.episode.info.endpoint.address, set()).add(run.path)
    found: dict[str, list[Heard]] = {}
    for run, heard in calls:
        address = heard.episode.info.endpoint.address
        told_apart = address if len(runs[address]) == 1 else f"{address} ({run.path.resolve().name})"
        found.setdefault(run.system or told_apart, []).append(heard)
    return found


async def matches_of(runs: Sequence[str], options: TraceOptions) -> tuple[Matches, list[Heard]]:
    """What can be compared of runs, and all their episodes."""
    from recordings.reader import find_episodes
    from scoring.arena.episodes import matches

    named = [NamedRun.of(text) for text in runs]
    folders = [(run, folder) for run in named for folder in find_episodes(run.path)]
    opened = await open_all([folder for _, folder in folders], options)
    return matches(systems([(run, h) for (run, _), h in zip(folders, opened, strict=True)])), opened


def arena_judge(runs: Sequence[str], store: Path, options: TraceOptions) -> int:
    """Hold battles between the systems of runs, and append them to a store."""
    return guarded(lambda: run_loop(_arena_judge(runs, store, options)))


async def _arena_judge(runs: Sequence[str], store: Path, options: TraceOptions) -> int:
    from scoring.arena.episodes import estimate, fusions_of, hold
    from scoring.arena.store import append_new
    from scoring.judge.fusion import FusionChoice
    from scoring.judge.pairwise import orders_named
    from scoring.judge.rate import preparing
    from scoring.judge.select import budget_of

    budget = budget_of(options.judge.choice)
    judge = make(options, budget)
    choice, orders = FusionChoice(options.fusion), orders_named(options.orders)
    found, opened = await matches_of(runs, options)
    fusions_of(found.found, choice)  # what is missing must not cost a judge's work
    if options.dry_run:
        return tell_estimate(preparing(opened) + estimate(found.found, judge, orders), options.json)
    append_new(store, [])  # a store that cannot be used must not cost a judge's work
    await judge.warm_up()
    held = await hold(found.found, judge, choice, orders)
    _tell_battles(held, _keep(held, store), found, store, options.json)
    return spent_code(budget) if held else _nothing_to_compare(found)


def _keep(held: Sequence[Judged], store: Path) -> int:
    """Append what the store does not know yet; returns how many."""
    from scoring.arena.store import append_new

    return append_new(store, [one.battle for one in held])


def _nothing_to_compare(found: Matches) -> int:
    causes = ", ".join(f"{count} {cause}" for cause, count in found.left_out.items()) or "one system only"
    sys.stderr.write(f"viva: nothing to compare ({causes}). Call both with the same scenarios and seeds.\n")
    return exits.BAD_INPUT


def _tell_battles(held: Sequence[Judged], new: int, found: Matches, store: Path, json: bool) -> None:
    from collections import Counter

    from scoring.judge.pairwise import costs, position_reports

    labels = Counter(one.battle.label.value for one in held if one.battle.label)
    unscored = Counter(one.battle.unscored for one in held if one.battle.unscored)
    spent = costs([one.verdict for one in held])
    told: dict[str, Any] = {
        "store": str(store),
        "battles": len(held),
        "new": new,
        "labels": dict(sorted(labels.items())),
        "unscored": dict(sorted(unscored.items())),
        "left_out": dict(sorted(found.left_out.items())),
        "cost": spent.to_json(),
    }
    reports = position_reports(
        {str(number): one.verdict for number, one in enumerate(held)},
        {str(number): one.battle.prompt for number, one in enumerate(held)},
    )
    if any(report.n for report in reports.values()):
        told["position"] = {dimension.value: report.to_json() for dimension, report in reports.items()}
    if json:
        print_json(told)
        return
    for name in ("battles", "new", "labels", "unscored", "left_out"):
        sys.stdout.write(f"{name.replace('_', ' '):10} {_counted(told[name])}\n")
    sys.stdout.write(f"{'took':10} {spent}\n")
    for dimension, report in reports.items():
        if report.n:
            kinds = f"{report.consistent} consistent, {report.always_first} always first"
            sys.stdout.write(f"{'order':10} {dimension.value}: {kinds} of {report.n}\n")
    sys.stdout.write(f"rate them  viva arena rate {store}\n")


def _counted(found: Any) -> str:
    """A count, or counts by name, in words."""
    if not isinstance(found, dict):
        return str(found)
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.items()) or "none"


def _show_ratings(rated: Sequence[RatedEpisode]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scoring.judge.cost import total
    from scoring.judge.dimensions import Dimension
    from scoring.report.safe import neutralise

    table = Table("episode", "turn", *(d.value.replace("_", " ") for d in Dimension), "because")
    for episode in rated:
        for turn, verdict in episode.verdicts.items():
            labels = [verdict.labels[d] for d in Dimension]
            cells = [one.label or f"unscored: {one.cause}" for one in labels]
            because = "; ".join(dict.fromkeys(one.reason for one in labels if one.reason))
            row = (episode.episode, str(turn), *cells, because)
            table.add_row(*(Text(neutralise(cell)) for cell in row))
    Console().print(table)
    sys.stdout.write(f"took {total(one.cost for one in rated)}\n")
