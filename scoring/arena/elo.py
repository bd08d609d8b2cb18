"""Elo as S2S-Arena computes it: one battle after the other, in the order of the file.

It is here to reproduce published tables. The last battles weigh most, so that another order of the same
battles gives other ratings: how much other is measured, and stands beside every rating.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.arena.outcomes import Indices, Outcomes

K = 32.0
"""Points at stake in a battle."""

START = 1000.0
"""Rating before the first battle; whatever is won is lost by another, so that the mean stays here."""

SHUFFLES, FEWEST_SHUFFLES = 200, 10
"""Other orders that are tried: fewer of a long file, no fewer than these."""

_UPDATES = 1_000_000
"""Updates of two ratings that all shuffles together may cost."""

_SCALE = 400.0


@dataclass(frozen=True, slots=True)
class Elo:
    """Where a system ends.

    Attributes:
        rating: After the last battle of the file.
        order_sd: Standard deviation of that rating over random orders of the same battles; None if no
            other order was tried.
    """

    rating: float
    order_sd: float | None


def elo(battles: Outcomes, *, k: float = K, shuffles: int | None = None, seed: int = 0) -> dict[str, Elo]:
    """Every system's rating after all battles.

    Args:
        battles: In the order in which they count.
        k: Points at stake: the winner gets k (1 - E), with E = 1 / (1 + 10^((other - own) / 400)); a tie
            counts as half a win.
        shuffles: Other orders; by default 200, or fewer of a long file.
        seed: Of the shuffles.
    """
    order = np.arange(len(battles.first))
    ratings = in_order(battles, order, k)
    rng = np.random.default_rng(seed)
    if shuffles is None:
        shuffles = min(SHUFFLES, max(FEWEST_SHUFFLES, _UPDATES // max(len(order), 1)))
    others = [in_order(battles, rng.permutation(order), k) for _ in range(shuffles)]
    noise = np.std(others, axis=0).tolist() if others else [None] * len(ratings)
    return {name: Elo(*found) for name, *found in zip(battles.systems, ratings, noise, strict=True)}


def in_order(battles: Outcomes, order: Indices, k: float = K) -> list[float]:
    """Ratings after all battles, by index of the system.

    Args:
        battles: The outcomes.
        order: Indices of the battles, as they are to be counted.
        k: Points at stake.
    """
    ratings = [START] * len(battles.systems)
    columns = (battles.first[order], battles.second[order], battles.score[order])
    for one, other, score in zip(*(column.tolist() for column in columns), strict=True):
        expected = 1 / (1 + 10 ** ((ratings[other] - ratings[one]) / _SCALE))
        change = k * (score - expected)
        ratings[one] += change
        ratings[other] -= change
    return ratings
