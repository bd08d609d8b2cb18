"""Recordings of a worker whose disk is not that of the run: they go to the run's URL, or back to the run.

The worker records in a folder of its own machine. What it has put at the URL it forgets; the rest the run
fetches, piece by piece, and then it is forgotten too. So what could go nowhere stays where it was made.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from agent.suite.hold import Order
from recordings.disk import EPISODE
from recordings.errors import RecordingError
from recordings.lease import check
from recordings.remote import Remote
from recordings.store import Store

PIECE = 4 * 2**20
"""Bytes of a file that are sent at a time."""


class Apart:
    """Where such a worker records.

    Args:
        store: URL of the run, or "".
        lease: Number of the lease under which the run is held there; 0 if it is under none.

    Raises:
        OSError: The disk has no place for it.
    """

    def __init__(self, store: str, lease: int = 0) -> None:
        self._url = store
        self._check = partial(check, number=lease) if lease else _unchecked
        self._store: Store | None = None
        self._own = Path(tempfile.mkdtemp(prefix="viva-"))

    def order(self, number: int, order: Order) -> Order:
        """The same call, recorded here."""
        return replace(order, folder=self._own / str(number) / order.folder.name)

    def kept(self, folder: Path) -> str:
        """Keep a recording at the URL; returns its folder if it is still here, else "". Blocks."""
        if self._url and (folder / EPISODE).is_file():
            with suppress(RecordingError):  # the run fetches it, and tries with the URL itself
                self._store = self._store or Store(self._url, check=self._check)
                self._store.put_episode(folder)
                forget(str(folder))
        return str(folder) if folder.exists() else ""

    def close(self) -> None:
        """Nothing more is recorded; what nobody has fetched stays."""
        with suppress(OSError):
            self._own.rmdir()


def _unchecked(_: Remote) -> None:
    """Nobody else holds a run that is held under no lease."""


def listed(folder: str) -> list[tuple[str, int]]:
    """Names and sizes of the files of a recording, `episode.json` last."""
    files = sorted(
        (file for file in Path(folder).rglob("*") if file.is_file()), key=lambda file: file.name == EPISODE
    )
    return [(file.relative_to(folder).as_posix(), file.stat().st_size) for file in files]


def piece(folder: str, name: str, start: int) -> bytes:
    """A piece of a file, of 4 MiB at most."""
    with (Path(folder) / name).open("rb") as file:
        file.seek(start)
        return file.read(PIECE)


def forget(folder: str) -> None:
    """Remove a recording that is kept elsewhere."""
    shutil.rmtree(Path(folder).parent, ignore_errors=True)


def fetch(folder: Path, files: list[tuple[str, int]], ask: Callable[[str, int], bytes]) -> None:
    """Bring a recording; its folder appears whole, and is on the disk.

    Args:
        folder: Where it belongs.
        files: As they are `listed`.
        ask: Gives a `piece` of a file, by its name and start.

    Raises:
        OSError: The disk does not take it.
    """
    coming = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(coming, ignore_errors=True)
    coming.mkdir(parents=True)
    for name, size in files:
        (coming / name).parent.mkdir(parents=True, exist_ok=True)
        with (coming / name).open("wb") as file:
            while file.tell() < size:
                if not file.write(ask(name, file.tell())):
                    raise OSError(f"{name} ends at {file.tell()} of {size} bytes")
            file.flush()
            os.fsync(file.fileno())
    coming.rename(folder)
