"""Holds the calls of a run that are left. What goes wrong with one of them leaves the others alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.suite.brake import Brake
from agent.suite.budget import Budget, Spent
from agent.suite.hold import Order, Result, Workplace, broken
from agent.suite.holder import Here, Holder
from agent.suite.limits import REFUSALS, RunLimits, Schedule
from agent.suite.plan import Job
from agent.suite.progress import Progress, Standing
from recordings.errors import RecordingError
from recordings.format import Outcome
from recordings.raw import RawLogging
from recordings.run import Run
from streams.clock import now

SHORTEST_S = 1e-6
"""The least that is waited for. A loop lets a timer ring a nanosecond early: who then waits for the rest of
it in simulated time, in which nothing passes but by waiting, would be woken at once for ever."""


def _not_told(standing: Standing) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """How a run is held.

    Attributes:
        max_lateness_s: A 20 ms tick later than this makes its episode void.
        raw_log: What is kept of the raw traffic.
        budget: Of this sitting.
        stop: Asked before each call: why no more are held, or "".
        also_spent: What others have spent of the same budget, such as judges.
        told: Told how far the run has come, after each call.
        brake: May hold back calls that have not begun.
        ended: Told what became of each call, however it ended.
    """

    limits: RunLimits = field(default_factory=RunLimits)
    max_lateness_s: float = 0.25
    raw_log: RawLogging = RawLogging.OFF
    budget: Budget = field(default_factory=Budget)
    stop: Callable[[], str] = str
    also_spent: Callable[[], Spent] = Spent
    told: Callable[[Standing], None] = _not_told
    brake: Brake = field(default_factory=Brake)
    ended: Callable[[Result], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class NotHeld:
    """A call that was not begun, or not held again, since the run was stopped; it is left for a resume."""

    job: Job
    reason: str


@dataclass(frozen=True, slots=True)
class Held:
    """What became of a sitting, each in the order of the plan.

    Attributes:
        results: The last call of each episode that is settled.
        again: Void calls that were held again.
    """

    results: tuple[Result, ...]
    again: tuple[Result, ...] = ()
    not_held: tuple[NotHeld, ...] = ()
    spent: Spent = field(default_factory=Spent)


async def hold_all(
    run: Run, jobs: Sequence[Job], here: Workplace | Holder, settings: SuiteSettings
) -> Held:
    """Hold every call of a run that is left; `run.close` remains to be called.

    Args:
        run: The run: its manifest knows what is left.
        jobs: Its whole plan.
        here: What calls are held with in this process, or what holds them elsewhere.
        settings: How.

    Raises:
        asyncio.CancelledError: The run was cancelled; calls that were under way are complete, and the
            manifest says that they were cancelled.
    """
    holder = Here(here) if isinstance(here, Workplace) else here
    sitting = _Sitting(run, jobs, holder, settings)
    try:
        await sitting.hold()
    finally:
        await sitting.break_off()
    return sitting.held()


class _Sitting:
    def __init__(self, run: Run, jobs: Sequence[Job], holder: Holder, settings: SuiteSettings) -> None:
        left = {planned.id for planned in run.left}
        self._run = run
        self._run_id = run.info.id
        self._jobs = [job for job in jobs if job.id in left]
        self._holder = holder
        self._settings = settings
        self._schedule = Schedule(self._jobs, settings.limits)
        self._progress = Progress(len(jobs), len(jobs) - len(self._jobs), now())
        self._tasks: dict[asyncio.Task[Result], Job] = {}
        self._settled: dict[str, Result] = {}
        self._again: list[Result] = []
        self._spent = Spent()
        self._trouble = ""

    async def hold(self) -> None:
        """Begin calls as the limits allow, until none is left or the run is stopped."""
        while True:
            while self._may_begin() and (job := self._schedule.take(now())) is not None:
                self._holder.began()
                self._tasks[asyncio.create_task(self._call(job), name=job.id)] = job
            if not self._tasks and (self._stopped() or self._schedule.empty):
                return
            for task in await self._wait():
                await self._settle(self._tasks.pop(task), task)

    async def break_off(self) -> None:
        """Cancel what is under way, if anything is, and note how it ended."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for task, job in self._tasks.items():
            if self._run.planned(job.id).state == "running":  # not cancelled before it began
                await self._note(_result(job, task))

    def held(self) -> Held:
        """What became of it all."""
        why = self._stopped() or f"the endpoint has taken no calls {REFUSALS} times in a row"
        return Held(
            results=tuple(self._settled[job.id] for job in self._jobs if job.id in self._settled),
            again=tuple(self._again),
            not_held=tuple(NotHeld(job, why) for job in self._schedule.waiting),
            spent=self._total(),
        )

    async def _call(self, job: Job) -> Result:
        folder: Path = self._run.folder / await self._run.begin(job.id)
        settings = self._settings
        order = Order(job, self._run_id, folder, settings.max_lateness_s, settings.raw_log)
        return await self._holder.hold(order)

    async def _wait(self) -> set[asyncio.Task[Result]]:
        """Until a call ends, another may begin, or somebody uses the brake."""
        until = self._schedule.next_time(now()) if self._is_open() else None
        timeout = None if until is None else max(SHORTEST_S, until - now(), self._holder.holds_back())
        moved = asyncio.create_task(self._settings.brake.moved(), name="brake")
        try:
            either = {*self._tasks, moved}
            done, _ = await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            moved.cancel()
        return {task for task in self._tasks if task in done}

    async def _settle(self, job: Job, task: asyncio.Task[Result]) -> None:
        result = _result(job, task)
        self._schedule.ended(job, now())
        self._spent += Spent(result.duration_s / 60, result.tokens, result.usd)
        lost = result.lost or result.disk_trouble
        if lost and self._holder.disk_failed():
            disk = f"the disk is full or fails ({result.reason})"
            self._trouble = disk if result.disk_trouble else result.reason
        await self._note(result)
        may_pass = (result.may_pass or lost) and not self._trouble
        settled = not may_pass or self._schedule.again(job, now(), result.wait_s, lost=lost) is None
        if settled:
            self._settled[job.id] = result
        else:
            self._again.append(result)
        rests = self._rests(result)
        told = self._progress.ended(now(), void=result.outcome.void, settled=settled, rests_s=rests)
        self._settings.told(told)

    def _rests(self, result: Result) -> float:
        """Seconds until the next call with an endpoint that takes none now; 0 if it does."""
        if result.outcome is Outcome.RATE_LIMITED or result.wait_s is not None:
            return self._schedule.refused(result.job, now(), result.wait_s)
        self._schedule.answered(result.job)
        return 0.0

    async def _note(self, result: Result) -> None:
        self._settings.ended(result)
        try:
            await self._run.end(result.job.id, result.outcome, result.reason, result.duration_s)
        except RecordingError as error:  # the episode's folder knows it too
            self._trouble = str(error)

    def _is_open(self) -> bool:
        return not self._stopped() and not self._settings.brake.on

    def _may_begin(self) -> bool:
        return self._is_open() and self._holder.holds_back() <= 0

    def _stopped(self) -> str:
        stop = self._settings.stop() or self._settings.brake.reason
        return self._trouble or stop or self._settings.budget.exhausted(self._total())

    def _total(self) -> Spent:
        return self._spent + self._settings.also_spent()


def _result(job: Job, task: asyncio.Task[Result]) -> Result:
    """What became of a call, also of one that did not get so far as to say so itself."""
    if task.cancelled():
        return Result(job, job.id, Outcome.CANCELLED, "the run was interrupted")
    failure = task.exception()
    if failure is None:
        return task.result()
    return broken(job, failure)
