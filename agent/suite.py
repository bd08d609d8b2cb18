"""A run: many episodes made by one command, with one manifest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.episode_info import version
from agent.observers import Audience, TurnObserver
from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo, Planned, RunInfo
from recordings.run import Run
from scenarios.load import LoadedScenario
from streams.clock import utc_now
from streams.endpoints.protocol import Endpoint

Connect = Callable[[str], Endpoint]
"""Makes an endpoint of its address; not yet open."""


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to be made."""

    id: str
    scenario: LoadedScenario
    endpoint: str
    repeat: int
    seed: int


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """How a run is held.

    Attributes:
        concurrency: Sessions at the same time.
        max_lateness_s: A 20 ms tick later than this makes its episode void.
        command: What the run was started with, for the manifest.
    """

    concurrency: int = 1
    max_lateness_s: float = 0.25
    command: tuple[str, ...] = ()
    observers: Sequence[TurnObserver] = field(default=())


def plan(
    scenarios: Sequence[LoadedScenario], endpoints: Sequence[str], repeats: int | None = None
) -> list[Job]:
    """Every scenario with every endpoint, `repeats` times (the scenario's own number by default).

    The seed depends on scenario and repeat alone: every endpoint is called by the same user.
    """
    jobs: list[Job] = []
    for repeat_limit, loaded in ((repeats or s.scenario.repeats, s) for s in scenarios):
        for repeat in range(repeat_limit):
            for endpoint in endpoints:
                parts = [loaded.scenario.id]
                if len(endpoints) > 1:
                    parts.append(_slug(endpoint, endpoints))
                if repeat_limit > 1:
                    parts.append(f"r{repeat + 1}")
                seed = loaded.scenario.seed + repeat
                jobs.append(Job("--".join(parts), loaded, endpoint, repeat, seed))
    return jobs


def _slug(endpoint: str, endpoints: Sequence[str]) -> str:
    """A short name for an endpoint that is safe as a folder's name and unique in the run."""
    words = re.sub(r"[^a-z0-9]+", "-", endpoint.split("?")[0].lower()).strip("-")
    return f"e{endpoints.index(endpoint) + 1}-{words[:40]}"


async def run_suite(
    jobs: Sequence[Job],
    connect: Connect,
    engines: Engines,
    out: Path,
    settings: SuiteSettings,
    audience: Callable[[Job], Audience],
) -> list[EpisodeInfo]:
    """Hold every session of a run.

    Args:
        jobs: The plan; written to run.json before the first call.
        connect: Makes the endpoint of a job.
        engines: The user's voice and ears.
        out: Folder of the run; refused if it holds another run.
        settings: How the run is held.
        audience: Who looks on at a job.

    Returns:
        The episodes in the order of the plan.

    Raises:
        RecordingError: The folder or an episode could not be written.
    """
    run = Run.create(out, _manifest(jobs, out, settings))
    places = asyncio.Semaphore(settings.concurrency)

    async def hold(job: Job) -> EpisodeInfo:
        async with places:
            await run.mark(job.id, "running")
            session = Session(
                SessionPlan(
                    id=job.id,
                    scenario=job.scenario,
                    run=out.name,
                    seed=job.seed,
                    repeat=job.repeat,
                    max_lateness_s=settings.max_lateness_s,
                    observers=settings.observers,
                ),
                connect(job.endpoint),
                engines,
                out / job.id,
                audience(job),
            )
            info = await session.run()
            await run.mark(job.id, "done", info.outcome)
            return info

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(hold(job), name=job.id) for job in jobs]
    return [task.result() for task in tasks]


def _manifest(jobs: Sequence[Job], out: Path, settings: SuiteSettings) -> RunInfo:
    return RunInfo(
        id=out.name,
        command=settings.command,
        started_at_utc=utc_now().isoformat(timespec="seconds"),
        vivavoce=version(),
        endpoints=tuple(dict.fromkeys(job.endpoint for job in jobs)),
        episodes=tuple(
            Planned(
                id=job.id,
                scenario=job.scenario.scenario.id,
                pack=job.scenario.pack.id if job.scenario.pack else "",
                endpoint=job.endpoint,
                repeat=job.repeat,
                seed=job.seed,
            )
            for job in jobs
        ),
    )
