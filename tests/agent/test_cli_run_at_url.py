"""`viva run` and `viva score` of runs at a URL, as a user meets them; and two machines that want one."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from recordings import lease
from recordings.format import Outcome
from recordings.lock import RunLock
from recordings.reader import Episode
from recordings.run import load_run
from recordings.store import Store
from tests.agent.cli_calls import ENGINES, ROOT, Viva, outcomes

pytest.importorskip("fsspec", reason="fsspec is not installed")

FAKE = "fake://?replies=2&seconds=0.3&delay=0.3&rate=8000"


@pytest.fixture
def url(viva: Viva) -> str:
    return f"file://{viva.folder}/store/run"


def test_a_run_at_a_url_is_held_scored_and_resumed_there(viva: Viva, url: str) -> None:
    first = viva.run(FAKE, "--simulated", "--repeats", "2", "--no-report", out=url)
    assert first.code == 0, first.err
    assert f"kept        {url}" in first.err
    store = viva.folder / "store" / "run"
    assert sorted(path.name for path in store.iterdir() if path.is_dir()) == [
        "hello--r1",
        "hello--r2",
        "run.lease",
    ]
    Episode.load(store / "hello--r1")
    scored = viva("score", url, "--recogniser", "none", "--json")
    assert len(json.loads(scored.out)["episodes"]) == 2
    assert (store / "hello--r2" / "scores" / "timing.json").is_file()
    again = viva("run", "--resume", url, "--no-report")
    assert "all calls of this run are held" in again.err


def test_a_run_whose_machine_is_lost_goes_on_at_another(viva: Viva, url: str) -> None:
    options = ("--simulated", "--repeats", "2", "--no-report")
    viva.run(FAKE, *options, "--budget-minutes", "0.01", out=url)
    assert len(list((viva.folder / "store/run").glob("*/episode.json"))) == 1
    (viva.folder / "cache").rename(viva.folder / "the cache of the lost machine")
    again = viva("run", "--resume", url, "--no-report", "--budget-minutes", "9")
    assert again.code == 0, again.err
    assert len(list((viva.folder / "store/run").glob("*/episode.json"))) == 2


def test_a_run_that_never_got_to_its_url_is_not_thrown_away_and_goes_on(viva: Viva, url: str) -> None:
    options = ("--simulated", "--repeats", "2", "--no-report")
    viva.run(FAKE, *options, "--budget-minutes", "0.01", out=url)
    shutil.rmtree(viva.folder / "store")  # what is on this machine is all there is
    second = viva.run(FAKE, *options, out=url)
    assert second.code in (2, 3)
    assert f"holds a run that is not at {url}. Go on with it: viva run --resume {url}" in second.err
    again = viva("run", "--resume", url, "--no-report", "--budget-minutes", "9")
    assert again.code == 0, again.err
    assert len(list((viva.folder / "store/run").glob("*/episode.json"))) == 2


def test_a_recording_that_does_not_get_to_the_url_is_kept_here_and_brought_by_the_next_resume(
    viva: Viva, url: str
) -> None:
    store = viva.folder / "store/run"
    store.mkdir(parents=True)
    (store / "hello--r1").write_text("a file where the first episode should be")
    first = viva.run(FAKE, "--simulated", "--repeats", "2", "--no-report", "--json", out=url)
    assert first.code == 3
    here = Path(first.json["run"])
    assert f"viva: recordings stay in {here} until they get to {url}" in first.err
    assert first.err.count("cannot be read or written") == 2  # after the call, and at the end
    assert f"viva: to bring what is left: viva run --resume {url}" in first.err
    # the calls are what they were
    assert outcomes(viva.manifest(str(here))) == [("done", "completed")] * 2
    assert Episode.load(here / "hello--r1").info.outcome.value == "completed"
    Episode.load(store / "hello--r2")
    (store / "hello--r1").unlink()
    again = viva("run", "--resume", url, "--no-report")
    assert (again.code, "kept" in again.err) == (0, True), again.err
    assert Episode.load(store / "hello--r1").info == Episode.load(here / "hello--r1").info
    assert outcomes(viva.manifest("store/run")) == [("done", "completed")] * 2


def test_a_run_at_a_url_that_is_under_way_here_is_scored_as_it_stands_and_not_resumed(
    viva: Viva, url: str
) -> None:
    here = Path(viva.run(FAKE, "--simulated", "--no-report", "--json", out=url).json["run"])
    before = (here / "run.json").read_bytes()
    (viva.folder / "store/run/run.json").write_text("{} of an hour ago")
    lock = RunLock(here)
    try:
        scored = viva("score", url, "--recogniser", "none", "--json")
        assert (scored.code, len(scored.json["episodes"])) == (0, 1), scored.err
        resumed = viva("run", "--resume", url)
        assert (resumed.code, "is being held by process" in resumed.err) == (2, True), resumed.err
    finally:
        lock.release()
    assert (here / "run.json").read_bytes() == before
    assert (viva.folder / "store/run/run.json").read_text() == "{} of an hour ago"


def test_a_url_that_takes_nothing_is_known_before_the_first_call(viva: Viva) -> None:
    (viva.folder / "store").write_text("a file where the runs should be")
    done = viva.run(FAKE, "--simulated", "--no-report", out=f"file://{viva.folder}/store/run")
    assert (done.code, "cannot be read or written" in done.err) == (2, True)
    assert not list(viva.folder.rglob("episode.json"))


@pytest.mark.wall_clock
@pytest.mark.parametrize("machine", ["the same", "another"])
def test_a_run_at_a_url_that_is_killed_goes_on_and_holds_every_call_once(
    viva: Viva, url: str, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LOOK_S", 0)  # of the lease that it left at the URL
    options = ("hello.yaml", "--endpoint", FAKE, *ENGINES, "--simulated", "--no-report", "--repeats", "40")
    first = viva.start("run", *options, "--out", url)
    store = viva.folder / "store/run"
    try:
        while len(list(store.glob("*/episode.json"))) < 5:
            assert first.poll() is None, first.communicate()
        first.kill()
    finally:
        first.kill()
        first.communicate()
    kept = [file.parent.name for file in store.glob("*/episode.json")]
    before = {name: (store / name / "user.wav").stat().st_mtime_ns for name in kept}
    assert 5 <= len(kept) < 40
    if machine == "another":
        shutil.rmtree(viva.folder / "cache")
    again = viva("run", "--resume", url, "--no-report")
    assert again.code == 0, again.err
    assert ("looking for 0 s whether it lives" in again.err) is (machine == "another")
    run = load_run(store)
    assert [(planned.state, planned.outcome) for planned in run.episodes] == [
        ("done", Outcome.COMPLETED)
    ] * 40
    # each was held to its end once; what the kill broke off on this machine is an attempt more
    tries = [attempt for planned in run.episodes for attempt in planned.attempts]
    done = [attempt.folder for attempt in tries if attempt.outcome is Outcome.COMPLETED]
    assert len(done) == 40
    assert all(Episode.load(store / folder).info.outcome is Outcome.COMPLETED for folder in done)
    assert set(kept) <= set(done)
    assert {name: (store / name / "user.wav").stat().st_mtime_ns for name in kept} == before


def test_a_run_that_another_machine_holds_is_not_resumed_and_the_machine_is_named(
    viva: Viva, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    viva.run(FAKE, "--simulated", "--no-report", out=url)
    before = (viva.folder / "store/run/run.json").read_bytes()
    monkeypatch.setattr(lease, "BEAT_S", 0.01)
    other = lease.Lease(url, viva.folder / "another machine")
    other.take()
    try:
        monkeypatch.setattr(lease, "LOOK_S", 0.5)
        resumed = viva("run", "--resume", url)
    finally:
        other.release()
    assert resumed.code == 2
    assert f"{url}: is being held by process {os.getpid()} on {socket.gethostname()}." in resumed.err
    assert "Wait until it ends, or stop it (kill -INT); then resume." in resumed.err
    assert (viva.folder / "store/run/run.json").read_bytes() == before
    assert viva("run", "--resume", url, "--no-report").code == 0  # it has let go


def test_a_run_that_another_machine_took_over_ends_and_puts_nothing_more_there(
    viva: Viva, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This machine is asleep after its first call; the other holds all of them meanwhile."""
    monkeypatch.setattr(lease, "LOOK_S", 0)
    put = Store.put_episode
    elsewhere = {**os.environ, "VIVAVOCE_CACHE": str(viva.folder / "another machine")}
    theirs: list[bytes] = []

    def sleeps(store: Store, folder: Path) -> None:
        if not theirs:
            code = "from recordings import lease; lease.LOOK_S = 0; from agent.cli.main import main; main()"
            command = [sys.executable, "-c", code, "run", "--resume", url, "--no-report"]
            environ = {**elsewhere, "PYTHONPATH": str(ROOT)}
            done = subprocess.run(command, env=environ, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            theirs.extend(files(viva.folder / "store/run"))
        put(store, folder)

    monkeypatch.setattr(Store, "put_episode", sleeps)
    first = viva.run(FAKE, "--simulated", "--repeats", "4", "--no-report", "--json", out=url)
    assert first.code == 3
    assert f"{url}: was taken over by process" in first.err
    assert "What was recorded here stays here." in first.err
    assert files(viva.folder / "store/run") == theirs
    here = Path(first.json["run"])
    assert [file.parent.name for file in here.glob("*/episode.json")] == ["hello--r1"]
    again = viva("run", "--resume", url, "--no-report")
    assert (again.code, "all calls of this run are held" in again.err) == (0, True), again.err
    assert files(viva.folder / "store/run") == files(here)
    (aside,) = here.parent.glob("aside-*")
    assert f"calls that were held on another machine too are in {aside}" in again.err
    assert [file.parent.name for file in aside.glob("*/episode.json")] == ["hello--r1"]


def files(folder: Path, name: str = "*") -> list[bytes]:
    """What the episodes of a run hold, and its manifest."""
    found = [*folder.glob(f"*/{name}"), *folder.glob("run.json")]
    return [file.read_bytes() for file in sorted(found) if file.parent.name != "run.lease"]


def test_a_url_that_holds_a_run_already_is_left_alone(viva: Viva, url: str) -> None:
    viva.run(FAKE, "--simulated", "--no-report", out=url)
    before = (viva.folder / "store/run/run.json").read_bytes()
    second = viva.run(FAKE, "--simulated", "--no-report", out=url)
    assert second.code == 2
    assert f"holds a run already. Go on with it: viva run --resume {url}" in second.err
    assert (viva.folder / "store/run/run.json").read_bytes() == before
