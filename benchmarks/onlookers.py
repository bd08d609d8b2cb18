"""What it costs to be looked at: calls alone, published, traced, counted, and before a frozen broker.

On the wall clock. The endpoints are in this process, and cost the same in each case.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from agent.attached import attached, lifeline
from agent.cli.onlookers.onlookers import OnlookerOptions, Onlookers
from agent.observers import Audience, Levels, Nobody
from agent.suite.hold import Order, Workplace, hold
from agent.suite.manifest import manifest
from agent.suite.plan import plan
from benchmarks.calls import engines, scenario
from recordings.run import Run
from scenarios.load import from_scenario
from streams.clock import run
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from tests.streams.events.brokers import Mosquitto

SESSIONS = 20
TURNS = 8
ROUNDS = 3
"""Each case so often; the cheapest round counts, since the machine may be busy with other things."""


class Ticks(Nobody):
    """Notes how late the ticks were."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []

    def levels(self, levels: Levels) -> None:
        self.late_ms += levels.lateness_ms


def cost() -> dict[str, Any]:
    """Processor time per session-second in each case, and how late the ticks came."""
    with ExitStack() as stack:
        broker = stack.enter_context(_broker())
        collector = stack.enter_context(_collector())
        mqtt = str(broker.broker)
        cases = {
            "alone": OnlookerOptions(),
            "mqtt": OnlookerOptions(mqtt),
            "spans": OnlookerOptions(otlp=collector),
            "metrics": OnlookerOptions(metrics_port=0),
            "all": OnlookerOptions(mqtt, otlp=collector, metrics_port=0),
            "frozen_broker": OnlookerOptions(mqtt),
        }
        measured = {}
        for name, options in cases.items():
            rounds = [_measured(options, broker, frozen="frozen" in name) for _ in range(ROUNDS)]
            measured[f"{name}_ms"], measured[f"{name}_late_p99_ms"] = min(rounds)
    return {"sessions": SESSIONS, **measured}


def _measured(options: OnlookerOptions, broker: Mosquitto, *, frozen: bool) -> tuple[float, float]:
    """Milliseconds of processor per session-second, and the 99th percentile of lateness in ms."""
    with tempfile.TemporaryDirectory(prefix="viva-bench-") as folder:
        ticks = Ticks()
        seconds, spent = run(_calls(Path(folder) / "run", options, broker, ticks, frozen=frozen))
    return round(spent * 1000 / seconds, 3), round(float(np.percentile(ticks.late_ms, 99)), 3)


async def _calls(
    out: Path, options: OnlookerOptions, broker: Mosquitto, ticks: Audience, *, frozen: bool
) -> tuple[float, float]:
    jobs = plan([from_scenario(scenario(TURNS))], ["fake://"], SESSIONS)
    held = Run.create(out, manifest(jobs, out))
    looking_on = Onlookers(options)
    looking_on.begin(held)
    here = Workplace(
        lambda _: FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.3)] * TURNS),
        looking_on.engines(engines()),
        audience=lambda job: looking_on.audience(job, ticks),
        observers=lambda: looking_on.observers(()),
        control=looking_on.control.control,
    )
    await asyncio.sleep(0.5)  # connected by now
    if frozen:
        broker.signal(signal.SIGSTOP)
    try:
        before = time.process_time()
        orders = [Order(job, "run", out / job.id, max_lateness_s=5.0) for job in jobs]
        results = await asyncio.gather(*(hold(order, here) for order in orders))
        spent = time.process_time() - before
    finally:
        if frozen:
            broker.signal(signal.SIGCONT)
        await looking_on.close(whole=True)
        held.close()
    return sum(result.duration_s for result in results), spent


@contextmanager
def _broker() -> Iterator[Mosquitto]:
    with tempfile.TemporaryDirectory(prefix="viva-bench-") as folder:
        broker = Mosquitto(Path(folder)).start()
        try:
            yield broker
        finally:
            broker.stop()


@contextmanager
def _collector() -> Iterator[str]:
    """In a process of its own: its work is not ours."""
    command = attached("benchmarks.collector")
    with subprocess.Popen(command, stdin=lifeline(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.kill()
