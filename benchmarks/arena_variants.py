"""Variants of the reference endpoint in the arena: does `viva arena` rank them from their calls alone?

Each variant has one planted defect of its voice or its knowledge. All are called in simulated time with the
same scenarios and seeds, judged by rules (content first), and rated.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from agent.attached import attached, lifeline
from agent.selftest.plan import facts_of
from recordings.strict_json import encode
from scenarios.schema import Limits, Persona, Scenario, Turn
from streams.reference.rehearsal import SHIPPED

VARIANTS = {
    "clean": "",
    "noisy": "&defects=noise:15",
    "monotone": "&defects=monotone",
    "wrong-facts": "&defects=swaps_fact",
}
"""Best first: what content first makes of them."""

CALLS, QUESTIONS = 8, 3
"""Calls of each variant, and questions in each."""


def scenario(first: int) -> Scenario:
    """Questions whose answers the rehearsed endpoint knows, from one of them on."""
    answers = [SHIPPED.from_answer(first).answer(number) for number in range(QUESTIONS)]
    return Scenario(
        id=f"quiz-{first}",
        title="A quiz",
        persona=Persona(patience_s=4),
        turns=tuple(Turn(text=answer.question, facts=facts_of(answer)) for answer in answers),
        limits=Limits(max_duration_s=180, max_turns=20, reply_timeout_s=9),
    )


def ranked(calls: int = CALLS) -> dict[str, Any]:
    """The leaderboard: each variant with its rating and interval, and whether they are in order."""
    with tempfile.TemporaryDirectory(prefix="viva-arena-") as folder:
        place = Path(folder)
        for number in range(calls):
            first = number * QUESTIONS % len(SHIPPED.answers)
            made = scenario(first).model_dump(mode="json", exclude_defaults=True)
            (place / f"quiz-{number}.yaml").write_bytes(encode({"version": 1, **made}))
            for name, defects in VARIANTS.items():
                address = f"reference://?mode=rehearsed&first={first}{defects}"
                call = ("run", f"quiz-{number}.yaml", "--endpoint", address, "--simulated")
                _viva(place, *call, "--judge", "none", "--out", f"{name}/{number}", "--json")
        runs = [f"{name}={name}" for name in VARIANTS]
        held = _viva(
            place,
            "arena",
            "judge",
            *runs,
            "--fusion",
            "content-first",
            "--store",
            "battles.jsonl",
            "--json",
        )
        board = _viva(place, "arena", "rate", "battles.jsonl", "--json")
    rows = {name: board["systems"][name]["bradley_terry"] for name in VARIANTS}
    order = sorted(rows, key=lambda name: -rows[name]["rating"])
    return {
        "battles": held["battles"],
        "unscored": sum(held["unscored"].values()),
        "in_order": order == list(VARIANTS),
        "ridge": board["ridge"],
        **{name: _shown(row) for name, row in rows.items()},
    }


def _shown(row: dict[str, Any]) -> str:
    return f"{row['rating']:.0f} [{row['low']:.0f} to {row['high']:.0f}]"


def _viva(folder: Path, *arguments: str) -> Any:
    command = attached("agent.cli.main", *arguments)
    done = subprocess.run(
        command, cwd=folder, stdin=lifeline(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"viva {' '.join(arguments)}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)
