"""Two runs side by side: what they were held with, and which calls are each other's counterpart. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.digest.columns import Digest, Row

_HEAD = ("endpoints", "vivavoce", "scenarios", "planned", "started_at_utc")


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Where two manifests differ: what, and what either says."""
    pairs = [(name, first.get(name), second.get(name)) for name in _HEAD]
    mine, yours = _settings(first), _settings(second)
    pairs += [(name, mine.get(name), yours.get(name)) for name in sorted(mine.keys() | yours.keys())]
    return [{"what": what, "a": a, "b": b} for what, a, b in pairs if a != b]


def counterparts(first: Digest, second: Digest, ids: Mapping[str, str]) -> list[dict[str, Any]]:
    """Calls of the same scenario, seed and repeat in two runs; one alone has nothing beside it.

    Args:
        first: Of the one run.
        second: Of the other.
        ids: Of episodes, by their paths.
    """
    mine, yours = _by_question(first.rows), _by_question(second.rows)
    return [
        {
            "scenario": key[0],
            "seed": key[1],
            "repeat": key[2],
            "a": ids.get(mine[key].path) if key in mine else None,
            "b": ids.get(yours[key].path) if key in yours else None,
        }
        for key in sorted(mine.keys() | yours.keys())
    ]


def _settings(head: Mapping[str, Any]) -> Mapping[str, Any]:
    found = head.get("settings")
    return found if isinstance(found, Mapping) else {}


def _by_question(rows: Sequence[Row]) -> dict[tuple[str, int, int], Row]:
    return {(row.scenario, row.seed, row.repeat): row for row in rows}
