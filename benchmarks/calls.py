"""Calls without any speech model: a user who says tone bursts, and an ear that goes by level."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo
from scenarios.load import from_scenario
from scenarios.schema import Limits, Persona, Scenario, Turn
from streams.endpoints.protocol import Endpoint
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from user_sim.policy import Policy


def engines(voice: ToneVoice | None = None) -> Engines:
    """A user without models."""
    return Engines(voice=voice or ToneVoice(), detector=EnergyDetector())


def scenario(turns: int, *, max_duration_s: float = 7200, pause_s: Sequence[float] = (0.0,)) -> Scenario:
    """A scripted user of so many turns."""
    return Scenario(
        id="bench",
        title="A user who says tone bursts",
        persona=Persona(patience_s=60),
        turns=tuple(
            Turn(text=f"turn {number}", pause_s=pause_s[number % len(pause_s)]) for number in range(turns)
        ),
        limits=Limits(max_duration_s=max_duration_s, max_turns=500, reply_timeout_s=60),
    )


async def hold(
    endpoint: Endpoint,
    plan: Scenario,
    voice: ToneVoice | None = None,
    folder: Path | None = None,
    policy: Policy | None = None,
) -> tuple[EpisodeInfo, Path]:
    """Hold one call; returns the episode and its folder."""
    folder = folder or Path(tempfile.mkdtemp(prefix="viva-bench-")) / "episode"
    session = Session(
        SessionPlan(id="bench", scenario=from_scenario(plan), max_lateness_s=5.0, policy=policy),
        endpoint,
        engines(voice),
        folder,
    )
    return await session.run(), folder
