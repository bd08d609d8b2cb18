"""What a node of a cluster makes of an episode, with the disk of the command and without; without Ray."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pytest

from recordings.errors import RecordingError
from recordings.raw import RAW
from scoring.cluster import Errand, _files, _marked, _sent, _write, make_on_node
from scoring.parallel import Work, make_ready
from tests.scoring.test_parallel import Hashing, episodes

__all__ = ["episodes"]

WORK = pickle.dumps(Work(Hashing))
WORDS = "scores/transcripts.json"


@pytest.fixture
def folder(episodes: Path, tmp_path: Path) -> Path:
    """An episode of its own, whose words nobody has heard."""
    found = next(path.parent for path in sorted(episodes.rglob("episode.json")))
    made: Path = shutil.copytree(found, tmp_path / "run" / "e", ignore=shutil.ignore_patterns("scores"))
    return made


@pytest.fixture
def words(folder: Path) -> bytes:
    """What is heard of it here."""
    here: Path = shutil.copytree(folder, folder.parents[1] / "here" / "e")
    make_ready([here], Work(Hashing), 1)
    return (here / WORDS).read_bytes()


def test_a_node_with_the_disk_of_the_command_works_in_the_folder(folder: Path, words: bytes) -> None:
    with _marked([folder.parent, Path("/not/here")]) as mark:
        assert make_on_node(Errand(WORK, folder, "", mark)) == {}
    assert (folder / WORDS).read_bytes() == words
    assert [path.name for path in folder.parent.iterdir()] == ["e"]  # the mark is gone


def test_a_node_with_another_disk_is_sent_the_episode_and_gives_what_it_made(
    folder: Path, words: bytes
) -> None:
    """Also if there is a folder of that name, which is another."""
    errand = Errand(WORK, folder, "", "no such mark")
    assert make_on_node(errand) is None
    (folder / "scores").mkdir()
    (folder / "scores" / "timing.json").write_text("{}")
    (folder / RAW).write_text("traffic")
    sent = _sent(folder)
    assert "scores/timing.json" in sent and RAW not in sent
    made = make_on_node(Errand(WORK, folder, "", "no such mark", sent))
    assert made == {WORDS: words}
    assert not (folder / WORDS).exists()
    _write(made, folder)
    assert (folder / WORDS).read_bytes() == words
    # what came with it is not made again, nor does it come back
    assert make_on_node(Errand(WORK, folder, "", "no such mark", _files(folder, folder))) == {}


def test_what_is_wrong_with_an_episode_that_was_sent_is_said_of_it_here(folder: Path) -> None:
    (folder / "episode.json").write_text("{")
    with pytest.raises(RecordingError, match=f"^{folder}/episode.json: "):
        make_on_node(Errand(WORK, folder, "", "no such mark", _sent(folder)))
    shutil.rmtree(folder)
    with pytest.raises(RecordingError, match=f"^{folder}: is not there"):
        _sent(folder)
