"""Who holds a run at a URL: in memory, in a folder, in an S3 of this machine, and without conditions."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from recordings import lease as leases
from recordings import remote as remotes
from recordings.errors import RecordingError
from recordings.lease import Holder, Lease, check, latest
from recordings.lock import RunHeld
from recordings.remote import Remote
from recordings.store import Store
from tests.recordings.calls import Call, record
from tests.recordings.s3 import bucket, serving

pytest.importorskip("fsspec", reason="fsspec is not installed")


class Waits(Exception):
    """It is not clear whether the holder lives."""


def waits(_: str) -> None:
    raise Waits


@pytest.fixture(scope="module")
def s3() -> Iterator[None]:
    with serving():
        yield


@pytest.fixture(params=["memory", "file", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "memory":
        return f"memory://{uuid.uuid4()}/run"
    if request.param == "file":
        return f"file://{tmp_path}/there/run"
    request.getfixturevalue("s3")
    return f"s3://{bucket()}/runs/run"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks whether a holder lives looks twelve times at once; holders count when a test makes them."""
    monkeypatch.setattr(leases, "LOOK_S", 0)
    monkeypatch.setattr(leases, "BEAT_S", 3600)


def taken(url: str, home: Path, told: Any = waits) -> Lease:
    lease = Lease(url, home, told)
    lease.take()
    return lease


def dies(lease: Lease) -> None:
    """As by `kill -9`: the kernel lets go of the lock, and nobody of the lease."""
    lease._over.set()
    assert lease._lock is not None
    lease._lock.release()


def holder(url: str) -> Holder:
    found = latest(Remote(url))
    assert found is not None
    return found


@pytest.mark.parametrize("url", ["file", "s3"], indirect=True)
def test_of_many_machines_that_want_a_run_at_once_one_holds_it(url: str, tmp_path: Path) -> None:
    together = threading.Barrier(6, timeout=30)

    def wants(number: int) -> Lease | None:
        together.wait()
        try:
            return taken(url, tmp_path / str(number))
        except (RunHeld, Waits):
            return None

    with ThreadPoolExecutor(6) as machines:
        (first,) = [lease for lease in machines.map(wants, range(6)) if lease is not None]
    assert (first.number, holder(url).owner) == (1, first._holder.owner)
    first.release()
    assert holder(url).ended


def test_a_holder_that_lives_is_named_and_keeps_the_run(url: str, tmp_path: Path) -> None:
    first = taken(url, tmp_path / "one")

    def counts(said: str) -> None:
        assert said.startswith(f"{url} is held by {holder(url).named}: looking for 0 s whether it lives")
        first._beat()

    with pytest.raises(RunHeld, match=rf"{url}: is being held by process \d+ on \S+\. Wait until it ends"):
        taken(url, tmp_path / "another", counts)
    assert holder(url).number == 1
    first._beat()
    assert (holder(url).beat, first.lost) == (2, "")
    first.release()


def test_a_run_that_was_let_go_is_taken_at_once(url: str, tmp_path: Path) -> None:
    taken(url, tmp_path / "one").release()
    second = taken(url, tmp_path / "another")
    assert (second.number, second.others) == (2, False)
    second.release()
    third = taken(url, tmp_path / "one")
    assert (third.number, third.others) == (3, True)  # others have held it since this machine did
    third.release()


def test_a_holder_that_died_gives_way_and_puts_nothing_more_if_it_was_only_asleep(
    url: str, tmp_path: Path
) -> None:
    asleep = taken(url, tmp_path / "one")
    said: list[str] = []
    second = taken(url, tmp_path / "another", said.append)
    assert (second.number, len(said)) == (2, 1)
    record(Call(tmp_path / "run" / "e"))
    for check_ in (asleep.check, partial(check, number=1)):  # of the machine itself, and of a node of its
        with pytest.raises(RunHeld, match=rf"{url}: was taken over by process \d+ on "):
            Store(url, (), check_).put_episode(tmp_path / "run" / "e")
    assert [name for name in Remote(url).sizes() if name.startswith("e/")] == []
    assert asleep.lost.startswith(f"{url} was taken over by process")
    asleep.release()  # lets nothing go
    assert not holder(url).ended
    Store(url, (), second.check).put_episode(tmp_path / "run" / "e")
    second.release()


def test_a_holder_that_wakes_finds_out_by_counting(url: str, tmp_path: Path) -> None:
    asleep = taken(url, tmp_path / "one")
    taken(url, tmp_path / "another", lambda _: None).release()
    before = holder(url)
    with pytest.raises(RunHeld):
        asleep._beat()
    assert asleep.lost
    assert holder(url) == before
    asleep.release()


def test_on_the_machine_of_a_process_that_was_killed_nobody_waits(url: str, tmp_path: Path) -> None:
    first = taken(url, tmp_path / "one")
    with pytest.raises(RunHeld, match=f"{url}: is being held by process"):
        taken(url, tmp_path / "one")  # it lives: the lock of its machine says so
    dies(first)
    second = taken(url, tmp_path / "one")
    assert (second.number, second.others) == (2, False)
    second.release()


def test_a_holder_that_lets_go_while_it_is_watched_gives_way(url: str, tmp_path: Path) -> None:
    first = taken(url, tmp_path / "one")
    second = taken(url, tmp_path / "another", lambda _: first.release())
    assert second.number == 2
    second.release()


@pytest.mark.parametrize(
    "found", [b"", b"{}", b'{"number": 7, "owner": "x", "pid": 1, "host": "a\\u001b[0m"}']
)
def test_a_lease_that_cannot_be_read_is_watched_and_gives_way(
    url: str, tmp_path: Path, found: bytes
) -> None:
    Remote(url).write("run.lease/7", found)
    said: list[str] = []
    lease = taken(url, tmp_path / "one", said.append)
    assert "is held by another process" in said[0]
    assert lease.number == 8
    lease.release()


def test_a_service_that_is_down_takes_no_run_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    lease = taken(f"memory://{uuid.uuid4()}/run", tmp_path)

    def down(*_: object, **__: object) -> None:
        raise OSError("the service is down")

    with monkeypatch.context() as patch:
        for name in ("find", "pipe_file"):
            patch.setattr(MemoryFileSystem, name, down)
        with pytest.raises(RecordingError, match="the service is down"):
            lease._beat()
        assert lease.lost == ""
        lease.release()  # which others learn by watching
    assert not holder(lease.url).ended


# --- where a file is made without looking whether there is one -----------------------------------


@pytest.mark.parametrize("claims", [False, True])
def test_without_conditions_who_wrote_last_holds_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claims: bool
) -> None:
    """With and without the claim to know conditions: some services of S3's make ignore them."""
    import fsspec
    from fsspec.implementations.memory import MemoryFileSystem

    both_looked, both_wrote = (threading.Barrier(2, timeout=30) for _ in range(2))

    class Careless(MemoryFileSystem):  # type: ignore[misc]
        protocol = "careless"
        store: ClassVar[dict[str, Any]] = {}
        pseudo_dirs: ClassVar[list[str]] = [""]

        def exists(self, path: str, **_: Any) -> bool:
            return False

        def pipe_file(self, path: str, value: bytes, mode: str = "", **_: Any) -> None:
            first = not json.loads(value)["ended"]
            if first:
                both_looked.wait()
            super().pipe_file(path, value)
            if first:
                both_wrote.wait()

    fsspec.register_implementation("careless", Careless, clobber=True)
    monkeypatch.setattr(leases, "PAUSE_S", 0)
    if claims:
        monkeypatch.setattr(remotes, "_EXCLUSIVE", frozenset({"careless"}))
    url = "careless://run"

    def wants(number: int) -> Lease | RunHeld:
        try:
            return taken(url, tmp_path / str(number))
        except RunHeld as error:
            return error

    with ThreadPoolExecutor(2) as machines:
        found = list(machines.map(wants, range(2)))
    (first,) = [one for one in found if isinstance(one, Lease)]
    assert holder(url).owner == first._holder.owner
    (refused,) = [one for one in found if isinstance(one, RunHeld)]
    assert "is being held by process" in str(refused)
    first.release()


# --- what is at the URL counts -------------------------------------------------------------------


def test_a_recording_of_a_call_that_others_held_too_is_set_aside(url: str, tmp_path: Path) -> None:
    """Episode a was held here and elsewhere, b is the same in both places, c is here alone."""
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for name in ("a", "b", "c"):
        record(Call(here / name))
    Store(url).put_episode(here / "b")
    record(Call(elsewhere / "a"))
    info = elsewhere / "a" / "episode.json"
    info.write_text(info.read_text().replace('"seed":', '"seed" :'))  # another of them
    Store(url).put_episode(elsewhere / "a")
    before = {name: (here / name / "episode.json").read_bytes() for name in ("a", "b", "c")}
    Store(url).get_run(here, tmp_path / "aside")
    assert (here / "a" / "episode.json").read_bytes() == info.read_bytes()
    assert {name: (here / name / "episode.json").read_bytes() for name in ("b", "c")} == {
        name: before[name] for name in ("b", "c")
    }
    assert [folder.name for folder in (tmp_path / "aside").iterdir()] == ["a"]
    assert (tmp_path / "aside" / "a" / "episode.json").read_bytes() == before["a"]
