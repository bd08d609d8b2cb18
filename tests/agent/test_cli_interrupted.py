"""What is left when a run is interrupted, killed, or the disk is full: processes on the wall clock."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from recordings.check import Severity, check
from recordings.format import Outcome
from recordings.reader import Episode
from tests.agent.cli_calls import ENGINES, HELLO, Viva, outcomes

pytestmark = pytest.mark.wall_clock

LONG = ("run", "hello.yaml", "--endpoint", "fake://?replies=9&seconds=60", "--out", "run", *ENGINES)
LONG_SCENARIO = HELLO.replace("max_duration_s: 20", "max_duration_s: 100")


@contextmanager
def under_way(viva: Viva, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A run whose first call has begun."""
    (viva.folder / "hello.yaml").write_text(LONG_SCENARIO)
    process = viva.start(*LONG, *more)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if "Hello there." in line:
                break
        yield process
    finally:
        process.kill()
        process.communicate()


def errors(episode: Episode) -> list[str]:
    return [str(p) for p in check(episode) if p.severity is Severity.ERROR]


def later(process: subprocess.Popen[str], seconds: float) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(seconds)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM], ids=["control-c", "a scheduler"])
def test_control_c_ends_the_call_and_says_where_it_is(viva: Viva, by: signal.Signals) -> None:
    with under_way(viva, "--json", "--repeats", "3") as process:
        later(process, 1.0)
        process.send_signal(by)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (130, "")
    assert "interrupted" in err and "viva report run" in err and "Traceback" not in err
    episode = Episode.load(viva.folder / "run/hello--r1")
    assert episode.info.outcome is Outcome.CANCELLED
    assert episode.info.duration_s >= 0.9
    assert errors(episode) == []
    assert outcomes(viva.manifest()) == [("done", "cancelled"), ("planned", None), ("planned", None)]


def test_a_killed_run_is_read_as_unfinished_and_scored_as_void(viva: Viva) -> None:
    with under_way(viva) as process:
        seconds = random.Random().uniform(0.5, 1.5)  # any moment must do
        later(process, seconds)
        process.kill()
        process.wait()
    episode = Episode.load(viva.folder / "run/hello")
    assert episode.info.outcome is Outcome.UNFINISHED
    assert errors(episode) == []
    # the call was under way when we began to wait; 200 ms may be lost, and the frame that was due
    assert episode.duration_s >= seconds - 0.22
    assert outcomes(viva.manifest()) == [("running", None)]
    for command in (("score", "run", "--recogniser", "none"), ("report", "run")):
        done = viva(*command, "--json")
        assert done.code == 0
        assert [(e["outcome"], e["void"]) for e in done.json["episodes"]] == [("unfinished", True)]
        assert done.json["metrics"]["response_latency"]["n"] == 0
        assert done.json["metrics"]["response_latency"]["unscored"] == {"void_episode": 1}
    page = viva("report", "run", "--html", "report.html")
    assert page.code == 0 and (viva.folder / "report.html").is_file()


def test_a_full_disk_is_told_and_what_was_written_is_readable(viva: Viva) -> None:
    # 100 kB of 24 kHz PCM are 2.1 s: the second call ends as the first, and neither takes the other along
    silent = tuple(word.replace("replies=9", "replies=0") for word in LONG)
    (viva.folder / "hello.yaml").write_text(LONG_SCENARIO)
    process = viva.start(*silent, "--json", "--repeats", "2", "--concurrency", "2", limit=100_000)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "cannot be written (File too large)" in err and "Free some space" in err
    assert "Traceback" not in err
    assert [episode["outcome"] for episode in json.loads(out)["episodes"]] == ["harness_failed"] * 2
    for name in ("hello--r1", "hello--r2"):
        episode = Episode.load(viva.folder / "run" / name)
        assert episode.info.outcome is Outcome.HARNESS_FAILED
        assert 1.5 < episode.duration_s <= 2.1
    assert outcomes(viva.manifest()) == [("done", "harness_failed")] * 2
    assert viva("score", "run", "--recogniser", "none", "--json").code == 0
