"""`viva models`: list, verify, fetch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json

if TYPE_CHECKING:
    from streams.speech.models import ModelStatus


def list_models(json: bool) -> int:
    """List every model of the registry and where it is."""
    from rich.console import Console
    from rich.table import Table

    from streams.speech.models import available

    states = available()
    if json:
        print_json({"models": [_row(state) for state in states]})
        return exits.PASS
    table = Table("model", "job", "MB", "licence", "where", box=None)
    for state in states:
        row = _row(state)
        table.add_row(
            row["id"],
            row["job"],
            f"{state.spec.size / 1e6:.0f}",
            row["licence"],
            row["origin"] or "not here",
        )
    Console().print(table)
    return exits.PASS


def verify(names: list[str], json: bool) -> int:
    """Check hashes; 3 if a model is not here or not what was pinned, 2 if there is no such model."""
    from streams.speech.interfaces import SpeechError
    from streams.speech.models import UnknownModel, available
    from streams.speech.models import verify as verify_model

    chosen = names or [state.spec.id for state in available() if state.path is not None]
    good: list[str] = []
    problems: list[str] = []
    code = exits.PASS
    for name in chosen:
        try:
            verify_model(name)
            good.append(name)
        except SpeechError as error:
            problems.append(str(error))
            code = max(code, exits.BAD_INPUT if isinstance(error, UnknownModel) else exits.OUR_FAILURE)
    if json:
        print_json({"good": good, "problems": problems})
    else:
        for line in (*(f"{name}: good" for name in good), *problems):
            sys.stderr.write(f"{line}\n")
    return code


def fetch(names: list[str]) -> int:
    """Download models from the hub."""
    from streams.speech.interfaces import EngineMisnamed, SpeechError
    from streams.speech.models import fetch as fetch_model

    for name in names:
        try:
            state = fetch_model(name)
        except EngineMisnamed as error:
            return complain(error, exits.BAD_INPUT)
        except SpeechError as error:
            return complain(error, exits.OUR_FAILURE)
        sys.stderr.write(f"{name}: {state.path}\n")
    return exits.PASS


def _row(state: ModelStatus) -> dict[str, Any]:
    spec = state.spec
    return {
        "id": spec.id,
        "job": spec.job.value,
        "version": spec.version,
        "licence": spec.licence,
        "size": spec.size,
        "sha256": {file.name: file.sha256 for file in spec.files},
        "origin": state.origin.value if state.origin else "",
        "path": str(state.path) if state.path else "",
    }
