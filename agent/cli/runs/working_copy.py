"""Runs at a URL: the folder of this machine in which they are held, read and scored."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recordings.errors import RecordingError
from recordings.lock import RunHeld, RunLock
from recordings.run import RUN
from recordings.store import Store, as_url, is_url
from streams.speech.checksum import cache_folder


def copy_of(url: str) -> Path:
    """Where the run of a URL is on this machine; its name is the run's."""
    digest = hashlib.sha256(url.encode()).hexdigest()[:16]
    return cache_folder() / "runs" / digest / url.rstrip("/").rpartition("/")[2]


def at_home(values: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Options of `viva run` whose run is held in a folder of this machine, and the URL where it is kept.

    Args:
        values: With "out", "resume" and "dry_run", as on the command line.

    Returns:
        The same, where `out` or `resume` was a URL with a folder in its place; and the URL, or "".

    Raises:
        RecordingError: The URL is not reached, holds a run already, or none to go on with; or this machine
            holds one that did not get there.
    """
    named = values["resume"] or values["out"]
    if named is None or not is_url(named):
        return dict(values), ""
    url = as_url(named)
    store, here = Store(url), copy_of(url)
    if values["resume"] is not None:
        return {**values, "resume": _brought(named)}, url
    if store.holds_run:
        raise RecordingError(url, "holds a run already", f"Go on with it: viva run --resume {url}")
    if (here / RUN).is_file():  # it never got there: nobody else has it
        remedy = f"Go on with it: viva run --resume {url}; or remove the folder"
        raise RecordingError(here, f"holds a run that is not at {url}", remedy)
    if not values["dry_run"]:
        shutil.rmtree(here, ignore_errors=True)  # what is left of a run that was never begun
    return {**values, "out": here}, url


def brought(paths: Sequence[Path]) -> list[Path]:
    """Folders of this machine with what the paths name, which may be URLs of runs.

    Raises:
        RecordingError: A URL is not reached, or holds no run.
    """
    return [_brought(path) for path in paths]


def _brought(path: Path) -> Path:
    if not is_url(path):
        return path
    url = as_url(path)
    store, here = Store(url), copy_of(url)
    if not store.holds_run:
        if (here / RUN).is_file():  # held here, and not brought there before something broke
            return here
        raise RecordingError(url, "holds no run", "Name the folder at the URL that has run.json in it.")
    here.mkdir(parents=True, exist_ok=True)
    try:
        lock = RunLock(here)
    except RunHeld:  # by a process of this machine: nothing there is newer
        return here
    try:
        sys.stderr.write(f"bringing {url} ...\n")
        store.get_run(here)
    finally:
        lock.release()
    return here


def kept(paths: Sequence[Path]) -> None:
    """Keep what was made of runs at URLs where they are.

    Raises:
        RecordingError: A URL is not reached.
    """
    for path in paths:
        if is_url(path):
            url = as_url(path)
            Store(url).put_made(copy_of(url))
