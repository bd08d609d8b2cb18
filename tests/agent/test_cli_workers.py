"""`viva run` and `viva score` with workers, as a user meets them."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from agent.cli.runs.request import RunRequest
from agent.cli.runs.where import on_the_wall, workers_for, workers_on
from agent.suite.limits import RunLimits
from recordings.reader import Episode
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
