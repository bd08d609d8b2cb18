"""`streams.clock.run`: failures, cancellation, and Ctrl+C."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
from collections.abc import Awaitable, Callable

import pytest

from streams import clock
from streams.audio import FRAME_S


def test_an_exception_comes_out_as_it_was_raised() -> None:
    async def main() -> None:
        await asyncio.sleep(1)
        raise LookupError("of the caller's own")

    with pytest.raises(LookupError, match="of the caller's own"):
        clock.run(main(), simulate=True)


def test_the_failure_of_one_task_cancels_its_group_at_that_instant() -> None:
    seen = []

    async def wait() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            seen.append(clock.now())

    async def fail() -> None:
        await asyncio.sleep(2.5)
        raise LookupError

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(wait())
            group.create_task(fail())

    with pytest.raises(ExceptionGroup) as caught:
        clock.run(main(), simulate=True)
    assert [type(error) for error in caught.value.exceptions] == [LookupError]
    assert seen == [2.5]


def test_a_task_is_cancelled_at_once() -> None:
    async def main() -> float:
        task = asyncio.create_task(asyncio.sleep(100))
        await asyncio.sleep(1)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return clock.now()

    assert clock.run(main(), simulate=True) == 1.0


def test_tasks_left_over_are_cancelled_at_the_end() -> None:
    cancelled = []

    async def forever() -> None:
        try:
            await asyncio.sleep(1e9)
        except asyncio.CancelledError:
            cancelled.append(clock.now())
            raise

    async def main() -> asyncio.Task[None]:
        task = asyncio.create_task(forever())
        await asyncio.sleep(3)
        return task

    assert clock.run(main(), simulate=True).cancelled()
    assert cancelled == [3.0]


def interrupt() -> None:
    """What Ctrl+C does."""
    os.kill(os.getpid(), signal.SIGINT)


async def tick_until_interrupted() -> None:
    for tick in range(1, 10**6):
        await clock.sleep_until(tick * FRAME_S)
        if tick == 50:
            interrupt()


async def wait_for_a_thread_that_is_interrupted() -> None:
    await asyncio.to_thread(interrupt)
    await asyncio.sleep(3600)
    pytest.fail("Ctrl+C was not noticed")


async def wait_for_nothing() -> None:
    asyncio.get_running_loop().call_soon(interrupt)
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    "main", [tick_until_interrupted, wait_for_a_thread_that_is_interrupted, wait_for_nothing]
)
@pytest.mark.parametrize("simulated", [True, False], ids=["simulated", "wall clock"])
def test_control_c_ends_a_run(main: Callable[[], Awaitable[None]], simulated: bool) -> None:
    tidied = []

    async def tidy() -> None:
        try:
            await main()
        finally:
            tidied.append(clock.now())

    with pytest.raises(KeyboardInterrupt):
        clock.run(tidy(), simulate=simulated)
    assert len(tidied) == 1


def test_a_signal_handler_of_the_loop_is_called_though_time_never_waits() -> None:
    async def main() -> float:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, stop.set)
        try:
            for tick in range(1, 1000):
                await clock.sleep_until(tick * FRAME_S)
                if tick == 50:
                    os.kill(os.getpid(), signal.SIGUSR1)
                if stop.is_set():
                    return clock.now()
        finally:
            loop.remove_signal_handler(signal.SIGUSR1)
        pytest.fail("the signal was not noticed")

    assert clock.run(main(), simulate=True) <= 1.7  # within 32 turns of the loop, two to a tick


@pytest.mark.parametrize("simulate", [True, False])
def test_a_task_that_control_c_has_hit_is_not_reported_as_a_fault(
    simulate: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def hit(error: BaseException) -> None:
        raise error

    async def main(error: BaseException) -> None:
        hitting = asyncio.create_task(hit(error))
        await asyncio.sleep(0.01)
        del hitting

    with pytest.raises(KeyboardInterrupt):  # as the second one comes: in the middle of some task
        clock.run(main(KeyboardInterrupt()), simulate=simulate)
    gc.collect()
    assert caplog.text == ""
    clock.run(main(ValueError("a fault")), simulate=simulate)
    gc.collect()
    assert "ValueError: a fault" in caplog.text
