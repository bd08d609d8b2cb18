"""`streams.clock.SimulatedLoop`: what time does while tasks wait for threads, sockets, or nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from streams import clock
from streams.audio import FRAME_S, sample_at
from streams.clock import SimulatedDeadlock

# --- threads -----------------------------------------------------------------------------------


def test_time_stands_still_while_a_thread_works() -> None:
    async def main() -> tuple[float, list[float]]:
        loop, fired = asyncio.get_running_loop(), list[float]()
        loop.call_later(0.001, lambda: fired.append(clock.now()))
        assert await loop.run_in_executor(None, sum, range(3_000_000)) == 4_499_998_500_000
        finished = clock.now()
        assert fired == []
        await asyncio.sleep(0.5)
        return finished, fired

    assert clock.run(main(), simulate=True) == (0.0, [0.001])


def test_time_stands_still_until_the_last_of_several_threads_is_done() -> None:
    async def main() -> list[str]:
        loop, seen = asyncio.get_running_loop(), list[str]()
        first, second = threading.Event(), threading.Event()

        def wait_for_second() -> None:
            first.set()
            assert second.wait(10)

        def release() -> None:
            assert first.wait(10)
            second.set()

        async def work(name: str, job: Callable[[], None]) -> None:
            await loop.run_in_executor(None, job)
            seen.append(f"{name} {clock.now()}")

        loop.call_later(0.02, seen.append, "tick")
        async with asyncio.TaskGroup() as group:
            group.create_task(work("waiting", wait_for_second))
            group.create_task(work("releasing", release))
        await asyncio.sleep(1)
        return sorted(seen[:2]) + seen[2:]  # which of two threads ends first is not ours to say

    assert clock.run(main(), simulate=True) == ["releasing 0.0", "waiting 0.0", "tick"]


def test_work_in_threads_can_be_charged_to_the_clock() -> None:
    async def main() -> float:
        for _ in range(20):
            await asyncio.to_thread(sum, range(1000))
            await asyncio.sleep(0.3)
        return clock.now()

    assert clock.run(main(), simulate=True) == pytest.approx(6.0, abs=1e-9)


def test_the_failure_of_a_thread_reaches_who_waits_for_it() -> None:
    async def main() -> None:
        await asyncio.to_thread(int, "not a number")

    with pytest.raises(ValueError, match="not a number"):
        clock.run(main(), simulate=True)


def test_a_thread_that_nobody_waits_for_any_more_is_no_deadlock_at_the_end() -> None:
    release = threading.Event()

    async def main() -> float:
        loop = asyncio.get_running_loop()
        job = asyncio.create_task(asyncio.to_thread(release.wait, 10))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        job.cancel()
        await asyncio.sleep(2)
        # let the thread go on only when the loop is already closing, and for longer than its patience
        loop.call_soon(threading.Timer(0.2, release.set).start)
        return clock.now()

    assert clock.run(main(), simulate=True) == 2.0
    assert release.is_set()


# --- sockets -----------------------------------------------------------------------------------


async def call_over_a_websocket(size: int) -> list[tuple[float, str, int]]:
    """A client that ticks every 20 ms, a server that answers every fifth message in a burst after 0.3 s."""
    seen = list[tuple[float, str, int]]()

    def note(what: str, message: str | bytes) -> None:
        seen.append((clock.now(), what, len(message)))

    async def answer(connection: ServerConnection) -> None:
        count = 0
        async for message in connection:
            count += 1
            if count % 5 == 0:
                await asyncio.sleep(0.3)
                for _ in range(10):
                    await connection.send(message)

    async with serve(answer, "127.0.0.1", 0, max_size=None) as server:
        port = server.sockets[0].getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}", max_size=None) as client:

            async def listen() -> None:
                async for message in client:
                    note("heard", message)

            listening = asyncio.create_task(listen())
            for tick in range(1, 101):
                await clock.sleep_until(tick * FRAME_S)
                await client.send(bytes(size + tick))
                note("sent", bytes(size + tick))
            await asyncio.sleep(10)
        await listening
    return seen


@pytest.mark.parametrize("size", [960, 300_000])
def test_a_call_over_a_real_websocket_is_the_same_every_time(size: int) -> None:
    first = clock.run(call_over_a_websocket(size), simulate=True)
    assert sum(kind == "heard" for _, kind, _ in first) == 200
    sent, heard = ([sample_at(t, 24000) for t, k, _ in first if k == kind] for kind in ("sent", "heard"))
    assert sent == [480 * tick for tick in range(1, 101)]
    # the fifth message goes out at 0.1; its answer is heard 0.3 s later, in one burst
    assert heard[:10] == [9600] * 10
    assert clock.run(call_over_a_websocket(size), simulate=True) == first


def test_an_hour_of_keepalive_does_not_take_an_hour() -> None:
    async def main() -> float:
        async def echo(connection: ServerConnection) -> None:
            async for message in connection:
                await connection.send(message)

        async with serve(echo, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with connect(f"ws://127.0.0.1:{port}", ping_interval=20, ping_timeout=20) as client:
                await asyncio.sleep(3600)
                await client.send("still there?")
                assert await client.recv() == "still there?"
                return clock.now()

    assert clock.run(main(), simulate=True) == 3600.0


# --- standstill --------------------------------------------------------------------------------


def test_a_standstill_is_an_error_and_not_a_hang() -> None:
    async def main() -> None:
        await asyncio.sleep(1.5)
        await asyncio.Event().wait()

    with pytest.raises(SimulatedDeadlock, match=r"stands still at 1\.500 s.*needs the wall clock"):
        clock.run(main(), simulate=True)


def test_a_standstill_with_an_open_socket_is_an_error_too() -> None:
    async def main() -> None:
        async def mute(connection: ServerConnection) -> None:
            await connection.wait_closed()

        async with serve(mute, "127.0.0.1", 0, ping_interval=None) as server:
            port = server.sockets[0].getsockname()[1]
            async with connect(f"ws://127.0.0.1:{port}", ping_interval=None) as client:
                await client.recv()

    with pytest.raises(SimulatedDeadlock):
        clock.run(main(), simulate=True)


def test_tasks_can_tidy_up_after_a_standstill() -> None:
    tidied = []

    async def main() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(1)
            tidied.append(clock.now())

    with pytest.raises(SimulatedDeadlock):
        clock.run(main(), simulate=True)
    assert tidied == [1.0]
