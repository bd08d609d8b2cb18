"""What viva.toml says for gates and comparisons.

[thresholds]                            # bounds that a gate keeps, for every endpoint
passed = {min = 0.9}                    # without it, every call must pass
response_latency = {max = 1200}         # in the metric's unit: ms, s, or a share from 0 to 1
void_share = {max = 0.1}

[effects]                               # smallest differences that matter, where ours do not fit
response_latency = 50
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.cli.configuration import ConfigurationError
from scoring.compare.metrics import NotCompared, chosen
from scoring.gate.thresholds import VOID_SHARE, Bound
from scoring.score import METRICS


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Bounds, and smallest differences that matter."""

    bounds: tuple[Bound, ...] = ()
    effects: Mapping[str, float] = field(default_factory=dict)


def read_settings(path: Path = Path("viva.toml")) -> GateSettings:
    """Read the file; one that is not there says nothing.

    Raises:
        ConfigurationError: With file, key, and the nearest known key.
    """
    if not path.is_file():
        return GateSettings()
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from error
    bounds = tuple(_bound(path, name, value) for name, value in _table(path, document, "thresholds"))
    effects = {
        name: _number(path, f"[effects] {name}", value) for name, value in _table(path, document, "effects")
    }
    try:
        chosen((), effects)
    except NotCompared as error:
        raise ConfigurationError(f"{path}: [effects] {error}") from error
    return GateSettings(bounds, effects)


def _table(path: Path, document: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise ConfigurationError(f"{path}: {name} is {table!r}, expected a table")
    return list(table.items())


def _bound(path: Path, name: str, value: Any) -> Bound:
    known = [VOID_SHARE, *(metric.name for metric in METRICS)]
    place = f"[thresholds] {name}"
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise ConfigurationError(f"{path}: {place} is no metric; {hint}")
    if not isinstance(value, dict) or not value or not set(value) <= {"min", "max"}:
        raise ConfigurationError(
            f"{path}: {place} is {value!r}, expected {{min = ...}}, {{max = ...}} or both"
        )
    ends = {end: _number(path, f"{place} {end}", number) for end, number in value.items()}
    return Bound(name, ends.get("min"), ends.get("max"))


def _number(path: Path, place: str, value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ConfigurationError(f"{path}: {place} is {value!r}, expected a number")
    return float(value)
