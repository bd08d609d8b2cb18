"""Battles for tests, in few words."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from scoring.arena.battles import Battle, Label
from scoring.arena.bradley_terry import BradleyTerry, rate
from scoring.arena.outcomes import outcomes

SPEAKBENCH = Path(__file__).parents[2] / "data" / "audiojudge" / "speakbench_annotations.jsonl"
COMPARED = SPEAKBENCH.with_name("speakbench_pairwise_vs_gpt4o-audio_gpt4o_4shot.csv")

Series = tuple[str, str, str]
"""Two systems and their battles in order: ("A", "B", "ab=") is a win of A, a win of B, a tie."""

_LABELS = {"a": Label.A, "b": Label.B, "=": Label.TIE, "+": Label.BOTH_GOOD, "-": Label.BOTH_BAD}


def battles(*series: Series, prompts: int = 1000) -> list[Battle]:
    """Battles in order, on prompts that repeat after so many."""
    found: list[Battle] = []
    for one, other, results in series:
        for result in results:
            place = len(found)
            found.append(
                Battle(
                    id=str(place),
                    prompt=f"p{place % prompts:04}",
                    system_a=one,
                    system_b=other,
                    label=_LABELS[result],
                )
            )
    return found


def rated(held: Iterable[Battle], resamples: int = 0, seed: int = 0) -> BradleyTerry:
    return rate(outcomes(held)[0], resamples=resamples, seed=seed)


def ratings(held: Iterable[Battle]) -> dict[str, float]:
    return {name: found.rating for name, found in rated(held).ratings.items()}


def simulated(strengths: dict[str, float], count: int, prompts: int, seed: int) -> list[Battle]:
    """Battles of random pairs, won with the chances that these ratings give."""
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(strengths, 2))
    found = []
    for place in range(count):
        one, other = pairs[rng.integers(len(pairs))]
        wins = rng.random() < 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400))
        found.append(
            Battle(
                id=str(place),
                prompt=f"p{rng.integers(prompts):04}",
                system_a=one,
                system_b=other,
                label=Label.A if wins else Label.B,
            )
        )
    return found
