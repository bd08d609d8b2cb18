from __future__ import annotations

import os
import sys
import threading

import pytest

from streams import clock
from streams.speech import workers


def _thread() -> tuple[str, int]:
    return threading.current_thread().name, os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def test_work_runs_in_a_thread_named_after_its_kind() -> None:
    name, _ = clock.run(workers.run(_thread, kind="tts"))
    assert name.startswith("viva-tts")


@pytest.mark.skipif(sys.platform != "linux", reason="niceness of a thread is a Linux thing")
def test_workers_stand_back_behind_the_event_loop() -> None:
    async def main() -> None:
        own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        _, worker = await workers.run(_thread, kind="asr")
        assert worker == min(19, own + workers.NICENESS)
        assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own

    clock.run(main())


def test_simulated_time_stands_still_while_a_worker_works() -> None:
    async def main() -> None:
        assert await workers.run(sum, [1, 2], kind="vad") == 3
        assert clock.now() == 0.0

    clock.run(main(), simulate=True)


def test_an_error_in_a_worker_reaches_the_caller() -> None:
    def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        clock.run(workers.run(fail))


def test_serial_kinds_have_one_thread_and_no_kind_has_none() -> None:
    assert workers.size("vad") == workers.size("turn") == 1
    assert workers.size("asr") >= 1


def test_work_after_a_shutdown_starts_new_threads() -> None:
    clock.run(workers.run(_thread, kind="once"))
    workers.shutdown()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("viva-")]
    assert clock.run(workers.run(_thread, kind="once"))[0].startswith("viva-once")
