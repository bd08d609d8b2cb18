"""`viva score` of recorded speech: Whisper base, DNSMOS, pitch, loudness, metrics; by workers and by Ray.

Fifty minutes are enough to know how long ten hours take: episodes are scored one by one, and what they cost
is counted as processor time too, which a busy machine changes less than the seconds.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from agent.attached import attached, lifeline

ROOT = Path(__file__).parents[1]

WAYS = {
    "1 worker": ("--workers", "1"),
    "2 workers": ("--workers", "2"),
    "Ray local": ("--on", "ray"),
}


def by_workers(copies: int = 20) -> dict[str, Any]:
    """The demo's calls with the reference endpoint, so many times, scored in each way."""
    with tempfile.TemporaryDirectory(prefix="viva-scoring-") as name:
        folder = Path(name)
        hours = _calls(folder, copies) / 3600
        found: dict[str, Any] = {"hours_of_call": round(hours, 2)}
        scores: list[str] = []
        for way, arguments in WAYS.items():
            for path in folder.glob("run/*/scores"):
                shutil.rmtree(path)
            seconds, used = _scored(folder / "run", arguments)
            found[f"{way}_times_real_time"] = round(3600 * hours / seconds, 1)
            if used:
                found[f"{way}_processor_s_per_hour"] = round(used / hours)
            scores.append(_scores(folder / "run"))
    found["equal"] = len(set(scores)) == 1
    return found


def _calls(folder: Path, copies: int) -> float:
    """Calls with words that were heard live; returns their length in seconds."""
    _viva(folder, "run", "demo", "--endpoint", "reference://", "--simulated", "--out", "run", "--judge",
          "none", "--recogniser", "whisper:tiny", "--no-report")  # fmt: skip
    seconds = 0.0
    for path in sorted(folder.glob("run/*/episode.json")):
        info = json.loads(path.read_text())
        seconds += copies * info["duration_s"]
        for number in range(1, copies):
            copy = path.parent.with_name(f"{path.parent.name}--{number}")
            shutil.copytree(path.parent, copy)
            (copy / path.name).write_text(json.dumps(info | {"id": copy.name, "seed": number}))
    return seconds


def _viva(folder: Path, *arguments: str) -> None:
    command = attached("agent.cli.main", *arguments)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=folder, env=environment, stdin=lifeline(), check=True, capture_output=True)


def _scored(run: Path, arguments: tuple[str, ...]) -> tuple[float, float]:
    """Seconds, and processor seconds of all processes; 0 with Ray, whose processes are not ours."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _viva(run.parent, "score", "run", *arguments, "--recogniser", "whisper:base", "--blueprints", "--json")
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, 0.0 if "--on" in arguments else used


def _scores(run: Path) -> str:
    files = sorted(run.glob("*/scores/*.json"))
    return json.dumps({str(file.relative_to(run)): json.loads(file.read_text()) for file in files})
