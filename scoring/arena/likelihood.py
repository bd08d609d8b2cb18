"""The Bradley-Terry likelihood, and its maximum for many samples of the same battles at once. Pure arrays.

P(i beats j) = 1 / (1 + exp(-(t_i - t_j + x b))), with strengths t, covariates x and their coefficients b.
Battles with the same systems and covariates are one *cell*; a sample is how many battles each cell has, and
how many points its first system won in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.arena.outcomes import Floats, Indices, Outcomes

EXACT = 1e-10
"""Step, in logits, that ends the search for the estimate itself."""

CLOSE = 1e-3
"""The same for resamples. What is left after such a step is its square: 0.0002 rating points."""

_MOST_STEPS = 500


@dataclass(frozen=True, slots=True)
class Design:
    """How cells depend on parameters: strengths first, then coefficients.

    Attributes:
        first: Index of a cell's first system.
        second: Index of its second.
        systems: How many strengths there are.
        reach: Largest absolute value of each covariate.
        effects: Sparse (cells, parameters): the linear predictor.
        back: Its transpose.
        squares: Sparse (parameters squared, cells): puts the Hessian together from the weights of cells.
    """

    first: Indices
    second: Indices
    systems: int
    reach: Floats
    effects: Any
    back: Any
    squares: Any

    @property
    def parameters(self) -> int:
        """Strengths and coefficients."""
        return self.systems + len(self.reach)


def design(outcomes: Outcomes) -> tuple[Design, Indices]:
    """The cells of some battles, and the cell of each battle."""
    from scipy.sparse import csr_array

    keys = np.column_stack((outcomes.first * len(outcomes.systems) + outcomes.second, outcomes.covariates))
    if outcomes.names:
        found, cell = np.unique(keys, axis=0, return_inverse=True)
    else:
        found, cell = np.unique(keys[:, 0], return_inverse=True)
        found = found[:, None]
    first, second = np.divmod(found[:, 0].astype(np.intp), max(len(outcomes.systems), 1))
    systems, covariates = len(outcomes.systems), found.shape[1] - 1
    size, cells = systems + covariates, len(found)
    places = np.column_stack((first, second, *(np.full(cells, systems + k) for k in range(covariates))))
    values = np.column_stack((np.ones(cells), -np.ones(cells), found[:, 1:]))
    rows = np.arange(cells)
    effects = csr_array(
        (values.ravel(), (np.repeat(rows, size - systems + 2), places.ravel())), shape=(cells, size)
    )
    both = places[:, :, None] * size + places[:, None, :]
    products = values[:, :, None] * values[:, None, :]
    squares = csr_array(
        (products.ravel(), (both.ravel(), np.repeat(rows, both[0].size if cells else 0))),
        shape=(size * size, cells),
    )
    reach = np.abs(found[:, 1:]).max(axis=0, initial=0.0)
    made = Design(first, second, systems, reach, effects, effects.T.tocsr(), squares)
    return made, np.asarray(cell.ravel(), dtype=np.intp)


def maximise(
    of: Design, battles: Floats, points: Floats, start: Floats, ridge: Floats, close: float = EXACT
) -> Floats:
    """The parameters at which the likelihood of each sample is greatest.

    Newton's method, all samples at once, with steps damped by log(1 + d) / d, where d bounds how far the
    step moves any logit. The likelihood is self-concordant in that distance, so that this converges from
    anywhere (Sun and Tran-Dinh 2019, nu = 2) and is Newton's plain method near the end.

    Args:
        of: The cells.
        battles: In each cell of each sample (cells, samples).
        points: Won by the cell's first system (cells, samples).
        start: Where to begin (parameters, samples); strengths that add up to 0.
        ridge: Penalty on half the square of each parameter (parameters, samples).
        close: Move of a logit at which the search ends.

    Returns:
        Parameters (parameters, samples); strengths that add up to 0.

    Raises:
        ArithmeticError: It does not converge: the likelihood has no maximum.
    """
    found = start.copy()
    left = np.arange(found.shape[1])
    for _ in range(_MOST_STEPS):
        step = _newton_step(of, battles, points, found[:, left], ridge)
        strengths = step[: of.systems]
        moved = np.ptp(strengths, axis=0) + of.reach @ np.abs(step[of.systems :])
        found[:, left] += step * (np.log1p(moved) / np.maximum(moved, np.finfo(float).tiny))
        going = moved > close
        if not going.any():
            return found
        if not going.all():
            left, ridge = left[going], ridge[:, going]
            battles, points = battles[:, going], points[:, going]
    raise ArithmeticError(f"{len(left)} likelihoods have no maximum after {_MOST_STEPS} steps")


def _newton_step(of: Design, battles: Floats, points: Floats, at: Floats, ridge: Floats) -> Floats:
    size = of.parameters
    chance = of.effects @ at
    np.negative(chance, out=chance)
    np.exp(chance, out=chance)
    chance += 1
    np.reciprocal(chance, out=chance)
    expected = battles * chance
    slope = of.back @ (points - expected) - ridge * at
    chance -= 1
    expected *= chance  # now minus the weights n p (1 - p)
    hessian = np.ascontiguousarray((of.squares @ expected).T).reshape(-1, size, size)
    # the likelihood does not see a shift of all strengths: holding their sum makes the equations regular
    hessian[:, : of.systems, : of.systems] -= 1
    diagonal = np.arange(size)
    hessian[:, diagonal, diagonal] -= ridge.T
    step: Floats = np.linalg.solve(hessian, -slope.T[:, :, None])[:, :, 0].T
    return step


def separated(of: Design, battles: Floats, points: Floats) -> Any:
    """For each sample, whether some systems cannot be reached from others by points won.

    Args:
        of: The cells.
        battles: (cells, samples).
        points: (cells, samples).
    """
    samples, systems = battles.shape[1], of.systems
    reached = np.zeros((samples, systems, systems), np.float32)
    reached[:, np.arange(systems), np.arange(systems)] = 1
    # cells of one pair, when there are covariates, follow each other: either may hold the win
    for one, other, won in ((of.first, of.second, points > 0), (of.second, of.first, points < battles)):
        cell, sample = np.nonzero(won)
        reached[sample, one[cell], other[cell]] = 1
    for _ in range(max(systems - 1, 1).bit_length()):
        if reached.all():
            break
        reached = np.minimum(reached @ reached, 1)
    return ~reached.all(axis=(1, 2))
