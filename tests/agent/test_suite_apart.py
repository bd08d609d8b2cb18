"""Recordings on another machine: what comes back to the run, and what stays there."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import uuid
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from agent.suite.hold import Order
from agent.suite.plan import plan
from agent.suite.workers.apart import PIECE, Apart, fetch, forget, listed, piece
from agent.suite.workers.messages import Setup
from agent.suite.workers.pipe import Lost, Receive
from agent.suite.workers.pool import WorkerPool
from agent.suite.workers.process import work
from recordings.format import Outcome
from recordings.lease import Lease
from recordings.reader import Episode
from recordings.remote import Remote
from recordings.store import Store
from streams import clock
from tests.agent.test_suite_workers import ENDPOINT, place, question, setup_of
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


def test_what_is_recorded_after_another_machine_took_the_run_over_is_left_and_not_at_the_url(
    tmp_path: Path,
) -> None:
    url = f"memory://{uuid.uuid4()}/run"
    lease = Lease(url, tmp_path / "another machine")
    lease.take()
    lease.release()
    apart = Apart(url, lease.number)
    assert apart.kept(recorded(apart, 0)) == ""
    lease = Lease(url, tmp_path / "another machine")
    lease.take()
    folder = apart.order(1, order(Path("/run/f"))).folder
    record(Call(folder))
    assert apart.kept(folder) == str(folder)
    assert Remote(url).sizes("e") and not Remote(url).sizes("f")
    lease.release()


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


class Beside:
    """A worker in a thread of this process."""

    pid = 0

    def __init__(self, setup: Setup, number: int, receive: Receive, lost: Lost) -> None:
        self._told = receive
        self._dialled = threading.Event()
        self._thread = threading.Thread(target=work, args=(self._dial, setup))
        self._thread.start()

    def _dial(self, receive: Receive, lost: Lost) -> _Line:
        self.send, self._let_go = receive, lost
        self._dialled.set()
        return _Line(self._told)

    def how_it_died(self) -> str:
        return "it did not"

    def close(self) -> None:
        self._let_go()
        self._thread.join()


class _Line:
    def __init__(self, receive: Receive) -> None:
        self.send = receive


@pytest.mark.wall_clock
def test_a_call_that_is_broken_off_while_its_recording_goes_to_the_url_is_told_and_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"memory://{uuid.uuid4()}/run"
    under_way, go_on, put = threading.Event(), threading.Event(), Store.put_episode

    def put_slowly(store: Store, folder: Path) -> None:
        if folder.name == "first":
            under_way.set()
            go_on.wait(10)
        put(store, folder)

    monkeypatch.setattr(Store, "put_episode", put_slowly)

    async def main() -> None:
        here = place()
        setup = replace(setup_of(here, simulated=False), apart=True, store=url)
        pool = WorkerPool(here, setup, 1, Beside)
        await pool.start()
        try:
            first = asyncio.create_task(pool.hold(order(Path("/run/first"))))
            await asyncio.to_thread(under_way.wait, 10)
            first.cancel()
            await pool.hold(order(Path("/run/second")))  # what came before it has been taken by then
            go_on.set()
            await asyncio.wait([first], timeout=10)
            assert first.cancelled()
        finally:
            go_on.set()
            await pool.close()

    clock.run(main())
    for name in ("first", "second"):
        assert Store(url).get_episode(tmp_path / name)
        assert Episode.load(tmp_path / name).info.outcome is Outcome.COMPLETED
