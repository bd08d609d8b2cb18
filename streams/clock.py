"""The event loop is the clock.

Code asks `now()` and waits with asyncio. Simulated time is another event loop, whose time jumps to
the next timer when every task waits: an hour of call takes seconds, and every run is the same. This
is the only file that may read a clock.
"""

from __future__ import annotations

import asyncio
import datetime
import gc
import heapq
import itertools
import select
import selectors
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from contextvars import Context
from typing import Any, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_IO_GRACE_S = 0.05
"""Real seconds the simulated loop waits for sockets before it calls a standstill a deadlock."""

_PIPE_EVERY = 32
"""Turns of the simulated loop between looks at its wake-up pipe, where signals arrive."""

_COLLECTIONS = (2000, 20, 10)
"""Thresholds of the garbage collector on the wall clock. By default it goes through all objects of a
process every few seconds while calls begin. A call has some 500 of them, and leaves 400 that only it finds.
"""


class SimulatedDeadlock(RuntimeError):
    """Simulated time can't go on: all tasks wait, and no timer, thread or socket will wake one."""


def now() -> float:
    """Seconds on the running loop's clock: monotonic, real or simulated."""
    return asyncio.get_running_loop().time()


def reader() -> Callable[[], float]:
    """Reads the running loop's clock, from any thread: as `now`, for callbacks of a sound card."""
    return asyncio.get_running_loop().time


def simulated() -> bool:
    """True inside a simulated run."""
    return isinstance(asyncio.get_running_loop(), SimulatedLoop)


def utc_now() -> datetime.datetime:
    """Calendar time, for labels only; durations never come from it."""
    return datetime.datetime.now(datetime.UTC)


async def sleep_until(deadline: float) -> None:
    """Wait for an absolute time of the loop's clock; if it has passed, only let others run."""
    loop = asyncio.get_running_loop()
    if deadline <= loop.time():
        await asyncio.sleep(0)
        return
    waiter = loop.create_future()
    timer = loop.call_at(deadline, _wake, waiter)
    try:
        await waiter
    finally:
        timer.cancel()


async def sleep_exactly(deadline: float, *, watch_s: float = 0.003) -> None:
    """As `sleep_until`, but the last moments are spent watching the clock, letting other tasks run.

    A process that sleeps is woken late: by some tenths of a millisecond as a rule, by more now and then.

    Args:
        deadline: Seconds on the loop's clock.
        watch_s: How long to watch: processor time against lateness.
    """
    if simulated():
        await sleep_until(deadline)
        return
    await sleep_until(deadline - watch_s)
    while now() < deadline:  # noqa: ASYNC110 (nothing tells when it is time but the clock)
        await asyncio.sleep(0)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def run(main: Coroutine[Any, Any, T], *, simulate: bool = False) -> T:
    """Run a coroutine to its end, on the wall clock or in simulated time.

    On the wall clock timers are exact to the microsecond, threads hand over the interpreter every 0.5 ms
    instead of every 5 ms, and the garbage collector leaves long-lived objects alone (`_COLLECTIONS`): all
    of it keeps the 20 ms tick on time while models run.
    """
    if simulate:
        with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
            runner.get_loop().set_exception_handler(_told)
            return runner.run(main)
    interval, collections = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(0.0005)
    gc.freeze()
    gc.set_threshold(*_COLLECTIONS)
    try:
        with asyncio.Runner(loop_factory=_wall_clock_loop) as runner:
            runner.get_loop().set_exception_handler(_told)
            return runner.run(main)
    finally:
        gc.set_threshold(*collections)
        gc.unfreeze()
        sys.setswitchinterval(interval)


def _told(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A second Ctrl+C hits some task in the middle; that the command was interrupted is said as it is."""
    if not isinstance(context.get("exception"), KeyboardInterrupt):
        loop.default_exception_handler(context)


def _wall_clock_loop() -> asyncio.AbstractEventLoop:
    if not hasattr(selectors, "EpollSelector"):
        return asyncio.new_event_loop()
    return asyncio.SelectorEventLoop(_PunctualSelector())


if hasattr(selectors, "EpollSelector"):

    class _PunctualSelector(selectors.EpollSelector):
        """Waits to the microsecond: epoll alone rounds waits up to a millisecond, and ticks come late."""

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            if timeout is not None and timeout > 0:
                if not select.select([self.fileno()], [], [], timeout)[0]:
                    return []
                timeout = 0
            return super().select(timeout)


class _OrderedTimer(asyncio.TimerHandle):
    """A timer that keeps the order of scheduling among timers of the same instant."""

    __slots__ = ("order",)

    _when: float
    _scheduled: bool
    order: int

    def __lt__(self, other: object) -> bool:
        assert isinstance(other, _OrderedTimer)
        return (self._when, self.order) < (other._when, other.order)


class _JumpingSelector(selectors.DefaultSelector):
    """Polls sockets without waiting; instead of waiting it moves the loop's time."""

    loop: SimulatedLoop
    _looks = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.loop.threads_at_work:
            return super().select(timeout if timeout == 0 else None)
        ready = self._poll()
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if timeout is None:
            ready = super().select(_IO_GRACE_S)
            if not ready:
                raise SimulatedDeadlock(
                    f"simulated time stands still at {self.loop.time():.3f} s: every task waits, and"
                    " no timer, thread or socket will wake one. A remote endpoint needs the wall clock"
                )
            return ready
        self.loop.jump()
        return ready

    def _poll(self) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready now; without sockets there is only the wake-up pipe, looked at now and then."""
        self._looks += 1
        if len(self.get_map()) > 1 or self._looks % _PIPE_EVERY == 0:
            return super().select(0)
        return []


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time moves only when all tasks wait.

    Four rules make runs repeatable: timers of one instant fire in the order of scheduling; time
    stands still while a thread works; sockets that are ready come before time moves; and a
    standstill raises `SimulatedDeadlock` instead of hanging.
    """

    _scheduled: list[asyncio.TimerHandle]

    def __init__(self) -> None:
        selector = _JumpingSelector()
        selector.loop = self
        self._now = 0.0
        self._order = itertools.count()
        self.threads_at_work = 0
        super().__init__(selector)

    def time(self) -> float:
        """Simulated seconds since the loop was made."""
        return self._now

    def jump(self) -> None:
        """Move time to the next timer."""
        self._now = max(self._now, self._scheduled[0].when())

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Schedule a callback at an absolute time."""
        timer = _OrderedTimer(when, callback, args, self, context)
        timer.order = next(self._order)
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True
        return timer

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[*Ts], T],
        *args: *Ts,
    ) -> asyncio.Future[T]:
        """Run in a thread or process; time stands still until it is done."""
        future = super().run_in_executor(executor, func, *args)
        self.threads_at_work += 1
        future.add_done_callback(self._thread_done)
        return future

    def _thread_done(self, _: asyncio.Future[Any]) -> None:
        self.threads_at_work -= 1

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 (as its base)
        """Wait for threads whose result nobody awaited; time stands still, so `timeout` can't pass."""
        self.threads_at_work += 1
        try:
            await super().shutdown_default_executor()
        finally:
            self.threads_at_work -= 1
