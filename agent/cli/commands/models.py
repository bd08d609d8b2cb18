"""`viva models`: the speech models."""

from __future__ import annotations

from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.options import Json

app = typer.Typer(
    help="The speech models: list, verify, fetch.", no_args_is_help=True, rich_markup_mode=None
)


@app.command("list", epilog="Example:  viva models list")
def models_list(json: Json = False) -> None:
    """List the speech models: what is here, what could be, size, licence and origin."""
    from agent.cli.models import list_models

    exits.leave(list_models(json))


@app.command("verify", epilog="Example:  viva models verify whisper-base")
def models_verify(
    names: Annotated[list[str] | None, typer.Argument(help="Models (default: all that are here).")] = None,
    json: Json = False,
) -> None:
    """Compare every file of a model with its pinned SHA-256."""
    from agent.cli.models import verify

    exits.leave(verify(names or [], json))


@app.command("fetch", epilog="Example:  viva models fetch whisper-small")
def models_fetch(names: Annotated[list[str], typer.Argument(help="Models to fetch.")]) -> None:
    """Download a model from the hub."""
    from agent.cli.models import fetch

    exits.leave(fetch(names))
