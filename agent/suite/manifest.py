"""The plan of a run as its manifest, and back: a run goes on with the scenarios it began with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.episode_info import version
from agent.suite.plan import Job
from recordings.errors import RecordingError
from recordings.format import Planned, PlannedScenario, RunInfo
from recordings.run import RUN
from scenarios.load import LoadedScenario, canonical_json
from scenarios.schema import Pack, Scenario
from streams.clock import utc_now
from streams.endpoints.secrets import MASK, redact_url

RUN_CODE = ("python:", "command:")
"""Schemes of endpoints that are programs on this machine."""


def manifest(
    jobs: Sequence[Job],
    out: Path,
    command: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> RunInfo:
    """The plan as it is written to run.json before the first call.

    Args:
        jobs: The plan.
        out: Folder of the run; its name is the run's id.
        command: What the run was started with.
        settings: Options of the command line that a resumed run goes on with; no secrets.
    """
    endpoints = {job.endpoint_number: job.shown for job in jobs}
    scenarios = {job.scenario.sha256: job.scenario for job in jobs}
    return RunInfo(
        id=out.name,
        command=tuple(without_keys(word) for word in command),
        started_at_utc=utc_now().isoformat(timespec="seconds"),
        vivavoce=version(),
        endpoints=tuple(shown for _, shown in sorted(endpoints.items())),
        settings=dict(settings or {}),
        scenarios=tuple(_stored(loaded) for loaded in scenarios.values()),
        episodes=tuple(_planned(job) for job in jobs),
    )


def jobs_of(folder: Path, info: RunInfo, endpoints: Sequence[str] = ()) -> list[Job]:
    """The plan that a manifest holds.

    Args:
        folder: Of the run, for errors.
        info: Its manifest.
        endpoints: Their addresses named again, in the same order: needed where one holds a key.

    Raises:
        RecordingError: It holds no scenarios, or none that are valid; or the endpoints are not its own.
    """
    addresses = _addresses(folder, info, endpoints)
    scenarios = _scenarios(folder, info.scenarios)
    missing = {planned.scenario_sha256 for planned in info.episodes} - scenarios.keys()
    if missing:
        found = "does not hold the scenarios of its plan"
        raise RecordingError(folder / RUN, found, "Start the run anew, into another folder.")
    return [
        Job(
            id=planned.id,
            scenario=scenarios[planned.scenario_sha256],
            endpoint=addresses[planned.endpoint_number - 1],
            repeat=planned.repeat,
            seed=planned.seed,
            endpoint_number=planned.endpoint_number,
            condition=planned.condition,
            user=planned.user,
        )
        for planned in info.episodes
    ]


def without_keys(word: str) -> str:
    """A word of a command line with the keys in it masked."""
    return redact_url(word) if "?" in word or "@" in word else word


def _addresses(folder: Path, info: RunInfo, endpoints: Sequence[str]) -> Sequence[str]:
    if not endpoints:
        for shown in info.endpoints:
            # a folder may come from somebody else: no program of this machine runs because a file says so
            runs_code = shown.startswith(RUN_CODE)
            if MASK in shown or runs_code:
                why = "which runs a program here" if runs_code else "whose key is in no file"
                remedy = "Name all its endpoints again with --endpoint."
                raise RecordingError(folder / RUN, f"calls {shown}, {why}", remedy)
        return info.endpoints
    if tuple(redact_url(address) for address in endpoints) != info.endpoints:
        found = f"calls {', '.join(info.endpoints)}, in this order"
        raise RecordingError(folder / RUN, found, "Name the same endpoints, or none.")
    return endpoints


def _scenarios(folder: Path, stored: Iterable[PlannedScenario]) -> dict[str, LoadedScenario]:
    found: dict[str, LoadedScenario] = {}
    for one in stored:
        try:
            scenario = Scenario.model_validate_json(json.dumps(one.scenario))
            pack = None if one.pack is None else Pack.model_validate(one.pack)
        except ValidationError as error:
            wrong = f"holds a scenario that this vivavoce cannot read ({error.errors()[0]['msg']})"
            remedy = "Resume it with the version that began it."
            raise RecordingError(folder / RUN, wrong, remedy) from error
        found[one.sha256] = LoadedScenario(scenario, pack, Path(one.path), one.sha256)
    return found


def _stored(loaded: LoadedScenario) -> PlannedScenario:
    return PlannedScenario(
        sha256=loaded.sha256,
        path=os.path.abspath(loaded.path),
        pack=None if loaded.pack is None else loaded.pack.model_dump(mode="json"),
        scenario=json.loads(canonical_json(loaded.scenario)),
    )


def _planned(job: Job) -> Planned:
    return Planned(
        id=job.id,
        scenario=job.scenario.scenario.id,
        pack=job.scenario.pack.id if job.scenario.pack else "",
        endpoint=job.shown,
        repeat=job.repeat,
        seed=job.seed,
        endpoint_number=job.endpoint_number,
        scenario_sha256=job.scenario.sha256,
        condition=job.condition,
        user=job.user,
    )
