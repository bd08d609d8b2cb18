"""Two sources of labels over the same items, the first taken as the reference where it matters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.labels import Labels, LabelSet, drawn_together, label_set, shared, within
from scoring.agreement.measures import Measure, divided, measures
from scoring.agreement.tables import cells, resampled
from scoring.statistics.intervals import RESAMPLES, Interval, percentile_interval
from scoring.statistics.undefined import Undefined, or_none

Floats = NDArray[np.float64]
Result = float | Undefined


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often the second source says what the first says, under a policy for missing labels."""

    n: int
    right: int

    @property
    def share(self) -> float | Undefined:
        """Of n."""
        return self.right / self.n if self.n else Undefined("no_common_items")

    def to_json(self) -> dict[str, object]:
        """n, the number that agree, and their share."""
        return {"n": self.n, "right": self.right, "accuracy": or_none(self.share)}


@dataclass(frozen=True, slots=True)
class ClassScores:
    """How one label of the reference is found again.

    Attributes:
        support: Items to which the reference gives it.
    """

    support: int
    precision: Result
    recall: Result
    f1: Result

    def to_json(self) -> dict[str, object]:
        """None where a label was never given."""
        return {
            "support": self.support,
            "precision": or_none(self.precision),
            "recall": or_none(self.recall),
            "f1": or_none(self.f1),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far two sources agree.

    Attributes:
        a: Name of the first source, the reference.
        b: Name of the second.
        n: Items that both labelled.
        only_a: Items that only the first knows.
        only_b: Items that only the second knows.
        unscored_a: Causes of items that both know and the first did not label.
        unscored_b: The same of the second.
        labels: The possible labels; None if no label was given at all.
        table: Items by label of the first (rows) and of the second (columns).
        values: Every measure.
        intervals: Bootstrap over items, or clusters of them, of every measure.
        clusters: How many clusters were drawn from; None if items were.
        dropped: Accuracy over the items that both labelled.
        counted_wrong: Accuracy over the items that the first labelled: what the second lacks is wrong.
        values_wrong: Every measure over the same items as `counted_wrong`, see `measures`.
        intervals_wrong: Of those.
    """

    a: str
    b: str
    n: int
    only_a: int
    only_b: int
    unscored_a: Mapping[str, int]
    unscored_b: Mapping[str, int]
    labels: LabelSet | None
    table: Floats
    values: Mapping[str, Result]
    intervals: Mapping[str, Interval | Undefined]
    dropped: Accuracy
    counted_wrong: Accuracy
    values_wrong: Mapping[str, Result]
    intervals_wrong: Mapping[str, Interval | Undefined]
    clusters: int | None = None

    @property
    def majority_label(self) -> str | None:
        """The reference's most frequent label."""
        if not self.n or self.labels is None:
            return None
        return self.labels.names[int(self.table.sum(axis=1).argmax())]

    @property
    def per_class(self) -> dict[str, ClassScores]:
        """Every possible label as if it were the only one that counts."""
        names = self.labels.names if self.labels else ()
        rows, columns, right = self.table.sum(axis=1), self.table.sum(axis=0), np.diagonal(self.table)
        return {
            name: ClassScores(
                int(rows[k]),
                _defined(divided(right[k], columns[k]), "never_given"),
                _defined(divided(right[k], rows[k]), "not_in_reference"),
                _defined(divided(2 * right[k], rows[k] + columns[k]), "never_given"),
            )
            for k, name in enumerate(names)
        }


def compare(
    a: Labels,
    b: Labels,
    declared: LabelSet | None = None,
    *,
    cluster: Callable[[str], Hashable] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare two sources.

    Args:
        a: The reference.
        b: The other one.
        declared: The possible labels; others are unscored. By default those that either uses.
        cluster: Of an item, where several belong together and are drawn together. By default as the
            sources have it, see `drawn_together`.
        seed: Of the bootstrap.
        resamples: Of the bootstrap.

    Raises:
        LabelError: A source is of swapped items, or uses too many different labels.
    """
    possible = label_set((a, b), declared)
    a, b = within(a, possible), within(b, possible)
    common = shared((a, b))
    names = possible.names if possible else ()
    clusters = _clusters((a, b), common.items, cluster)
    wanted = measures(possible) if possible else []
    drawing = _Drawing(wanted, seed, resamples)
    second = [b.by_item[item] for item in common.items]
    dropped = drawing.of([a.by_item[item] for item in common.items], second, names, clusters)
    every = sorted(a.by_item)
    lacking = [b.by_item.get(item, _LACKING) for item in every]
    wrong = drawing.of(
        [a.by_item[item] for item in every], lacking, (*names, _LACKING), _clusters((a, b), every, cluster)
    )
    right = int(np.trace(dropped.table))
    return Comparison(
        a=a.name,
        b=b.name,
        n=len(common.items),
        only_a=common.only[0],
        only_b=common.only[1],
        unscored_a=common.unscored[0],
        unscored_b=common.unscored[1],
        labels=possible,
        table=dropped.table,
        values=dropped.values,
        intervals=dropped.intervals,
        dropped=Accuracy(len(common.items), right),
        counted_wrong=Accuracy(len(every), right),
        values_wrong=wrong.values,
        intervals_wrong=wrong.intervals,
        clusters=None if clusters is None else len(set(clusters)),
    )


_LACKING = ""
"""Label of what has none, where it counts as wrong; no set of labels holds it."""


def _clusters(
    sources: Sequence[Labels], items: Sequence[str], cluster: Callable[[str], Hashable] | None
) -> Sequence[Hashable] | None:
    if cluster is not None:
        return [cluster(item) for item in items]
    return drawn_together(sources, items)


@dataclass(frozen=True, slots=True)
class _Measured:
    table: Floats
    values: Mapping[str, Result]
    intervals: Mapping[str, Interval | Undefined]


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Measures with the bootstrap of their intervals."""

    wanted: Sequence[Measure]
    seed: int
    resamples: int

    def of(
        self,
        first: Sequence[str],
        second: Sequence[str],
        names: Sequence[str],
        clusters: Sequence[Hashable] | None,
    ) -> _Measured:
        """Every measure of labels of the same items."""
        found, q, as_wrong = cells(first, second, names), len(names), _LACKING in names
        table = np.bincount(found, minlength=q * q).reshape(q, q).astype(np.float64)
        tables = resampled(found, q, clusters, seed=self.seed, resamples=self.resamples)
        drawn_from = len(found) if clusters is None else len(set(clusters))
        values = {measure.name: measure.value(table, as_wrong=as_wrong) for measure in self.wanted}
        intervals: dict[str, Interval | Undefined] = {}
        for measure in self.wanted:
            value, of = values[measure.name], measure.as_wrong if as_wrong else measure.of
            intervals[measure.name] = (
                value if isinstance(value, Undefined) else percentile_interval(of(tables), drawn_from)
            )
        return _Measured(table, values, intervals)


def _defined(value: Floats, cause: str) -> Result:
    return Undefined(cause) if np.isnan(value) else float(value)
