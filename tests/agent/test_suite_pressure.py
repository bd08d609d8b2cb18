"""When a process gets its next call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.suite.hold import Order, Result
from agent.suite.plan import plan
from agent.suite.pressure import CALM_S, LONGEST_S, RAMP_S, Pressure
from agent.suite.workers.messages import Begin, Cancel, Ended, Late, Message, Ready, Setup
from agent.suite.workers.pipe import Lost, Receive
from agent.suite.workers.pool import WorkerPool
from streams import clock
from tests.agent.test_suite_workers import ENDPOINT, place, question, setup_of


def test_calls_begin_one_after_the_other() -> None:
    pressure = Pressure()
    assert pressure.wait(10.0) == 0
    pressure.began(10.0)
    assert pressure.wait(10.0) == pytest.approx(RAMP_S)
    assert pressure.wait(10.0 + RAMP_S) == 0


def test_a_process_that_is_late_gets_its_next_call_when_it_is_calm_again() -> None:
    pressure = Pressure()
    pressure.note(10.0, 5.1)  # later than 5 ms
    assert pressure.wait(10.5) == 10.0 + CALM_S - 10.5
    pressure.note(11.0, 20.0)
    assert pressure.wait(11.0) == CALM_S
    pressure.note(12.0, 4.9)
    assert pressure.wait(13.0) == 0


def test_a_process_that_is_never_calm_gets_a_call_after_half_a_minute_all_the_same() -> None:
    pressure, now = Pressure(), 0.0
    while pressure.wait(now) > 0 or now == 0.0:
        pressure.note(now, 50.0)
        now += 0.5
        assert now <= LONGEST_S + 1
    assert now >= LONGEST_S
    pressure.began(now)
    pressure.note(now, 50.0)
    assert pressure.wait(now) == CALM_S  # and then waits again


@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0, 20), st.booleans()), max_size=60))
def test_nobody_waits_longer_than_half_a_minute_whatever_happens(
    steps: list[tuple[float, float, bool]],
) -> None:
    pressure, now, since = Pressure(), 0.0, 0.0
    for step, late, begins in steps:
        now += step
        pressure.note(now, late)
        wait = pressure.wait(now)
        assert 0 <= wait <= CALM_S + 1e-9
        if wait == 0:
            since = now
            if begins:
                pressure.began(now)
        assert now - since <= LONGEST_S + 3 + RAMP_S


# --- in a pool of workers ---------------------------------------------------------------------------


class Busy:
    """A worker at the other end of the pipe, whose calls go on until they are broken off."""

    pid = 0

    def __init__(self, setup: Setup, number: int, receive: Receive, lost: Lost) -> None:
        self.say = receive
        self.begun = 0
        self.say(Ready())

    def send(self, message: Message) -> None:
        self.begun += isinstance(message, Begin)
        if isinstance(message, Cancel):
            self.say(Ended(message.number))

    def how_it_died(self) -> str:
        return "it did not"

    def close(self) -> None:
        pass


class Calling:
    """Begins calls in a pool as a run does, when nothing holds them back."""

    def __init__(self, workers: int) -> None:
        here = place()
        self.workers: list[Busy] = []
        self.pool = WorkerPool(here, setup_of(here, simulated=False), workers, self._started)
        self._calls: list[asyncio.Task[Result]] = []

    def _started(self, setup: Setup, number: int, receive: Receive, lost: Lost) -> Busy:
        self.workers.append(Busy(setup, number, receive, lost))
        return self.workers[-1]

    @property
    def begun(self) -> list[int]:
        return [worker.begun for worker in self.workers]

    async def begin_if_allowed(self) -> None:
        if self.pool.holds_back() > 0:
            return
        self.pool.began()
        (job,) = plan([question()], [ENDPOINT], 1)
        self._calls.append(asyncio.create_task(self.pool.hold(Order(job, "run", Path("never written")))))
        await asyncio.sleep(0)  # as far as the worker

    async def end(self) -> None:
        for call in self._calls:
            call.cancel()
        await asyncio.wait(self._calls)
        await self.pool.close()


@asynccontextmanager
async def calling(workers: int) -> AsyncIterator[Calling]:
    found = Calling(workers)
    await found.pool.start()
    try:
        yield found
    finally:
        await found.end()


def test_a_worker_that_is_late_gets_no_call_although_it_has_the_least_to_do() -> None:
    async def main() -> None:
        async with calling(2) as calls:
            for _ in range(3):
                await calls.begin_if_allowed()
                await asyncio.sleep(1)
            assert calls.begun == [2, 1]
            calls.workers[1].say(Late(50.0))
            await asyncio.sleep(0.1)
            await calls.begin_if_allowed()
            assert calls.begun == [3, 1]
            await asyncio.sleep(CALM_S)
            await calls.begin_if_allowed()
            assert calls.begun == [3, 2]

    clock.run(main(), simulate=True)


def test_a_worker_that_is_never_calm_gets_one_call_in_half_a_minute() -> None:
    async def main() -> None:
        async with calling(1) as calls:
            for _ in range(140):
                calls.workers[0].say(Late(50.0))
                await asyncio.sleep(0.5)
                await calls.begin_if_allowed()
            # its first at once (0.5 s); then it waits from the next look (1.0 s) to 31.0 s, and to 61.5 s
            assert calls.begun == [3]

    clock.run(main(), simulate=True)
