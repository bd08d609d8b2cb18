from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.errors import RecordingError
from recordings.format import (
    Attempt,
    EndpointInfo,
    EpisodeInfo,
    Marked,
    Outcome,
    Planned,
    RunInfo,
)
from recordings.journal import Journal, read_journal
from recordings.lock import LOCK
from recordings.run import Run, load_run, merge_into
from streams import clock


def planned(*ids: str) -> RunInfo:
    episodes = tuple(
        Planned(id=i, scenario="s", pack="p", endpoint="reference://", repeat=0, seed=1) for i in ids
    )
    return RunInfo(
        id="r", command=("viva", "run"), started_at_utc="2026-01-01T00:00:00Z", episodes=episodes
    )


def step(make: Callable[[], Coroutine[Any, Any, object]]) -> None:
    clock.run(make(), simulate=True)


def states(folder: Path) -> list[tuple[str, Outcome | None]]:
    return [(episode.state, episode.outcome) for episode in load_run(folder).episodes]


def write_episode(folder: Path, outcome: Outcome) -> None:
    folder.mkdir(parents=True)
    info = EpisodeInfo(
        id=folder.name,
        scenario={},
        scenario_sha256="0" * 64,
        endpoint=EndpointInfo(address="reference://", protocol="reference"),
        seed=1,
        clock="simulated",
        started_at_utc="2026-01-01T00:00:00Z",
        user_rate=8000,
        endpoint_rate=8000,
        duration_s=3.0,
        outcome=outcome,
        reason="so it was",
    )
    (folder / "episode.json").write_text(info.model_dump_json())


def abandon(run: Run) -> None:
    """What the kernel does for a process that is killed: files and locks go, nothing is put together."""
    run._journal.close()
    run._lock.release()


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    Run.create(tmp_path / "r", planned("a", "b")).close()
    assert load_run(tmp_path / "r") == planned("a", "b")


def test_each_step_of_an_episode_is_on_the_disk(tmp_path: Path) -> None:
    async def main() -> None:
        run = Run.create(tmp_path / "r", planned("a", "b"))
        assert await run.begin("a") == "a"
        assert states(tmp_path / "r") == [("running", None), ("planned", None)]
        await asyncio.gather(run.end("a", Outcome.COMPLETED, "done", 2.5), run.begin("b"))

    step(main)
    assert states(tmp_path / "r") == [("done", Outcome.COMPLETED), ("running", None)]
    (attempt,) = load_run(tmp_path / "r").episodes[0].attempts
    assert attempt == Attempt(folder="a", outcome=Outcome.COMPLETED, duration_s=2.5)


def test_a_step_appends_a_line_and_leaves_the_manifest_alone_until_the_end(tmp_path: Path) -> None:
    many = planned(*(f"e{number}" for number in range(2000)))
    run = Run.create(tmp_path, many)
    before = (tmp_path / "run.json").read_bytes()

    async def main() -> None:
        await run.begin("e7")
        await run.end("e7", Outcome.COMPLETED)

    step(main)
    assert (tmp_path / "run.json").read_bytes() == before
    assert 0 < (tmp_path / "run.jsonl").stat().st_size < 500
    run.close()
    assert (tmp_path / "run.jsonl").stat().st_size == 0
    assert states(tmp_path)[7] == ("done", Outcome.COMPLETED)


def test_a_call_held_again_gets_a_folder_of_its_own_and_both_are_told(tmp_path: Path) -> None:
    async def main() -> None:
        run = Run.create(tmp_path, planned("a"))
        folders = []
        for outcome in (Outcome.CONNECT_FAILED, Outcome.COMPLETED):
            folders.append(await run.begin("a"))
            await run.end("a", outcome, "nobody there")
        assert folders == ["a", "a+2"]
        run.close()

    step(main)
    first, second = load_run(tmp_path).episodes[0].attempts
    assert (first.outcome, first.reason) == (Outcome.CONNECT_FAILED, "nobody there")
    assert (second.folder, second.outcome, second.reason) == ("a+2", Outcome.COMPLETED, "")


# --- resume -------------------------------------------------------------------------------------


def test_a_run_that_was_broken_off_is_taken_up_where_it_stood(tmp_path: Path) -> None:
    async def main() -> None:
        run = Run.create(tmp_path, planned("a", "b", "c", "d"))
        for id, outcome in (("a", Outcome.MAX_TURNS), ("d", Outcome.CANCELLED)):
            await run.begin(id)
            await run.end(id, outcome)
        await run.begin("b")
        abandon(run)

    step(main)
    run = Run.resume(tmp_path)
    assert [(e.id, e.state) for e in run.left] == [("b", "planned"), ("c", "planned"), ("d", "planned")]
    run.close()


def test_what_the_journal_did_not_live_to_say_is_found_in_the_folders(tmp_path: Path) -> None:
    # killed between the last write of the episode and that of the journal; or the journal was lost whole
    for lost in (False, True):
        folder = tmp_path / str(lost)

        async def main(folder: Path = folder) -> None:
            run = Run.create(folder, planned("finished", "broken", "never"))
            for id in ("finished", "broken"):
                await run.begin(id)
            abandon(run)

        step(main)
        if lost:
            (folder / "run.jsonl").unlink()
        write_episode(folder / "finished", Outcome.COMPLETED)
        write_episode(folder / "broken", Outcome.UNFINISHED)
        run = Run.resume(folder)
        assert [e.id for e in run.left] == ["broken", "never"]
        assert run.planned("finished").attempts[0].duration_s == 3.0

        async def again(run: Run = run) -> None:
            assert await run.begin("broken") == "broken+2"
            assert await run.begin("never") == "never"

        step(again)
        run.close()


def test_a_call_that_left_nothing_hides_none_that_came_after_it(tmp_path: Path) -> None:
    Run.create(tmp_path / "r", planned("a", "b")).close()
    write_episode(tmp_path / "r" / "a+3", Outcome.COMPLETED)  # whoever held the first two is gone with them
    run = Run.resume(tmp_path / "r")
    assert [attempt.folder for attempt in run.planned("a").attempts] == ["a", "a+2", "a+3"]
    assert [attempt.outcome for attempt in run.planned("a").attempts] == [
        Outcome.UNFINISHED, Outcome.UNFINISHED, Outcome.COMPLETED,
    ]  # fmt: skip
    assert [left.id for left in run.left] == ["b"]
    run.close()


def test_of_two_copies_of_a_run_each_episode_stands_where_it_has_come_furthest(tmp_path: Path) -> None:
    async def held(run: Run, *ids: str) -> None:
        for id in ids:
            await run.begin(id)
            await run.end(id, Outcome.COMPLETED)

    here, there = (Run.create(tmp_path / name, planned("a", "b", "c")) for name in ("here", "there"))
    step(lambda: held(here, "a"))
    step(lambda: here.begin("b"))
    step(lambda: held(there, "b"))
    for run in (here, there):
        abandon(run)
    merge_into(tmp_path / "here", tmp_path / "there")
    once = load_run(tmp_path / "here")
    assert [planned.state for planned in once.episodes] == ["done", "done", "planned"]
    merge_into(tmp_path / "here", tmp_path / "there")
    assert load_run(tmp_path / "here") == once
    merge_into(tmp_path / "there", tmp_path / "here")
    assert load_run(tmp_path / "there") == once


def test_a_void_episode_is_held_again_unless_its_scenario_is_at_fault(tmp_path: Path) -> None:
    ends = [
        Outcome.CONNECT_FAILED,
        Outcome.BEHIND_REAL_TIME,
        Outcome.SCENARIO_INVALID,
        Outcome.ENDPOINT_ERROR,
    ]

    async def main() -> None:
        run = Run.create(tmp_path, planned(*(end.value for end in ends)))
        for end in ends:
            await run.begin(end.value)
            await run.end(end.value, end)
        run.close()

    step(main)
    run = Run.resume(tmp_path)
    assert [e.id for e in run.left] == ["connect_failed", "behind_real_time"]
    run.close()


def test_an_episode_file_that_a_power_cut_emptied_is_an_unfinished_attempt(tmp_path: Path) -> None:
    Run.create(tmp_path, planned("a")).close()
    (tmp_path / "a").mkdir()
    (tmp_path / "a/episode.json").write_bytes(b"")
    run = Run.resume(tmp_path)
    (attempt,) = run.planned("a").attempts
    assert attempt.outcome is Outcome.UNFINISHED and "no JSON" in attempt.reason
    run.close()


def test_a_run_of_version_1_is_read(tmp_path: Path) -> None:
    old = {
        "schema_version": 1, "id": "r", "command": [], "started_at_utc": "2026-01-01T00:00:00Z",
        "vivavoce": "0.1.0", "endpoints": ["fake://"],
        "episodes": [{"id": "a", "scenario": "s", "pack": "", "endpoint": "fake://", "repeat": 0, "seed": 0,
                      "state": "done", "outcome": "completed"}],
    }  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps(old))
    (episode,) = load_run(tmp_path).episodes
    assert (episode.left, episode.attempts) == (False, ())


# --- the journal --------------------------------------------------------------------------------

MARKS = [Marked(id=f"e{n}", state="running") for n in range(3)]


@given(st.integers(0, 200), st.binary(max_size=20))
def test_of_a_journal_torn_anywhere_every_whole_line_before_is_read(
    tmp_path_factory: pytest.TempPathFactory, at: int, rubbish: bytes
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder)
    for mark in MARKS:
        journal.append(mark)
    journal.close()
    whole = (folder / "run.jsonl").read_bytes()
    torn = whole[:at]
    (folder / "run.jsonl").write_bytes(torn + b"\0" + rubbish)
    expected = torn.count(b"\n")
    assert list(read_journal(folder)) == [mark.id for mark in MARKS[:expected]]


def test_a_line_that_the_disk_takes_in_part_leaves_no_trace(tmp_path: Path) -> None:
    code = f"""
import resource
from pathlib import Path
from recordings.errors import RecordingError
from recordings.format import Marked
from recordings.journal import Journal
journal = Journal(Path({str(tmp_path)!r}))
journal.append(Marked(id="a", state="running"))
size = journal._path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, resource.RLIM_INFINITY))
try:
    journal.append(Marked(id="b", state="running"))
except RecordingError as error:
    assert error.disk_trouble
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.append(Marked(id="c", state="running"))
"""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "File too large" in done.stdout, done.stderr
    assert list(read_journal(tmp_path)) == ["a", "c"]


# --- the lock -----------------------------------------------------------------------------------


def test_a_second_resume_refuses_and_says_who_holds_the_run(tmp_path: Path) -> None:
    run = Run.create(tmp_path, planned("a"))
    with pytest.raises(RecordingError, match=f"is being held by process {os.getpid()}"):
        Run.resume(tmp_path)
    run.close()
    Run.resume(tmp_path).close()


def test_the_lock_of_a_killed_process_holds_nobody_up(tmp_path: Path) -> None:
    Run.create(tmp_path, planned("a")).close()
    code = (
        "import sys; from pathlib import Path; from recordings.run import Run\n"
        f"run = Run.resume(Path({str(tmp_path)!r})); print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    with pytest.raises(RecordingError, match=f"is being held by process {holder.pid}"):
        Run.resume(tmp_path)
    holder.kill()
    holder.communicate()
    Run.resume(tmp_path).close()


def test_a_folder_without_a_run_gets_no_lock(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="Expected the folder of a run"):
        Run.resume(tmp_path)
    assert not (tmp_path / LOCK).exists()


# --- refusals -----------------------------------------------------------------------------------


def test_an_episode_that_was_not_planned_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        run = Run.create(tmp_path / "r", planned("a"))
        with pytest.raises(RecordingError, match=r"run\.json: plans no episode 'x'"):
            await run.begin("x")

    step(main)


def test_a_folder_that_holds_a_run_is_refused(tmp_path: Path) -> None:
    Run.create(tmp_path, planned("a")).close()
    with pytest.raises(RecordingError, match=r"holds a run already.*viva run --resume"):
        Run.create(tmp_path, planned("b"))
    assert load_run(tmp_path) == planned("a")


def test_a_newer_manifest_says_to_upgrade(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"schema_version": 9}))
    with pytest.raises(
        RecordingError, match=r"has schema version 9\. This vivavoce reads version 2; upgrade it"
    ):
        load_run(tmp_path)


def test_a_disk_that_does_not_take_the_manifest_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match=r"cannot be written \(Not a directory\)"):
        Run.create(tmp_path / "file/r", planned("a"))


def test_a_manifest_that_cannot_be_put_together_at_the_end_says_how_to_go_on(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "r", planned("a"))
    shutil.rmtree(tmp_path / "r")
    with pytest.raises(RecordingError, match=r"Nothing is lost\. Once it can be: viva run --resume .*r$"):
        run.close()
