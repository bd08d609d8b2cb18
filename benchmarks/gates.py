"""Does a gate find what got worse, and let pass what did not?"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from agent.attached import attached, lifeline
from agent.suite.hold import Workplace
from agent.suite.limits import RunLimits
from agent.suite.manifest import manifest
from agent.suite.plan import plan
from agent.suite.run import SuiteSettings, hold_all
from benchmarks.calls import engines
from recordings.run import Run
from scenarios.load import LoadedScenario, from_scenario
from scenarios.schema import Limits, Persona, Scenario, Turn
from scoring.compare.metrics import chosen
from scoring.compare.sides import between_runs
from scoring.compare.verdict import Verdict, compare
from scoring.digest.columns import Digest
from scoring.digest.read import read_digest
from scoring.gate.checks import Status
from scoring.gate.regression import regressions
from scoring.score import METRICS
from streams.clock import run
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.speech.fake import ToneVoice

BY_NAME = {metric.name: metric for metric in METRICS}
COMPARISONS = 100


def false_alarms(comparisons: int = COMPARISONS, scenarios: int = 12, repeats: int = 2) -> dict[str, Any]:
    """Pairs of runs with one endpoint, whose latency and silences are chance; whole calls, scored."""
    started = time.perf_counter()
    gated, told, looked_at = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="viva-gates-") as name:
        for number in range(comparisons):
            before, now = (
                _held(
                    Path(name) / f"{number}-{side}", scenarios, repeats, random.Random(f"{number} {side}")
                )
                for side in ("before", "now")
            )
            checks = list(regressions(now, before, chosen((), {}), BY_NAME))
            looked_at = max(looked_at, sum(check.status is not Status.SKIPPED for check in checks))
            gated += any(check.status is Status.FAILED for check in checks)
            (found,) = compare(between_runs(before, now, ("", "")), chosen((), {}), BY_NAME)
            told += bool(found.having(Verdict.BETTER) or found.having(Verdict.WORSE))
    return {
        "comparisons": comparisons,
        "calls": scenarios * repeats,
        "metrics": looked_at,
        "gate_false_alarms": gated,
        "compare_false_alarms": told,
        "seconds": round(time.perf_counter() - started),
    }


def planted() -> dict[str, Any]:
    """The reference endpoint with a defect, against itself without one, by `viva run --baseline`."""
    clean = "reference://?mode=rehearsed"
    doses = {"late 50 ms": "late:0.05", "late 300 ms": "late:0.3", "late 800 ms": "late:0.8",
             "goes silent": "goes_silent:1", "yields late": "yields_late:2"}  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="viva-gates-") as name:
        folder = Path(name)
        (folder / "calls.yaml").write_text(
            "---\n".join(_reference_scenario(number) for number in range(12))
        )
        _viva(folder, clean, "before")
        found = {"nothing": _gated(folder, clean, "again")}
        for label, defect in doses.items():
            found[label] = _gated(folder, f"{clean}&defects={defect}", label.replace(" ", "-"))
    return {"calls": 12, **found}


def _gated(folder: Path, endpoint: str, out: str) -> str:
    """What failed the gate, or "passed"; expectations aside."""
    done = _viva(folder, endpoint, out, "--baseline", "before", "--json")
    gate = json.loads(done.stdout)["gate"]
    failed = [check["name"] for check in gate["checks"]
              if check["kind"] == "regression" and check["status"] == "failed"]  # fmt: skip
    return ", ".join(failed) or "passed"


def _viva(folder: Path, endpoint: str, out: str, *more: str) -> subprocess.CompletedProcess[str]:
    command = attached("agent.cli.main", "run", "calls.yaml", "--endpoint", endpoint)
    command += [
        "--simulated",
        "--concurrency",
        "2",
        "--out",
        out,
        "--recogniser",
        "none",
        "--judge",
        "none",
    ]
    command += ["--detector", "energy", "--turn-detector", "none", *more]
    return subprocess.run(command, cwd=folder, stdin=lifeline(), check=True, capture_output=True, text=True)


def _reference_scenario(number: int) -> str:
    return f"""\
version: 1
id: call-{number:02}
title: Three questions, one of them cut short
seed: {number}
persona: {{patience_s: 6}}
limits: {{max_duration_s: 90, reply_timeout_s: 8}}
turns:
  - text: What do you know about the first of them?
  - text: And how does the second one work?
  - text: Thank you. What about the last one?
behaviours:
  - {{id: cuts, kind: barge_in, turn: 2, random: [0.6, 2.0], say: {{text: "Wait, what was that?"}}}}
"""


def _held(folder: Path, scenarios: int, repeats: int, rng: random.Random) -> Digest:
    """A run of short calls, held in simulated time and scored."""
    loaded = [_scenario(number, repeats) for number in range(scenarios)]
    jobs = plan(loaded, ["fake://"], repeats)
    by_number = {one.sha256: number for number, one in enumerate(loaded)}
    order = iter(jobs)  # one call at a time, in the order of the plan

    def connect(_: str) -> FakeEndpoint:
        return _endpoint(by_number[next(order).scenario.sha256], rng)

    async def main() -> None:
        run = Run.create(folder, manifest(jobs, folder))
        try:
            await hold_all(
                run, jobs, Workplace(connect, engines(ToneVoice(0.2))), SuiteSettings(RunLimits(1))
            )
        finally:
            run.close()

    run(main(), simulate=True)
    return run(read_digest([folder]))


def _scenario(number: int, repeats: int) -> LoadedScenario:
    return from_scenario(
        Scenario(
            id=f"s{number:02}",
            title="Two turns",
            seed=number * repeats,
            persona=Persona(patience_s=3),
            turns=(Turn(text="One."), Turn(text="Two.")),
            limits=Limits(max_duration_s=20, reply_timeout_s=2.5),
        )
    )


def _endpoint(number: int, rng: random.Random) -> FakeEndpoint:
    """Some scenarios are slower than others, every reply is a little late by chance, a few never come."""
    replies = [
        FakeReply(
            pcm=tone(rng.uniform(0.3, 1.5), rate=8000),
            delay_s=0.5 + 0.03 * number + rng.gammavariate(2, 0.1),
        )
        for _ in range(2)
    ]
    return FakeEndpoint(replies[: 1 if rng.random() < 0.08 else 2], rate=8000)
