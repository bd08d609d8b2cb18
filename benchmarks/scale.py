"""Runs of thousands of calls: killed again and again and resumed; then reported and compared."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from agent.attached import attached, lifeline
from recordings.check import Severity, check
from recordings.format import Outcome
from recordings.reader import Episode
from recordings.run import load_run

VIVA = attached("agent.cli.main")
ENGINES = ["--voice", "tone:0.2", "--recogniser", "none", "--detector", "energy", "--turn-detector", "none"]
ENDPOINTS = [f"fake://?replies=1&seconds=0.2&delay={delay}&rate=8000" for delay in ("0.5", "0.6")]

SCENARIO = """\
version: 1
id: s{number:03}
title: One question
seed: {seed}
persona: {{patience_s: 1}}
limits: {{max_duration_s: 5, reply_timeout_s: 1.0}}
turns:
  - text: Hi.
"""


def killed(scenarios: int = 50, repeats: int = 50, kills: int = 10) -> dict[str, Any]:
    """A run of scenarios x repeats x 2 endpoints, killed with -9 at random moments, resumed each time."""
    with tempfile.TemporaryDirectory(prefix="viva-scale-") as folder:
        return killed_in(Path(folder), scenarios, repeats, kills)


def killed_in(folder: Path, scenarios: int, repeats: int, kills: int, seed: int = 1) -> dict[str, Any]:
    """The same in a folder of one's own, where the run is left as `run`."""
    out = folder / "run"
    total = scenarios * repeats * len(ENDPOINTS)
    _pack(folder, scenarios, repeats)
    addresses = [word for address in ENDPOINTS for word in ("--endpoint", address)]
    command = [*VIVA, "run", "calls.yaml", *addresses, "--out", "run", *ENGINES, "--simulated"]
    command += ["--repeats", str(repeats), "--concurrency", "8", "--judge", "none", "--no-report"]
    resume = [*VIVA, "run", "--resume", "run", "--no-report"]
    rng = random.Random(seed)
    broken_off = 0
    started = time.perf_counter()
    for done in sorted(rng.randrange(total) for _ in range(kills)):
        _kill_after(folder, command, done, rng.uniform(0, 0.3))
        command = resume
        if (out / "run.json").exists():  # killed before its plan was written, there is nothing to resume
            broken_off += sum(episode.state == "running" for episode in load_run(out).episodes)
        else:
            raise RuntimeError("killed before the plan was written: choose another seed")
    _run(command, folder)
    seconds = time.perf_counter() - started
    return {"episodes": total, "kills": kills, **_verified(out, total), "seconds": round(seconds)}


def _verified(out: Path, total: int) -> dict[str, Any]:
    """Every episode exactly once, nothing lost, and the manifest says so."""
    info = load_run(out)
    outcomes = {path.parent.name: Episode.load(path.parent).info for path in out.glob("*/episode.json")}
    told = {a.folder: a.outcome for planned in info.episodes for a in planned.attempts}
    finished = Counter(
        folder.partition("+")[0] for folder, episode in outcomes.items() if not episode.outcome.void
    )
    wrong = [
        str(problem)
        for folder in sorted(outcomes)[:: max(1, len(outcomes) // 200)]
        for problem in check(Episode.load(out / folder))
        if problem.severity is Severity.ERROR
    ]
    return {
        "planned": len(info.episodes),
        "held_once": sum(finished[planned.id] == 1 for planned in info.episodes),
        "held_twice": sum(count > 1 for count in finished.values()),
        "lost": total - len(finished),
        "left": sum(planned.left for planned in info.episodes),
        "broken_off": sum(episode.outcome is Outcome.UNFINISHED for episode in outcomes.values()),
        "manifest_differs": sum(told.get(name) is not one.outcome for name, one in outcomes.items())
        + len(told.keys() - outcomes.keys()),
        "errors_in_episodes": len(wrong),
    }


def reported(copies: int = 2) -> dict[str, Any]:
    """`viva report` and `viva compare` of ten thousand episodes that are scored."""
    with tempfile.TemporaryDirectory(prefix="viva-scale-") as name:
        folder = Path(name)
        killed_in(folder, 50, 50, 0)
        for number in range(1, copies):
            _copy(folder / "run", 1000 * number)
        return timed_reports(folder)


def timed_reports(folder: Path) -> dict[str, Any]:
    """The same for the run in a folder."""
    first, _ = _timed(folder, "report", "run")
    found: dict[str, Any] = {
        "episodes": len(list((folder / "run").glob("*/episode.json"))),
        "first_report_with_scoring_s": first,
    }
    for name, arguments in (("report", ("report", "run")), ("compare", ("compare", "run"))):
        seconds, used = min(_timed(folder, *arguments) for _ in range(3))
        found |= {f"{name}_s": seconds, f"{name}_processor_s": used}
    return found


def _timed(folder: Path, *arguments: str) -> tuple[float, float]:
    """Seconds from the start of the process to its end, and of them those of the processor."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _run([*VIVA, *arguments], folder)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(seconds, 2), round(used, 2)


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(
        command, cwd=folder, env=_environment(), stdin=lifeline(), check=True, capture_output=True
    )


def _kill_after(folder: Path, command: list[str], done: int, more_s: float) -> None:
    """Start the run, and kill it so long after so many episodes are done."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(),
        stdin=lifeline(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and _done(folder / "run") < done:
        time.sleep(0.02)
    if process.poll() is None:
        time.sleep(more_s)
    process.send_signal(signal.SIGKILL)
    process.wait()


def _done(run: Path) -> int:
    """Episodes with a recording; counted by their folders, which is cheap."""
    try:
        return sum(1 for entry in os.scandir(run) if entry.is_dir())
    except FileNotFoundError:
        return -1


def _pack(folder: Path, scenarios: int, repeats: int) -> None:
    texts = [SCENARIO.format(number=number, seed=number * repeats) for number in range(scenarios)]
    (folder / "calls.yaml").write_text("---\n".join(texts))


def _copy(run: Path, seeds: int) -> None:
    """Every episode once more under another seed: the sound is shared, the rest is written anew."""
    for path in sorted(run.glob("*/episode.json")):
        copy = run / f"{path.parent.name}--{seeds}"
        copy.mkdir()
        for file in path.parent.iterdir():
            if file.is_file() and file.name != path.name:
                os.link(file, copy / file.name)
        info = json.loads(path.read_text())
        info |= {"id": copy.name, "seed": info["seed"] + seeds}
        (copy / path.name).write_text(json.dumps(info))


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
