"""Ours, bare clients and Pipecat's one after the other against the same sink."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent.attached import attached, lifeline
from benchmarks.sessions.measured import together
from recordings.format import Outcome

ROOT = Path(__file__).parents[2]
COUNTED_S = 30.0


PER_PROCESS = 75
"""Sessions of ours in one process: so many `viva run` gives a worker (`agent.cli.runs.where`)."""


def pcm(count: int = 150) -> dict[str, Any]:
    """Binary PCM; beside it Pipecat, with as many as it still holds on two cores."""
    return {**against("pcm", count), "pipecat_50": run("pipecat_clients", "pcm", _told(50), 15.0)}


def openai(count: int = 100) -> dict[str, Any]:
    """OpenAI Realtime."""
    return against("openai", count)


def against(protocol: str, count: int) -> dict[str, Any]:
    """Ours and the bare clients, one after the other, in as many processes."""
    count = _told(count)
    processes = -(-count // PER_PROCESS)
    ours, bare = (run(client, protocol, count, COUNTED_S, processes) for client in ("ours", "bare"))
    void = sum(number for name, number in ours["outcomes"].items() if Outcome(name).void)
    return {**ours, "void": void, "bare": bare}


def run(client: str, protocol: str, count: int, seconds: float, processes: int = 1) -> dict[str, Any]:
    """The figures of one kind of client, in so many processes against one sink."""
    shares = [count // processes + (number < count % processes) for number in range(processes)]
    with sink() as port:
        started = [
            _python(f"benchmarks.sessions.{client}", protocol, str(port), str(share), str(seconds))
            for share in shares
        ]
        told = [process.communicate() for process in started]
    for process, (_, errors) in zip(started, told, strict=True):
        if process.returncode:
            raise RuntimeError(f"{client} failed:\n{errors}")
    return together([json.loads(said.splitlines()[-1]) for said, _ in told])


@contextmanager
def sink() -> Iterator[int]:
    """A sink in a process of its own; yields its port."""
    process = _python("benchmarks.sessions.sink")
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.communicate()


def _told(count: int) -> int:
    """The number of sessions, or fewer on a machine that is busy: SESSIONS=20 make bench-scale."""
    return min(count, int(os.environ.get("SESSIONS", count)))


def _python(module: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        attached(module, *arguments),
        cwd=ROOT,
        stdin=lifeline(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
