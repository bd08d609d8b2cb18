"""The costly part of scoring, in several processes: words and blueprints of episodes, written beside them.

What a process makes of an episode depends on nothing but the episode and the models. So the results are
equal whatever the number of processes, and whichever of them takes an episode; what is made from them
afterwards (the metrics, the tables) finds them beside the episodes.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recordings.reader import Episode
from recordings.store import Store
from scoring.score import read_timeline
from scoring.texts import clips_to_transcribe
from scoring.transcribe import transcribe
from streams.clock import run
from streams.speech.interfaces import Recogniser

if TYPE_CHECKING:
    from scoring.blueprint.episodes import Studio


@dataclass(frozen=True, slots=True)
class Work:
    """What is made of each episode. It can be pickled.

    Attributes:
        recogniser: Makes the recogniser, in the process that needs it; None leaves words out.
        blueprints: Make the acoustic blueprint of every turn too (pitch, loudness, quality).
        store: URL of the run, where the episodes are on no disk of the machine that works; or "".
    """

    recogniser: Callable[[], Recogniser | None]
    blueprints: bool = False
    store: str = ""


Told = Callable[[Path], None]


def make_ready(folders: Iterable[Path], work: Work, processes: int, told: Told = lambda _: None) -> None:
    """Transcribe episodes and measure their sound; blocks until all of it is beside them.

    Args:
        folders: Of the episodes; the longest are begun first.
        work: What is made.
        processes: How many work at a time; 1 is this one.
        told: Told of each episode that is done.

    Raises:
        RecordingError: An episode cannot be read, or what was made of it cannot be written.
        SpeechError: A model failed.
    """
    waiting = sorted(folders, key=sound_bytes, reverse=True)
    if processes > 1 and len(waiting) > 1:
        waiting = _in_processes(waiting, work, processes, told)
    maker = Maker(work)
    for folder in waiting:
        maker.make(folder)
        told(folder)


def _in_processes(folders: Sequence[Path], work: Work, processes: int, told: Told) -> list[Path]:
    """Work in several processes; returns what is left if one of them was killed."""
    left = dict.fromkeys(folders)
    pool = ProcessPoolExecutor(
        min(processes, len(folders)), get_context("spawn"), initializer=_begin, initargs=(work,)
    )
    try:
        futures = {pool.submit(_make, folder): folder for folder in folders}
        for future in as_completed(futures):
            future.result()
            del left[futures[future]]
            told(futures[future])
    except BrokenExecutor:
        return list(left)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return []


class Maker:
    """Makes all that is wanted of episodes; its models are loaded once, when they are first needed.

    Args:
        work: What is made.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._recogniser: Recogniser | None = None
        self._studio: Studio | None = None

    def make(self, folder: Path) -> None:
        """Make what is wanted of one episode; what is beside it already is not made again.

        Raises:
            RecordingError: See `make_ready`.
            SpeechError: See `make_ready`.
        """
        if not self._work.store:
            run(self._make(folder))
            return
        store = Store(self._work.store)
        with tempfile.TemporaryDirectory(prefix="viva-") as own:
            here = Path(own) / folder.name
            store.get_episode(here)
            run(self._make(here))
            store.put(here, sorted((here / "scores").glob("*.json")))

    async def _make(self, folder: Path) -> None:
        episode = Episode.load(folder)
        self._recogniser = self._recogniser or self._work.recogniser()
        if self._recogniser is not None:
            clips = clips_to_transcribe(read_timeline(episode), episode.received, episode.turns)
            await transcribe(episode, clips, self._recogniser)
        if self._work.blueprints:
            await self._blueprints(episode)

    async def _blueprints(self, episode: Episode) -> None:
        from scoring.blueprint.episodes import Studio, episode_blueprints
        from scoring.blueprint.measure import Instruments
        from streams.speech.dnsmos import Dnsmos

        self._studio = self._studio or Studio(Instruments(Dnsmos()))
        await episode_blueprints(episode, self._studio)


_maker: Maker | None = None
"""That of a process of the pool."""


def _begin(work: Work) -> None:
    global _maker
    _maker = Maker(work)


def _make(folder: Path) -> None:
    assert _maker is not None  # the process began with `_begin`
    _maker.make(folder)


def on_cluster(ray: Any, folders: Iterable[Path], work: Work, told: Told = lambda _: None) -> None:
    """The same on a Ray cluster, an episode a task; what was on a node that is lost is done on another.

    Args:
        ray: The library, which has joined a cluster.
        folders: Of the episodes; on a disk that all nodes share, or in the store of `work`.
        work: What is made.
        told: Told of each episode that is done.

    Raises:
        RecordingError: See `make_ready`.
        SpeechError: See `make_ready`.
    """
    task = ray.remote(num_cpus=1, max_retries=3)(_make_on_node)
    packed = pickle.dumps(work)
    order = sorted(folders, key=sound_bytes, reverse=True)
    waiting = {task.remote(folder.absolute(), packed): folder for folder in order}
    while waiting:
        (done, *_), _ = ray.wait(list(waiting))
        try:
            ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        told(waiting.pop(done))


_makers: dict[bytes, Maker] = {}
"""Those of a process of a cluster, which Ray uses for one task after the other."""


def _make_on_node(folder: Path, packed: bytes) -> None:
    if packed not in _makers:
        _makers[packed] = Maker(pickle.loads(packed))  # noqa: S301 - our own, from the process with the run
    _makers[packed].make(folder)


def sound_bytes(folder: Path) -> int:
    """Size of the endpoint's track; 0 where there is none, of which the reader will tell."""
    return sum(file.stat().st_size for file in folder.glob("endpoint.*"))
