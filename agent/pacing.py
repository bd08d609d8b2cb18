"""The 20 ms tick on absolute deadlines, and the record of how late it was."""

from __future__ import annotations

import asyncio
import math
from array import array
from collections import Counter
from weakref import WeakKeyDictionary

import numpy as np

from recordings.format import Lateness
from streams.audio import FRAME_S
from streams.clock import now, simulated, sleep_exactly, sleep_until

WAKE_S = 0.0004
"""About so late a sleeping process wakes up: a tick asks to be woken that much earlier, and watches.

That costs a session 2 % of a core (50 ticks x 0.4 ms a second). So the sessions of a process share it.
"""

WORTH_WATCHING_S = 0.0001
"""A share smaller than this saves nobody from being late, and is not taken: from five sessions on."""

GRID_S = 0.005
"""Sessions of a process tick at four moments of 20 ms, as many at each: to wake the process costs as much
as a tick does. The last of 19 has waited nearly 2 ms for the others."""

_pacing: set[Pacer] = set()
"""Those of this process that tick now."""


def next_origin() -> float:
    """When a session may begin, on the loop's clock: now, or at the next moment when fewest others tick."""
    if simulated():
        return now()
    first, moments = math.ceil(now() / GRID_S), round(FRAME_S / GRID_S)
    taken = Counter(round(pacer.origin / GRID_S) % moments for pacer in _pacing)
    return min(range(first, first + moments), key=lambda moment: taken[moment % moments]) * GRID_S


_Sleeping = dict[int, list[asyncio.Future[None]]]
_sleeping: WeakKeyDictionary[asyncio.AbstractEventLoop, _Sleeping] = WeakKeyDictionary()
"""Of each loop: who waits for which microsecond of its clock."""


async def sleep_together(due: float) -> None:
    """Wait for a moment that has not passed: one timer wakes all who wait for the same."""
    loop = asyncio.get_running_loop()
    sleeping, moment = _sleeping.setdefault(loop, {}), round(due * 1e6)
    if moment not in sleeping:
        sleeping[moment] = []
        loop.call_at(due, _wake, sleeping, moment)
    waiter = loop.create_future()
    sleeping[moment].append(waiter)
    await waiter


def _wake(sleeping: _Sleeping, moment: int) -> None:
    for waiter in sleeping.pop(moment):
        if not waiter.done():
            waiter.set_result(None)


class Pacer:
    """Ticks for ever: tick k is due when frame k has passed, at origin + (k + 1) × 20 ms.

    Deadlines are absolute, so a late tick does not delay the ones after it; after a stall the ticks
    that are due follow at once. It is a context: ticks are asked for within it.
    """

    def __init__(self, origin: float) -> None:
        self.origin = origin
        self.ticks = 0
        self.skipped = 0
        """Silent frames that were not sent because they were late."""
        self._lateness_ms = array("f")

    def __enter__(self) -> Pacer:
        """Begin to tick."""
        _pacing.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Tick no more."""
        _pacing.discard(self)

    async def tick(self) -> float:
        """Wait for the next deadline; returns by how many seconds it was missed."""
        due = self.origin + (self.ticks + 1) * FRAME_S
        share = WAKE_S / max(1, len(_pacing))
        if share >= WORTH_WATCHING_S:
            await sleep_exactly(due, watch_s=share)
        elif simulated() or due <= now():
            await sleep_until(due)
        else:
            await sleep_together(due)
        late = max(0.0, now() - due)
        self.ticks += 1
        self._lateness_ms.append(late * 1000)
        return late

    def last(self, ticks: int) -> tuple[float, ...]:
        """Lateness of the last ticks in milliseconds, oldest first."""
        return tuple(self._lateness_ms[-ticks:])

    def lateness(self) -> Lateness | None:
        """Summary in milliseconds, or None before the first tick."""
        if not self._lateness_ms:
            return None
        late = np.frombuffer(self._lateness_ms, dtype=np.float32)
        median, p99 = np.percentile(late, [50, 99])
        return Lateness(
            ticks=self.ticks,
            median=round(float(median), 3),
            p99=round(float(p99), 3),
            worst=round(float(late.max()), 3),
            skipped=self.skipped,
        )


RECENT_TICKS = 25
"""Of a session: half a second."""


def recent_lateness_ms() -> float:
    """How late one in ten of the last ticks of all sessions here was, or later; 0 if there are none.

    A tick that is late now and then is nothing; where one in ten is, the process has enough to do.
    """
    late = sorted(tick for pacer in _pacing for tick in pacer.last(RECENT_TICKS))
    return late[len(late) * 9 // 10] if late else 0.0
