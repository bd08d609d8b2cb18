from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from recordings.errors import RecordingError
from recordings.format import Outcome, Planned, RunInfo
from recordings.run import Run, load_run
from streams import clock


def planned(*ids: str) -> RunInfo:
    episodes = tuple(
        Planned(id=i, scenario="s", pack="p", endpoint="reference://", repeat=0, seed=1) for i in ids
    )
    return RunInfo(
        id="r", command=("viva", "run"), started_at_utc="2026-01-01T00:00:00Z", episodes=episodes
    )


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    Run.create(tmp_path / "r", planned("a", "b"))
    assert load_run(tmp_path / "r") == planned("a", "b")


def test_each_step_of_an_episode_is_on_the_disk(tmp_path: Path) -> None:
    async def main() -> None:
        run = Run.create(tmp_path / "r", planned("a", "b"))
        await run.mark("a", "running")
        assert [e.state for e in load_run(tmp_path / "r").episodes] == ["running", "planned"]
        await asyncio.gather(run.mark("a", "done", Outcome.COMPLETED), run.mark("b", "running"))

    clock.run(main(), simulate=True)
    episodes = load_run(tmp_path / "r").episodes
    assert [(e.state, e.outcome) for e in episodes] == [("done", Outcome.COMPLETED), ("running", None)]


def test_a_run_that_was_broken_off_is_taken_up_where_it_stood(tmp_path: Path) -> None:
    async def main() -> None:
        run = Run.create(tmp_path / "r", planned("a", "b", "c"))
        await run.mark("a", "done", Outcome.MAX_TURNS)
        await run.mark("b", "running")

    clock.run(main(), simulate=True)
    assert [(e.id, e.state) for e in Run.resume(tmp_path / "r").left] == [
        ("b", "planned"),
        ("c", "planned"),
    ]


def test_an_episode_that_was_not_planned_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        run = Run.create(tmp_path / "r", planned("a"))
        with pytest.raises(RecordingError, match=r"run\.json: plans no episode 'x'"):
            await run.mark("x", "running")

    clock.run(main(), simulate=True)


def test_a_folder_that_holds_a_run_is_refused(tmp_path: Path) -> None:
    Run.create(tmp_path, planned("a"))
    with pytest.raises(RecordingError, match="holds a run already"):
        Run.create(tmp_path, planned("b"))
    assert load_run(tmp_path) == planned("a")


def test_a_newer_manifest_says_to_upgrade(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"schema_version": 9}))
    with pytest.raises(
        RecordingError, match=r"has schema version 9\. This vivavoce reads version 1; upgrade it"
    ):
        load_run(tmp_path)


def test_a_disk_that_does_not_take_the_manifest_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match=r"cannot be written \(Not a directory\)"):
        Run.create(tmp_path / "file/r", planned("a"))
