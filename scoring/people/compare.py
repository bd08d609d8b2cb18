"""People and the simulated user on the same scenarios: traits with n and intervals, and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.people.traits import TRAITS, Traits
from scoring.statistics.intervals import Floats, Interval, bootstrap, bootstrap_mean
from scoring.statistics.undefined import Undefined

_Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Side:
    """One trait of one kind of caller.

    Attributes:
        mean: None without values.
        n: Values.
        calls: Calls that they come from.
        interval: Of the mean; whole calls are drawn.
    """

    mean: float | None
    n: int
    calls: int
    interval: Interval | Undefined


@dataclass(frozen=True, slots=True)
class Trait:
    """A trait of both; `difference` is people less the simulated user."""

    name: str
    people: Side
    simulated: Side
    difference: float | None
    interval: Interval | Undefined


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often a fact came to the same label, whoever called.

    Attributes:
        share: Over pairs of a call of each kind, of one scenario and one endpoint, and their facts.
        n: Such comparisons.
        interval: Whole scenarios are drawn.
    """

    share: float | None
    n: int
    scenarios: int
    interval: Interval | Undefined


@dataclass(frozen=True, slots=True)
class Report:
    """What was found.

    Attributes:
        scenarios: Those that both have called with; the others are left out.
        left_out: Calls of other scenarios.
    """

    scenarios: tuple[str, ...]
    left_out: int
    traits: tuple[Trait, ...]
    verdicts: Agreement

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "scenarios": list(self.scenarios),
            "left_out": self.left_out,
            "traits": {
                trait.name: {
                    "what": TRAITS[trait.name],
                    "people": _side(trait.people),
                    "simulated": _side(trait.simulated),
                    "difference": trait.difference,
                    "interval": _interval(trait.interval),
                }
                for trait in self.traits
            },
            "verdicts": {
                "agreement": self.verdicts.share,
                "n": self.verdicts.n,
                "scenarios": self.verdicts.scenarios,
                "interval": _interval(self.verdicts.interval),
            },
        }


def _side(side: Side) -> dict[str, Any]:
    return {"mean": side.mean, "n": side.n, "calls": side.calls, "interval": _interval(side.interval)}


def _interval(found: Interval | Undefined) -> Any:
    return found.to_json() if isinstance(found, Interval) else {"unscored": found.cause}


class NothingInCommon(ValueError):
    """There is no scenario that both people and the simulated user have called with."""


def compare(calls: Sequence[Traits], *, seed: int = 0) -> Report:
    """Compare calls of people with those of the simulated user.

    Raises:
        NothingInCommon: There is nothing to compare.
    """
    callers = [{call.scenario for call in calls if call.person is person} for person in (True, False)]
    shared = callers[0] & callers[1]
    if not shared:
        who = [", ".join(sorted(side)) or "nothing" for side in callers]
        raise NothingInCommon(
            f"people have called with {who[0]}, the simulated user with {who[1]}: no scenario of both. "
            "Call with one: viva mic ENDPOINT --scenario S, and viva run S --endpoint ENDPOINT"
        )
    kept = sorted(
        (call for call in calls if call.scenario in shared), key=lambda c: (c.scenario, c.person, c.episode)
    )
    traits = tuple(_trait(name, kept, seed) for name in TRAITS)
    return Report(tuple(sorted(shared)), len(calls) - len(kept), traits, _verdicts(kept, seed))


def _trait(name: str, calls: Sequence[Traits], seed: int) -> Trait:
    rows = [
        (value, call.person, number) for number, call in enumerate(calls) for value in call.values[name]
    ]
    values = np.array([value for value, _, _ in rows])
    person = np.array([whose for _, whose, _ in rows], dtype=bool)
    clusters = [number for _, _, number in rows]
    people, simulated = (_of(values, person == whose, clusters, seed) for whose in (True, False))
    if people.mean is None or simulated.mean is None:
        return Trait(name, people, simulated, None, Undefined("one_side_has_no_values"))

    def difference(counts: Floats) -> Floats:
        sums = [counts @ (values * mask) for mask in (person, ~person)]
        drawn = [counts @ mask.astype(float) for mask in (person, ~person)]
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = sums[0] / drawn[0] - sums[1] / drawn[1]
        return found

    interval = bootstrap(difference, len(rows), clusters, seed=seed)
    return Trait(name, people, simulated, people.mean - simulated.mean, interval)


def _of(values: Floats, mask: _Mask, clusters: Sequence[int], seed: int) -> Side:
    own = values[mask]
    calls = [cluster for cluster, inside in zip(clusters, mask, strict=True) if inside]
    if not own.size:
        return Side(None, 0, 0, Undefined("no_values"))
    return Side(float(own.mean()), own.size, len(set(calls)), bootstrap_mean(own, calls, seed=seed))


def _verdicts(calls: Sequence[Traits], seed: int) -> Agreement:
    same: list[float] = []
    scenarios: list[str] = []
    people = [call for call in calls if call.person]
    for person, other in product(people, (call for call in calls if not call.person)):
        if _setting(person) != _setting(other):
            continue
        for fact in sorted(person.facts.keys() & other.facts.keys()):
            same.append(float(person.facts[fact] == other.facts[fact]))
            scenarios.append(person.scenario)
    if not same:
        return Agreement(None, 0, 0, Undefined("no_fact_judged_in_calls_of_both"))
    interval = bootstrap_mean(same, scenarios, seed=seed)
    return Agreement(float(np.mean(same)), len(same), len(set(scenarios)), interval)


def _setting(call: Traits) -> tuple[str, str, str]:
    """What must be the same for verdicts to be comparable."""
    return call.scenario, call.endpoint, call.judge
