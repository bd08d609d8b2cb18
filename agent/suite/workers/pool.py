"""Starts worker processes, gives out the calls of a run among them, and serves what they ask for."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any, Protocol

from agent.observers import Audience, TurnObserver
from agent.suite.hold import HolderLost, HolderUnfit, Order, Result, Workplace
from agent.suite.pressure import Pressure
from agent.suite.workers.local import ProcessWorker
from agent.suite.workers.messages import (
    Answer,
    Ask,
    Begin,
    Cancel,
    Ended,
    Forget,
    Heard,
    Late,
    Message,
    Ready,
    Setup,
    Shown,
    Steer,
)
from agent.suite.workers.pipe import Lost, Receive
from agent.suite.workers.services import serve, steer
from streams.clock import now

READY_S = 120.0
"""A worker that is not ready by then never will be."""


LOOK_S = 0.1
"""While no worker is free, so often it is looked whether one is."""


class WorkersFailed(HolderUnfit):
    """No worker process can be started."""


class WorkerHandle(Protocol):
    """A worker, wherever it is."""

    @property
    def pid(self) -> int:
        """Id of its process on its machine."""

    def send(self, message: Message) -> None:
        """Tell it something; returns at once."""

    def how_it_died(self) -> str:
        """A sentence; blocks for a moment at most."""

    def close(self) -> None:
        """Let it go, and wait until it has ended; blocks."""


Start = Callable[[Setup, int, Receive, Lost], WorkerHandle]
"""Starts a worker: what it is made of, its number, who takes its messages and is told of its end."""


@dataclass(slots=True)
class _Held:
    """One call that a worker holds.

    Attributes:
        context: In which whoever looks on at it has left what belongs to it.
    """

    order: Order
    audience: Audience
    judges: list[TurnObserver]
    done: asyncio.Future[Result]
    context: Context = field(default_factory=copy_context)


@dataclass(slots=True, eq=False)
class _Worker:
    ready: asyncio.Future[None]
    handle: WorkerHandle = field(init=False)
    calls: dict[int, _Held] = field(default_factory=dict)
    asked: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    pressure: Pressure = field(default_factory=Pressure)
    gone: bool = False
    disk_failed: bool = False


class WorkerPool:
    """A `Holder` whose calls go on in `count` other processes. Made on the loop of the run.

    A worker that dies takes its calls with it: they are held again, and another worker takes its place. One
    whose recordings fail gets no more calls, as long as others have a disk that works.

    Args:
        place: The models, judges and onlookers of the calls, which stay in this process.
        setup: What a worker makes of its own.
        count: Workers.
        start: Starts one.
    """

    def __init__(self, place: Workplace, setup: Setup, count: int, start: Start = ProcessWorker) -> None:
        self._start = start
        self._place = place
        self._setup = setup
        self._count = count
        self._workers: list[_Worker] = []
        self._numbers = itertools.count()
        self._closing = False
        self._ramp = Pressure()

    async def start(self) -> None:
        """Start the workers and wait until they have loaded what is theirs.

        Raises:
            WorkersFailed: They end at once, or are never ready.
        """
        self._loop = asyncio.get_running_loop()
        self._workers = [self._started() for _ in range(self._count)]
        try:
            async with asyncio.timeout(READY_S):
                await asyncio.gather(*(worker.ready for worker in self._workers))
        except TimeoutError:
            raise WorkersFailed(
                f"worker processes were not ready within {READY_S:g} s. Start fewer: --workers N"
            ) from None

    @property
    def processes(self) -> list[int]:
        """Ids of the worker processes that are alive."""
        return [worker.handle.pid for worker in self._workers if not worker.gone]

    # --- a Holder

    async def hold(self, order: Order) -> Result:
        """Hold one call in the worker that has the least to do, of those that are not late.

        Raises:
            HolderLost: The worker died.
        """
        able = self._able()
        if not able:
            raise HolderLost("no worker process is left")
        worker = min(able, key=lambda each: (not each.ready.done(), _wait(each) > 0, len(each.calls)))
        worker.pressure.began(now())
        number = next(self._numbers)
        held = _Held(
            order,
            self._place.audience(order.job),
            list(self._place.observers()),
            self._loop.create_future(),
        )
        worker.calls[number] = held
        self._steerable(worker, number, held)
        worker.handle.send(Begin(number, order, tuple(judge.name for judge in held.judges)))
        try:
            result = await asyncio.shield(held.done)
            worker.disk_failed = worker.disk_failed or result.disk_trouble
            return result
        except asyncio.CancelledError:
            if not held.done.done():
                worker.handle.send(Cancel(number))
                await asyncio.wait([held.done])
            raise
        finally:
            del worker.calls[number]

    def holds_back(self) -> float:
        """Seconds until the first worker can take another call."""
        able = [worker for worker in self._able() if worker.ready.done()]
        if self._setup.simulated:
            return 0.0 if any(not worker.calls for worker in able) else LOOK_S
        return max(self._ramp.wait(now()), min(map(_wait, able), default=LOOK_S))

    def began(self) -> None:
        """A call is about to begin."""
        self._ramp.began(now())

    def disk_failed(self) -> bool:
        """A worker that could not record, or died, gets no more calls; returns True if none is left."""
        return not self._able()

    async def close(self) -> None:
        """Let the workers go; what they still hold is broken off."""
        self._closing = True
        for task in [task for worker in self._workers for task in worker.asked.values()]:
            task.cancel()
        await asyncio.gather(*(asyncio.to_thread(worker.handle.close) for worker in self._workers))

    # --- workers

    def _able(self) -> list[_Worker]:
        return [worker for worker in self._workers if not (worker.gone or worker.disk_failed)]

    def _started(self) -> _Worker:
        worker = _Worker(self._loop.create_future())

        def receive(message: Any) -> None:
            self._loop.call_soon_threadsafe(self._take, worker, message)

        def lost() -> None:
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._lost, worker)

        worker.handle = self._start(self._setup, next(self._numbers), receive, lost)
        worker.ready.add_done_callback(_seen)
        return worker

    def _lost(self, worker: _Worker) -> None:
        """A worker has died, or was let go."""
        if worker.gone:
            return
        worker.gone = True
        for task in list(worker.asked.values()):
            task.cancel()
        if self._closing:
            return
        found = worker.handle.how_it_died()
        if not worker.ready.done():
            worker.ready.set_exception(WorkersFailed(found))
            return
        for held in list(worker.calls.values()):
            if not held.done.done():
                held.done.set_exception(HolderLost(found))
        self._workers.remove(worker)
        with suppress(HolderUnfit):  # its cluster is gone: the others do what is left, if there are any
            self._workers.append(self._started())

    # --- what they say

    def _take(self, worker: _Worker, message: Any) -> None:
        match message:
            case Shown(what=what):
                for number, method, seen in what:
                    if (held := worker.calls.get(number)) is not None:
                        getattr(held.audience, method)(seen)
            case Heard(number=number, what=heard) if number in worker.calls:
                worker.calls[number].context.copy().run(self._place.transcribed, heard)
            case Ask():
                held = worker.calls.get(-1 if message.call is None else message.call)
                context = None if held is None else held.context.copy()
                task = asyncio.create_task(self._answer(worker, message), context=context)
                worker.asked[message.number] = task
                task.add_done_callback(lambda _: worker.asked.pop(message.number, None))
            case Forget(number=number) if number in worker.asked:
                worker.asked[number].cancel()
            case Late(milliseconds=milliseconds):
                worker.pressure.note(now(), milliseconds)
            case Ended():
                self._ended(worker, message)
            case Ready():
                worker.ready.set_result(None)

    def _ended(self, worker: _Worker, ended: Ended) -> None:
        held = worker.calls.get(ended.number)
        if held is None or held.done.done():
            return
        if ended.result is None:
            held.done.cancel()
        else:
            held.done.set_result(ended.result)

    async def _answer(self, worker: _Worker, ask: Ask) -> None:
        held = {number: held.judges for number, held in worker.calls.items()}
        value, failure = await serve(ask.service, ask.arguments, self._place.engines, held)
        worker.handle.send(Answer(ask.number, value, failure))

    def _steerable(self, worker: _Worker, number: int, held: _Held) -> None:
        """Let whoever may steer this call do so, although it goes on elsewhere."""
        control = self._place.control(held.order.job)
        if control is not None:
            steer(control, held.done, lambda what, text: worker.handle.send(Steer(number, what, text)))


def _wait(worker: _Worker) -> float:
    """Seconds until a worker can take another call; one that holds none takes it at once."""
    return worker.pressure.wait(now()) if worker.calls else 0.0


def _seen(ready: asyncio.Future[None]) -> None:
    """A worker that takes the place of another is not waited for: that it failed is no news to anybody."""
    if not ready.cancelled():
        ready.exception()
