"""Measures of agreement, as functions of joint tables.

A table counts items by the label of the first source (rows) and of the second (columns). Every function
takes tables (..., q, q) and gives values (...), so that the same code computes a value and its resamples;
NaN stands for a table that does not define the value, and leaves this module as an `Undefined`.
Sums are of whole numbers as far as possible: neither the order of the labels nor that of the items shows.

What the second source did not label can be counted as wrong. Its items then stand in a last column, beside
a last row of zeros: a label of its own that is never right. Where labels have an order, it is the one
farthest from the right one instead. Where nothing is missing, both policies give the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.labels import BOTH_BAD, PREFERENCES, WINNERS, LabelSet
from scoring.statistics.undefined import Undefined

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number about a joint table.

    Attributes:
        name: In JSON.
        of: Tables to values.
        cause: Why a table with items may not define it.
        as_wrong: The same of tables (..., q + 1, q + 1), the last label being that of what is missing.
    """

    name: str
    of: Callable[[Floats], Floats]
    cause: str
    as_wrong: Callable[[Floats], Floats]

    def value(self, table: Floats, *, as_wrong: bool = False) -> float | Undefined:
        """Of one table."""
        if not table.sum():
            return Undefined("no_common_items")
        found = float((self.as_wrong if as_wrong else self.of)(table))
        return Undefined(self.cause) if np.isnan(found) else found


def divided(part: Floats, whole: Floats) -> Floats:
    """NaN where the whole is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, np.nan, part / whole)


def agreement(tables: Floats) -> Floats:
    """The share of items with the same label."""
    return divided(_trace(tables), _total(tables))


def kappa(tables: Floats, disagreement: Floats) -> Floats:
    """Cohen's kappa: 1 - observed / expected disagreement; undefined if none is expected.

    Args:
        tables: (..., q, q).
        disagreement: (q, q) what a pair of labels costs: 0/1, |i - j|, or (i - j)^2.
    """
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    observed = (tables * disagreement).sum(axis=(-2, -1))
    expected = (rows[..., :, None] * columns[..., None, :] * disagreement).sum(axis=(-2, -1))
    return 1 - divided(observed * _total(tables), expected)


def gwet_ac1(tables: Floats, q: int) -> Floats:
    """Gwet's AC1: chance is that of a guess among the q possible labels, the first; undefined for q = 1."""
    if q < 2:
        return np.full(tables.shape[:-2], np.nan)
    n = _total(tables)
    both = (tables.sum(axis=-1) + tables.sum(axis=-2))[..., :q]
    chance = divided((both * (2 * n[..., None] - both)).sum(axis=-1), 4 * n * n * (q - 1))
    return (agreement(tables) - chance) / (1 - chance)


def alpha(coincidences: Floats, ordered: bool = False) -> Floats:
    """Krippendorff's alpha of coincidences (..., q, q): symmetrical counts of pairs of values.

    Args:
        coincidences: See `raters.coincidences`; of two complete raters, the table plus its transpose.
        ordered: Ordinal distances, the squared number of values from one label to the other, instead
            of nominal ones.
    """
    values = coincidences.sum(axis=-1)
    if ordered:
        middle = np.cumsum(values, axis=-1) - values / 2
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        distance = 1 - np.eye(values.shape[-1])
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (values[..., :, None] * values[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - divided(observed * (values.sum(axis=-1) - 1), expected)


def alpha_of_two(tables: Floats, ordered: bool = False) -> Floats:
    """Krippendorff's alpha of two raters who labelled the same items."""
    return alpha(tables + np.swapaxes(tables, -2, -1), ordered)


def macro_f1(tables: Floats, q: int) -> Floats:
    """Mean F1 of the first q labels, as far as either source used them, the rows being the truth."""
    used = (tables.sum(axis=-1) + tables.sum(axis=-2))[..., :q]
    f1 = divided(2 * np.diagonal(tables, axis1=-2, axis2=-1)[..., :q], used)
    return divided(np.nansum(f1, axis=-1), (used > 0).sum(axis=-1).astype(np.float64))


def majority_baseline(tables: Floats) -> Floats:
    """The accuracy of answering every item with the truth's most frequent label."""
    return divided(tables.sum(axis=-1).max(axis=-1, initial=0), _total(tables))


def majority_macro_f1(tables: Floats) -> Floats:
    """The macro-F1 of the same: only one label has an F1 above zero."""
    rows = tables.sum(axis=-1)
    most = rows.max(axis=-1, initial=0)
    return divided(2 * most, (most + _total(tables)) * (rows > 0).sum(axis=-1))


def distance_over_all(tables: Floats) -> Floats:
    """Mean number of places between the two labels of an item."""
    return divided((tables * _places(tables)).sum(axis=(-2, -1)), _total(tables))


def distance_over_disagreements(tables: Floats) -> Floats:
    """The same over the items whose labels differ."""
    apart = (tables * _places(tables)).sum(axis=(-2, -1))
    return divided(apart, _total(tables) - _trace(tables))


def share(rows: tuple[int, ...], cells: tuple[tuple[int, int], ...]) -> Callable[[Floats], Floats]:
    """Of the items in some rows, the share that lies in some cells."""

    def of(tables: Floats) -> Floats:
        part = sum((tables[..., r, c] for r, c in cells), np.zeros(tables.shape[:-2]))
        return divided(part, tables[..., list(rows), :].sum(axis=(-2, -1)))

    return of


def measures(labels: LabelSet) -> list[Measure]:
    """Every measure that makes sense for a set of labels."""
    q = len(labels.names)
    constant = "constant_labels"
    found = [
        _nominal("agreement", agreement),
        _nominal("cohen_kappa", lambda tables: kappa(tables, 1 - np.eye(tables.shape[-1])), constant),
        _nominal("gwet_ac1", lambda tables: gwet_ac1(tables, q), "one_possible_label"),
        _nominal("krippendorff_alpha", alpha_of_two, constant),
        _nominal("macro_f1", lambda tables: macro_f1(tables, q)),
        _nominal("majority_baseline", majority_baseline),
        _nominal("majority_baseline_macro_f1", majority_macro_f1),
    ]
    if labels.ordered:
        found += [
            _ordinal("cohen_kappa_linear", lambda tables: kappa(tables, _places(tables)), constant),
            _ordinal("cohen_kappa_quadratic", lambda tables: kappa(tables, _places(tables) ** 2), constant),
            _ordinal("krippendorff_alpha_ordinal", lambda t: alpha_of_two(t, ordered=True), constant),
            _ordinal("distance_over_disagreements", distance_over_disagreements, "no_disagreements"),
            _ordinal("distance_over_all", distance_over_all),
        ]
    return found + preference_measures(labels)


def _nominal(name: str, of: Callable[[Floats], Floats], cause: str = "") -> Measure:
    """What is missing is one more label."""
    return Measure(name, of, cause, of)


def _ordinal(name: str, of: Callable[[Floats], Floats], cause: str = "") -> Measure:
    """What is missing is the farthest label."""
    return Measure(name, of, cause, lambda tables: of(_farthest(tables)))


def _farthest(tables: Floats) -> Floats:
    """Tables (..., q, q) in which what the last column holds stands in that farthest from its row."""
    q = tables.shape[-1] - 1
    rows = np.arange(q)
    found = tables[..., :q, :q].copy()
    found[..., rows, np.where(2 * rows < q - 1, q - 1, 0)] += tables[..., :q, q]
    return found


def preference_measures(labels: LabelSet) -> list[Measure]:
    """What a judge does where the truth has no winner, and where it has one.

    Only for labels of comparisons that may end without a winner.
    """
    names = labels.names
    if not set(names) <= PREFERENCES or set(names) <= WINNERS:
        return []
    winners = tuple(k for k, name in enumerate(names) if name in WINNERS)
    won = share(winners, tuple((k, k) for k in winners))
    found = [_nominal("accuracy_when_winner", won, "truth_has_no_winner")]
    if BOTH_BAD in names:
        bad = names.index(BOTH_BAD)
        invented = share((bad,), tuple((bad, k) for k in winners))
        wrong = share((bad,), tuple((bad, k) for k in (*winners, len(names))))
        found.append(Measure("fabricated_winner_rate", invented, "truth_has_no_both_bad", wrong))
    return found


def _trace(tables: Floats) -> Floats:
    return np.asarray(np.trace(tables, axis1=-2, axis2=-1), dtype=np.float64)


def _total(tables: Floats) -> Floats:
    return np.asarray(tables.sum(axis=(-2, -1)), dtype=np.float64)


def _places(tables: Floats) -> Floats:
    places = np.arange(tables.shape[-1], dtype=np.float64)
    return np.abs(np.subtract.outer(places, places))
