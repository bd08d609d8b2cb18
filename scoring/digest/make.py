"""From scored episodes to their digest."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recordings.format import EpisodeInfo
from scoring.digest.columns import Column, Digest, Row
from scoring.judge.dimensions import Dimension
from scoring.judge.rated import ratings
from scoring.metric import Measured, Metric, Values, sorted_out
from scoring.score import METRICS, EpisodeScores

VOICE_ROLE = "voice"


def digest_of(episodes: Sequence[EpisodeScores], stamps: Sequence[tuple[int, ...]] = ()) -> Digest:
    """The digest of episodes that are scored.

    Args:
        episodes: In the order of the rows.
        stamps: Of their files, if the digest is to be kept.

    Raises:
        RecordingError: A judge's ratings beside an episode cannot be read.
    """
    rows = tuple(
        _row(episode, stamp)
        for episode, stamp in zip(episodes, stamps or [()] * len(episodes), strict=True)
    )
    return Digest(rows, {metric.name: _column(metric, episodes) for metric in METRICS})


def _column(metric: Metric, episodes: Sequence[EpisodeScores]) -> Column:
    scored: list[Measured] = []
    places: list[int] = []
    missing: list[tuple[int, int]] = []
    codes: dict[str, int] = {}
    for place, episode in enumerate(episodes):
        found, causes = sorted_out(episode.measurements[metric.name])
        scored += found
        places += [place] * len(found)
        for cause, count in causes.items():
            missing += [(place, codes.setdefault(cause, len(codes)))] * count
    return Column(
        np.array(places, np.int64),
        Values.of(scored),
        np.array(missing, np.int64).reshape(-1, 2),
        tuple(codes),
    )


def _row(episode: EpisodeScores, stamp: tuple[int, ...]) -> Row:
    info = episode.info
    passed = [m for m in episode.measurements["passed"] if isinstance(m, Measured)]
    failed = passed[0].evidence.get("failed", ()) if passed else ()
    return Row(
        id=info.id,
        path=str(episode.path),
        scenario=episode.scenario,
        pack=info.pack,
        endpoint=episode.endpoint,
        outcome=info.outcome,
        sha256=info.scenario_sha256,
        asked_by=_hash(_without_user(info.scenario)),
        asked_under=_hash({key: part for key, part in info.scenario.items() if key != "conditions"}),
        seed=info.seed,
        repeat=info.repeat,
        condition=condition_text(info.part("conditions")),
        user=user_text(info),
        duration_s=info.duration_s,
        exchanges=len(episode.view.timeline.exchanges),
        failed=tuple(str(reason) for reason in failed) if isinstance(failed, list | tuple) else (),
        tallies=_tallies(episode),
        usage=episode.usage.to_json(),
        stamp=stamp,
    )


def user_text(info: EpisodeInfo) -> str:
    """Who called: voice and style of the scenario's user, and the engine that spoke."""
    persona = info.part("persona")
    named = ", ".join(str(persona[key]) for key in ("voice", "style") if persona.get(key))
    engine = next((f"{m.family} {m.name}" for m in info.models if m.role == VOICE_ROLE), "")
    return f"{named} ({engine})" if named and engine else named or engine


def condition_text(conditions: Mapping[str, Any]) -> str:
    """Room and line in words, as "cafe noise at 10 dB, packet_loss"."""
    noise = conditions.get("noise")
    beds = [bed for bed in noise if isinstance(bed, Mapping)] if isinstance(noise, list | tuple) else []
    parts = [f"{bed.get('bed')} noise at {bed.get('snr_db')} dB" for bed in beds]
    parts += [
        f"{name} {part}" if isinstance(part, int | float | str) else name
        for name, part in conditions.items()
        if name != "noise"
    ]
    return ", ".join(parts)


def _without_user(scenario: Mapping[str, Any]) -> dict[str, Any]:
    known = scenario.get("persona")
    kept = known if isinstance(known, Mapping) else {}
    persona = {k: v for k, v in kept.items() if k not in ("voice", "style")}
    rest = {key: part for key, part in scenario.items() if key != "persona"}
    return {**rest, "persona": persona} if persona else rest


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _tallies(episode: EpisodeScores) -> dict[str, Any]:
    """Labels that live judges gave, and those of raters in their dimensions, by judge."""
    verdicts: dict[str, dict[str, Counter[str]]] = {}
    for texts in episode.view.texts:
        for verdict in texts.verdicts:
            kind, name = ("unscored", verdict.unscored or "") if verdict.label is None else (
                "labels", verdict.label,
            )  # fmt: skip
            counts = verdicts.setdefault(verdict.judge, {"labels": Counter(), "unscored": Counter()})
            counts[kind][name] += 1
    judge, by_turn = ratings(episode.path)
    rated = {dimension.value: Counter[str]() for dimension in Dimension}
    for turn in by_turn.values():
        for dimension, one in zip(Dimension, turn, strict=True):
            rated[dimension.value][one.label] += 1
    return {
        **({"verdicts": verdicts} if verdicts else {}),
        **({"ratings": {judge: rated}} if by_turn else {}),
    }
