"""Scores made in several processes are those made in one."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import signal
from pathlib import Path

import pytest

from recordings.reader import read_scores
from scoring.parallel import Maker, Work, make_ready
from scoring.score import SETS, score
from streams import clock
from streams.audio import Samples
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.speech.interfaces import ModelIdentity, Transcript
from tests.agent.calls import hold, scripted


class Hashing:
    """Hears in each clip a word that depends on its samples, and on nothing else."""

    identity = ModelIdentity("test", "hashing", "1")

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        return Transcript(hashlib.sha256(samples.tobytes()).hexdigest()[:8])


class InBatches(Hashing):
    """The same, of many clips at once."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    async def transcribe_all(self, clips: list[Samples], *, language: str = "en") -> list[Transcript]:
        self.sizes.append(len(clips))
        return [await self.transcribe(clip, language=language) for clip in clips]


class Deadly(Hashing):
    """Kills the process it is in, unless that is the one that is named."""

    def __init__(self, spared: int) -> None:
        self._spared = spared

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        if os.getpid() != self._spared:
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().transcribe(samples, language=language)


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    for number in range(3):
        replies = [FakeReply(pcm=tone(0.3 + 0.1 * number), delay_s=0.2)] * 2
        hold(folder / str(number), FakeEndpoint(replies), scripted(2))
    return folder


def copied(episodes: Path, to: Path) -> list[Path]:
    shutil.copytree(episodes, to)
    return sorted(path.parent for path in to.glob("*/*/episode.json"))


def scored(folders: list[Path], work: Work, processes: int) -> list[object]:
    make_ready(folders, work, processes)
    clock.run(score(folders), simulate=True)
    return [read_scores(folder, name) for folder in folders for name in (*SETS, "transcripts")]


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_however_many_processes_the_scores_are_the_same(
    episodes: Path, tmp_path: Path, processes: int
) -> None:
    work = Work(Hashing)
    expected = scored(copied(episodes, tmp_path / "a"), Work(InBatches), 1)
    assert scored(copied(episodes, tmp_path / "b"), work, processes) == expected
    assert "said" in str(expected)


def test_the_clips_of_an_episode_are_heard_together(episodes: Path, tmp_path: Path) -> None:
    (folder, *_) = copied(episodes, tmp_path / "a")
    ears = InBatches()
    Maker(Work(lambda: ears)).make(folder)
    # two exchanges: what the user said, and what arrived; nobody heard the reply in the call itself
    assert ears.sizes == [6]


def test_what_a_process_leaves_that_is_killed_is_done_here(episodes: Path, tmp_path: Path) -> None:
    folders = copied(episodes, tmp_path / "a")
    told: list[Path] = []
    make_ready(folders, Work(functools.partial(Deadly, os.getpid())), 2, told.append)
    assert sorted(told) == folders
    assert all((folder / "scores" / "transcripts.json").is_file() for folder in folders)


def test_what_is_there_already_is_not_made_again(episodes: Path, tmp_path: Path) -> None:
    (folder, *_) = copied(episodes, tmp_path / "a")
    Maker(Work(Hashing)).make(folder)
    before = (folder / "scores" / "transcripts.json").stat().st_mtime_ns
    again = InBatches()
    Maker(Work(lambda: again)).make(folder)
    assert again.sizes == []
    assert (folder / "scores" / "transcripts.json").stat().st_mtime_ns == before
