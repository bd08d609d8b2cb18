"""Files below a URL: S3, GCS, a web share, memory; whatever fsspec reaches. What fails is tried again."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from recordings.errors import RecordingError
from streams.foreign import foreign_code

WAITS_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Before each further try of what has failed: a service that hiccups is back by then."""

TRANSFERS = 16
"""Files that are under way at a time where there are many: a service answers each after some 30 ms."""

T = TypeVar("T")


class Remote:
    """Every method blocks, and may be called from several threads.

    Once something has failed at its last try, what follows is tried once, until something succeeds: while a
    service is down, those who need it are told at once.

    Args:
        url: Of the folder.
        waits_s: Before each further try.

    Raises:
        RecordingError: Nothing is installed that reaches it; and, in every method, if it is not reached.
    """

    def __init__(self, url: str, waits_s: Sequence[float] = WAITS_S) -> None:
        self.url = url
        self._waits_s = waits_s
        self._down = False
        self._files, self._root = self._tried(_open, url)

    def size(self, name: str) -> int | None:
        """Of a file; None if it is not there."""

        def size() -> int | None:
            try:
                return int(self._files.size(f"{self._root}/{name}"))
            except FileNotFoundError:
                return None

        found: int | None = self._tried(size)
        return found

    def sizes(self, below: str = "") -> dict[str, int]:
        """Of all files below a folder of it, by their names; nothing if there is no such folder."""

        def find() -> Any:
            try:
                return self._files.find(f"{self._root}/{below}".rstrip("/"), detail=True)
            except FileNotFoundError:
                return {}

        return {self._name(place): int(info["size"]) for place, info in self._tried(find).items()}

    def get(self, name: str, file: Path) -> None:
        """Bring a file; the one that is there is replaced in one step."""
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(f".{file.name}.new")
        self._tried(self._files.get_file, f"{self._root}/{name}", str(partial))
        partial.replace(file)

    def put(self, file: Path, name: str) -> None:
        """Keep a file."""
        place = f"{self._root}/{name}"
        self._tried(self._in_folder, place, lambda: self._files.put_file(str(file), place))

    @property
    def exclusive(self) -> bool:
        """Whether the service makes a file only where there is none, also while others try (`create`)."""
        protocol = self._files.protocol
        return not _EXCLUSIVE.isdisjoint((protocol,) if isinstance(protocol, str) else protocol)

    def create(self, name: str, data: bytes) -> bool:
        """Make a small file where there is none; returns whether there was none."""
        place = f"{self._root}/{name}"

        def create() -> bool:
            try:
                if not _LOCAL.isdisjoint(self._files.protocol):
                    with self._files.open(place, "xb") as file:  # its `pipe_file` looks, and then writes
                        file.write(data)
                elif self.exclusive:
                    self._files.pipe_file(place, data, mode="create")
                elif self._files.exists(place):
                    return False
                else:
                    self._files.pipe_file(place, data)
                return True
            except FileExistsError:
                return False

        made: bool = self._tried(self._in_folder, place, create)
        return made

    def write(self, name: str, data: bytes) -> None:
        """Make a small file, or replace it."""
        place = f"{self._root}/{name}"
        self._tried(self._in_folder, place, lambda: self._files.pipe_file(place, data))

    def read(self, name: str) -> bytes | None:
        """A small file; None if there is none."""

        def read() -> bytes | None:
            try:
                return bytes(self._files.cat_file(f"{self._root}/{name}"))
            except FileNotFoundError:
                return None

        return self._tried(read)

    def _in_folder(self, place: str, work: Callable[[], T]) -> T:
        """Do something to a file, whose folder may be missing."""
        try:
            return work()
        except FileNotFoundError:
            # only folders have to be made; a service of objects would be asked in vain beforehand
            self._files.makedirs(place.rpartition("/")[0], exist_ok=True)
            return work()

    def _name(self, place: str) -> str:
        """Of a file, below the URL; a service takes names that would lead out of a folder."""
        name = PurePosixPath(place).relative_to(self._root)
        if ".." in name.parts:
            raise RecordingError(self.url, f"holds {name}, which lies outside the run", "Remove it there.")
        return name.as_posix()

    def _tried(self, work: Callable[..., T], *arguments: Any) -> T:
        for wait_s in () if self._down else self._waits_s:
            try:
                return self._reached(work, *arguments)
            except RecordingError as error:
                if isinstance(error.__cause__, _NO_HOPE):
                    raise
            threading.Event().wait(wait_s)
        self._down = True
        found = self._reached(work, *arguments)
        self._down = False
        return found

    def _reached(self, work: Callable[..., T], *arguments: Any) -> T:
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


def at_once(work: Callable[[T], object], items: Iterable[T]) -> None:
    """Do something to each of many, several at a time; the first failure is raised once all have ended."""
    with ThreadPoolExecutor(TRANSFERS, thread_name_prefix="transfer") as pool:
        for under_way in [pool.submit(work, item) for item in items]:
            under_way.result()


_LOCAL = frozenset({"file", "local"})
_EXCLUSIVE = _LOCAL | {"memory", "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az"}
"""Where fsspec makes a file only if there is none, in one step; elsewhere it looks, and then writes."""

_NO_HOPE = (
    FileNotFoundError,
    FileExistsError,
    NotADirectoryError,
    PermissionError,
    ImportError,
    ValueError,
)
"""What these say, they say again the next time."""

_INSTALL = "pip install 'vivavoce[cloud]' brings fsspec and S3; other services need fsspec's own package."
_ASK = "Look at the network, and at the keys of the service in the environment (docs/scale.md)."


def _open(url: str) -> tuple[Any, str]:
    if importlib.util.find_spec("fsspec") is None:
        raise ImportError("fsspec is not installed")
    from fsspec.core import url_to_fs

    # a listing that is remembered does not know what other machines have put there since
    files, root = url_to_fs(url, use_listings_cache=False)
    return files, str(root).rstrip("/")
