"""How long a plan takes and what it costs, before it is held; what is unknown stays unknown.

All of it is pure but `held_before`, which reads the manifests of earlier runs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from agent.suite.budget import Prices
from agent.suite.limits import RunLimits, Schedule
from agent.suite.plan import Job
from recordings.errors import RecordingError
from recordings.run import RUN, load_run


@dataclass(frozen=True, slots=True)
class Share:
    """The part of one endpoint.

    Attributes:
        minutes: Of call, expected; None if no call like these is known.
        at_most_minutes: If every call lasts as long as its scenario allows.
        usd: For the expected minutes; None if those or the price are unknown.
        at_most_usd: For the most; None if the price is unknown.
    """

    endpoint: str
    calls: int
    minutes: float | None
    at_most_minutes: float
    usd: float | None
    at_most_usd: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A plan in hours and money.

    Attributes:
        seconds: Wall-clock time of the whole plan within its limits, expected; None if unknown.
        at_most_seconds: The same if every call lasts as long as its scenario allows.
        known: Calls whose length is expected from earlier ones.
    """

    shares: tuple[Share, ...]
    seconds: float | None
    at_most_seconds: float
    known: int

    def to_json(self) -> dict[str, object]:
        """As `viva run --dry-run --json` tells it."""
        return {
            "calls": sum(share.calls for share in self.shares),
            "expected_s": self.seconds,
            "at_most_s": self.at_most_seconds,
            "calls_of_known_length": self.known,
            "endpoints": [
                {
                    "endpoint": share.endpoint,
                    "calls": share.calls,
                    "minutes": share.minutes,
                    "at_most_minutes": share.at_most_minutes,
                    "usd": share.usd,
                    "at_most_usd": share.at_most_usd,
                }
                for share in self.shares
            ],
        }


def estimate(
    jobs: Sequence[Job], limits: RunLimits, prices: Prices, before: Mapping[str, float]
) -> Estimate:
    """Estimate a plan.

    Args:
        jobs: What is to be held.
        limits: How.
        prices: Of the endpoints.
        before: Seconds that a call took, by hash of its scenario (see `held_before`).
    """
    shares = []
    for number in dict.fromkeys(job.endpoint_number for job in jobs):
        own = [job for job in jobs if job.endpoint_number == number]
        shown = own[0].shown
        lengths = [before.get(job.scenario.sha256) for job in own]
        known = [length for length in lengths if length is not None]
        minutes = sum(known) / 60 if len(known) == len(own) else None
        most = sum(_longest(job) for job in own) / 60
        shares.append(
            Share(
                endpoint=shown,
                calls=len(own),
                minutes=minutes,
                at_most_minutes=most,
                usd=None if minutes is None else prices.of(shown, minutes),
                at_most_usd=prices.of(shown, most),
            )
        )
    known_calls = sum(job.scenario.sha256 in before for job in jobs)
    expected = None
    if known_calls == len(jobs):
        expected = _takes(jobs, limits, lambda job: before[job.scenario.sha256])
    return Estimate(tuple(shares), expected, _takes(jobs, limits, _longest), known_calls)


def held_before(folder: Path) -> dict[str, float]:
    """The median length of a call in seconds, by hash of its scenario, from the runs in a folder."""
    lengths: dict[str, list[float]] = {}
    for manifest in sorted(folder.glob(f"*/{RUN}")) if folder.is_dir() else ():
        try:
            info = load_run(manifest.parent)
        except RecordingError:
            continue  # somebody else's folder, or of a newer version: it tells nothing
        for planned in info.episodes:
            if planned.outcome is not None and not planned.outcome.void and planned.attempts:
                lengths.setdefault(planned.scenario_sha256, []).append(planned.attempts[-1].duration_s)
    return {sha256: median(found) for sha256, found in lengths.items()}


def _longest(job: Job) -> float:
    return job.scenario.scenario.limits.max_duration_s


def _takes(jobs: Sequence[Job], limits: RunLimits, length: Callable[[Job], float]) -> float:
    """Seconds from the first start to the last end: the schedule itself, with calls of these lengths."""
    schedule, now = Schedule(jobs, limits), 0.0
    running: list[tuple[float, int, Job]] = []
    begun = 0
    while running or not schedule.empty:
        while (job := schedule.take(now)) is not None:
            begun += 1
            heapq.heappush(running, (now + length(job), begun, job))
        ends = running[0][0] if running else float("inf")
        starts = schedule.next_time(now)
        if starts is not None and now < starts < ends:
            now = starts
            continue
        now, _, job = heapq.heappop(running)
        schedule.ended(job, now)
    return now
