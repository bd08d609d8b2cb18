"""The 20 ms tick."""

from __future__ import annotations

import asyncio

from agent.pacing import Pacer, recent_lateness_ms
from streams import clock


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
