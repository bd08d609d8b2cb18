"""The folders that episodes lie in, as runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recordings.run import RUN

MOST_NAMES = 20
"""Endpoints that are named; of more than that, the first."""


@dataclass
class Manifests:
    """The heads of manifests, read again when they change."""

    _kept: dict[Path, tuple[tuple[int, int], dict[str, Any]]] = field(default_factory=dict)

    def of(self, folder: Path) -> dict[str, Any]:
        """What `run.json` says of a run; {} without one, and a `problem` if it cannot be read."""
        path = folder / RUN
        try:
            found = path.stat()
        except OSError:
            return {}
        stamp = (found.st_mtime_ns, found.st_size)
        kept = self._kept.get(path)
        if kept is None or kept[0] != stamp:
            kept = self._kept[path] = (stamp, _head(path))
        return kept[1]


def _head(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {"problem": f"{RUN} cannot be read"}
    if not isinstance(data, dict):
        return {"problem": f"{RUN} is no manifest"}
    scenarios, episodes = data.get("scenarios"), data.get("episodes")
    return {
        **{key: value for key, value in data.items() if key not in ("scenarios", "episodes")},
        "scenarios": len(scenarios) if isinstance(scenarios, list) else 0,
        "planned": len(episodes) if isinstance(episodes, list) else 0,
    }


def runs(
    folders: Sequence[tuple[str, str]], table: Sequence[dict[str, Any]], manifests: Manifests
) -> list[dict[str, Any]]:
    """The runs of a table.

    Args:
        folders: For each row, the id and the path of the folder its episode lies in.
        table: Columns, see `table.columns`.
        manifests: Where manifests are read.
    """
    values = {column["name"]: column["values"] for column in table}
    places: dict[tuple[str, str], list[int]] = {}
    for place, folder in enumerate(folders):
        places.setdefault(folder, []).append(place)
    return [_run(id, Path(path), own, values, manifests) for (id, path), own in places.items()]


def _run(
    id: str, path: Path, places: Sequence[int], values: dict[str, list[Any]], manifests: Manifests
) -> dict[str, Any]:
    head = manifests.of(path)
    endpoints = list(dict.fromkeys(values["endpoint"][place] or "" for place in places))
    scenarios = {values["scenario"][place] for place in places}
    return {
        "id": id,
        "name": path.name,
        "path": str(path),
        "started_at_utc": str(head.get("started_at_utc", "")),
        "planned": head.get("planned", 0),
        "episodes": len(places),
        "void": sum(bool(values["void"][place]) for place in places),
        "unscored": sum(not values["scored"][place] for place in places),
        "endpoints": endpoints[:MOST_NAMES],
        "scenarios": len(scenarios),
        "problem": head.get("problem", ""),
    }
