from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from streams import clock
from streams.speech.batching import Batching


class Doubling:
    """Doubles numbers, and notes which came together; waits for `release` where there is one."""

    def __init__(self, release: threading.Event | None = None) -> None:
        self.batches: list[list[int]] = []
        self._release = release
        self.begun = threading.Event()

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.batches.append(list(numbers))
        self.begun.set()
        if self._release is not None:
            assert self._release.wait(5)
        if 13 in numbers:
            raise ValueError("thirteen")
        return [2 * number for number in numbers]


async def asked(batching: Batching[int, int], numbers: Sequence[int]) -> list[int | BaseException]:
    return await asyncio.gather(*(batching.ask(n) for n in numbers), return_exceptions=True)


def test_everybody_gets_their_own_answer_in_simulated_time_and_on_the_wall() -> None:
    for simulate in (True, False):
        work = Doubling()
        found = clock.run(asked(Batching(work, kind="vad"), range(12)), simulate=simulate)
        assert found == [2 * number for number in range(12)]
        assert work.batches == [list(range(12))]  # all had asked before the first was answered


def test_what_comes_while_the_model_works_is_its_next_batch() -> None:
    release = threading.Event()
    work = Doubling(release)

    async def main() -> list[int | BaseException]:
        batching: Batching[int, int] = Batching(work, kind="vad")
        first = asyncio.create_task(batching.ask(1))
        await asyncio.to_thread(work.begun.wait, 5)
        others = asyncio.create_task(asked(batching, [2, 3, 4]))
        await asyncio.sleep(0)
        release.set()
        return [await first, *await others]

    assert clock.run(main()) == [2, 4, 6, 8]
    assert work.batches == [[1], [2, 3, 4]]


def test_a_batch_holds_so_many_at_most() -> None:
    work = Doubling()
    clock.run(asked(Batching(work, kind="vad", most=3), range(7)), simulate=True)
    assert work.batches == [[0, 1, 2], [3, 4, 5], [6]]


def test_a_failure_is_raised_where_it_was_asked_and_the_next_batch_is_answered() -> None:
    async def main() -> None:
        batching: Batching[int, int] = Batching(Doubling(), kind="vad", most=2)
        found = await asked(batching, [13, 1, 2])
        assert [type(each) for each in found] == [ValueError, ValueError, int]
        assert await batching.ask(4) == 8

    clock.run(main(), simulate=True)


def test_who_is_cancelled_while_waiting_leaves_the_others_alone() -> None:
    release = threading.Event()

    async def main() -> int:
        batching: Batching[int, int] = Batching(Doubling(release), kind="vad")
        gone, stays = (asyncio.create_task(batching.ask(number)) for number in (1, 2))
        await asyncio.sleep(0)
        gone.cancel()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await gone
        return await stays

    assert clock.run(main()) == 4


def test_what_nobody_waits_for_any_more_is_not_worked_on() -> None:
    release = threading.Event()
    work = Doubling(release)

    async def main() -> list[int]:
        batching: Batching[int, int] = Batching(work, kind="vad")
        first = asyncio.create_task(batching.ask(1))
        await asyncio.to_thread(work.begun.wait, 5)
        gone, stays = (asyncio.create_task(batching.ask(number)) for number in (2, 3))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        release.set()
        return [await first, await stays]

    assert clock.run(main()) == [2, 6]
    assert work.batches == [[1], [3]]


def test_one_queue_serves_one_loop_after_the_other() -> None:
    batching: Batching[int, int] = Batching(Doubling(), kind="vad")
    for _ in range(3):
        assert clock.run(batching.ask(5), simulate=True) == 10
