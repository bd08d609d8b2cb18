"""Battles as arrays: who met whom on which prompt, and with what score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log2

import numpy as np
from numpy.typing import NDArray

from scoring.arena.battles import Battle, First, Label

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Covariate(StrEnum):
    """What beside the systems may decide a battle.

    `position`: +1 if side a was shown first, -1 if side b, 0 for both orders; its effect is the advantage
    of being first. `length`: log2 of the ratio of the two durations; its effect is that of being twice as
    long.
    """

    POSITION = "position"
    LENGTH = "length"


def covariates(names: Sequence[str]) -> tuple[Covariate, ...]:
    """Covariates by their names, each once.

    Raises:
        ValueError: There is none of that name.
    """
    known = [covariate.value for covariate in Covariate]
    for name in names:
        if name not in known:
            raise ValueError(f"covariate is {name!r}, expected {' or '.join(known)}")
    return tuple(Covariate(name) for name in dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Battles with an outcome, as arrays with one entry a battle.

    Attributes:
        systems: Their names.
        first: Index of one system, always less than that of the other.
        second: Index of the other.
        score: Of the first: 1, 0.5 or 0.
        prompt: Number of the prompt.
        prompts: How many prompts there are.
        covariates: What each has of each covariate (battles, covariates), signed for the first.
        names: Of the covariates.
    """

    systems: tuple[str, ...]
    first: Indices
    second: Indices
    score: Floats
    prompt: Indices
    prompts: int
    covariates: Floats
    names: tuple[Covariate, ...] = ()

    def ordered(self, order: Sequence[int] | Indices) -> Outcomes:
        """The same with the systems in another order, given as indices of the present one."""
        place = np.empty(len(self.systems), np.intp)
        place[np.asarray(order, np.intp)] = np.arange(len(self.systems))
        one, other = place[self.first], place[self.second]
        turned = one > other
        return Outcomes(
            tuple(self.systems[index] for index in order),
            np.where(turned, other, one),
            np.where(turned, one, other),
            np.where(turned, 1 - self.score, self.score),
            self.prompt,
            self.prompts,
            np.where(turned[:, None], -self.covariates, self.covariates),
            self.names,
        )

    def groups(self, *, strongly: bool = False) -> Indices:
        """The number of each system's group: within one, all are linked by battles.

        Args:
            strongly: Linked by points won, in both directions: then, and only then, the maximum of the
                likelihood is finite.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = len(self.systems)
        won, lost = self.score > 0, self.score < 1
        winners = np.concatenate((self.first[won], self.second[lost]))
        losers = np.concatenate((self.second[won], self.first[lost]))
        graph = coo_array((np.ones(len(winners)), (winners, losers)), shape=(n, n))
        _, labels = connected_components(graph, directed=strongly, connection="strong")
        return np.asarray(labels, dtype=np.intp)


def outcomes(
    battles: Iterable[Battle], covariates: Sequence[Covariate] = ()
) -> tuple[Outcomes, Counter[str]]:
    """Battles as arrays, systems and prompts in the order of their names.

    Battles without a label are left to whoever counts them (`BattleSet.unscored`).

    Returns:
        The outcomes, and how many battles lack a covariate, by cause.
    """
    measures = [_VALUES[name] for name in covariates]
    counted: list[Battle] = []
    values: list[list[float | None]] = []
    causes: Counter[str] = Counter()
    for battle in battles:
        if battle.label is not None:
            if measures:
                found = [measure(battle) for measure in measures]
                if None in found:
                    causes[f"{covariates[found.index(None)]}_unknown"] += 1
                    continue
                values.append(found)
            counted.append(battle)
    systems = sorted({name for battle in counted for name in (battle.system_a, battle.system_b)})
    number = {name: index for index, name in enumerate(systems)}
    prompts = {name: index for index, name in enumerate(sorted({battle.prompt for battle in counted}))}
    given = Outcomes(
        tuple(systems),
        np.array([number[battle.system_a] for battle in counted], np.intp),
        np.array([number[battle.system_b] for battle in counted], np.intp),
        np.array([_SCORES[battle.label] for battle in counted], np.float64),
        np.array([prompts[battle.prompt] for battle in counted], np.intp),
        len(prompts),
        np.array(values, np.float64).reshape(len(counted), len(measures)),
        tuple(covariates),
    )
    return given.ordered(range(len(systems))), causes


def _position(battle: Battle) -> float | None:
    return None if battle.first is None else {First.A: 1.0, First.B: -1.0, First.BOTH: 0.0}[battle.first]


def _length(battle: Battle) -> float | None:
    if battle.duration_a_s is None or battle.duration_b_s is None:
        return None
    return log2(battle.duration_a_s / battle.duration_b_s)


_VALUES: dict[Covariate, Callable[[Battle], float | None]] = {
    Covariate.POSITION: _position,
    Covariate.LENGTH: _length,
}

_SCORES: dict[Label | None, float] = {label: label.score for label in Label}
