"""Exit codes, and the one way out of a command."""

from __future__ import annotations

import typer

PASS = 0
GATE_FAILED = 1
BAD_INPUT = 2
OUR_FAILURE = 3
INTERRUPTED = 130


def leave(code: int) -> None:
    """End the command with an exit code."""
    if code != PASS:
        raise typer.Exit(code)
