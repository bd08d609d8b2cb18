"""How a client process measures itself: processor time, memory, and how late its ticks were."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
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

    def tell(self, lateness_ms: Sequence[Sequence[float]], outcomes: dict[str, int] | None = None) -> None:
        """Print the figures as one line of JSON; the lateness of all ticks is in a file that it names.

        Args:
            lateness_ms: Of every tick of each session.
            outcomes: How many sessions ended how, where sessions have outcomes.
        """
        with tempfile.NamedTemporaryFile(prefix="viva-ticks-", suffix=".npy", delete=False) as file:
            np.save(file, np.concatenate([np.asarray(each, np.float32) for each in lateness_ms]))
        figures = {
            "sessions": self.count,
            "cores": self._cpu_s / self._span_s,
            "first_mb": self._first_mb,
            "all_mb": self._all_mb,
            "ticks": file.name,
            "outcomes": outcomes or {},
        }
        sys.stdout.write(json.dumps(figures) + "\n")


def together(told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The figures of processes that held sessions at the same time.

    Percentiles are of all ticks of all sessions. Memory is what all took beyond the first session of the
    first process, so that a second process counts in full.
    """
    count = sum(each["sessions"] for each in told)
    cores = sum(each["cores"] for each in told)
    late = np.concatenate([np.load(each["ticks"]) for each in told])
    for each in told:
        Path(each["ticks"]).unlink()
    grown_mb = sum(each["all_mb"] for each in told) - told[0]["first_mb"]
    outcomes: dict[str, int] = {}
    for each in told:
        for name, number in each["outcomes"].items():
            outcomes[name] = outcomes.get(name, 0) + number
    return {
        "sessions": count,
        "processes": len(told),
        "cpu_ms_per_session_s": round(1000 * cores / count, 2),
        "cores_busy": round(cores, 2),
        "mb_per_session": round(grown_mb / max(1, count - 1), 2),
        "mb_first": round(told[0]["first_mb"]),
        "ticks": late.size,
        "late_median_ms": round(float(np.median(late)), 3),
        "late_p99_ms": round(float(np.percentile(late, 99)), 3),
        "late_worst_ms": round(float(late.max()), 1),
        **({"outcomes": outcomes} if outcomes else {}),
    }
