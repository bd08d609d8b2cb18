"""The costly part of scoring on a Ray cluster: an episode a task.

A node reads and writes an episode at the URL of its run, or in its folder if the node has the disk of this
process. Else the episode goes to it with the task, and what was made of it comes back.
"""

from __future__ import annotations

import pickle
import tempfile
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recordings.errors import RecordingError
from recordings.raw import RAW
from recordings.store import SCORES
from recordings.strict_json import replace_file
from scoring.parallel import Maker, Told, Work, sound_bytes
from streams.speech.interfaces import SpeechError

AHEAD = 2
"""Tasks beyond the processors of a cluster that wait there: episodes that are sent take its memory."""

Files = Mapping[str, bytes]
"""Files of an episode, by their names below its folder."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What a node is to do.

    Attributes:
        work: Pickled.
        folder: Of the episode, where this process has it; absolute.
        url: Of its run, or "".
        mark: Name of a file beside the folder: a node that sees it has the same disk.
        sent: The episode, for a node that has not.
    """

    work: bytes
    folder: Path
    url: str
    mark: str
    sent: Files | None = None


def on_cluster(ray: Any, urls: Mapping[Path, str], work: Work, told: Told = lambda _: None) -> None:
    """Make all that is wanted of episodes; what was on a node that is lost is done on another.

    Args:
        ray: The library, which has joined a cluster.
        urls: For the folder of each episode the URL of its run, where a node reads and writes; or "": then
            what is made of it is in the folder.
        work: What is made.
        told: Told of each episode that is done.

    Raises:
        RecordingError: See `make_ready`.
        SpeechError: See `make_ready`; or the cluster failed.
    """
    task = ray.remote(num_cpus=1, max_retries=3)(make_on_node)
    left = deque(sorted(urls, key=sound_bytes, reverse=True))
    waiting: dict[Any, tuple[Path, Errand]] = {}
    packed = pickle.dumps(work)
    with _marked({folder.parent for folder, url in urls.items() if not url}) as mark:
        while left or waiting:
            while left and len(waiting) < ray.cluster_resources().get("CPU", 1) + AHEAD:
                errand = Errand(packed, left[0].absolute(), urls[left[0]], mark)
                waiting[task.remote(errand)] = left.popleft(), errand
            (done, *_), _ = ray.wait(list(waiting))
            folder, errand = waiting.pop(done)
            made = _made(ray, done, folder)
            if made is None:  # its node has another disk
                waiting[task.remote(replace(errand, sent=_sent(folder)))] = folder, errand
            else:
                _write(made, folder)
                told(folder)


@contextmanager
def _marked(folders: Iterable[Path]) -> Iterator[str]:
    """Folders of this machine with a file by which they are known; gives its name."""
    name = f".viva-{uuid.uuid4().hex}"
    marks = [folder / name for folder in folders if folder.is_dir()]
    try:
        for mark in marks:
            mark.touch()
        yield name
    except OSError as error:
        raise RecordingError(
            error.filename or "the run", f"cannot be written ({error.strerror})"
        ) from error
    finally:
        for mark in marks:
            mark.unlink(missing_ok=True)


def _made(ray: Any, done: Any, folder: Path) -> Files | None:
    """What has come of a task."""
    try:
        made: Files | None = ray.get(done)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayError as error:
        found = str(error).partition("\n")[0]
        remedy = "Score again: what is done stays."
        raise SpeechError(f"{folder.name} on the cluster", found, remedy) from error
    return made


def _sent(folder: Path) -> Files:
    if not folder.is_dir():
        raise RecordingError(folder, "is not there")
    return _files(folder, folder)


def _files(below: Path, folder: Path) -> dict[str, bytes]:
    """All files below by their names in the episode, but for the raw traffic: nothing is made of it."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in below.rglob("*")
        if file.is_file() and file.name != RAW and not file.name.startswith(".")
    }


def _write(files: Files, folder: Path) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, data)


# --- on a node ----------------------------------------------------------------------------------

_makers: dict[bytes, Maker] = {}
"""Those of a process of a cluster, which Ray uses for one task after the other."""


def make_on_node(errand: Errand) -> Files | None:
    """Make what is wanted of an episode.

    Returns:
        Files to be written into its folder; None if the node has another disk: the episode must be sent.
    """
    if errand.work not in _makers:
        _makers[errand.work] = Maker(pickle.loads(errand.work))  # noqa: S301 - our own, of the same command
    maker = _makers[errand.work]
    if errand.url:
        maker.make_at(errand.url, errand.folder.name)
        return {}
    if errand.folder.with_name(errand.mark).is_file():
        maker.make(errand.folder)
        return {}
    return None if errand.sent is None else _of_sent(maker, errand.folder, errand.sent)


def _of_sent(maker: Maker, folder: Path, sent: Files) -> Files:
    with tempfile.TemporaryDirectory(prefix="viva-") as own:
        here = Path(own) / folder.name
        _write(sent, here)
        try:
            maker.make(here)
        except RecordingError as error:
            place = str(error.path).replace(str(here), str(folder))
            raise RecordingError(place, error.found, error.remedy) from error
        return {name: data for name, data in _files(here / SCORES, here).items() if sent.get(name) != data}
