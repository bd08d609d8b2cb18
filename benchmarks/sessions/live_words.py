"""Eight calls at once with Whisper and the rules judge: how long after a turn are its words there?

The endpoint is the reference endpoint in a process of its own, which says answers that it knows beforehand:
it recognises nothing, and speaks each sentence once, so that the two cores are left to the calls.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from agent.attached import attached, lifeline
from scenarios.load import load_pack
from streams.reference.answers import KnowledgeAnswerer
from streams.reference.dialogue import Message, Role
from streams.reference.knowledge_base import KnowledgeBase
from streams.reference.sentences import sentences
from user_sim.ear import EarSettings, TurnEnd

ROOT = Path(__file__).parents[2]

SCENARIOS = ("mrna", "museum")
"""Of the demo, three questions each."""


def words_in_time(repeats: int = 4) -> dict[str, Any]:
    """Both scenarios, with either three answers, so often: sixteen calls, eight at a time."""
    from agent.cli.runs.demo import reference_server

    with tempfile.TemporaryDirectory(prefix="viva-words-") as folder:
        answers = Path(folder) / "answers.yaml"
        answers.write_text(yaml.safe_dump(_answers()))
        with reference_server(f"mode=rehearsed&answers={answers}") as address:
            command = attached("agent.cli.main", "run", "demo")
            for scenario in SCENARIOS:
                command += ["--only", scenario]
            for first in (0, 3):
                command += ["--endpoint", f"{address}&first={first}"]
            # they begin a second and a half apart: callers do not all ask their first question at once
            command += ["--repeats", str(repeats), "--concurrency", "8", "--starts-per-minute", "20"]
            command += ["--recogniser", "whisper:tiny"]
            command += ["--judge", "rules", "--no-report", "--max-lateness", "2000", "--out", "run"]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdin=lifeline(),
                capture_output=True,
                text=True,
                check=True,
            )
        return measured(_episodes(Path(folder) / "run"))


def _answers() -> list[dict[str, Any]]:
    """What is asked, and what the reference endpoint knows of it, as a file of `answers=`."""
    answerer, found, unused = KnowledgeAnswerer(KnowledgeBase.load()), [], ["nothing", "nothing"]
    pack = {each.scenario.id: each.scenario for each in load_pack("demo").scenarios}
    for scenario in SCENARIOS:
        said: list[Message] = []
        for turn in pack[scenario].turns:
            said.append(Message(Role.USER, turn.text))
            answer = answerer.find(said)
            said.append(Message(Role.ASSISTANT, answer))
            lines = sentences(answer)
            found.append({"question": turn.text, "sentences": lines, "fact": unused, "number": unused})
    return found


Episode = tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]
"""What `episode.json` says, and the events."""


def _episodes(run: Path) -> Iterator[Episode]:
    for path in sorted(run.glob("*/episode.json")):
        lines = (path.parent / "events.jsonl").read_text().splitlines()
        yield json.loads(path.read_text()), [json.loads(line) for line in lines]


def decided_after_s(turn: Mapping[str, Any], settings: EarSettings | None = None) -> float:
    """Silence after which the ear decided that a turn was over; see the head of `user_sim.ear`."""
    ear, probability = settings or EarSettings(), turn.get("probability")
    if turn["by"] not in (TurnEnd.SMART_TURN, TurnEnd.SILENCE):
        return 0.0  # it was broken off there
    if probability is None:
        return ear.max_pause_s
    return ear.complete_s if probability >= ear.complete_probability else ear.max_pause_s


def measured(episodes: Iterator[Episode] | Sequence[Episode]) -> dict[str, Any]:
    """When the words of turns were there, of those that were understood.

    How long after the ear had decided that a turn was over, for which it takes 0.5 to 2 s of silence; and
    how long after the turn's last sample of speech.
    """
    after_speech: list[float] = []
    after_turn: list[float] = []
    outcomes: Counter[str] = Counter()
    without: Counter[str] = Counter()
    late: list[float] = []
    for info, events in episodes:
        outcomes[info["outcome"]] += 1
        late += [info["lateness"]["p99"]] if info["lateness"] else []
        for turn in (event for event in events if event["kind"] == "turn_ended"):
            if turn["heard"] is None:
                without[turn["by"]] += 1
                continue
            delay = turn["t"] - turn["end"] / info["endpoint_rate"]
            after_speech.append(delay)
            after_turn.append(max(0.0, delay - decided_after_s(turn)))
    found: dict[str, Any] = {"calls": outcomes.total(), "outcomes": dict(outcomes)}
    found |= {"turns": len(after_turn), "without_words": without.total()}
    for name, delays in (("turn", after_turn), ("speech", after_speech)):
        for label, share in (("median", 50), ("p95", 95)):
            value = round(float(np.percentile(delays, share)), 2) if delays else None
            found[f"after_{name}_{label}_s"] = value
    return {**found, "worst_call_tick_p99_ms": round(max(late), 1) if late else None}
