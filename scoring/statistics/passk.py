"""Chances over k trials of a task, estimated without bias from n >= k trials of which c passed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from scoring.statistics.intervals import Interval, bootstrap_mean
from scoring.statistics.undefined import Undefined


@dataclass(frozen=True, slots=True)
class PassK:
    """Chances over k trials, as means over tasks.

    Attributes:
        any: pass@k, that at least one of k trials passes.
        every: pass^k, that all of k trials pass.
        tasks: Tasks with at least k trials.
        few: Tasks with fewer: they say nothing of k, and are left out.
        any_interval: 95 %, of tasks drawn with replacement; undefined for fewer than two.
        every_interval: The same.
    """

    k: int
    any: float
    every: float
    tasks: int
    few: int
    any_interval: Interval | Undefined
    every_interval: Interval | Undefined


def pass_k(trials: Sequence[tuple[int, int]], k: int, *, seed: int = 0) -> PassK | Undefined:
    """Chances over k trials, each task counting as much as any other.

    Args:
        trials: For each task, trials made and trials passed.
        k: Trials.
        seed: Of the bootstrap.
    """
    enough = [(n, c) for n, c in trials if n >= k]
    if not enough:
        return Undefined("fewer_than_k_trials" if trials else "no_items")
    at = [_any(n, c, k) for n, c in enough]
    hat = [_every(n, c, k) for n, c in enough]
    return PassK(
        k=k,
        any=math.fsum(at) / len(at),
        every=math.fsum(hat) / len(hat),
        tasks=len(enough),
        few=len(trials) - len(enough),
        any_interval=bootstrap_mean(at, seed=seed),
        every_interval=bootstrap_mean(hat, seed=seed),
    )


def pass_at_k(n: int, c: int, k: int) -> float | Undefined:
    """The chance that at least one of k trials passes: 1 - C(n-c, k) / C(n, k) (Chen et al. 2021)."""
    return _few(n, c, k) or _any(n, c, k)


def pass_hat_k(n: int, c: int, k: int) -> float | Undefined:
    """The chance that all of k trials pass, pass^k: C(c, k) / C(n, k) (tau-bench)."""
    return _few(n, c, k) or _every(n, c, k)


def _any(n: int, c: int, k: int) -> float:
    return 1 - comb(n - c, k) / comb(n, k)


def _every(n: int, c: int, k: int) -> float:
    return comb(c, k) / comb(n, k)


def _few(n: int, c: int, k: int) -> Undefined | None:
    if not (0 <= c <= n and k >= 1):
        raise ValueError(f"{c} of {n} trials passed, k = {k}")
    return Undefined("fewer_than_k_trials") if n < k else None
