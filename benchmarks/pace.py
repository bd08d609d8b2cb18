"""Pace: how late is the 20 ms tick while Whisper transcribes and Piper speaks on the same machine?"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from agent.attached import attached, lifeline


def wall_clock(scenario: str = "demo") -> dict[str, Any]:
    """The demo's calls; the endpoint runs in a process of its own on the same cores."""
    from agent.cli.runs.demo import reference_server

    out = Path(tempfile.mkdtemp(prefix="viva-pace-")) / "run"
    with reference_server() as address:
        command = attached("agent.cli.main", "run", scenario)
        subprocess.run(
            [*command, "--endpoint", address, "--out", str(out), "--json"],
            stdin=lifeline(),
            check=True,
            capture_output=True,
        )
    episodes = [json.loads(path.read_text()) for path in sorted(out.glob("*/episode.json"))]
    late = [episode["lateness"] for episode in episodes]
    return {
        "sessions": len(late),
        "ticks": sum(item["ticks"] for item in late),
        "median_ms": max(item["median"] for item in late),
        "p99_ms": max(item["p99"] for item in late),
        "worst_ms": max(item["worst"] for item in late),
        "outcomes": sorted({episode["outcome"] for episode in episodes}),
    }
