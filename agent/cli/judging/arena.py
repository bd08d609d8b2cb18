"""`viva arena`: battles between systems: rate them, propose the next ones, import them from other files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from agent.cli import exits
from agent.cli.judging.options import (
    DryRunOption,
    FullOption,
    FusionOption,
    JudgeCacheOption,
    JudgeLlmOption,
    JudgeTokensOption,
    JudgeUsdOption,
    OrdersOption,
    TraceOption,
    ViewOption,
)
from agent.cli.options import Json
from agent.cli.output import complain, print_json

app = typer.Typer(
    help="Rate systems by battles; hold battles between recorded calls, propose the next, import them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

BattleFile = Annotated[
    Path,
    typer.Argument(
        help="A store (JSONL), a CSV with prompt,system_a,system_b,label, or AudioJudge's files."
    ),
]
Against = Annotated[
    str,
    typer.Option(help="For AudioJudge's CSV: the system that all are compared with.", show_default=False),
]
Seed = Annotated[int, typer.Option(help="Of everything that is drawn.")]


@app.command("rate", epilog="Example:  viva arena rate battles.csv --html leaderboard.html")
def rate_battles(
    battles: BattleFile,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML file.")] = None,
    baseline: Annotated[
        str, typer.Option(help="Show win rates against this system.", show_default=False)
    ] = "",
    slice_by: Annotated[
        Literal["domain", "level", "condition"] | None,
        typer.Option("--slice", help="Rate each domain, level or condition by itself, too."),
    ] = None,
    covariate: Annotated[
        list[str] | None,
        typer.Option(
            help="Take out of the ratings: position (who was shown first), length (of the answer)."
        ),
    ] = None,
    bootstraps: Annotated[int, typer.Option(help="Resamples for the intervals.", min=0)] = 1000,
    against: Against = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Rank systems: Bradley-Terry with intervals, and a running Elo with the noise of its order."""
    from scoring.arena.battles import BattleError
    from scoring.arena.html import write_html
    from scoring.arena.importers import load
    from scoring.arena.leaderboard import Request, SliceBy, leaderboard
    from scoring.arena.outcomes import covariates
    from scoring.arena.terminal import print_leaderboard

    try:
        request = Request(
            baseline or None,
            SliceBy(slice_by) if slice_by else None,
            covariates(covariate or []),
            bootstraps,
            seed,
        )
        board = leaderboard(load(battles, against or baseline or None), request)
        if html is not None:
            write_html(board, battles.name, html)
            sys.stderr.write(f"leaderboard  {html}\n")
    except OSError as error:
        exits.leave(complain(error, exits.for_disk(error)))
    except (BattleError, ValueError) as error:
        exits.leave(complain(error, exits.BAD_INPUT))
    if json:
        print_json(board.to_json())
    elif html is None:
        print_leaderboard(board)


@app.command("pairs", epilog="Example:  viva arena pairs battles.jsonl --count 20 --system new-endpoint")
def propose_pairs(
    battles: BattleFile,
    count: Annotated[int, typer.Option(help="Battles to propose.", min=1)] = 20,
    system: Annotated[
        list[str] | None, typer.Option(help="A system that has no battle yet; several may be given.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="File with further prompts, one a line.", show_default=False)
    ] = None,
    per_pair: Annotated[int, typer.Option(help="Most battles of two systems.", min=1)] = 50,
    per_prompt: Annotated[int, typer.Option(help="Most battles on one prompt.", min=1)] = 20,
    against: Against = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Propose the battles that would say most; one line each: prompt, shown first, shown second."""
    from scoring.arena.battles import BattleError
    from scoring.arena.importers import load
    from scoring.arena.pairing import Plan, propose
    from scoring.arena.store import read_text
    from scoring.report.safe import neutralise

    try:
        found = load(battles, against or None)
        further = [line for line in read_text(prompts).splitlines() if line.strip()] if prompts else []
    except BattleError as error:
        exits.leave(complain(error, exits.BAD_INPUT))
    systems = [*found.systems, *(system or [])]
    pairs = propose(found.battles, Plan(count, per_pair, per_prompt, seed), systems, further)
    if json:
        print_json({"pairs": [pair.to_json() for pair in pairs], "wanted": count, "seed": seed})
        return
    for pair in pairs:
        line = "\t".join((pair.prompt, pair.system_a, pair.system_b))
        sys.stdout.write("\t".join(map(neutralise, line.split("\t"))) + "\n")
    if len(pairs) < count:
        why = "the caps leave no more" if len(set(systems)) > 1 else "there are no two systems"
        sys.stderr.write(f"{len(pairs)} of {count}: {why}\n")


@app.command("import", epilog="Example:  viva arena import speakbench_annotations.jsonl battles.jsonl")
def import_battles(
    source: BattleFile,
    store: Annotated[Path, typer.Argument(help="The store (JSONL) that they are appended to.")],
    judge: Annotated[str, typer.Option(help="Who decided them, if the file does not say.")] = "",
    against: Against = "",
    json: Json = False,
) -> None:
    """Append the battles of another file to a store."""
    from scoring.arena.battles import BattleError
    from scoring.arena.importers import load
    from scoring.arena.store import append_new

    try:
        found = load(source, against or None)
        named = [one if one.judge else one.model_copy(update={"judge": judge}) for one in found.records]
        new = append_new(store, named)
    except OSError as error:
        exits.leave(complain(error, exits.for_disk(error)))
    except BattleError as error:
        exits.leave(complain(error, exits.BAD_INPUT))
    unscored = dict(sorted(found.unscored.items()))
    if json:
        there = len({one.id for one in named}) - new
        print_json({"imported": new, "there_already": there, "unscored": unscored})
    else:
        sys.stderr.write(f"{new} imported into {store}, unscored: {unscored or 'none'}\n")


@app.command("judge", epilog="Example:  viva arena judge RUN_A RUN_B --store battles.jsonl")
def judge_runs(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Runs of two and more systems on the same scenarios; NAME=RUN names a system, otherwise "
            "called by its address."
        ),
    ],
    store: Annotated[
        Path, typer.Option(help="Where battles are appended (JSONL); it is made if it is not there.")
    ] = Path("battles.jsonl"),
    trace_judge: TraceOption = "trace-rules",
    judge_llm: JudgeLlmOption = "",
    judge_cache: JudgeCacheOption = None,
    judge_tokens: JudgeTokensOption = None,
    judge_usd: JudgeUsdOption = None,
    view: ViewOption = "blueprint",
    full: FullOption = False,
    fusion: FusionOption = "",
    order: OrdersOption = "as_is",
    dry_run: DryRunOption = False,
    json: Json = False,
) -> None:
    """Hold battles between systems: replies to the same words in calls of the same scenario and seed."""
    from agent.cli.judging.judge import JudgeOptions
    from agent.cli.judging.trace import TraceOptions, arena_judge

    judging = JudgeOptions(trace_judge, judge_llm, judge_cache, judge_tokens, judge_usd)
    options = TraceOptions(judging, view, full, (), fusion, order, dry_run, json)
    exits.leave(arena_judge(runs, store, options))
