"""episode.json: what is known before the call, and what is known after it."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from agent.call import End
from recordings.format import EndpointInfo, EpisodeInfo, Lateness, Model
from scenarios.load import canonical_json
from streams.clock import simulated, utc_now
from streams.endpoints.events import Ready
from streams.endpoints.protocol import Capabilities, Endpoint
from streams.speech.interfaces import ModelIdentity

if TYPE_CHECKING:
    from agent.session import Engines, SessionPlan


@cache
def version() -> str:
    """The installed version of vivavoce; looked up once, since that reads a file."""
    return importlib.metadata.version("vivavoce")


def begin(plan: SessionPlan, endpoint: Endpoint, engines: Engines, ready: Ready | None) -> EpisodeInfo:
    """The episode as it stands before the first sample: unfinished."""
    capabilities = endpoint.capabilities
    return EpisodeInfo(
        id=plan.id,
        run=plan.run,
        pack=plan.scenario.pack.id if plan.scenario.pack else "",
        fusion=plan.scenario.pack.fusion if plan.scenario.pack else "",
        scenario=json.loads(canonical_json(plan.scenario.scenario)),
        scenario_sha256=plan.scenario.sha256,
        endpoint=EndpointInfo(
            address=endpoint.address,
            protocol=capabilities.protocol,
            session=ready.session if ready else "",
            model=ready.model if ready else "",
            capabilities=_plain(capabilities),
        ),
        seed=plan.seed,
        repeat=plan.repeat,
        clock="simulated" if simulated() else "wall",
        user="simulated" if plan.person is None else "person",
        started_at_utc=utc_now().isoformat(timespec="seconds"),
        user_rate=capabilities.input.rate,
        endpoint_rate=capabilities.output.rate,
        models=tuple(_models(engines)),
        vivavoce=version(),
    )


def complete(
    info: EpisodeInfo,
    end: End,
    *,
    duration_s: float,
    lateness: Lateness | None,
    unheard_s: float,
    late_pieces: int,
) -> EpisodeInfo:
    """The episode as it stands after its last sample."""
    return info.model_copy(
        update={
            "duration_s": round(duration_s, 6),
            "outcome": end.outcome,
            "fault": end.outcome.fault,
            "reason": end.reason,
            "lateness": lateness,
            "unheard_tail_ms": round(unheard_s * 1000, 3),
            "late_pieces": late_pieces,
        }
    )


def _models(engines: Engines) -> list[Model]:
    parts: list[tuple[str, ModelIdentity]] = [
        ("voice", engines.voice.identity),
        ("speech activity", engines.detector.identity),
    ]
    if engines.turn_detector is not None:
        parts.append(("end of turn", engines.turn_detector.identity))
    if engines.recogniser is not None:
        parts.append(("hearing", engines.recogniser.identity))
    return [
        Model(role=role, family=m.family, name=m.name, version=m.version, sha256=m.sha256)
        for role, m in parts
    ]


def _plain(capabilities: Capabilities) -> dict[str, Any]:
    values = dataclasses.asdict(capabilities)
    values["turn_modes"] = sorted(capabilities.turn_modes)
    return values
