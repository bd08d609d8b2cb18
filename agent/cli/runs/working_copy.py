"""Runs at a URL: the folder of this machine in which they are held, read and scored."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recordings.errors import RecordingError
from recordings.lease import Lease
from recordings.lock import RunHeld, RunLock
from recordings.run import RUN
from recordings.store import Store, as_url, is_url
from streams.speech.checksum import cache_folder


def copy_of(url: str) -> Path:
    """Where the run of a URL is on this machine; its name is the run's."""
    digest = hashlib.sha256(url.encode()).hexdigest()[:16]
    return cache_folder() / "runs" / digest / url.rstrip("/").rpartition("/")[2]


@contextmanager
def at_home(values: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Lease | None]]:
    """Options of `viva run` whose run is held in a folder of this machine, while it may be held.

    Args:
        values: With "out", "resume" and "dry_run", as on the command line.

    Yields:
        The same, where `out` or `resume` was a URL with a folder in its place; and then the lease of the
        run there: of a run that is resumed it is taken, of another it is to be (`claim`).

    Raises:
        RecordingError: The URL is not reached, holds a run already, or none to go on with; this machine
            holds one that did not get there; or another machine holds the run.
    """
    named = values["resume"] or values["out"]
    if named is None or not is_url(named):
        yield dict(values), None
        return
    url = as_url(named)
    lease = Lease(url, copy_of(url).parent, _say)
    try:
        if values["resume"] is None:
            yield {**values, "out": _new(url, dry_run=values["dry_run"])}, lease
        else:
            if not values["dry_run"] and _is_there(url):
                lease.take()
            yield {**values, "resume": _brought(named, lease)}, lease
    finally:
        lease.release()


def _say(what: str) -> None:
    sys.stderr.write(f"viva: {what}\n")


def claim(lease: Lease) -> None:
    """Take the lease of a run that is about to be begun; blocks.

    Raises:
        RecordingError: Another process was faster; or the URL is not reached.
    """
    lease.take()
    if Store(lease.url).holds_run:
        raise _begun(lease.url)


def _new(url: str, *, dry_run: bool) -> Path:
    """The folder for a new run."""
    here = copy_of(url)
    if Store(url).holds_run:
        raise _begun(url)
    if (here / RUN).is_file():  # it never got there: nobody else has it
        remedy = f"Go on with it: viva run --resume {url}; or remove the folder"
        raise RecordingError(here, f"holds a run that is not at {url}", remedy)
    if not dry_run:
        shutil.rmtree(here, ignore_errors=True)  # what is left of a run that was never begun
    return here


def _begun(url: str) -> RecordingError:
    return RecordingError(url, "holds a run already", f"Go on with it: viva run --resume {url}")


def _is_there(url: str) -> bool:
    """Whether a run is at its URL, or here and not there."""
    return Store(url).holds_run or (copy_of(url) / RUN).is_file()


def brought(paths: Sequence[Path]) -> list[Path]:
    """Folders of this machine with what the paths name, which may be URLs of runs.

    Raises:
        RecordingError: A URL is not reached, or holds no run.
    """
    return [_brought(path) for path in paths]


def _brought(path: Path, lease: Lease | None = None) -> Path:
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
        aside = _aside(here, lease)
        store.get_run(here, aside)
    finally:
        lock.release()
    if aside is not None and aside.is_dir():
        _say(f"recordings of calls that were held on another machine too are in {aside}")
    return here


def _aside(here: Path, lease: Lease | None) -> Path | None:
    """Where recordings go that give way to others, if others have held the run since this machine did."""
    return here.parent / f"aside-{lease.number}" if lease is not None and lease.others else None


def kept(paths: Sequence[Path]) -> None:
    """Keep what was made of runs at URLs where they are.

    Raises:
        RecordingError: A URL is not reached.
    """
    for path in paths:
        if is_url(path):
            url = as_url(path)
            Store(url).put_made(copy_of(url))
