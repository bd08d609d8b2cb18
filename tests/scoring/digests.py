"""Digests made of numbers: episodes without sound, for comparisons and gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from recordings.format import Outcome
from scoring.digest.columns import Column, Digest, Row
from scoring.metric import Metric, Values
from scoring.score import METRICS

BY_NAME: Mapping[str, Metric] = {metric.name: metric for metric in METRICS}


@dataclass(frozen=True)
class Made:
    """One episode.

    Attributes:
        values: By metric; of ratios, pairs of part and whole.
        missing: Causes by metric.
    """

    scenario: str = "s"
    seed: int = 0
    endpoint: str = "fake://a"
    values: Mapping[str, Sequence[float | tuple[int, int]]] = field(default_factory=dict)
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    outcome: Outcome = Outcome.COMPLETED
    user: str = ""
    condition: str = ""
    failed: tuple[str, ...] = ()
    sha: str = ""


def digest(*episodes: Made) -> Digest:
    """Episodes as a digest."""
    rows = tuple(_row(place, made) for place, made in enumerate(episodes))
    return Digest(rows, {metric.name: _column(metric.name, episodes) for metric in METRICS})


def _row(place: int, made: Made) -> Row:
    return Row(
        id=f"{made.scenario}-{place}",
        path=f"run/{made.scenario}-{place}",
        scenario=made.scenario,
        pack="",
        endpoint=made.endpoint,
        outcome=made.outcome,
        sha256=made.sha or f"{made.scenario}/{made.user}/{made.condition}",
        asked_by=f"{made.scenario}/{made.condition}",
        asked_under=f"{made.scenario}/{made.user}",
        seed=made.seed,
        repeat=0,
        condition=made.condition,
        user=made.user,
        duration_s=10.0,
        exchanges=1,
        failed=made.failed,
    )


def _column(name: str, episodes: Sequence[Made]) -> Column:
    values = [(place, value) for place, made in enumerate(episodes) for value in made.values.get(name, ())]
    gone = [(place, cause) for place, made in enumerate(episodes) for cause in made.missing.get(name, ())]
    causes = tuple(dict.fromkeys(cause for _, cause in gone))
    numbers = [v[0] / v[1] if isinstance(v, tuple) else float(v) for _, v in values]
    parts = [v if isinstance(v, tuple) else (0, 0) for _, v in values]
    return Column(
        np.array([place for place, _ in values], np.int64),
        Values(
            np.array(numbers, np.float64),
            np.array(parts, np.int64).reshape(-1, 2),
            np.zeros(len(values), np.bool_),
        ),
        np.array([(place, causes.index(cause)) for place, cause in gone], np.int64).reshape(-1, 2),
        causes,
    )
