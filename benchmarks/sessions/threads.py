"""Processor time of this process by thread, for finding what is slow; Linux."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from pathlib import Path


def by_thread() -> dict[str, float]:
    """Seconds of processor time so far, by name of thread; numbers at the end of names are left out."""
    hertz = os.sysconf("SC_CLK_TCK")
    names = {thread.native_id: thread.name for thread in threading.enumerate()}
    found: dict[str, float] = defaultdict(float)
    for task in Path("/proc/self/task").iterdir():
        fields = (task / "stat").read_text().rpartition(")")[2].split()
        name = names.get(int(task.name), "of a library").rstrip("0123456789_")
        found[name] += (int(fields[11]) + int(fields[12])) / hertz
    return found
