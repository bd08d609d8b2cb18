"""Threads for blocking work, one small named pool per kind of work.

The threads are niced, so that a model never takes the processor from the 20 ms tick. Models must also be
*loaded* here: the threads an engine starts for itself inherit the niceness of the thread that starts them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

NICENESS = 10
"""How much a worker stands back behind the event loop; 0 is equal, 19 the most."""

SERIAL_KINDS = frozenset({"vad", "turn"})
"""Kinds of work that are short or batched: a second thread would only fight for the same core."""

_pools: dict[str, ThreadPoolExecutor] = {}


def size(kind: str) -> int:
    """Threads in the pool of this kind: half the processors, at least one; one for serial kinds."""
    return 1 if kind in SERIAL_KINDS else max(1, (os.cpu_count() or 1) // 2)


async def run(function: Callable[[*Ts], T], *args: *Ts, kind: str = "asr") -> T:
    """Run blocking work in the pool of its kind; simulated time stands still meanwhile.

    Args:
        function: What to run; it must not touch asyncio.
        args: Its arguments.
        kind: Name of the pool: "asr", "tts", "vad", "turn", ...
    """
    return await asyncio.get_running_loop().run_in_executor(_pool(kind), function, *args)


def shutdown() -> None:
    """Let running work end, drop what is queued, and end the threads; later work starts new ones."""
    while _pools:
        _, pool = _pools.popitem()
        pool.shutdown(wait=True, cancel_futures=True)


def _pool(kind: str) -> ThreadPoolExecutor:
    pool = _pools.get(kind)
    if pool is None:
        fresh = ThreadPoolExecutor(size(kind), thread_name_prefix=f"viva-{kind}", initializer=_stand_back)
        pool = _pools.setdefault(kind, fresh)  # atomic; a pool that lost has no threads yet
    return pool


def _stand_back() -> None:
    """Raise this thread's niceness; best effort, Linux only (elsewhere it would slow the whole process)."""
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS))
