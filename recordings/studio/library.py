"""Which episodes the studio shows, by ids that stand in addresses; none leads out of its folders."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recordings.disk import EPISODE, FILES
from recordings.reader import episode_folders, find_episodes
from recordings.run import RUN

RUN_FILES = (RUN, "run.jsonl")


class NotHere(LookupError):
    """Nothing that may be shown has this id.

    Attributes:
        code: For programs: "no_such_episode", "no_such_run", "outside".
        text: For people.
    """

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        self.text = text
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class Found:
    """An episode.

    Attributes:
        id: Its name in addresses.
        folder: Where it lies; a string, of which there may be ten thousand.
        run_id: Id of the folder it lies in.
    """

    id: str
    folder: str
    run_id: str

    @property
    def path(self) -> Path:
        """Where it lies."""
        return Path(self.folder)

    @property
    def alone(self) -> bool:
        """It was named by itself: it is its own run then."""
        return self.id == self.run_id

    @property
    def run(self) -> str:
        """The folder of its run."""
        return self.folder if self.alone else os.path.dirname(self.folder)


class Library:
    """The folders that the studio was given.

    Args:
        roots: Episodes, runs, or folders that hold some.

    Raises:
        RecordingError: One of them is no folder, or holds no episode and is no run that has just begun.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        for root in roots:
            if not (root / RUN).is_file():
                find_episodes(root)
        self.roots = tuple(dict.fromkeys(Path(os.path.realpath(root)) for root in roots))

    def episodes(self) -> list[Found]:
        """Every episode that is there now, in the order of paths; one of two roots counts once."""
        found: dict[str, Found] = {}
        for number, root in enumerate(self.roots):
            runs: dict[str, str] = {}
            for folder in episode_folders(str(root)):
                parent = os.path.dirname(folder) if folder != str(root) else folder
                if parent not in runs:
                    runs[parent] = self._id(number, parent)
                if folder not in found:
                    found[folder] = Found(self._id(number, folder), folder, runs[parent])
        return list(found.values())

    def id_of(self, root: int, path: Path) -> str:
        """The id of a folder at or below a root."""
        return self._id(root, str(path))

    def _id(self, root: int, path: str) -> str:
        below = path[len(str(self.roots[root])) :].lstrip(os.sep)
        return base64.urlsafe_b64encode(f"{root}:".encode() + os.fsencode(below)).rstrip(b"=").decode()

    def episode(self, id: str) -> Path:
        """The folder of an episode.

        Raises:
            NotHere: There is none of this id, or a file of it lies elsewhere.
        """
        path = self._path(id, "no_such_episode")
        if not (path / EPISODE).is_file():
            raise NotHere("no_such_episode", "There is no such episode; it may have been moved or deleted.")
        self._keep_inside(path, FILES)
        return path

    def run(self, id: str) -> Path:
        """The folder of a run, or another one that holds episodes.

        Raises:
            NotHere: There is none of this id.
        """
        path = self._path(id, "no_such_run")
        self._keep_inside(path, RUN_FILES)
        return path

    def _path(self, id: str, code: str) -> Path:
        missing = NotHere(code, "There is nothing of this id; it may have been moved or deleted.")
        try:
            data = base64.b64decode(id.encode("ascii") + b"=" * (-len(id) % 4), b"-_", validate=True)
            number, _, below = data.partition(b":")
            root = self.roots[int(number) if number.isdigit() else len(self.roots)]
            path = Path(os.path.realpath(root / os.fsdecode(below)))
        except (ValueError, IndexError, OSError, binascii.Error):
            raise missing from None
        if not path.is_relative_to(root):
            raise NotHere("outside", "This leads out of the folders that are shown.")
        if not path.is_dir() or self.id_of(int(number), path) != id:
            raise missing
        return path

    def _keep_inside(self, folder: Path, names: Sequence[str]) -> None:
        """Nothing that is read of a folder may lie outside the roots, whatever its links say.

        Raises:
            NotHere: Something does.
        """
        scores = folder / "scores"
        inner = [scores, *(scores.iterdir() if scores.is_dir() else ())]
        packed = [folder / f"{Path(name).stem}.flac" for name in names]
        for path in (*(folder / name for name in names), *packed, *inner):
            real = Path(os.path.realpath(path))
            if not any(real.is_relative_to(root) for root in self.roots):
                raise NotHere(
                    "outside", f"{path.name} is a link that leads out of the folders that are shown."
                )
