"""The 20 ms tick on absolute deadlines, and the record of how late it was."""

from __future__ import annotations

from array import array

import numpy as np

from recordings.format import Lateness
from streams.audio import FRAME_S
from streams.clock import now, sleep_exactly

WAKE_S = 0.0004
"""About so late a sleeping process wakes up: ticks ask to be woken that much earlier."""


class Pacer:
    """Ticks for ever: tick k is due when frame k has passed, at origin + (k + 1) × 20 ms.

    Deadlines are absolute, so a late tick does not delay the ones after it; after a stall the ticks
    that are due follow at once.
    """

    def __init__(self, origin: float) -> None:
        self.origin = origin
        self.ticks = 0
        self.skipped = 0
        """Silent frames that were not sent because they were late."""
        self._lateness_ms = array("f")

    async def tick(self) -> float:
        """Wait for the next deadline; returns by how many seconds it was missed."""
        due = self.origin + (self.ticks + 1) * FRAME_S
        await sleep_exactly(due, watch_s=WAKE_S)
        late = max(0.0, now() - due)
        self.ticks += 1
        self._lateness_ms.append(late * 1000)
        return late

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
