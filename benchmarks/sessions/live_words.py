"""Eight calls at once with Whisper and the rules judge: how long after a turn are its words there?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]


def words_in_time(repeats: int = 3) -> dict[str, Any]:
    """The demo's three calls, each so often, eight at a time; the endpoint has a process of its own."""
    from agent.cli.demo import reference_server

    with tempfile.TemporaryDirectory(prefix="viva-words-") as folder, reference_server() as address:
        command = [sys.executable, "-m", "agent.cli.main", "run", "demo", "--endpoint", address]
        command += ["--repeats", str(repeats), "--concurrency", "8", "--recogniser", "whisper:tiny"]
        command += ["--judge", "rules", "--no-report", "--max-lateness", "2000", "--out", "run"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        return _measured(Path(folder) / "run")


def _measured(run: Path) -> dict[str, Any]:
    """How long after the last sample of a turn's speech its words were there: the wait that decides whether
    the turn is over (0.2 to 2 s of silence) is in it.
    """
    delays: list[float] = []
    outcomes: dict[str, int] = {}
    late: list[float] = []
    for path in sorted(run.glob("*/episode.json")):
        info = json.loads(path.read_text())
        outcomes[info["outcome"]] = outcomes.get(info["outcome"], 0) + 1
        late.append(info["lateness"]["p99"])
        events = [json.loads(line) for line in (path.parent / "events.jsonl").read_text().splitlines()]
        delays += [
            event["t"] - event["end"] / info["endpoint_rate"]
            for event in events
            if event["kind"] == "turn_ended" and event["heard"] is not None
        ]
    return {
        "calls": len(late),
        "outcomes": outcomes,
        "turns": len(delays),
        "words_median_s": round(float(np.median(delays)), 2) if delays else None,
        "words_p95_s": round(float(np.percentile(delays, 95)), 2) if delays else None,
        "tick_p99_ms": round(max(late), 1),
    }
