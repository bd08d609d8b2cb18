"""Ratings by maximum likelihood under the Bradley-Terry model, with intervals.

Unlike a running Elo, the ratings depend on the battles and not on their order. A tie is half a point for
each side. Ratings are 1000 + 400 / ln 10 * (t - mean t): 400 points are odds of ten to one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.arena.likelihood import CLOSE, EXACT, design, maximise, separated
from scoring.arena.outcomes import Covariate, Floats, Indices, Outcomes
from scoring.statistics.intervals import LEVEL, RESAMPLES, draws

CENTRE = 1000.0
"""The mean rating."""

POINTS = 400 / math.log(10)
"""Rating points of one logit."""

RIDGE = 0.01
"""Penalty on half the square of each strength (in logits) where the likelihood alone has no maximum; always
on coefficients of covariates, which it moves by little."""

FEWEST_PROMPTS = 10
"""With fewer prompts than this, battles are resampled: so few say nothing about how prompts differ."""

PSEUDO_POINTS = 0.5
"""Expected weight of the points never seen between separated systems, in resamples: Jeffreys' prior."""

PROMPTS, BATTLES = "prompts", "battles"
"""What is resampled."""

_AT_ONCE = 2_000_000
"""Counts held in memory at the same time."""

_MOST_BIAS = 1.0
"""Limit of the correction, in standard deviations: beyond it, a few resamples would decide."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval; the interval is None if nothing was resampled."""

    value: float
    low: float | None
    high: float | None

    def to_json(self) -> dict[str, object]:
        """As `viva arena` prints it."""
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Rating:
    """Where a system stands.

    Attributes:
        rating: In points; the mean of a group is 1000.
        low: Lower end of the 95 % interval; None if nothing was resampled.
        high: Upper end.
        rank: 1 + the systems of its group whose interval lies wholly above.
        group: Ratings of different groups are not comparable: no battle links them.
    """

    rating: float
    low: float | None
    high: float | None
    rank: int
    group: int

    def to_json(self) -> dict[str, object]:
        """As `viva arena` prints it."""
        return {
            "rating": self.rating,
            "low": self.low,
            "high": self.high,
            "rank": self.rank,
            "group": self.group,
        }


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """What the battles say.

    Attributes:
        ratings: Of every system that has a battle, best first within each group.
        groups: How many groups there are that no battle links.
        ridge: Whether the likelihood alone has no maximum (some systems never lost, or never won, a point
            against the others), and a ridge gave it one: distances between such systems are lower limits.
        effects: Of covariates, in points.
        clusters: What was drawn: "prompts" with all their battles, or "battles" where prompts are few, or
            have one battle each.
        resamples: How many resamples the intervals are made of.
    """

    ratings: dict[str, Rating]
    groups: int
    ridge: bool
    effects: dict[Covariate, Estimate]
    clusters: str
    resamples: int

    @property
    def connected(self) -> bool:
        """Whether battles link all systems, so that all ratings are comparable."""
        return self.groups <= 1


def rate(battles: Outcomes, *, resamples: int = RESAMPLES, seed: int = 0) -> BradleyTerry:
    """Rate the systems of some battles.

    Args:
        battles: The outcomes.
        resamples: Bootstraps for the intervals; 0 for none.
        seed: Of the bootstraps; the same seed, the same intervals, whatever the order of the battles, the
            names of the systems and the sides on which they stood.
    """
    if not len(battles.first):
        return BradleyTerry({}, 0, ridge=False, effects={}, clusters=PROMPTS, resamples=0)
    # names must not decide what is drawn for whom: systems stand in the order of their strength
    strengths = _Fit(battles).at[: len(battles.systems), 0]
    fit = _Fit(battles.ordered(np.argsort(-strengths.round(9), kind="stable")))
    centred = fit.in_points(fit.at)[:, 0]
    if not resamples or fit.drawn_from < 2:
        return _result(fit, centred, None, 0)
    drawn = np.concatenate([fit.in_points(block) for block in fit.resampled(resamples, seed)], axis=1)
    ends = intervals(drawn, centred, fit.drawn_from, plain=bool(fit.one_sided.any()))
    return _result(fit, centred, ends, resamples)


def intervals(values: Floats, estimates: Floats, clusters: int, *, plain: bool = False) -> Floats:
    """The ends of the interval of each estimate (estimates, 2).

    Bias-corrected percentiles (Efron 1981), widened for the number of clusters as a t interval is
    (Hesterberg 2015). Plain percentiles cover the truth in 91 % to 95 % of simulated arenas, these in 94 %
    to 96 %.

    Args:
        values: Of the resamples (estimates, resamples).
        estimates: Of all battles; they always lie within.
        clusters: How many prompts or battles were drawn from.
        plain: Without the correction of bias, for values that the resamples do not scatter about.
    """
    from scipy.special import ndtr, ndtri, stdtrit

    at = estimates[:, None]
    below = ((values < at).mean(axis=1) + (values <= at).mean(axis=1)) / 2
    bias = np.zeros(len(estimates)) if plain else np.clip(ndtri(below), -_MOST_BIAS, _MOST_BIAS)
    half = -math.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, (1 - LEVEL) / 2)
    ends = np.empty((len(estimates), 2))
    for row, (value, shift, drawn) in enumerate(zip(estimates, bias, values, strict=True)):
        low, high = np.quantile(drawn, ndtr([2 * shift - half, 2 * shift + half]))
        ends[row] = min(low, value), max(high, value)
    return ends


class _Fit:
    """Battles by cell, the estimate, and estimates of resamples."""

    def __init__(self, battles: Outcomes) -> None:
        self.battles = battles
        self._of, self._cell = design(battles)
        self.groups = battles.groups()
        strong = battles.groups(strongly=True)
        self.ridge = bool(strong.any())  # more than one strong group
        pairs = np.sort(np.column_stack((strong[self._of.first], strong[self._of.second])), axis=1)
        self.one_sided = pairs[:, 0] != pairs[:, 1]
        """Cells between systems of which one never lost a point to the other, even by way of others."""
        _, inverse, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
        self._shares = counts[inverse.ravel()][self.one_sided]
        self.at = self._maximum(*self._sums(), EXACT)
        prompts = battles.prompts
        self.alone = prompts < FEWEST_PROMPTS or prompts == len(self._cell)
        """Whether each battle is drawn by itself."""
        self.drawn_from = len(self._cell) if self.alone else prompts

    def in_points(self, parameters: Floats) -> Floats:
        """Parameters (parameters, samples) on the scale of ratings; each group's mean is `CENTRE`."""
        found = parameters * POINTS
        for group in range(int(self.groups.max()) + 1):
            inside = np.flatnonzero(self.groups == group)
            found[inside] += CENTRE - found[inside].mean(axis=0)
        return found

    def resampled(self, resamples: int, seed: int) -> Iterator[Floats]:
        """Estimates of resamples, in blocks (parameters, some resamples)."""
        from scipy.sparse import csr_array

        cell, score, cluster, weight = self._cell, self.battles.score, self.battles.prompt, None
        if self.alone:  # battles with one outcome are alike: what is drawn is how many there are of each
            _, first, weight = np.unique(cell * 2 + score, return_index=True, return_counts=True)
            cell, score, cluster = cell[first], score[first], np.arange(len(first))
        shape = len(self._of.first), int(cluster.max()) + 1
        battles = csr_array((np.ones(len(cell)), (cell, cluster)), shape=shape)
        points = csr_array((score, (cell, cluster)), shape=shape)
        points.eliminate_zeros()
        unseen = np.random.default_rng([seed, 1])
        width = max(shape[0], self._of.parameters**2)
        blocks = (
            draws(shape[1], seed, resamples, width) if weight is None else _alike(weight, seed, resamples)
        )
        for counts in blocks:
            drawn = np.ascontiguousarray(counts.T)
            met, won = battles @ drawn, points @ drawn
            self._add_unseen(met, won, unseen)
            yield self._maximum(met, won, CLOSE, self.at)

    def _add_unseen(self, battles: Floats, points: Floats, rng: np.random.Generator) -> None:
        """Points that one-sided cells might have seen, had there been more battles.

        No resample of ten wins holds a loss, and the interval would have no width. As in Rubin's Bayesian
        bootstrap, what was not seen gets a random weight: between two strong groups a gamma variable, whose
        mean is that of Jeffreys' prior.
        """
        if self.one_sided.any():
            shape = np.broadcast_to(
                PSEUDO_POINTS / self._shares[:, None], (len(self._shares), battles.shape[1])
            )
            weight = rng.gamma(shape)
            lost_all = self._sums()[1][self.one_sided] == 0
            battles[self.one_sided] += weight
            points[self.one_sided] += np.where(lost_all, weight, 0)

    def _sums(self) -> tuple[Floats, Floats]:
        """Battles and points of each cell, as one sample."""
        size = len(self._of.first)
        battles = np.bincount(self._cell, minlength=size).astype(np.float64)
        points = np.bincount(self._cell, self.battles.score, minlength=size).astype(np.float64)
        return battles[:, None], points[:, None]

    def _maximum(
        self, battles: Floats, points: Floats, close: float, start: Floats | None = None
    ) -> Floats:
        of, samples = self._of, battles.shape[1]
        ridge = np.full((of.parameters, samples), RIDGE)
        if not self.ridge:
            ridge[: of.systems] *= separated(of, battles, points)
        begin = np.zeros((of.parameters, 1)) if start is None else start
        return maximise(of, battles, points, np.repeat(begin, samples, axis=1), ridge, close)


def _alike(weight: Indices, seed: int, resamples: int) -> Iterator[Floats]:
    """How often each kind of battle is drawn, in blocks (some resamples, kinds)."""
    rng = np.random.default_rng(seed)
    block = max(1, _AT_ONCE // len(weight))
    total = int(weight.sum())
    for done in range(0, resamples, block):
        counts = rng.multinomial(total, weight / total, min(block, resamples - done))
        yield counts.astype(np.float64)


def _result(fit: _Fit, centred: Floats, ends: Floats | None, resamples: int) -> BradleyTerry:
    names, systems = fit.battles.systems, len(fit.battles.systems)
    low, high = (centred, centred) if ends is None else ends.T
    found = [
        Estimate(float(value), *((None, None) if ends is None else (float(low[at]), float(high[at]))))
        for at, value in enumerate(centred)
    ]
    ratings = {}
    for at in np.lexsort((-centred[:systems], fit.groups)):
        above = (low[:systems] > high[at]) & (fit.groups == fit.groups[at])
        place = found[at]
        ratings[names[at]] = Rating(
            place.value, place.low, place.high, 1 + int(above.sum()), int(fit.groups[at])
        )
    return BradleyTerry(
        ratings,
        int(fit.groups.max()) + 1,
        ridge=fit.ridge,
        effects=dict(zip(fit.battles.names, found[systems:], strict=True)),
        clusters=BATTLES if fit.alone else PROMPTS,
        resamples=resamples,
    )
