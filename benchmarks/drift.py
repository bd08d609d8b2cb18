"""No drift: an endpoint clicks at known offsets; where do the clicks stand in the recording?"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from agent.cli.runs.demo import reference_server
from agent.connect import connect
from benchmarks.calls import hold, scenario
from recordings.reader import Episode
from streams.clock import run
from user_sim.policy import Unresponsive


def simulated(seconds: int = 3600) -> dict[str, Any]:
    """An hour in simulated time: every click on its exact sample."""
    address = f"reference://?mode=clicks&length={seconds}&pace=realtime"
    return _clicks(address, seconds, simulate=True)


def wall_clock(seconds: int = 600) -> dict[str, Any]:
    """Ten minutes over a loopback websocket."""
    with reference_server(f"mode=clicks&length={seconds}&pace=realtime") as address:
        return _clicks(address, seconds, simulate=False)


def _clicks(address: str, seconds: int, *, simulate: bool) -> dict[str, Any]:
    plan = scenario(1, max_duration_s=seconds + 1)
    plan = plan.model_copy(update={"limits": plan.limits.model_copy(update={"reply_timeout_s": 1e9})})

    async def call() -> Any:
        return await hold(connect(address, os.environ), plan, policy=Unresponsive())

    _, folder = run(call(), simulate=simulate)
    pcm, rate = Episode.load(folder).track("endpoint")
    found = onsets(pcm, rate)
    expected = np.arange(1, seconds)
    count = min(len(found), len(expected))
    errors = (found[:count] - expected[:count] * rate) / rate * 1000
    return {
        "clicks": len(expected),
        "found": len(found),
        "first_ms": round(float(errors[0]), 3),
        "last_ms": round(float(errors[-1]), 3),
        "drift_ms": round(float(errors[-1] - errors[0]), 3),
        "worst_ms": round(float(np.abs(errors).max()), 3),
        "exact": int(np.count_nonzero(np.round(errors * rate / 1000) == 0)),
    }


def onsets(pcm: np.ndarray[Any, Any], rate: int) -> np.ndarray[Any, Any]:
    """First samples of sounds after at least 100 ms of digital silence."""
    loud = np.flatnonzero(pcm)
    first = np.ones(len(loud), dtype=bool)
    first[1:] = np.diff(loud) > rate // 10
    return loud[first]
