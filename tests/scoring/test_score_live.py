"""Live calls in simulated time with the metronome: the score must read the latencies it planted."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.session import Engines, Session, SessionPlan
from scenarios.load import from_scenario
from scenarios.schema import Limits, Scenario, Turn
from scoring.metric import Measured
from scoring.score import score
from streams import clock
from streams.reference.config import Config
from streams.reference.inprocess import ReferenceEndpoint
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice

DELAYS = (0.35, 0.8, 1.25)
SCENARIO = Scenario(
    id="metronome",
    title="Metronome",
    turns=tuple(Turn(text=f"question {number}") for number in range(5)),
    limits=Limits(max_duration_s=60),
)


@pytest.mark.parametrize("pace", ["burst", "realtime", "ragged"])
def test_planted_latencies_are_read_from_the_episode(pace: str, tmp_path: Path) -> None:
    config = Config.model_validate(
        {"mode": "metronome", "delays": DELAYS, "leading_silence": 0.05, "pace": pace}
    )
    session = Session(
        SessionPlan(id=pace, scenario=from_scenario(SCENARIO)),
        ReferenceEndpoint(config),
        Engines(voice=ToneVoice(), detector=EnergyDetector()),
        tmp_path / pace,
    )
    clock.run(session.run(), simulate=True)
    scores = clock.run(score([tmp_path]))
    (episode,) = scores.episodes

    def values(name: str) -> list[float]:
        return [item.value for item in episode.measurements[name] if isinstance(item, Measured)]

    planted = [1000 * DELAYS[turn % 3] for turn in range(5)]
    # not a sample off; the zeros before the tone belong to the latency, not to the first byte
    assert values("response_latency") == pytest.approx(planted, abs=1e-6)
    assert values("leading_silence") == pytest.approx([50] * 5, abs=1e-6)
    assert values("first_byte") == pytest.approx([delay - 50 for delay in planted], abs=0.05)
