"""Whole calls in simulated time, with the fake endpoint and a user who says tone bursts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo
from recordings.reader import Episode
from scenarios.load import LoadedScenario, from_scenario
from scenarios.schema import Limits, Persona, Scenario, Turn
from streams import clock
from streams.endpoints.fake import FakeEndpoint
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice


def scripted(turns: int = 1, **changes: object) -> Scenario:
    plan = Scenario(
        id="call",
        title="A call",
        turns=tuple(Turn(text=f"question {n}") for n in range(turns)),
        persona=Persona(patience_s=5),
        limits=Limits(max_duration_s=120),
    )
    return plan.model_copy(update=changes)


@dataclasses.dataclass
class Call:
    info: EpisodeInfo
    episode: Episode
    endpoint: FakeEndpoint


def hold(
    tmp_path: Path,
    endpoint: FakeEndpoint,
    scenario: Scenario | LoadedScenario | None = None,
    *,
    simulate: bool = True,
    texts: Sequence[str] = (),
    **plan: object,
) -> Call:
    engines = Engines(
        voice=ToneVoice(),
        detector=EnergyDetector(),
        recogniser=ScriptedRecogniser(texts) if texts else None,
    )

    async def main() -> EpisodeInfo:
        loaded = scenario if isinstance(scenario, LoadedScenario) else from_scenario(scenario or scripted())
        whole = SessionPlan(id="call", scenario=loaded)
        whole = dataclasses.replace(whole, **plan)  # type: ignore[arg-type]
        return await Session(whole, endpoint, engines, tmp_path / "call").run()

    info = clock.run(main(), simulate=simulate)
    return Call(info, Episode.load(tmp_path / "call"), endpoint)


def audible(episode: Episode, track: Literal["user", "endpoint"]) -> list[tuple[float, float]]:
    """Stretches of sound with at least 50 ms of silence between them, in seconds."""
    pcm, rate = episode.track(track)
    loud = np.flatnonzero(pcm)
    if not loud.size:
        return []
    breaks = np.flatnonzero(np.diff(loud) > rate // 20)
    starts = loud[np.r_[0, breaks + 1]]
    ends = loud[np.r_[breaks, len(loud) - 1]] + 1
    return [
        (round(float(s) / rate, 6), round(float(e) / rate, 6)) for s, e in zip(starts, ends, strict=True)
    ]
