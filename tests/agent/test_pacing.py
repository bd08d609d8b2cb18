"""The 20 ms tick."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter

import pytest

from agent.pacing import GRID_S, Pacer, next_origin, recent_lateness_ms, sleep_together
from streams import clock
from streams.audio import FRAME_S


def test_ticks_fall_on_absolute_deadlines_however_long_each_takes() -> None:
    # D13: work of 1.1 ms per tick must not stretch 250 ticks: the last is due at 250 × 0.02 = 5.0
    async def main() -> float:
        pacer = Pacer(clock.now())
        for _ in range(250):
            await pacer.tick()
            await asyncio.sleep(0.0011)
        return clock.now() - 0.0011

    assert round(clock.run(main(), simulate=True), 9) == 5.0


def test_after_a_stall_the_ticks_that_are_due_follow_at_once() -> None:
    async def main() -> tuple[list[float], float]:
        pacer = Pacer(clock.now())
        await pacer.tick()  # 0.02
        await asyncio.sleep(0.1)  # until 0.12: ticks 2 to 6 (0.04 ... 0.12) are due
        late = [round(await pacer.tick(), 9) for _ in range(6)]
        return late, clock.now()

    late, end = clock.run(main(), simulate=True)
    assert late == [0.08, 0.06, 0.04, 0.02, 0.0, 0.0]
    assert round(end, 9) == 0.14


def test_lateness_is_summed_up_in_milliseconds() -> None:
    async def main() -> Pacer:
        pacer = Pacer(clock.now())
        assert pacer.lateness() is None
        for tick in range(100):
            await pacer.tick()
            if tick == 49:
                await asyncio.sleep(0.03)  # the next tick is 10 ms late
        return pacer

    lateness = clock.run(main(), simulate=True).lateness()
    assert lateness is not None
    assert (lateness.ticks, lateness.median, lateness.worst) == (100, 0.0, 10.0)


def test_ten_minutes_of_ticks_do_not_drift() -> None:
    async def main() -> float:
        pacer = Pacer(clock.now())
        for _ in range(30_000):
            await pacer.tick()
        return clock.now()

    assert abs(clock.run(main(), simulate=True) - 600.0) < 1e-9


def test_one_late_tick_now_and_then_is_no_lateness_but_one_in_ten_is() -> None:
    async def main(every: int) -> float:
        with Pacer(clock.now()) as pacer:
            for tick in range(1, 41):
                await pacer.tick()
                if tick % every == 0:
                    await asyncio.sleep(0.03)  # the next tick is 10 ms late
            return recent_lateness_ms()

    assert clock.run(main(20), simulate=True) == 0.0
    assert round(clock.run(main(5), simulate=True), 6) == 10.0
    assert recent_lateness_ms() == 0.0  # nobody ticks any more


@pytest.mark.wall_clock
def test_sessions_of_a_process_begin_on_one_grid_and_none_ticks_too_early() -> None:
    async def main() -> list[tuple[float, float]]:
        async def ticking() -> tuple[float, float]:
            with Pacer(next_origin()) as pacer:
                for _ in range(5):
                    await pacer.tick()
                return pacer.origin, clock.now() - (pacer.origin + 0.1)

        begun = []
        for _ in range(20):
            begun.append(asyncio.create_task(ticking()))
            await asyncio.sleep(0.0007)
        return await asyncio.gather(*begun)

    found = clock.run(main())
    assert all(abs(origin / GRID_S - round(origin / GRID_S)) < 1e-6 for origin, _ in found)
    assert min(early for _, early in found) >= -1e-6  # the clock's resolution is a nanosecond


def test_as_many_sessions_tick_at_each_of_the_moments() -> None:
    async def main() -> Counter[int]:
        with contextlib.ExitStack() as sessions:
            pacers = [sessions.enter_context(Pacer(next_origin())) for _ in range(12)]
            late = max(pacer.origin for pacer in pacers) - clock.now()
            assert late <= FRAME_S  # nobody waits for longer than a tick
            return Counter(round(pacer.origin / GRID_S) % 4 for pacer in pacers)

    assert clock.run(main()) == {0: 3, 1: 3, 2: 3, 3: 3}


def test_one_timer_wakes_all_who_wait_for_the_same_moment() -> None:
    async def main() -> tuple[int, list[str]]:
        loop, woken = asyncio.get_running_loop(), []
        due = loop.time() + 0.01

        async def sleeper(name: str) -> None:
            await sleep_together(due)
            woken.append(name)

        tasks = [asyncio.create_task(sleeper(name)) for name in "abc"]
        await asyncio.sleep(0)
        timers = len(loop._scheduled)  # type: ignore[attr-defined]
        tasks[1].cancel()
        await asyncio.wait(tasks)
        return timers, woken

    assert clock.run(main(), simulate=True) == (1, ["a", "c"])


def test_in_simulated_time_a_session_begins_at_once() -> None:
    async def main() -> float:
        await asyncio.sleep(0.0123)
        return next_origin()

    assert clock.run(main(), simulate=True) == 0.0123
