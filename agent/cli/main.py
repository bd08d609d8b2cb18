"""The command line. Commands import what they need when they run: `viva --help` must answer at once."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from agent.cli import configuration, exits
from agent.cli.commands import (
    calls,
    endpoints,
    events,
    exchange,
    mic,
    models,
    packs,
    science,
    scores,
    studio,
    suites,
)
from agent.cli.judging import arena
from agent.cli.judging import options as judge_options

app = typer.Typer(
    name="viva",
    help="Examine voice models by live voice.\n\nA simulated user calls a streaming voice endpoint and "
    "talks with it, live, in audio; every turn is heard, timed and transcribed; the call is recorded.",
    epilog="Start with:  viva demo    Your own:  viva run demo --endpoint openai+ws://HOST:PORT/PATH",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for commands in (calls, suites, scores, science, exchange, studio, events, mic):
    app.registered_commands += commands.app.registered_commands
app.add_typer(judge_options.app, name="judge")
app.add_typer(arena.app, name="arena")
app.add_typer(packs.app, name="scenarios")
app.add_typer(endpoints.app, name="endpoint")
app.add_typer(models.app, name="models")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"vivavoce {version('vivavoce')}")
        raise typer.Exit


@app.callback()
def everything(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """What stands before a command."""


def main() -> None:
    """Entry point of `viva`."""
    # before numpy comes: its products are rounded by the number of its threads, and by them the sentence
    # vectors that the rules judge holds against its thresholds; Ray's processes have one. With two, such
    # vectors take twice the processor. A number in the environment goes first
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        defaults = configuration.defaults(Path("viva.toml"), app)
    except configuration.ConfigurationError as error:
        sys.stderr.write(f"viva: {error}\n")
        raise SystemExit(exits.BAD_INPUT) from None
    try:
        app(prog_name="viva", default_map=defaults)
    except Exception:  # noqa: BLE001 - a fault of ours is exit code 3, not Python's 1, which is a gate's
        traceback.print_exc()
        sys.stderr.write("viva: this is a fault of vivavoce. Please report it with the lines above.\n")
        raise SystemExit(exits.OUR_FAILURE) from None


if __name__ == "__main__":
    main()
