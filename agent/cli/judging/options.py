"""How judges are named on the command line, and the commands that judge again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from agent.cli import exits
from agent.cli.options import Json

JudgeOption = Annotated[
    str,
    typer.Option(
        help="Judge: rules (rules:none is keywords alone, rules:ID another sentence model), llm, none; or "
        "trace-rules, trace-llm for content, manner and voice quality.",
        envvar="VIVA_JUDGE",
    ),
]
JudgeLlmOption = Annotated[
    str,
    typer.Option(
        help="Language model of the llm judge, e.g. http://127.0.0.1:8095/v1#NAME.", envvar="VIVA_JUDGE_LLM"
    ),
]
JudgeCacheOption = Annotated[
    Path | None, typer.Option(help="Folder where the llm judge's answers are kept.", show_default=False)
]
JudgeTokensOption = Annotated[
    int | None, typer.Option(help="Budget of the llm judge in tokens.", min=1, show_default=False)
]
JudgeUsdOption = Annotated[
    float | None, typer.Option(help="Budget of the llm judge in US dollars.", min=0, show_default=False)
]


ViewOption = Annotated[str, typer.Option(help="What trace-llm is shown: blueprint, transcript or audio.")]
FusionOption = Annotated[
    str,
    typer.Option(
        help="One label of three: content-first, acceptability-cap, majority or rating-min; as the pack of "
        "each scenario says, if it is left out.",
        show_default=False,
    ),
]
OrdersOption = Annotated[
    str, typer.Option("--order", help="Which side is shown first: as_is, swapped, or both orders in turn.")
]
FullOption = Annotated[bool, typer.Option("--full", help="Blueprints in full, at twice the tokens.")]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what it would take: questions, tokens, money. Spend nothing.")
]
TraceOption = Annotated[
    str,
    typer.Option(
        "--judge",
        help="Judge of content, manner and voice quality: trace-rules, or trace-llm with --judge-llm.",
        envvar="VIVA_TRACE_JUDGE",
    ),
]


class PathsFirst(TyperGroup):
    """`viva judge RUN` judges again; `viva judge ablate RUN` is a command of its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the usual command before what is no name of another."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["again", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=PathsFirst,
    help="Judge recorded calls again, by what was heard. The usual command is `again`: viva judge RUN.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("again", epilog="Example:  viva judge again recordings/episodes/demo-20260101-120000")
def judge_again(
    paths: Annotated[list[Path], typer.Argument(help="Episodes, runs, or folders of runs.")],
    judge: JudgeOption = "rules",
    judge_llm: JudgeLlmOption = "",
    judge_cache: JudgeCacheOption = None,
    judge_tokens: JudgeTokensOption = None,
    judge_usd: JudgeUsdOption = None,
    view: ViewOption = "blueprint",
    full: FullOption = False,
    fusion: FusionOption = "",
    dry_run: DryRunOption = False,
    json: Json = False,
) -> None:
    """Judge recorded replies again, from what was heard.

    The judges of facts (rules, llm) write scores/judge.json beside each episode; those of content, manner
    and voice quality (trace-rules, trace-llm) rate every reply and write scores/dimensions.json. Where
    neither the command nor the pack names a fusion, a reply is as good as its worst dimension.
    """
    from agent.cli.judging.judge import JudgeOptions
    from agent.cli.judging.judge import judge as command

    judging = JudgeOptions(judge, judge_llm, judge_cache, judge_tokens, judge_usd)
    if not judge.startswith("trace-"):
        if dry_run or full or fusion or view != "blueprint":
            options = "--view, --full, --fusion and --dry-run"
            raise typer.BadParameter(f"{options} are for trace-rules and trace-llm")
        exits.leave(command(paths, judging, json))
        return
    from agent.cli.judging.trace import TraceOptions, rate

    exits.leave(rate(paths, TraceOptions(judging, view, full, (), fusion, dry_run=dry_run, json=json)))


@app.command("ablate", epilog="Example:  viva judge ablate RUN_A RUN_B --without quality --without pitch")
def ablate_judge(
    runs: Annotated[
        list[str],
        typer.Argument(help="Runs, or NAME=RUN. Of several systems, replies are compared."),
    ],
    without: Annotated[
        list[str] | None,
        typer.Option(help="Withhold a family of the blueprint: quality, pitch, loudness, pace, ..."),
    ] = None,
    other_fusion: Annotated[list[str] | None, typer.Option(help="Fuse by another policy.")] = None,
    other_judge: Annotated[list[str] | None, typer.Option(help="Ask another judge.")] = None,
    other_order: Annotated[list[str] | None, typer.Option(help="Show the sides in another order.")] = None,
    truth: Annotated[
        Path | None, typer.Option(help="CSV item,label: which way is right more often?", show_default=False)
    ] = None,
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
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    json: Json = False,
) -> None:
    """Judge the same items again with one thing changed, and print paired differences with intervals.

    Without any change named, every family of the blueprint is withheld in turn.
    """
    from agent.cli.judging.ablate import AblateRequest, ablate
    from agent.cli.judging.judge import JudgeOptions
    from agent.cli.judging.trace import TraceOptions

    judging = JudgeOptions(trace_judge, judge_llm, judge_cache, judge_tokens, judge_usd)
    base = TraceOptions(judging, view, full, (), fusion, order, dry_run, json)
    families, fusions, judges, orders = (
        tuple(named or ()) for named in (without, other_fusion, other_judge, other_order)
    )
    request = AblateRequest(tuple(runs), base, families, fusions, judges, orders, truth, seed)
    exits.leave(ablate(request))
