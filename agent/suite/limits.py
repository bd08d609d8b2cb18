"""When which call may begin: sessions at a time, starts per minute, calls that are tried again. Pure.

What is kept back is always the *start* of a call, never one that goes on.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.suite.plan import Job

FIRST_WAIT_S = 5.0
"""Before a call is tried again for the first time; the wait doubles each time."""

LONGEST_WAIT_S = 300.0
"""At most so long it waits, unless the endpoint asks for more; no other call waits longer for its sake."""

REFUSALS = 8
"""So often in a row an endpoint may take no calls (within ten minutes, if it does not say how long). After
that it is called no more, and its calls are left for another day."""

TRIES_IF_LOST = 3
"""A call whose process died is held again so often: one that kills what holds it must come to an end."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How many calls, and how fast.

    Attributes:
        concurrency: Sessions at the same time.
        per_endpoint: Sessions with one endpoint at the same time; None is no limit of its own.
        starts_per_minute: Calls that begin with one endpoint in a minute, evenly; None is no limit.
        breath_s: Seconds between the end of a call and the next in its place at the same endpoint. Servers
            that hold one call at a time free its place only some time after the goodbye, and would turn the
            next caller away.
        retries: How often a call that was void through no fault of the endpoint is held again.
    """

    concurrency: int = 1
    per_endpoint: int | None = None
    starts_per_minute: float | None = None
    breath_s: float = 1.0
    retries: int = 0


@dataclass(slots=True)
class _Place:
    """One endpoint: what waits for it, and what it is busy with."""

    waiting: list[tuple[int, Job]] = field(default_factory=list)  # a heap, by place in the plan
    later: list[tuple[float, int, Job]] = field(default_factory=list)  # a heap, by time
    running: int = 0
    breathing: list[float] = field(default_factory=list)  # until when, in rising order
    next_start: float = 0.0
    refusals: int = 0  # one after the other

    @property
    def given_up(self) -> bool:
        return self.refusals >= REFUSALS

    @property
    def left(self) -> bool:
        return bool(self.waiting or self.later) and not self.given_up


class Schedule:
    """Gives out the calls of a plan, in its order as far as the limits allow.

    Times are seconds on any clock that never goes back.

    Args:
        jobs: The plan.
        limits: What is kept.
    """

    def __init__(self, jobs: Iterable[Job], limits: RunLimits) -> None:
        self._limits = limits
        self._places: dict[int, _Place] = {}
        self._order: dict[str, int] = {}
        self._tries: dict[str, int] = {}
        self._running = 0
        for number, job in enumerate(jobs):
            self._order[job.id] = number
            place = self._places.setdefault(job.endpoint_number, _Place())
            heapq.heappush(place.waiting, (number, job))

    @property
    def empty(self) -> bool:
        """True if nothing is left to begin."""
        return not any(place.left for place in self._places.values())

    @property
    def waiting(self) -> list[Job]:
        """What has not begun, or is to be tried again, in the order of the plan."""
        left = [entry for place in self._places.values() for entry in place.waiting]
        left += [(number, job) for place in self._places.values() for _, number, job in place.later]
        return [job for _, job in sorted(left, key=lambda entry: entry[0])]

    def take(self, now: float) -> Job | None:
        """The next call that may begin now, which is then under way; None if none may."""
        if self._running >= self._limits.concurrency:
            return None
        ready = [place for place in self._places.values() if self._ready_at(place, now) <= now]
        if not ready:
            return None
        place = min(ready, key=lambda place: place.waiting[0][0])
        _, job = heapq.heappop(place.waiting)
        place.running += 1
        self._running += 1
        if self._limits.starts_per_minute is not None:
            place.next_start = now + 60 / self._limits.starts_per_minute
        return job

    def next_time(self, now: float) -> float | None:
        """When a call may begin without another one ending first; None if that is what is waited for."""
        if self._running >= self._limits.concurrency:
            return None
        times = [self._ready_at(place, now) for place in self._places.values()]
        soonest: float = min(times, default=float("inf"))
        return None if soonest == float("inf") else soonest

    def ended(self, job: Job, now: float) -> None:
        """A call is over."""
        place = self._places[job.endpoint_number]
        place.running -= 1
        self._running -= 1
        if self._limits.breath_s:
            place.breathing.append(now + self._limits.breath_s)

    def answered(self, job: Job) -> None:
        """The endpoint has taken a call."""
        self._places[job.endpoint_number].refusals = 0

    def refused(self, job: Job, now: float, wait_s: float | None = None) -> float:
        """The endpoint takes no calls now: none begins with it for a while, lest all be refused in a row.

        Args:
            job: The call that it has refused.
            now: The time.
            wait_s: What the endpoint asks for, if it asks; else the wait doubles with each refusal.

        Returns:
            Seconds until its next call; 0 if there is none, since it has refused `REFUSALS` times in a row.
        """
        place = self._places[job.endpoint_number]
        own = FIRST_WAIT_S * 2**place.refusals
        if now >= place.next_start:  # else it is one of several that were refused together
            place.refusals += 1
            place.next_start = now + min(own if wait_s is None else wait_s, LONGEST_WAIT_S)
        elif wait_s is not None:
            place.next_start = max(place.next_start, now + min(wait_s, LONGEST_WAIT_S))
        return 0.0 if place.given_up else place.next_start - now

    def again(
        self, job: Job, now: float, wait_s: float | None = None, *, lost: bool = False
    ) -> float | None:
        """Hold a call again that has ended, unless it has used up its tries.

        Args:
            job: The call.
            now: The time.
            wait_s: What the endpoint asks for, if it asks.
            lost: What held it is gone: it is held again at once, whatever the retries of the run.

        Returns:
            Seconds until then, or None if it is not held again.
        """
        tries = self._tries.get(job.id, 0)
        if tries >= (max(self._limits.retries, TRIES_IF_LOST) if lost else self._limits.retries):
            return None
        self._tries[job.id] = tries + 1
        own: float = 0.0 if lost else min(FIRST_WAIT_S * 2**tries, LONGEST_WAIT_S)
        wait = own if wait_s is None else max(own, wait_s)
        heapq.heappush(self._places[job.endpoint_number].later, (now + wait, self._order[job.id], job))
        return wait

    def _ready_at(self, place: _Place, now: float) -> float:
        """When this endpoint may get its next call, if no call ends before; infinity if it may not."""
        while place.later and place.later[0][0] <= now:
            _, number, job = heapq.heappop(place.later)
            heapq.heappush(place.waiting, (number, job))
        if not place.left:
            return float("inf")
        comes = now if place.waiting else place.later[0][0]
        return max(comes, place.next_start, self._free_at(place, now))

    def _free_at(self, place: _Place, now: float) -> float:
        """When a place at this endpoint is free; infinity if a call must end first."""
        place.breathing = [until for until in place.breathing if until > now]
        places = min(self._limits.concurrency, self._limits.per_endpoint or self._limits.concurrency)
        too_many = place.running + len(place.breathing) - places + 1
        if too_many <= 0:
            return now
        return place.breathing[too_many - 1] if too_many <= len(place.breathing) else float("inf")
