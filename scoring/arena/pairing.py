"""Which battles to hold next: those whose outcome would say most.

S2S-Arena pairs systems with moderate rating gaps; to that comes here what is still uncertain. A pair's
weight is (exp(-((gap - 100) / 100)^2 / 2) + 0.1) times the variance of the difference of its two ratings,
so that no pair is ruled out. Systems that no battle links come first.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.arena.battles import Battle
from scoring.arena.bradley_terry import POINTS, RIDGE, rate
from scoring.arena.outcomes import Floats, outcomes

GAP, SPREAD = 100.0, 100.0
"""Gap in rating points that is asked most, and how far from it a gap may be."""

ANY_GAP = 0.1
"""Added to every pair's preference, so that the graph stays connected."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many battles are wanted, and how they may repeat.

    Attributes:
        count: Battles to propose; fewer if the caps leave no more.
        per_pair: Most battles of two systems, those that were held included.
        per_prompt: Most battles on one prompt, those that were held included.
        seed: Of what is drawn.
    """

    count: int
    per_pair: int = 50
    per_prompt: int = 20
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Pairing:
    """A battle to hold: `system_a` is shown first. Which of the two that is was drawn."""

    prompt: str
    system_a: str
    system_b: str

    def to_json(self) -> dict[str, object]:
        """With the order shown, as a battle has it."""
        return {"prompt": self.prompt, "system_a": self.system_a, "system_b": self.system_b, "first": "a"}


Possible = Collection[tuple[frozenset[str], str]]
"""Two systems and a prompt that both have answered."""


def propose(
    battles: Sequence[Battle],
    plan: Plan,
    systems: Iterable[str] = (),
    prompts: Iterable[str] = (),
    possible: Possible | None = None,
) -> list[Pairing]:
    """The next battles, each chosen as if those before it had been held.

    No two systems meet twice on one prompt.

    Args:
        battles: That were held, with an outcome or without.
        plan: How many, and the caps.
        systems: Systems beside those of the battles.
        prompts: Prompts beside those of the battles.
        possible: The only battles that can be held; None if every system has answered every prompt.
    """
    draft = _Draft(battles, plan, systems, prompts, possible)
    found = []
    for _ in range(plan.count):
        pairing = draft.next()
        if pairing is None:
            break
        found.append(pairing)
    return found


class _Draft:
    """What has been held or proposed so far, and what is known about the ratings."""

    def __init__(
        self,
        battles: Sequence[Battle],
        plan: Plan,
        systems: Iterable[str],
        prompts: Iterable[str],
        possible: Possible | None,
    ) -> None:
        self._plan = plan
        self._possible = possible
        self._rng = np.random.default_rng(plan.seed)
        self._systems = sorted({name for battle in battles for name in battle.systems}.union(systems))
        self._prompts = sorted({battle.prompt for battle in battles}.union(prompts))
        self._pairs = list(itertools.combinations(range(len(self._systems)), 2))
        place = {name: index for index, name in enumerate(self._systems)}
        pairs = [_pair(place[battle.system_a], place[battle.system_b]) for battle in battles]
        held = list(zip(pairs, battles, strict=True))
        self._met = {(pair, battle.prompt) for pair, battle in held}
        self._per_pair = Counter(pairs)
        self._per_prompt = Counter(battle.prompt for battle in battles)
        self._linked = Counter(pair for pair, battle in held if battle.label is not None)
        ratings = rate(outcomes(battles)[0], resamples=0).ratings
        self._strength = np.array(
            [(ratings[name].rating - 1000) / POINTS if name in ratings else 0.0 for name in self._systems]
        )
        self._covariance = self._known()

    def next(self) -> Pairing | None:
        """The next battle; None if the caps leave none."""
        groups = self._groups()
        allowed = [pair for pair in self._pairs if self._per_pair[pair] < self._plan.per_pair]
        linking = [pair for pair in allowed if groups[pair[0]] != groups[pair[1]]]
        for candidates in (linking, allowed):
            while candidates:
                pair = self._drawn(candidates)
                if prompt := self._prompt(pair):
                    return self._hold(pair, prompt)
                candidates.remove(pair)
        return None

    def _known(self) -> Floats:
        """Covariance of the strengths, in squared logits: the inverse of what the battles tell."""
        size = len(self._systems)
        information = np.eye(size) * RIDGE
        for pair, count in self._linked.items():
            information += count * self._told(pair)
        return np.asarray(np.linalg.inv(information)) if size else information

    def _told(self, pair: tuple[int, int]) -> Floats:
        """What one battle tells (Fisher's information): p (1 - p) in the direction of the difference."""
        direction = np.zeros(len(self._systems))
        direction[pair[0]], direction[pair[1]] = 1, -1
        gap = self._strength[pair[0]] - self._strength[pair[1]]
        chance = 1 / (1 + math.exp(-gap))
        return np.asarray(chance * (1 - chance) * np.outer(direction, direction))

    def _drawn(self, pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
        one, other = np.array(pairs).T
        gap = np.abs(self._strength[one] - self._strength[other]) * POINTS
        preferred = np.exp(-(((gap - GAP) / SPREAD) ** 2) / 2) + ANY_GAP
        variance = np.diag(self._covariance)
        uncertain = variance[one] + variance[other] - 2 * self._covariance[one, other]
        weight = preferred * uncertain
        return pairs[int(self._rng.choice(len(pairs), p=weight / weight.sum()))]

    def _prompt(self, pair: tuple[int, int]) -> str | None:
        """One of the least used prompts that the pair has not met on."""
        free = [
            prompt
            for prompt in self._prompts
            if self._per_prompt[prompt] < self._plan.per_prompt
            and (pair, prompt) not in self._met
            and (self._possible is None or (self._names(pair), prompt) in self._possible)
        ]
        if not free:
            return None
        least = min(self._per_prompt[prompt] for prompt in free)
        best = [prompt for prompt in free if self._per_prompt[prompt] == least]
        return best[int(self._rng.integers(len(best)))]

    def _names(self, pair: tuple[int, int]) -> frozenset[str]:
        return frozenset(self._systems[side] for side in pair)

    def _hold(self, pair: tuple[int, int], prompt: str) -> Pairing:
        self._met.add((pair, prompt))
        self._per_pair[pair] += 1
        self._linked[pair] += 1
        self._per_prompt[prompt] += 1
        # Sherman and Morrison: one battle more, without inverting anew
        told = self._covariance @ self._told(pair) @ self._covariance
        self._covariance = self._covariance - told / (
            1 + float(np.trace(self._told(pair) @ self._covariance))
        )
        sides = [self._systems[pair[0]], self._systems[pair[1]]]
        self._rng.shuffle(sides)
        return Pairing(prompt, *sides)

    def _groups(self) -> list[int]:
        """The group of each system: linked by outcomes, or by battles that are proposed."""
        group = list(range(len(self._systems)))
        for one, other in self._linked:
            if group[one] != group[other]:
                old, new = group[other], group[one]
                group = [new if number == old else number for number in group]
        return group


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)
