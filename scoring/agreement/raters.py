"""Several people who label the same items, each perhaps only some of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.compare import Accuracy, Comparison, compare
from scoring.agreement.labels import LabelError, Labels, LabelSet, label_set, within
from scoring.agreement.measures import alpha
from scoring.statistics.intervals import RESAMPLES, Interval, draws, percentile_interval
from scoring.statistics.undefined import Undefined

Floats = NDArray[np.float64]

BY = ": "
"""Stands between a person and an item in the name of one person's label of an item."""


@dataclass(frozen=True, slots=True)
class Raters:
    """How far several raters agree.

    Attributes:
        names: Of the raters.
        items: Items that anyone labelled.
        n: Items with at least two labels: the others say nothing about agreement.
        values: Labels on those.
        unscored: For each rater, items without a label, and why.
        alpha: Krippendorff's, nominal.
        alpha_ordinal: The same with the distances of ordered labels.
        alpha_interval: Bootstrap over items, of `alpha`.
        alpha_ordinal_interval: The same of `alpha_ordinal`.
        pairs: Accuracy of every two raters over the items that both labelled.
    """

    names: tuple[str, ...]
    items: int
    n: int
    values: int
    unscored: Mapping[str, int]
    labels: LabelSet | None
    alpha: float | Undefined
    alpha_ordinal: float | Undefined
    alpha_interval: Interval | Undefined
    alpha_ordinal_interval: Interval | Undefined
    pairs: Mapping[tuple[str, str], Accuracy]


def coincidences(units: Sequence[Sequence[str]], names: Sequence[str]) -> Floats:
    """Krippendorff's counts of pairs of values, one table (q, q) for each unit.

    A unit is the labels that an item got; each pair counts 1 / (labels - 1), so that every label
    counts once, and a unit with a single label not at all.
    """
    place = {name: k for k, name in enumerate(names)}
    found = np.zeros((len(units), len(names), len(names)))
    for table, unit in zip(found, units, strict=True):
        counts = np.bincount([place[label] for label in unit], minlength=len(names)).astype(np.float64)
        if len(unit) > 1:
            table[:] = (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    return found


def examine_raters(
    raters: Sequence[Labels],
    declared: LabelSet | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Raters:
    """Agreement among two or more raters; an item need not be labelled by all.

    Raises:
        LabelError: Two raters have one name, or see `compare`.
    """
    names = [rater.name for rater in raters]
    if len(set(names)) < len(names):
        raise LabelError("the raters", f"have one name twice among {', '.join(names)}", "Name each once.")
    possible = label_set(raters, declared)
    raters = [within(rater, possible) for rater in raters]
    items = sorted({item for rater in raters for item in rater.by_item})
    units = [[rater.by_item[item] for rater in raters if item in rater.by_item] for item in items]
    pairable = [unit for unit in units if len(unit) > 1]
    tables = coincidences(pairable, possible.names if possible else ())
    nominal, nominal_interval = _alpha(tables, False, seed, resamples)
    ordinal: float | Undefined = Undefined("labels_not_ordered")
    ordinal_interval: Interval | Undefined = Undefined("labels_not_ordered")
    if possible and possible.ordered:
        ordinal, ordinal_interval = _alpha(tables, True, seed, resamples)
    return Raters(
        names=tuple(names),
        items=len(items),
        n=len(pairable),
        values=sum(map(len, pairable)),
        unscored={rater.name: len(rater.unscored) for rater in raters},
        labels=possible,
        alpha=nominal,
        alpha_ordinal=ordinal,
        alpha_interval=nominal_interval,
        alpha_ordinal_interval=ordinal_interval,
        pairs={(a.name, b.name): _accuracy(a, b) for a, b in itertools.combinations(raters, 2)},
    )


def _alpha(
    units: Floats, ordered: bool, seed: int, resamples: int
) -> tuple[float | Undefined, Interval | Undefined]:
    n, q, _ = units.shape
    if not n:
        return Undefined("no_common_items"), Undefined("no_common_items")
    value = float(alpha(units.sum(axis=0), ordered))
    if np.isnan(value):
        return Undefined("constant_labels"), Undefined("constant_labels")
    flat = units.reshape(n, q * q)
    drawn = [alpha((counts @ flat).reshape(-1, q, q), ordered) for counts in draws(n, seed, resamples)]
    return value, percentile_interval(np.concatenate(drawn) if drawn else np.empty(0), n)


def _accuracy(a: Labels, b: Labels) -> Accuracy:
    common = a.by_item.keys() & b.by_item.keys()
    return Accuracy(len(common), sum(a.by_item[item] == b.by_item[item] for item in common))


# --- people against one judge ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AgainstPeople:
    """A judge against several people.

    Attributes:
        pooled: Every label of a person against the judge's for the same item; resampled by item.
        by_person: Accuracy for each person.
    """

    pooled: Comparison
    by_person: Mapping[str, Accuracy]

    @property
    def mean(self) -> float | Undefined:
        """The mean of the people's shares, each counting once, however much they labelled."""
        shares = [found.share for found in self.by_person.values()]
        defined = [share for share in shares if not isinstance(share, Undefined)]
        return sum(defined) / len(defined) if defined else Undefined("no_common_items")


def against_people(
    people: Sequence[Labels],
    judge: Labels,
    declared: LabelSet | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> AgainstPeople:
    """Compare a judge with every person, and with all their labels pooled."""
    possible = label_set((*people, judge), declared)
    pooled = compare(
        *_pooled(people, judge),
        possible,
        cluster=lambda item: item.split(BY, 1)[1],
        seed=seed,
        resamples=resamples,
    )
    judge = within(judge, possible)
    by_person = {person.name: _accuracy(within(person, possible), judge) for person in people}
    return AgainstPeople(pooled, by_person)


def _pooled(people: Sequence[Labels], judge: Labels) -> tuple[Labels, Labels]:
    """All labels of the people as one source, and the judge's beside each of them.

    What nobody but the judge knows stays in the judge's source once, under no person's name.
    """
    known = [(person, item) for person in people for item in person.items]
    beside = [(f"{person.name}{BY}{item}", item) for person, item in known]
    nobody = set(judge.items).difference(item for _, item in known)
    beside += [(f"{BY}{item}", item) for item in nobody]
    everyone = Labels(
        " + ".join(person.name for person in people),
        {f"{p.name}{BY}{item}": p.by_item[item] for p, item in known if item in p.by_item},
        {f"{p.name}{BY}{item}": p.unscored[item] for p, item in known if item in p.unscored},
    )
    repeated = Labels(
        judge.name,
        {name: judge.by_item[item] for name, item in beside if item in judge.by_item},
        {name: judge.unscored[item] for name, item in beside if item in judge.unscored},
        judge.order,
    )
    return everyone, repeated
