"""Recordings on another machine: what comes back to the run, and what stays there."""

from __future__ import annotations

import tempfile
import uuid
from functools import partial
from pathlib import Path

import pytest

from agent.suite.hold import Order
from agent.suite.plan import plan
from agent.suite.workers.apart import PIECE, Apart, fetch, forget, listed, piece
from recordings.store import Store
from tests.agent.test_suite_workers import ENDPOINT, question
from tests.recordings.calls import Call, record
from tests.recordings.test_store import contents


@pytest.fixture(autouse=True)
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the other machine."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def order(folder: Path) -> Order:
    return Order(plan([question()], [ENDPOINT], 1)[0], "run", folder)


def recorded(apart: Apart, number: int = 0) -> Path:
    folder = apart.order(number, order(Path("/run/e"))).folder
    record(Call(folder))
    return folder


def brought(folder: str, to: Path) -> None:
    fetch(to, listed(folder), partial(piece, folder))


def test_without_a_url_a_recording_is_fetched_and_then_forgotten(tmp_path: Path) -> None:
    apart = Apart("")
    folder = recorded(apart)
    there = contents(folder)
    left = apart.kept(folder)
    assert left == str(folder)
    brought(left, tmp_path / "run" / "e")
    assert contents(tmp_path / "run" / "e") == there
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["e"]
    forget(left)
    apart.close()
    assert not folder.parent.parent.exists()


def test_what_is_at_the_url_is_forgotten_and_what_cannot_be_put_there_is_left(tmp_path: Path) -> None:
    url = f"memory://{uuid.uuid4()}/run"
    apart = Apart(url)
    folder = recorded(apart)
    there = contents(folder)
    assert apart.kept(folder) == ""
    assert not folder.exists()
    assert Store(url).get_episode(tmp_path / "e")
    assert contents(tmp_path / "e") == there

    apart = Apart("file:///dev/null/run")
    folder = recorded(apart)
    assert apart.kept(folder) == str(folder)
    apart.close()
    assert len(listed(str(folder))) == 8


def test_a_call_that_recorded_nothing_leaves_nothing() -> None:
    apart = Apart("")
    assert apart.kept(apart.order(0, order(Path("/run/e"))).folder) == ""
    apart.close()


def test_long_files_come_in_pieces_and_one_that_ends_early_is_no_recording(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    whole = bytes(range(256)) * (2 * PIECE // 256) + b"tail"
    (there / "user.wav").write_bytes(whole)
    starts: list[int] = []

    def ask(name: str, start: int) -> bytes:
        starts.append(start)
        return piece(str(there), name, start)

    fetch(tmp_path / "here", listed(str(there)), ask)
    assert (tmp_path / "here" / "user.wav").read_bytes() == whole
    assert starts == [0, PIECE, 2 * PIECE]
    with pytest.raises(
        OSError, match="ends at 8388612 of 8388613 bytes"
    ):  # 2 x 4 MiB + 4; one more was told
        fetch(tmp_path / "again", [("user.wav", len(whole) + 1)], ask)
    assert not (tmp_path / "again").exists()
