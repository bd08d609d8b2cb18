"""Recordings of a run at a URL that does not take them, or takes them later."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from agent.suite.hold import Order
from agent.suite.holder import Here
from agent.suite.kept import Kept
from agent.suite.manifest import manifest
from agent.suite.plan import plan
from recordings.errors import RecordingError
from recordings.format import Outcome
from recordings.run import Run
from recordings.store import Store
from streams import clock
from tests.agent.test_suite_workers import ENDPOINT, place, question
from tests.recordings.test_store import Failing, contents


def test_a_recording_that_did_not_get_there_is_tried_again_and_no_plan_goes_ahead_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, told = f"memory://{uuid.uuid4()}/run", []
    jobs = plan([question()], [ENDPOINT], 1)

    def failed(folder: Path, error: RecordingError) -> None:
        told.append((folder, str(error)))

    async def main() -> None:
        run = Run.create(tmp_path / "run", manifest(jobs, tmp_path / "run"))
        folder = run.folder / jobs[0].id
        kept = Kept(Here(place()), Store(url, waits_s=()), failed)
        Failing(monkeypatch, 1)
        result = await kept.hold(Order(jobs[0], "run", folder))
        assert result.outcome is Outcome.COMPLETED  # what became of it is what became of it
        ((of, why),) = told
        assert (of, "the service is down" in why) == (folder, True)
        assert not Store(url).get_episode(tmp_path / "early" / folder.name)
        assert not Store(url).holds_run
        for _ in range(2):  # the second has nothing to do
            await kept.catch_up()
        assert len(told) == 1
        assert Store(url).get_episode(tmp_path / "back" / folder.name)
        assert contents(tmp_path / "back" / folder.name) == contents(folder)
        assert Store(url).holds_run
        run.close()

    clock.run(main(), simulate=True)
