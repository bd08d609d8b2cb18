"""`viva run` and `viva score` with workers, and with runs at a URL, as a user meets them."""

from __future__ import annotations

import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from agent.cli.runs.request import RunRequest
from agent.cli.runs.where import on_the_wall, workers_for, workers_on
from agent.suite.limits import RunLimits
from recordings.format import Outcome
from recordings.lock import RunLock
from recordings.reader import Episode
from recordings.run import load_run
from tests.agent.cli_calls import ENGINES, Viva, outcomes

pytest.importorskip("fsspec", reason="fsspec is not installed")

FAKE = "fake://?replies=2&seconds=0.3&delay=0.3&rate=8000"


def scores(out: str) -> Any:
    """What a program is told, but for where it lies."""
    found = json.loads(out)
    for episode in found["episodes"]:
        del episode["path"]
    return {name: found[name] for name in ("episodes", "metrics")}


def test_a_run_in_two_workers_has_the_scores_of_a_run_in_this_process(viva: Viva) -> None:
    options = ("--simulated", "--repeats", "3", "--json")
    here = viva.run(FAKE, *options, "--workers", "0", out="a")
    there = viva.run(FAKE, *options, "--workers", "2", "--concurrency", "2", out="b")
    assert (here.code, there.code) == (0, 0)
    assert scores(there.out) == scores(here.out)
    assert len(scores(here.out)["episodes"]) == 3


def request(**changes: Any) -> RunRequest:
    return RunRequest((), (), None, None, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("calls", "cores", "workers"),
    [
        (1, 8, 0),
        (3, 8, 0),
        (4, 8, 1),
        (75, 8, 1),
        (76, 8, 2),
        (1000, 8, 7),
        (75, 2, 1),
        (1000, 2, 2),
        (99, 1, 1),
    ],
)
def test_workers_go_by_calls_at_a_time_and_cores(calls: int, cores: int, workers: int) -> None:
    asked = request(limits=RunLimits(concurrency=calls))
    assert workers_for(asked, cores) == workers
    assert workers_for(request(limits=RunLimits(concurrency=calls), workers=5), cores) == 5


@pytest.mark.parametrize(
    ("calls", "processors", "models", "workers"),
    [(400, 64, True, 63), (400, 64, False, 64), (8, 64, True, 8), (8, 8, True, 7), (8, 1, False, 1)],
)
def test_on_a_cluster_workers_leave_a_processor_to_the_models(
    calls: int, processors: int, models: bool, workers: int
) -> None:
    limits = RunLimits(concurrency=calls)
    assert workers_on(request(limits=limits), processors, models=models) == workers
    assert workers_on(request(limits=limits, workers=5), processors, models=models) == 5


def test_a_simulated_run_is_held_here_unless_workers_are_asked_for() -> None:
    simulated = request(simulated=True, limits=RunLimits(concurrency=99))
    assert workers_for(simulated, 8) == 0
    assert not on_the_wall(simulated)
    assert on_the_wall(request(simulated=True, workers=2))


@pytest.mark.wall_clock
def test_a_run_with_workers_that_is_interrupted_can_be_resumed(viva: Viva) -> None:
    options = ("--out", "run", *ENGINES, "--concurrency", "2", "--workers", "1", "--no-report", "--json")
    # a call goes on for 4 s after its first words
    slow = "fake://?replies=3&seconds=0.5&delay=0.3&rate=8000"
    first = viva.start("run", "hello.yaml", "--endpoint", slow, "--repeats", "3", *options)
    try:
        assert first.stderr is not None
        for line in first.stderr:
            if "Hello there." in line:
                break
        first.send_signal(signal.SIGINT)
        _, err = first.communicate(timeout=60)
    finally:
        first.kill()
        first.communicate()
    assert first.returncode == 130
    assert "viva run --resume run" in err
    assert {outcome for _, outcome in outcomes(viva.manifest())} == {"cancelled", None}
    begun = {path.parent.name for path in (viva.folder / "run").glob("*/episode.json")}
    assert {Episode.load(viva.folder / "run" / name).info.outcome.value for name in begun} == {"cancelled"}
    again = viva("run", "--resume", "run", "--workers", "1", "--concurrency", "3", "--json")
    assert again.code == 0, again.err
    assert outcomes(viva.manifest()) == [("done", "completed")] * 3
    held = {path.parent.name for path in (viva.folder / "run").glob("*/episode.json")}
    # what was broken off is kept beside its second try; what had not begun is held for the first time
    assert held == {f"hello--r{n}" for n in (1, 2, 3)} | {f"{name}+2" for name in begun}


# --- at a URL -----------------------------------------------------------------------------------


@pytest.fixture
def url(viva: Viva) -> str:
    return f"file://{viva.folder}/store/run"


def test_a_run_at_a_url_is_held_scored_and_resumed_there(viva: Viva, url: str) -> None:
    first = viva.run(FAKE, "--simulated", "--repeats", "2", "--no-report", out=url)
    assert first.code == 0, first.err
    assert f"kept        {url}" in first.err
    store = viva.folder / "store" / "run"
    assert sorted(path.name for path in store.iterdir() if path.is_dir()) == ["hello--r1", "hello--r2"]
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
    viva: Viva, url: str, machine: str
) -> None:
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


def test_a_url_that_holds_a_run_already_is_left_alone(viva: Viva, url: str) -> None:
    viva.run(FAKE, "--simulated", "--no-report", out=url)
    before = (viva.folder / "store/run/run.json").read_bytes()
    second = viva.run(FAKE, "--simulated", "--no-report", out=url)
    assert second.code == 2
    assert f"holds a run already. Go on with it: viva run --resume {url}" in second.err
    assert (viva.folder / "store/run/run.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("score", "nowhere://x/run"), "cannot be reached"),
        (("run", "--resume", "file:///not/there/run"), "holds no run"),
        (
            ("run", "hello.yaml", "--endpoint", FAKE, "--out", "run", *ENGINES, "--on", "slurm"),
            "expected ray",
        ),
    ],
)
def test_a_place_that_is_none_is_said(viva: Viva, arguments: tuple[str, ...], message: str) -> None:
    done = viva(*arguments)
    assert done.code in (2, 3)
    assert re.search(message, done.err), done.err
    assert not Path("run/hello").exists()
