"""A run: many episodes made by one command, with one manifest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.episode_info import version
from agent.observers import Audience, TurnObserver
from agent.outcome import end_for
from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo, Outcome, Planned, RunInfo
from recordings.run import Run
from scenarios.load import LoadedScenario
from streams.clock import utc_now
from streams.endpoints.protocol import Endpoint
from streams.endpoints.secrets import redact_url

Connect = Callable[[str], Endpoint]
"""Makes an endpoint of its address; not yet open."""


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to be made.

    Attributes:
        endpoint: Its address, as it was named; may hold a key.
    """

    id: str
    scenario: LoadedScenario
    endpoint: str = field(repr=False)
    repeat: int
    seed: int

    @property
    def shown(self) -> str:
        """The address with keys masked: for screens and files."""
        return redact_url(self.endpoint)


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """How a run is held.

    Attributes:
        concurrency: Sessions at the same time.
        max_lateness_s: A 20 ms tick later than this makes its episode void.
        command: What the run was started with, for the manifest.
        observers: Makes the live judges of one call.
        stop: Asked before each call: why no more are held, or "".
        breath_s: Seconds between the end of a call and the next in its place. Servers that hold one call at
            a time free its place only some time after the goodbye, and would turn the next caller away.
    """

    concurrency: int = 1
    max_lateness_s: float = 0.25
    command: tuple[str, ...] = ()
    observers: Callable[[], Sequence[TurnObserver]] = tuple
    stop: Callable[[], str] = str
    breath_s: float = 1.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A job whose episode could not be written to its end.

    Attributes:
        reason: A sentence for people.
    """

    job: Job
    reason: str


@dataclass(frozen=True, slots=True)
class Held:
    """What became of a run: its episodes and its failures, each in the order of the plan.

    Attributes:
        not_held: Calls that were not begun, since the run was stopped; they stay `planned` in run.json.
    """

    episodes: tuple[EpisodeInfo, ...]
    failures: tuple[Failure, ...] = ()
    not_held: tuple[Failure, ...] = ()


class RunStopped(Exception):
    """No more calls are held; says why."""


class SameName(ValueError):
    """Two scenarios of one run have the same id, and so would write the same episode."""


def plan(
    scenarios: Sequence[LoadedScenario], endpoints: Sequence[str], repeats: int | None = None
) -> list[Job]:
    """Every scenario with every endpoint, `repeats` times (the scenario's own number by default).

    The seed depends on scenario and repeat alone: every endpoint is called by the same user. A scenario
    that is named twice is called once; an endpoint that is named twice is called twice.

    Raises:
        SameName: Two scenarios cannot be told apart.
    """
    distinct = list({loaded.sha256: loaded for loaded in scenarios}.values())
    names = _names(distinct)
    jobs: list[Job] = []
    for loaded, name in zip(distinct, names, strict=True):
        repeat_limit = repeats or loaded.scenario.repeats
        for repeat in range(repeat_limit):
            for number, endpoint in enumerate(endpoints, start=1):
                parts = [name]
                if len(endpoints) > 1:
                    parts.append(f"e{number}-{_slug(endpoint)}")
                if repeat_limit > 1:
                    parts.append(f"r{repeat + 1}")
                seed = loaded.scenario.seed + repeat
                jobs.append(Job("--".join(parts), loaded, endpoint, repeat, seed))
    return jobs


def _names(scenarios: Sequence[LoadedScenario]) -> list[str]:
    """What each scenario's episodes are called: its id, after its pack's where ids are not unique."""
    ids = [loaded.scenario.id for loaded in scenarios]
    names = [
        f"{loaded.pack.id}--{id}" if loaded.pack and ids.count(id) > 1 else id
        for loaded, id in zip(scenarios, ids, strict=True)
    ]
    for name in names:
        if names.count(name) > 1:
            files = ", ".join(str(s.path) for s, n in zip(scenarios, names, strict=True) if n == name)
            raise SameName(f"{files}: these scenarios have the same id, {name!r}. Rename one of them.")
    return names


def _slug(endpoint: str) -> str:
    """A short name for an endpoint that is safe as a folder's name."""
    return re.sub(r"[^a-z0-9]+", "-", redact_url(endpoint).split("?")[0].lower()).strip("-")[:40]


async def run_suite(
    jobs: Sequence[Job],
    connect: Connect,
    engines: Engines,
    out: Path,
    settings: SuiteSettings,
    audience: Callable[[Job], Audience],
) -> Held:
    """Hold every session of a run. What goes wrong with one of them leaves the others alone.

    Args:
        jobs: The plan; written to run.json before the first call.
        connect: Makes the endpoint of a job.
        engines: The user's voice and ears.
        out: Folder of the run; refused if it holds another run.
        settings: How the run is held.
        audience: Who looks on at a job.

    Raises:
        RecordingError: The folder cannot be used.
        asyncio.CancelledError: The run was cancelled; calls that were under way are complete, and run.json
            says that they were cancelled.
    """
    run = Run.create(out, _manifest(jobs, out, settings))
    places = asyncio.Semaphore(settings.concurrency)

    async def hold(job: Job) -> EpisodeInfo:
        async with places:
            if reason := settings.stop():
                raise RunStopped(reason)
            outcome = Outcome.HARNESS_FAILED
            try:
                await run.mark(job.id, "running")
                plan = _session_plan(job, out, settings)
                endpoint = connect(job.endpoint)
                info = await Session(plan, endpoint, engines, out / job.id, audience(job)).run()
                outcome = info.outcome
                return info
            except asyncio.CancelledError:
                outcome = Outcome.CANCELLED
                raise
            finally:
                await run.mark(job.id, "done", outcome)
                if job is not jobs[-1] and outcome is not Outcome.CANCELLED:
                    await asyncio.sleep(settings.breath_s)

    results = await asyncio.gather(*(hold(job) for job in jobs), return_exceptions=True)
    return Held(
        episodes=tuple(result for result in results if isinstance(result, EpisodeInfo)),
        failures=tuple(
            Failure(job, end_for(result).reason)
            for job, result in zip(jobs, results, strict=True)
            if isinstance(result, BaseException) and not isinstance(result, RunStopped)
        ),
        not_held=tuple(
            Failure(job, str(result))
            for job, result in zip(jobs, results, strict=True)
            if isinstance(result, RunStopped)
        ),
    )


def _session_plan(job: Job, out: Path, settings: SuiteSettings) -> SessionPlan:
    return SessionPlan(
        id=job.id,
        scenario=job.scenario,
        run=out.name,
        seed=job.seed,
        repeat=job.repeat,
        max_lateness_s=settings.max_lateness_s,
        observers=settings.observers(),
    )


def _manifest(jobs: Sequence[Job], out: Path, settings: SuiteSettings) -> RunInfo:
    return RunInfo(
        id=out.name,
        command=tuple(_without_keys(word) for word in settings.command),
        started_at_utc=utc_now().isoformat(timespec="seconds"),
        vivavoce=version(),
        endpoints=tuple(dict.fromkeys(job.shown for job in jobs)),
        episodes=tuple(
            Planned(
                id=job.id,
                scenario=job.scenario.scenario.id,
                pack=job.scenario.pack.id if job.scenario.pack else "",
                endpoint=job.shown,
                repeat=job.repeat,
                seed=job.seed,
            )
            for job in jobs
        ),
    )


def _without_keys(word: str) -> str:
    return redact_url(word) if "?" in word or "@" in word else word
