from __future__ import annotations

import asyncio
import datetime
import gc
import math
import sys
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams import clock
from streams.audio import FRAME_S

# --- time --------------------------------------------------------------------------------------


def test_time_starts_at_zero_and_jumps_to_the_next_timer() -> None:
    async def main() -> list[float]:
        seen = [clock.now()]
        for seconds in (0.02, 1.0, 3600.0):
            await asyncio.sleep(seconds)
            seen.append(clock.now())
        return seen

    assert clock.run(main(), simulate=True) == [0.0, 0.02, 1.02, 3601.02]


def test_an_hour_of_ticks_lands_on_the_hour() -> None:
    async def main() -> float:
        for tick in range(1, 180_001):
            await clock.sleep_until(tick * FRAME_S)
        return clock.now()

    assert clock.run(main(), simulate=True) == 3600.0


def test_every_tick_falls_on_its_deadline_whatever_happens_between() -> None:
    async def main() -> list[float]:
        seen = []
        for tick in range(1, 501):
            await clock.sleep_until(tick * FRAME_S)
            seen.append(clock.now())
            await asyncio.sleep(0.0011 * (tick % 7))
        return seen

    assert clock.run(main(), simulate=True) == [tick * FRAME_S for tick in range(1, 501)]


def test_a_deadline_that_has_passed_takes_no_time() -> None:
    async def main() -> float:
        await asyncio.sleep(5)
        await clock.sleep_until(2)
        return clock.now()

    assert clock.run(main(), simulate=True) == 5.0


def test_a_timeout_fires_at_its_instant() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3600):
                await asyncio.Event().wait()
        return clock.now()

    assert clock.run(main(), simulate=True) == 3600.0


def test_what_is_done_in_time_does_not_time_out() -> None:
    async def main() -> float:
        async with asyncio.timeout(1.0):
            await asyncio.sleep(0.999)
        await asyncio.sleep(10)
        return clock.now()

    assert clock.run(main(), simulate=True) == pytest.approx(10.999)


def test_a_cancelled_timer_does_not_move_time() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        for _ in range(500):
            loop.call_later(9, pytest.fail, "a cancelled timer fired").cancel()
        await asyncio.sleep(1)
        return clock.now()

    assert clock.run(main(), simulate=True) == 1.0


def test_the_loop_says_whether_it_is_simulated() -> None:
    async def main() -> bool:
        return clock.simulated()

    assert clock.run(main(), simulate=True)
    assert not clock.run(main())


def test_there_is_no_clock_without_a_loop() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        clock.now()


def test_calendar_time_knows_its_zone() -> None:
    assert clock.utc_now().utcoffset() == datetime.timedelta(0)


# --- order -------------------------------------------------------------------------------------


def test_timers_of_one_instant_fire_in_the_order_of_scheduling() -> None:
    async def main() -> list[int]:
        loop, seen = asyncio.get_running_loop(), list[int]()
        for number in range(0, 300, 3):
            loop.call_at(1.0, seen.append, number)
            loop.call_later(1.0, seen.append, number + 1)
            loop.call_at(1.0, seen.append, number + 2)
        await asyncio.sleep(1.0)
        return seen

    assert clock.run(main(), simulate=True) == list(range(300))


def test_tasks_that_wake_at_one_instant_go_on_in_the_order_in_which_they_slept() -> None:
    async def main() -> list[tuple[float, int]]:
        seen = []

        async def tick(number: int) -> None:
            for _ in range(5):
                await asyncio.sleep(0.02)
                seen.append((clock.now(), number))

        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(tick(number))
        return seen

    seen = clock.run(main(), simulate=True)
    assert [number for _, number in seen] == list(range(20)) * 5
    assert len({instant for instant, _ in seen}) == 5


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=60))
def test_timers_fire_by_time_and_then_by_order(plan: list[tuple[int, bool]]) -> None:
    """Each number is a time; some timers are cancelled before they fire."""

    async def main() -> list[tuple[float, int]]:
        loop, seen = asyncio.get_running_loop(), list[tuple[float, int]]()

        def note(order: int) -> None:
            seen.append((clock.now(), order))

        timers = [loop.call_at(1.0 + when, partial(note, order)) for order, (when, _) in enumerate(plan)]
        for timer, (_, cancelled) in zip(timers, plan, strict=True):
            if cancelled:
                timer.cancel()
        await asyncio.sleep(10)
        return seen

    fire = [(1.0 + when, order) for order, (when, cancelled) in enumerate(plan) if not cancelled]
    assert clock.run(main(), simulate=True) == sorted(fire)


# --- the wall clock ----------------------------------------------------------------------------


@pytest.mark.wall_clock
def test_on_the_wall_clock_time_passes_by_itself() -> None:
    async def main() -> float:
        start = clock.now()
        for tick in range(1, 6):
            await clock.sleep_until(start + tick * FRAME_S)
        return clock.now() - start

    assert 0.1 <= clock.run(main()) < 5


def test_a_wall_clock_run_leaves_the_interpreter_as_it_was() -> None:
    async def main() -> tuple[float, int, tuple[int, int, int]]:
        return sys.getswitchinterval(), gc.get_freeze_count(), gc.get_threshold()

    before = sys.getswitchinterval(), gc.get_threshold()
    inside, frozen, collections = clock.run(main())
    assert inside == pytest.approx(0.0005)
    assert frozen > 0
    assert math.prod(collections) > math.prod(before[1])  # objects that come until all are gone through
    assert (sys.getswitchinterval(), gc.get_threshold()) == before
    assert gc.get_freeze_count() == 0
