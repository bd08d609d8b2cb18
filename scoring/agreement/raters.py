"""Several people who label the same items, each perhaps only some of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.compare import Accuracy, Comparison, compare
from scoring.agreement.labels import LabelError, Labels, LabelSet, drawn_together, label_set, within
from scoring.agreement.measures import alpha
from scoring.statistics.intervals import RESAMPLES, Interval, draws, numbered, percentile_interval
from scoring.statistics.undefined import Undefined

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Raters:
    """How far several raters agree.

    Attributes:
        names: Of the raters.
        items: Items that anyone knows.
        n: Items with at least two labels: the others say nothing about agreement.
        values: Labels on those.
        unscored: For each rater, causes of items without a label.
        alpha: Krippendorff's, nominal.
        alpha_ordinal: The same with the distances of ordered labels.
        alpha_interval: Bootstrap over items, or clusters of them, of `alpha`.
        alpha_ordinal_interval: The same of `alpha_ordinal`.
        pairs: Accuracy of every two raters over the items that both labelled.
        clusters: How many clusters were drawn from; None if items were.
    """

    names: tuple[str, ...]
    items: int
    n: int
    values: int
    unscored: Mapping[str, Mapping[str, int]]
    labels: LabelSet | None
    alpha: float | Undefined
    alpha_ordinal: float | Undefined
    alpha_interval: Interval | Undefined
    alpha_ordinal_interval: Interval | Undefined
    pairs: Mapping[tuple[str, str], Accuracy]
    clusters: int | None = None


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
    items = sorted({item for rater in raters for item in rater.items})
    units = {item: [rater.by_item[item] for rater in raters if item in rater.by_item] for item in items}
    pairable = {item: unit for item, unit in units.items() if len(unit) > 1}
    tables = coincidences(list(pairable.values()), possible.names if possible else ())
    clusters = drawn_together(raters, list(pairable))
    if clusters is not None:
        tables = _put_together(tables, clusters)
    nominal, nominal_interval = _alpha(tables, False, seed, resamples)
    ordinal: float | Undefined = Undefined("labels_not_ordered")
    ordinal_interval: Interval | Undefined = Undefined("labels_not_ordered")
    if possible and possible.ordered:
        ordinal, ordinal_interval = _alpha(tables, True, seed, resamples)
    return Raters(
        names=tuple(names),
        items=len(items),
        n=len(pairable),
        values=sum(map(len, pairable.values())),
        unscored={rater.name: Counter(rater.unscored.values()) for rater in raters},
        labels=possible,
        alpha=nominal,
        alpha_ordinal=ordinal,
        alpha_interval=nominal_interval,
        alpha_ordinal_interval=ordinal_interval,
        pairs={(a.name, b.name): _accuracy(a, b) for a, b in itertools.combinations(raters, 2)},
        clusters=None if clusters is None else len(tables),
    )


def _put_together(tables: Floats, clusters: Sequence[str]) -> Floats:
    """The tables of each cluster's units as one."""
    groups = numbered(clusters, len(tables))
    found = np.zeros((int(groups.max()) + 1, *tables.shape[1:]))
    np.add.at(found, groups, tables)
    return found


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
        pooled: Every label of a person against the judge's for the same item; resampled by item, or by the
            item's cluster. What the judge lacks is counted once for every person who knows the item.
        items: Different items that the judge and anyone of the people know.
        judge_unscored: Causes of those that the judge did not label, each counted once.
        by_person: Accuracy for each person, over the items that both labelled.
        by_person_counted_wrong: The same over all items that the person labelled.
    """

    pooled: Comparison
    items: int
    judge_unscored: Mapping[str, int]
    by_person: Mapping[str, Accuracy]
    by_person_counted_wrong: Mapping[str, Accuracy]

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
    """Compare a judge with every person, and with all their labels pooled.

    Raises:
        LabelError: See `compare`.
    """
    possible = label_set((*people, judge), declared)
    people, judge = [within(person, possible) for person in people], within(judge, possible)
    everyone, beside, item_of = _pooled(people, judge)
    items = sorted(set(item_of.values()))
    clusters = dict(zip(items, drawn_together((*people, judge), items) or items, strict=True))
    pooled = compare(
        everyone,
        beside,
        possible,
        cluster=lambda name: clusters[item_of[name]],
        seed=seed,
        resamples=resamples,
    )
    common = {item for person in people for item in person.items if item in judge}
    dropped = {person.name: _accuracy(person, judge) for person in people}
    return AgainstPeople(
        pooled=pooled,
        items=len(common),
        judge_unscored=Counter(judge.unscored[item] for item in common if item in judge.unscored),
        by_person=dropped,
        by_person_counted_wrong={
            person.name: Accuracy(len(person.by_item), dropped[person.name].right) for person in people
        },
    )


def _pooled(people: Sequence[Labels], judge: Labels) -> tuple[Labels, Labels, dict[str, str]]:
    """All labels of the people as one source, the judge's beside each of them, and whose item each is of.

    Entries are numbered: no name of a person can be taken for a part of an item's. What nobody but the
    judge knows stays in the judge's source once.
    """
    known = [(person, item) for person in people for item in person.items]
    nobody = sorted(set(judge.items).difference(item for _, item in known))
    item_of = {f"{n:09}": item for n, item in enumerate([*(item for _, item in known), *nobody])}
    by = dict(zip(item_of, known, strict=False))
    everyone = Labels(
        " + ".join(person.name for person in people),
        {name: p.by_item[item] for name, (p, item) in by.items() if item in p.by_item},
        {name: p.unscored[item] for name, (p, item) in by.items() if item in p.unscored},
    )
    repeated = Labels(
        judge.name,
        {name: judge.by_item[item] for name, item in item_of.items() if item in judge.by_item},
        {name: judge.unscored[item] for name, item in item_of.items() if item in judge.unscored},
        judge.order,
    )
    return everyone, repeated, item_of
