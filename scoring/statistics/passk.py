"""Chances over k trials of a task, estimated without bias from n >= k trials of which c passed."""

from __future__ import annotations

from math import comb

from scoring.statistics.undefined import Undefined


def pass_at_k(n: int, c: int, k: int) -> float | Undefined:
    """The chance that at least one of k trials passes: 1 - C(n-c, k) / C(n, k) (Chen et al. 2021)."""
    return _few(n, c, k) or 1 - comb(n - c, k) / comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float | Undefined:
    """The chance that all of k trials pass, pass^k: C(c, k) / C(n, k) (tau-bench)."""
    return _few(n, c, k) or comb(c, k) / comb(n, k)


def _few(n: int, c: int, k: int) -> Undefined | None:
    if not (0 <= c <= n and k >= 1):
        raise ValueError(f"{c} of {n} trials passed, k = {k}")
    return Undefined("fewer_than_k_trials") if n < k else None
