"""Ours, bare clients and Pipecat's one after the other against the same sink."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COUNTED_S = 30.0


def pcm(count: int = 150) -> dict[str, Any]:
    """Binary PCM; beside it Pipecat, with as many as it still holds on two cores."""
    return {**against("pcm", count), "pipecat_50": run("pipecat_clients", "pcm", _told(50), 15.0)}


def openai(count: int = 100) -> dict[str, Any]:
    """OpenAI Realtime."""
    return against("openai", count)


def against(protocol: str, count: int) -> dict[str, Any]:
    count = _told(count)
    ours = run("ours", protocol, count, COUNTED_S)
    return {**ours, "bare": run("bare", protocol, count, COUNTED_S)}


def run(client: str, protocol: str, count: int, seconds: float) -> dict[str, Any]:
    """The figures of one client process."""
    with sink() as port:
        done = _python(f"benchmarks.sessions.{client}", protocol, str(port), str(count), str(seconds))
        said, errors = done.communicate()
    if done.returncode:
        raise RuntimeError(f"{client} failed:\n{errors}")
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


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
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
