"""Speed: a simulated hour, the first answer of `viva --help`, and the first word of the demo."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from agent.attached import attached, lifeline
from benchmarks.calls import hold, scenario
from streams.clock import run
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone

VIVA = [sys.executable, "-m", "agent.cli.main"]


def simulated_hour() -> dict[str, Any]:
    """A call of an hour with the fake endpoint: 400 turns each way, recorded, heard, written."""
    replies = [FakeReply(pcm=tone(2.0), text=f"answer {n}", delay_s=0.7) for n in range(400)]
    plan = scenario(400, max_duration_s=3600, pause_s=(4.8,))

    async def call() -> Any:
        return await hold(FakeEndpoint(replies), plan)

    started = time.perf_counter()
    info, _ = run(call(), simulate=True)
    seconds = time.perf_counter() - started
    return {
        "session_s": info.duration_s,
        "seconds": round(seconds, 2),
        "times_real_time": round(info.duration_s / seconds),
    }


def help_text(runs: int = 9) -> dict[str, Any]:
    """From the start of the process to its end."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run([*VIVA, "--help"], check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return {"median_s": round(statistics.median(times), 3), "worst_s": round(max(times), 3)}


def first_word() -> dict[str, Any]:
    """From the start of `viva demo` to the user's first words going out, caches empty."""
    with tempfile.TemporaryDirectory(prefix="viva-first-") as folder:
        environment = {**os.environ, "VIVAVOCE_CACHE": str(Path(folder) / "cache")}
        started = time.perf_counter()
        demo = subprocess.Popen(
            attached("agent.cli.main", "demo", "--out", str(Path(folder) / "run"), "--json"),
            stdin=lifeline(),
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        assert demo.stderr is not None
        seconds = next(time.perf_counter() - started for line in demo.stderr if "  user  " in line)
        demo.terminate()
        demo.wait(timeout=30)
        return {"seconds": round(seconds, 2)}
