"""How a client process measures itself: processor time, memory, and how late its ticks were."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SETTLES_S = 4.0
"""After the last session has begun, before processor time is counted."""

STARTS_PER_S = 20


def rss_mb() -> float:
    """Memory of this process that is its own, in MB: resident without shared files."""
    pages = Path("/proc/self/statm").read_text().split()
    return (int(pages[1]) - int(pages[2])) * 4096 / 1e6


class Measure:
    """Watches one process that holds `count` sessions.

    Args:
        count: Sessions.
        seconds: How long processor time is counted.
    """

    def __init__(self, count: int, seconds: float) -> None:
        self.count = count
        self.seconds = seconds
        self._first_mb = self._all_mb = self._cpu_s = self._span_s = 0.0

    async def watch(self, first_begun: asyncio.Event, all_begun: asyncio.Event) -> None:
        """Take the figures: memory with one session and with all, processor time while all go on."""
        await first_begun.wait()
        await asyncio.sleep(SETTLES_S)
        self._first_mb = rss_mb()
        await all_begun.wait()
        await asyncio.sleep(SETTLES_S)
        cpu, begun = time.process_time(), time.perf_counter()
        await asyncio.sleep(self.seconds)
        self._cpu_s, self._span_s = time.process_time() - cpu, time.perf_counter() - begun
        self._all_mb = rss_mb()

    def tell(self, lateness_ms: Any, **more: Any) -> None:
        """Print the figures as one line of JSON.

        Args:
            lateness_ms: Of every tick of every session; or a list of (p99, worst) is in `more`.
        """
        late = np.asarray(lateness_ms, dtype=np.float64)
        found = {
            "sessions": self.count,
            "cpu_ms_per_session_s": round(1000 * self._cpu_s / (self.count * self._span_s), 2),
            "cores_busy": round(self._cpu_s / self._span_s, 2),
            "mb_per_session": round((self._all_mb - self._first_mb) / max(1, self.count - 1), 2),
            "mb_first": round(self._first_mb),
            "late_median_ms": round(float(np.median(late)), 3),
            "late_p99_ms": round(float(np.percentile(late, 99)), 3),
            "late_worst_ms": round(float(late.max()), 1),
            **more,
        }
        sys.stdout.write(json.dumps(found) + "\n")
