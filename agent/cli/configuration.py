"""viva.toml: defaults for options. Flags win over the environment, and the environment over the file.

A key at the top of the file is a default of every command that has such an option; a table named after
a command is for that command alone:

    recogniser = "whisper:tiny"

    [run]
    endpoint = ["openai+ws://127.0.0.1:8765/v1/realtime?model=x"]
    concurrency = 2
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

import typer

SECRET_WORDS = ("key", "token", "secret", "password")
"""A key with such a name is refused: secrets come from the environment."""


class ConfigurationError(ValueError):
    """viva.toml does not say what it could say."""


def defaults(path: Path, app: typer.Typer) -> dict[str, Any]:
    """Read defaults for every command, shaped as click wants them.

    Raises:
        ConfigurationError: With file, key, and the nearest known key.
    """
    if not path.is_file():
        return {}
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from error
    options = _options(app)
    shared = {key: value for key, value in document.items() if not isinstance(value, dict)}
    known = sorted({name for names in options.values() for name in names})
    for key in shared:
        _check(path, key, known)
    found: dict[str, Any] = {}
    for command, names in options.items():
        found[command] = {key: value for key, value in shared.items() if key in names}
    for table, values in document.items():
        if isinstance(values, dict):
            _check(path, table, sorted(options))
            for key in values:
                _check(path, key, sorted(options[table]), f"[{table}] ")
            found[table].update(values)
    return found


def _options(app: typer.Typer) -> dict[str, set[str]]:
    return {
        (info.name or info.callback.__name__): set(info.callback.__annotations__) - {"return"}
        for info in app.registered_commands
        if info.callback is not None
    }


def _check(path: Path, key: str, known: list[str], place: str = "") -> None:
    if any(word in key.lower().split("_") for word in SECRET_WORDS):
        raise ConfigurationError(
            f"{path}: {place}{key}: secrets are read from the environment only; remove it"
        )
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise ConfigurationError(f"{path}: {place}{key!r} is not known; {hint}")
