"""Examine an endpoint from Python: one call, recorded, scored.

Run:  python examples/examine_an_endpoint.py "openai+ws://127.0.0.1:8765/v1/realtime?model=NAME"
Without an address it calls the reference endpoint in this process, in simulated time.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from agent.connect import connect, in_process
from agent.session import Engines, Session, SessionPlan
from scenarios.load import from_scenario
from scenarios.schema import Scenario, Turn
from scoring.score import RunScores, score
from streams.clock import run
from streams.speech import select

SCENARIO = Scenario(
    id="hello",
    title="Two questions about gene editing",
    turns=(
        Turn(text="What is CRISPR-Cas9?"),
        Turn(text="How does the guide RNA find its target?"),
    ),
)


async def examine(address: str, folder: Path) -> RunScores:
    """Hold one call and score it."""
    engines = Engines(
        voice=select.voice("default", os.environ),
        detector=select.detector("default"),
        turn_detector=select.turn_detector("default"),
        recogniser=select.recogniser("default", os.environ),
    )
    plan = SessionPlan(id="hello", scenario=from_scenario(SCENARIO))
    info = await Session(plan, connect(address, os.environ), engines, folder).run()
    print(f"{info.outcome.value}: {info.reason}")
    return await score([folder], engines.recogniser)


def main(address: str = "reference://") -> RunScores:
    """Examine, and print each exchange."""
    folder = Path(tempfile.mkdtemp()) / "hello"
    scores = run(examine(address, folder), simulate=in_process(address))
    (episode,) = scores.episodes
    for exchange, texts in zip(episode.view.timeline.exchanges, episode.view.texts, strict=True):
        print(f"user      {exchange.user.text}")
        print(f"endpoint  {texts.heard}")
    latency = scores.metrics["response_latency"]
    print(f"median latency {latency.value:.0f} ms over {latency.n} replies; recorded in {folder}")
    return scores


if __name__ == "__main__":
    main(*sys.argv[1:2])
