"""Timing truth: the metronome replies after planted delays; what latency does `viva score` read?"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from agent.cli.runs.demo import reference_server
from agent.connect import connect
from benchmarks.calls import hold, scenario
from scoring.score import score
from streams.clock import run
from streams.speech.fake import ToneVoice

PACES = ("burst", "realtime", "ragged")
LEADS_S = (0.0, 0.2, 0.5)
DELAYS_S = (0.1, 0.255, 0.51, 1.005, 3.0)
"""From 100 ms to 3 s, at different places between two ticks: a call's replies fall anywhere."""
TRAILING_S = (0.0, 0.3)
SPARE_S = 0.06
"""A delay must leave the metronome so much time after its leading silence."""


def cases() -> Iterator[tuple[str, float, tuple[float, ...], float]]:
    """Pace, leading silence, planted delays, trailing silence of the user's clip."""
    for pace, lead, trailing in itertools.product(PACES, LEADS_S, TRAILING_S):
        delays = tuple(d for d in DELAYS_S if d - lead >= SPARE_S)
        yield pace, lead, delays, trailing


def errors_ms(base: str, rounds: int, simulate: bool) -> list[dict[str, Any]]:
    """Latency read minus latency planted, for every reply of every case."""
    rows = []
    for pace, lead, delays, trailing in cases():
        query = f"mode=metronome&pace={pace}&leading_silence={lead}&reply=0.3"
        address = f"{base}{query}&delays={','.join(map(str, delays))}"
        # the user waits out odd fractions of a frame, so that replies fall anywhere in a frame
        plan = scenario(rounds * len(delays), pause_s=(0.0, 0.0071, 0.0133, 0.0187))
        read = run(_measure(lambda a=address: connect(a, os.environ), plan, trailing), simulate=simulate)  # type: ignore[misc]
        for number, latency in enumerate(read):
            planted = delays[number % len(delays)] * 1000
            rows.append(
                {
                    "pace": pace,
                    "leading_s": lead,
                    "trailing_s": trailing,
                    "planted_ms": planted,
                    "error_ms": None if latency is None else latency - planted,
                }
            )
    return rows


async def _measure(make: Callable[[], Any], plan: Any, trailing: float) -> list[float | None]:
    _, folder = await hold(make(), plan, ToneVoice(trailing_s=trailing))
    scores = await score([folder], None)
    (episode,) = scores.to_json()["episodes"]
    return [turn["latency_ms"] for turn in episode["turns"]]


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Median, 95th percentile and worst of the absolute error."""
    errors = np.abs([row["error_ms"] for row in rows if row["error_ms"] is not None])
    return {
        "replies": len(rows),
        "unread": sum(row["error_ms"] is None for row in rows),
        "bias_ms": round(float(np.mean([r["error_ms"] for r in rows if r["error_ms"] is not None])), 3),
        "median_ms": round(float(np.median(errors)), 3),
        "p95_ms": round(float(np.percentile(errors, 95)), 3),
        "worst_ms": round(float(errors.max()), 3),
    }


def simulated() -> dict[str, Any]:
    """In process, simulated time."""
    return summary(errors_ms("reference://?", rounds=2, simulate=True))


@contextmanager
def _served() -> Iterator[str]:
    with reference_server("mode=metronome") as address:
        yield f"{address}&"


def wall_clock(rounds: int = 1) -> dict[str, Any]:
    """Over a loopback websocket, on the wall clock, the metronome in a process of its own."""
    with _served() as base:
        rows = errors_ms(base, rounds=rounds, simulate=False)
    trailing = {f"trailing {t:g} s": summary([r for r in rows if r["trailing_s"] == t]) for t in TRAILING_S}
    return {**summary(rows), "by_clip": trailing}
