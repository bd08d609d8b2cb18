"""viva.toml: defaults for options. Flags win over the environment, and the environment over the file.

A key at the top of the file is a default of every command that has such an option; a table named after
a command is for that command alone:

    recogniser = "whisper:tiny"

    [run]
    endpoint = ["openai+ws://127.0.0.1:8765/v1/realtime?model=x"]
    concurrency = 2

The tables `thresholds` and `effects` are for gates and comparisons (`agent.cli.runs.gate_settings`).
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints

import typer

FOR_GATES = ("thresholds", "effects")
"""Tables that are no commands; `agent.cli.runs.gate_settings` reads them."""

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
    for command, kinds in options.items():
        found[command] = {
            key: _value(path, key, value, kinds[key]) for key, value in shared.items() if key in kinds
        }
    for table, values in document.items():
        if isinstance(values, dict) and table not in FOR_GATES:
            _check(path, table, sorted(options))
            place = f"[{table}] "
            for key, value in values.items():
                _check(path, key, sorted(options[table]), place)
                found[table][key] = _value(path, place + key, value, options[table][key])
    for group, commands in _groups(app).items():
        found[group] = {
            name: {key: value for key, value in found[group].items() if key in kinds}
            for name, kinds in commands.items()
        }
    return found


def _options(app: typer.Typer) -> dict[str, dict[str, Any]]:
    """Every command's options and arguments with their types; of a group, those of all its commands."""
    together = {
        group: {key: kind for kinds in commands.values() for key, kind in kinds.items()}
        for group, commands in _groups(app).items()
    }
    return {**_commands(app), **together}


def _groups(app: typer.Typer) -> dict[str, dict[str, dict[str, Any]]]:
    """The commands of every group with their options."""
    return {
        str(info.name): _commands(info.typer_instance)
        for info in app.registered_groups
        if info.typer_instance is not None
    }


def _commands(app: typer.Typer) -> dict[str, dict[str, Any]]:
    return {
        (info.name or info.callback.__name__): {
            name: kind
            for name, kind in get_type_hints(info.callback).items()
            if name != "return" and kind is not typer.Context
        }
        for info in app.registered_commands
        if info.callback is not None
    }


def _value(path: Path, place: str, value: Any, kind: Any) -> Any:
    """The value as click wants it: one text where several may stand is a list of one."""
    kinds = set(get_args(kind) if isinstance(kind, UnionType) else (kind,))
    if list[str] in kinds:
        value = [value] if isinstance(value, str) else value
        fits, expected = isinstance(value, list) and all(isinstance(v, str) for v in value), "texts"
    elif bool in kinds:
        fits, expected = isinstance(value, bool), "true or false"
    elif int in kinds:
        fits, expected = type(value) is int, "a whole number"
    elif float in kinds:
        fits, expected = type(value) in (int, float), "a number"
    else:
        fits, expected = isinstance(value, str), "a text"
    if not fits:
        raise ConfigurationError(f"{path}: {place} is {value!r}, expected {expected}")
    return value


def _check(path: Path, key: str, known: list[str], place: str = "") -> None:
    if any(word in key.lower().split("_") for word in SECRET_WORDS):
        raise ConfigurationError(
            f"{path}: {place}{key}: secrets are read from the environment only; remove it"
        )
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise ConfigurationError(f"{path}: {place}{key!r} is not known; {hint}")
