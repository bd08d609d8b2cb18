"""The costly part of scoring, in several processes: words and blueprints of episodes, written beside them.

What a process makes of an episode depends on nothing but the episode and the models. So the results are
equal whatever the number of processes, and whichever of them takes an episode; what is made from them
afterwards (the metrics, the tables) finds them beside the episodes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recordings.errors import RecordingError
from recordings.reader import Episode
from recordings.store import Store
from scoring.process_pool import process_pool
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
    """

    recogniser: Callable[[], Recogniser | None]
    blueprints: bool = False


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
    pool = process_pool(min(processes, len(folders)), _begin, work)
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
        run(self._make(folder))

    def make_at(self, url: str, name: str) -> None:
        """The same of an episode of a run at a URL: it is read there, and what is made of it is put there.

        Raises:
            RecordingError: See `make_ready`; or the URL is not reached, or does not hold it.
            SpeechError: See `make_ready`.
        """
        store = Store(url)
        with tempfile.TemporaryDirectory(prefix="viva-") as own:
            here = Path(own) / name
            if not store.get_episode(here):
                raise RecordingError(url, f"does not hold the episode {name}")
            run(self._make(here))
            store.put_scores(here)

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


def sound_bytes(folder: Path) -> int:
    """Size of the endpoint's track; 0 where there is none, of which the reader will tell."""
    return sum(file.stat().st_size for file in folder.glob("endpoint.*"))
