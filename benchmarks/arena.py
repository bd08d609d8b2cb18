"""The arena: how long ratings with intervals take, and how often the intervals hold the truth."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from scoring.arena.bradley_terry import CENTRE, POINTS, rate
from scoring.arena.outcomes import Floats, Outcomes

SIMULATIONS = 500

SETTINGS = {
    # systems, battles, prompts, standard deviation of the true ratings
    "8 systems, 1000 battles, 100 prompts": (8, 1000, 100, 120.0),
    "13 systems, 508 battles, 82 prompts": (13, 508, 82, 175.0),
    "10 systems, 1001 battles, 1001 prompts": (10, 1001, 1001, 150.0),
    "8 systems, 2000 battles, 20 prompts": (8, 2000, 20, 120.0),
    "3 systems, 100 battles, 20 prompts": (3, 100, 20, 90.0),
    "20 systems, 1500 battles, 300 prompts": (20, 1500, 300, 200.0),
}


def simulated(
    systems: int, battles: int, prompts: int, spread: float, seed: int
) -> tuple[Floats, Outcomes]:
    """True ratings, of mean 1000, and battles of random pairs on random prompts that follow them."""
    rng = np.random.default_rng([seed, systems])
    truth = rng.normal(0, spread, systems)
    truth += CENTRE - truth.mean()
    one = rng.integers(0, systems, battles)
    other = (one + rng.integers(1, systems, battles)) % systems
    won = rng.random(battles) < 1 / (1 + np.exp((truth[other] - truth[one]) / POINTS))
    _, prompt = np.unique(rng.integers(0, prompts, battles), return_inverse=True)
    names = tuple(f"s{index:02}" for index in range(systems))
    given = Outcomes(
        names,
        one,
        other,
        won.astype(np.float64),
        prompt.ravel(),
        int(prompt.max()) + 1,
        np.zeros((battles, 0)),
    )
    return truth, given.ordered(range(systems))


def speed() -> dict[str, Any]:
    """100,000 battles among 50 systems, 1,000 bootstraps, by number of prompts; on one core."""
    rate(simulated(5, 100, 20, 100.0, 0)[1])  # the first call imports scipy
    found = {}
    for prompts in (100, 1000, 10_000):
        _, battles = simulated(50, 100_000, prompts, 175.0, 0)
        started = time.perf_counter()
        rate(battles, resamples=1000)
        found[f"{prompts}_prompts_s"] = round(time.perf_counter() - started, 2)
    return found


def coverage() -> dict[str, Any]:
    """The share of true ratings within their 95 % intervals, over 500 simulations in each setting."""
    found = {}
    for name, (systems, battles, prompts, spread) in SETTINGS.items():
        held = []
        for seed in range(SIMULATIONS):
            truth, given = simulated(systems, battles, prompts, spread, seed)
            for system, place in rate(given, resamples=1000, seed=seed).ratings.items():
                true = truth[given.systems.index(system)]
                assert place.low is not None and place.high is not None
                held.append(place.low <= true <= place.high)
        found[name] = f"{100 * float(np.mean(held)):.1f} %"
    return found
