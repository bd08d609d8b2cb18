"""Whether an episode has changed on the disk, and whether it is being recorded now."""

from __future__ import annotations

import json
import os
from pathlib import Path

from recordings.disk import ENDPOINT, EPISODE, EVENTS, TURNS, USER
from recordings.format import Outcome
from streams.clock import utc_now

QUIET_S = 5.0
"""A call that has written nothing for so long is none any more: its process is gone."""

Stamp = tuple[tuple[str, int, int], ...]
"""Name, size and time of the last write (ns) of each file that a view is made from."""

_GROWING = (EVENTS, TURNS, USER, ENDPOINT)


def stamp_of(folder: Path) -> Stamp:
    """Changes when a file of an episode, or of its scores, is written."""
    found = []
    for below in (folder, folder / "scores"):
        try:
            with os.scandir(below) as entries:
                files = [entry for entry in entries if entry.is_file()]
                found += [(f"{below.name}/{f.name}", f.stat().st_size, f.stat().st_mtime_ns) for f in files]
        except FileNotFoundError:
            continue
    return tuple(sorted(found))


def is_live(folder: Path) -> bool:
    """Whether a call is being recorded into a folder: it has no outcome yet, and its files grow."""
    if outcome_of(folder) is not Outcome.UNFINISHED:
        return False
    now = utc_now().timestamp()
    return any(now - last <= QUIET_S for last in _last_writes(folder))


def outcome_of(folder: Path) -> Outcome | None:
    """How a call ended; None if its `episode.json` cannot be read."""
    try:
        return Outcome(json.loads((folder / EPISODE).read_bytes())["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def seconds_of(folder: Path) -> float:
    """How long a call took; 0 if its `episode.json` cannot be read, or does not say."""
    try:
        found = json.loads((folder / EPISODE).read_bytes())["duration_s"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0
    return float(found) if isinstance(found, int | float) else 0.0


def _last_writes(folder: Path) -> list[float]:
    found = []
    for name in _GROWING:
        try:
            found.append((folder / name).stat().st_mtime)
        except FileNotFoundError:
            continue
    return found
