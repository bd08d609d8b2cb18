"""Commands of the science benchmark: its questions as text, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.judging.options import JudgeCacheOption, JudgeLlmOption, JudgeTokensOption, JudgeUsdOption
from agent.cli.options import Json

app = typer.Typer()


@app.command(epilog="Example:  viva ask science-knowledge --llm http://127.0.0.1:8095/v1#NAME --out RUN")
def ask(
    scenarios: Annotated[
        list[str], typer.Argument(help="Packs or scenarios: a shipped name, a file or a folder.")
    ],
    llm: Annotated[
        str,
        typer.Option(help="Language model, e.g. http://127.0.0.1:8095/v1#NAME.", envvar="VIVA_ASK_LLM"),
    ],
    out: Annotated[
        Path,
        typer.Option(help="Folder of the answers; those in a run's folder are compared with its calls."),
    ],
    instructions: Annotated[str, typer.Option(help="A system message before each question.")] = "",
    concurrency: Annotated[int, typer.Option(help="Questions at the same time.", min=1)] = 1,
    json: Json = False,
) -> None:
    """Ask a language model the questions of a pack as text, and keep the answers as results."""
    from agent.cli.judging.ask import ask as command

    exits.leave(command(scenarios, llm, out, instructions, concurrency, json))


@app.command(epilog="Example:  viva science RUN other.results.jsonl --json")
def science(
    paths: Annotated[
        list[Path], typer.Argument(help="Episodes, runs, folders of runs; JSONL files of results.")
    ],
    guess: Annotated[
        bool, typer.Option("--guess", help="Let the judge's language model guess each dialogue's level.")
    ] = False,
    judge_llm: JudgeLlmOption = "",
    judge_cache: JudgeCacheOption = None,
    judge_tokens: JudgeTokensOption = None,
    judge_usd: JudgeUsdOption = None,
    substring: Annotated[
        bool,
        typer.Option(
            "--substring",
            help='Look for the keys of results anywhere, as VocalBench does: "no" is in "know".',
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Show the tables of S3-Bench: stages, dialogues, coupling, contrasts."""
    from agent.cli.judging.judge import JudgeOptions
    from agent.cli.scores.science import science as command

    options = JudgeOptions("llm", judge_llm, judge_cache, judge_tokens, judge_usd)
    exits.leave(command(paths, options if guess else None, substring, json))
