"""The folder of a run at a URL, beside the folder of this machine in which it is held, read and scored.

An episode is put there file by file, `episode.json` last: one that has it there is whole. So to put or to
get it once more changes nothing, and a transfer that was broken off is made again. Of two copies that
differ, an episode that is whole here stays as it is; of the manifests, each episode's later state counts.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from recordings.disk import EPISODE
from recordings.errors import RecordingError
from recordings.format import EPISODE_VERSION, EpisodeInfo, Outcome
from recordings.journal import JOURNAL
from recordings.lock import LOCK
from recordings.reading import read_record
from recordings.remote import WAITS_S, Remote, at_once
from recordings.run import RUN, merge_into

SCORES = "scores"
"""What may be made anew of an episode, in its folder."""

GROWN = 1.25
"""The journal is put again when it is so many times as long: all that is put of it is then at most five
times its last length (1 + 1/1.25 + 1/1.25² + ...), however many calls the run has."""

_URL = re.compile(r"^(?P<scheme>[a-z][a-z0-9+.-]+):/+(?P<rest>.*)$")

_OWN = frozenset({RUN, JOURNAL, LOCK})
"""Files of a run that say how it stands."""


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
    """A run at a URL. Every method blocks, and may be called from several threads.

    Args:
        url: Of its folder.
        waits_s: Before each further try of what has failed.
        check: Raises a `RecordingError` if the run is not ours any more; asked before each file.

    Raises:
        RecordingError: Nothing is installed that reaches it; and, in every method, if it is not reached.
    """

    def __init__(
        self, url: str, waits_s: Sequence[float] = WAITS_S, check: Callable[[Remote], None] = lambda _: None
    ) -> None:
        self.url = url
        self._check = check
        self._remote = Remote(url, waits_s)
        self._put: dict[str, tuple[int, int]] = {}
        """Time and size of the files that are there as they are here."""
        self._manifest = threading.Lock()

    @property
    def holds_run(self) -> bool:
        """Whether there is a run."""
        return self._remote.size(RUN) is not None

    # --- from here to there

    def put_manifest(self, run: Path, *, whole: bool = False) -> None:
        """Keep how the run stands: its plan, and its journal where that has grown by a quarter; or `whole`.

        What the journal at the URL does not know yet is in the folders of the episodes there.
        """
        with self._manifest:
            for name in (JOURNAL, RUN):
                if (run / name).is_file() and (whole or self._behind(run / name, name)):
                    self._keep(run / name, name)

    def put_episode(self, folder: Path) -> None:
        """Keep an episode: what may have changed or is not there yet, and its `episode.json` last."""
        self._put_files(folder, _files(folder), self._remote.sizes(folder.name))

    def put_scores(self, folder: Path) -> None:
        """Keep what was made of an episode."""
        self._put_files(folder, _files(folder / SCORES), {})

    def put_run(self, run: Path) -> None:
        """Keep everything of a run: its episodes with their scores, its reports, and its manifest last."""
        self._check(self._remote)
        there = self._remote.sizes()
        at_once(lambda folder: self._put_files(folder, _files(folder), there), _episodes(run))
        self._put_reports(run)
        self.put_manifest(run, whole=True)

    def put_made(self, run: Path) -> None:
        """Keep what was made of a run that somebody else may be holding: scores and reports."""
        at_once(self.put_scores, _episodes(run))
        self._put_reports(run)

    def _put_reports(self, run: Path) -> None:
        for file in sorted(run.iterdir()):
            if file.is_file() and file.name not in _OWN and not file.name.startswith("."):
                self._keep(file, file.name)

    def _put_files(self, folder: Path, files: Iterable[Path], there: Mapping[str, int]) -> None:
        """Put what is not there in this size; JSON in any case, which may be another of the same size."""
        for file in files:
            name = f"{folder.name}/{file.relative_to(folder).as_posix()}"
            if file.suffix == ".json" or there.get(name) != file.stat().st_size:
                self._keep(file, name)

    def _keep(self, file: Path, name: str) -> None:
        stamp = _stamp(file)
        if self._put.get(name) != stamp:
            self._check(self._remote)
            self._remote.put(file, name)
            self._put[name] = stamp

    def _behind(self, file: Path, name: str) -> bool:
        if name != JOURNAL or name not in self._put:
            return True
        size, there = file.stat().st_size, self._put[name][1]
        return size < there or size >= GROWN * there

    # --- from there to here

    def get_run(self, run: Path, aside: Path | None = None) -> None:
        """Bring everything into a folder, but for the recordings that are whole there already.

        Args:
            run: The folder.
            aside: Given if another machine has held the run since this one did, so that what is at the URL
                counts: where a recording that is whole here goes if another of the same call is there.

        Raises:
            RecordingError: The folder holds another run.
        """
        run.mkdir(parents=True, exist_ok=True)
        there = self._remote.sizes()
        self._get_manifest(run, there, theirs=aside is not None)
        folders: dict[str, list[str]] = {}
        for name in there:
            folder, inside, _ = name.partition("/")
            if inside and f"{folder}/{EPISODE}" in there:
                folders.setdefault(folder, []).append(name)
            elif not inside and name not in _OWN and _differs(run / name, there[name]):
                self._remote.get(name, run / name)
        if aside is not None:
            at_once(lambda folder: self._set_aside(run / folder, aside), folders)
        at_once(lambda folder: self._get_files(run / folder, folders[folder], there), folders)

    def get_episode(self, folder: Path) -> bool:
        """Bring one episode, if it is there and whole; returns whether it was."""
        there = self._remote.sizes(folder.name)
        if f"{folder.name}/{EPISODE}" not in there:
            return False
        self._get_files(folder, list(there), there)
        return True

    def get_scores(self, folder: Path) -> None:
        """Bring what was made of an episode that is here."""
        for name in self._remote.sizes(f"{folder.name}/{SCORES}"):
            self._remote.get(name, folder / name.partition("/")[2])

    def _get_files(self, folder: Path, names: Sequence[str], there: Mapping[str, int]) -> None:
        """Bring files of an episode: a recording in one step, into a folder that has none that is whole."""
        inside = {name: Path(name.partition("/")[2]) for name in names}
        if _whole(folder):
            for name, file in inside.items():
                if file.parts[0] == SCORES and _differs(folder / file, there[name]):
                    self._remote.get(name, folder / file)
            return
        coming = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(coming, ignore_errors=True)
        for name, file in sorted(inside.items(), key=lambda each: each[1].name == EPISODE):
            self._remote.get(name, coming / file)
        shutil.rmtree(folder, ignore_errors=True)
        coming.rename(folder)

    def _set_aside(self, folder: Path, aside: Path) -> None:
        """Move a recording that is whole here out of the way of another one that is there."""
        ours = folder / EPISODE
        if _whole(folder) and self._remote.read(f"{folder.name}/{EPISODE}") != ours.read_bytes():
            aside.mkdir(parents=True, exist_ok=True)
            folder.rename(aside / folder.name)

    def _get_manifest(self, run: Path, there: Mapping[str, int], *, theirs: bool) -> None:
        """Bring how the run stands there, and put it together with how it stands here."""
        names = [name for name in (RUN, JOURNAL) if name in there]
        with tempfile.TemporaryDirectory(prefix="viva-") as own:
            into = Path(own) if (run / RUN).is_file() else run
            for name in names:
                self._remote.get(name, into / name)
            if into != run and RUN in names:
                merge_into(run, into, other_counts=theirs)


def _episodes(run: Path) -> list[Path]:
    return sorted(path.parent for path in run.glob(f"*/{EPISODE}") if not path.parent.name.startswith("."))


def _files(folder: Path) -> list[Path]:
    """Of an episode, `episode.json` last; none that is being written."""
    found = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    return sorted(found, key=lambda file: (file.name == EPISODE, file))


def _whole(folder: Path) -> bool:
    """Whether an episode is here, recorded to its end."""
    try:
        info = read_record(folder / EPISODE, EpisodeInfo, EPISODE_VERSION, "the folder of an episode")
    except RecordingError:
        return False
    return info.outcome is not Outcome.UNFINISHED


def _stamp(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, found.st_size


def _differs(file: Path, size: int) -> bool:
    return not file.is_file() or file.stat().st_size != size
