"""Runs and episodes at a URL: S3, GCS, a web share, memory; whatever fsspec reaches.

A run is always held, read and scored in a folder of this machine. The store keeps the same files at the
URL. An episode is put there file by file, `episode.json` last: one that has it there is whole. So to put or
to get it once more changes nothing, and a transfer that was broken off is made again.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from recordings.disk import EPISODE
from recordings.errors import RecordingError
from recordings.journal import JOURNAL
from recordings.lock import LOCK
from recordings.run import RUN
from streams.foreign import foreign_code

_URL = re.compile(r"^(?P<scheme>[a-z][a-z0-9+.-]+):/+(?P<rest>.*)$")


def is_url(name: str | Path) -> bool:
    """Whether a name is a URL; a `Path` of one has lost a slash."""
    return _URL.match(str(name)) is not None


def as_url(name: str | Path) -> str:
    """A URL as it was named, also after it was taken for a `Path`."""
    match = _URL.match(str(name))
    if match is None:
        raise ValueError(f"{name} is no URL")
    slashes = ":///" if match["scheme"] == "file" else "://"
    return match["scheme"] + slashes + match["rest"].strip("/")


class Store:
    """The folder of a run at a URL. Every method blocks, and may be called from several threads.

    Args:
        url: Of the folder.

    Raises:
        RecordingError: Nothing is installed that reaches it; and, in every method, if it is not reached.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._files, self._root = self._reached(_open, url)

    def put_episode(self, folder: Path) -> None:
        """Keep an episode: what may have changed or is not there yet, and its `episode.json` last."""
        self.put(folder, (file for file in _files(folder) if file.name != EPISODE))
        if (folder / EPISODE).is_file():
            self.put(folder, [folder / EPISODE])

    def put(self, folder: Path, files: Iterable[Path]) -> None:
        """Keep files of a folder of the run, under the name of that folder."""
        for file in files:
            place = f"{self._root}/{folder.name}/{file.relative_to(folder).as_posix()}"
            if file.suffix == ".json" or self._size(place) != file.stat().st_size:
                self._reached(self._put, file, place)

    def put_run(self, run: Path) -> None:
        """Keep everything of a run: its episodes with their scores, its reports, and its manifest last."""
        own = [file for file in run.iterdir() if file.is_file() and not file.name.startswith(".")]
        for folder in sorted(path.parent for path in run.glob(f"*/{EPISODE}")):
            self.put_episode(folder)
        for file in sorted(own):
            if file.name not in (RUN, JOURNAL, LOCK):
                self._reached(self._put, file, f"{self._root}/{file.name}")
        self.put_manifest(run)

    @property
    def holds_run(self) -> bool:
        """Whether there is a run."""
        return self._size(f"{self._root}/{RUN}") is not None

    def put_manifest(self, run: Path) -> None:
        """Keep how the run stands: its journal, then its manifest."""
        for name in (JOURNAL, RUN):
            if (run / name).is_file():
                self._reached(self._put, run / name, f"{self._root}/{name}")

    def get_run(self, run: Path) -> None:
        """Bring everything into a folder; what is there already, of the same size, is not brought again."""
        run.mkdir(parents=True, exist_ok=True)
        for place in self._reached(self._files.find, self._root):
            self._get(place, run / self._name(place, self._root))

    def get_episode(self, folder: Path) -> bool:
        """Bring one episode, if it is there and whole; returns whether it was."""
        root = f"{self._root}/{folder.name}"
        if self._size(f"{root}/{EPISODE}") is None:
            return False
        places = self._reached(self._files.find, root)
        for place in sorted(places, key=lambda place: place.endswith(f"/{EPISODE}")):
            self._get(place, folder / self._name(place, root))
        return True

    def _name(self, place: str, root: str) -> PurePosixPath:
        """Of a file, below `root`; a service takes names that would lead out of a folder."""
        name = PurePosixPath(place).relative_to(root)
        if ".." in name.parts:
            raise RecordingError(self.url, f"holds {name}, which lies outside the run", "Remove it there.")
        return name

    def _get(self, place: str, file: Path) -> None:
        size = self._size(place)
        if file.is_file() and file.stat().st_size == size and file.suffix != ".json":
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(f".{file.name}.new")
        self._reached(self._files.get_file, place, str(partial))
        partial.replace(file)

    def _put(self, file: Path, place: str) -> None:
        self._files.makedirs(place.rpartition("/")[0], exist_ok=True)
        self._files.put_file(str(file), place)

    def _size(self, place: str) -> int | None:
        def size() -> int | None:
            try:
                return int(self._files.size(place))
            except FileNotFoundError:
                return None

        found: int | None = self._reached(size)
        return found

    def _reached(self, work: Any, *arguments: Any) -> Any:
        with foreign_code(self._failure):  # a service's library has errors of its own: no key, no network
            return work(*arguments)

    def _failure(self, error: Exception) -> RecordingError:
        match error:
            case FileNotFoundError():
                return RecordingError(self.url, f"there is no such place ({error})")
            case ImportError() | ValueError():
                return RecordingError(self.url, f"cannot be reached ({error})", _INSTALL)
            case OSError():
                return RecordingError(self.url, f"cannot be read or written ({error})")
            case _:
                return RecordingError(self.url, f"cannot be reached ({error})", _ASK)


_INSTALL = "pip install 'vivavoce[cloud]' brings fsspec and S3; other services need fsspec's own package."
_ASK = "Look at the network, and at the keys of the service in the environment (docs/scale.md)."


def _open(url: str) -> tuple[Any, str]:
    if importlib.util.find_spec("fsspec") is None:
        raise ImportError("fsspec is not installed")
    from fsspec.core import url_to_fs

    files, root = url_to_fs(url)
    files.use_listings_cache = False
    return files, str(root).rstrip("/")


def _files(folder: Path) -> list[Path]:
    """Of an episode, in order; none that is being written."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
