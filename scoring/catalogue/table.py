"""All episodes as columns of one length: what they are, and one value a metric and call. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from scoring.catalogue.kept import Known, Unmeasured
from scoring.compare.pairs import pair_values
from scoring.digest.columns import Row
from scoring.digest.make import condition_text, user_text
from scoring.metric import Metric
from scoring.report.figures import title, topic_of
from scoring.statistics.intervals import Floats

_DIGITS = 6
"""Decimals of a value: a page shows three."""

Describe = tuple[str, str, str, Callable[[Row], Any], Callable[[Unmeasured], Any]]
"""Name, title, kind; the value of a row that was measured, and of one that was not."""


def _of_info(read: Callable[[Any], Any]) -> Callable[[Unmeasured], Any]:
    return lambda one: None if one.info is None else read(one.info)


DESCRIBED: tuple[Describe, ...] = (
    ("episode", "Episode", "text", lambda r: r.id, lambda u: u.info.id if u.info else u.path.name),
    (
        "scenario",
        "Scenario",
        "text",
        lambda r: r.scenario,
        _of_info(lambda i: str(i.scenario.get("id", ""))),
    ),
    ("pack", "Pack", "text", lambda r: r.pack, _of_info(lambda i: i.pack)),
    ("endpoint", "Endpoint", "text", lambda r: r.endpoint, _of_info(lambda i: i.endpoint.address)),
    ("outcome", "Outcome", "text", lambda r: r.outcome.value, _of_info(lambda i: i.outcome.value)),
    ("fault", "Whose fault", "text", lambda r: r.outcome.fault.value, _of_info(lambda i: i.fault.value)),
    ("void", "Void", "flag", lambda r: r.void, _of_info(lambda i: i.outcome.void)),
    ("seed", "Seed", "number", lambda r: r.seed, _of_info(lambda i: i.seed)),
    ("repeat", "Repeat", "number", lambda r: r.repeat, _of_info(lambda i: i.repeat)),
    (
        "condition",
        "Room and line",
        "text",
        lambda r: r.condition,
        _of_info(lambda i: condition_text(i.part("conditions"))),
    ),
    ("user", "User", "text", lambda r: r.user, _of_info(user_text)),
    ("duration_s", "Length", "number", lambda r: r.duration_s, _of_info(lambda i: i.duration_s)),
    ("turns", "User turns", "number", lambda r: r.exchanges, lambda _: None),
    ("failed", "Checks failed", "list", lambda r: list(r.failed), lambda _: None),
    ("scored", "Measured", "flag", lambda _: True, lambda _: False),
    ("problem", "Problem", "text", lambda _: "", lambda u: u.problem),
)
"""The columns that say what an episode is."""

_UNITS = {"duration_s": "s"}


def columns(known: Known, metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """The columns of a table: what episodes are, then every metric that has a value or a cause anywhere."""
    rows = [known.digest.rows[place] if place >= 0 else None for place in known.places]
    found = [
        column(name, titled, kind, _told(rows, known, measured, other), unit=_UNITS.get(name, ""))
        for name, titled, kind, measured, other in DESCRIBED
    ]
    numbers = np.full(len(known.digest.rows), -1, np.int64)
    for place, number in enumerate(known.places):
        if number >= 0:
            numbers[number] = place
    for metric in metrics if known.digest.rows else ():
        made = _metric_column(metric, known, numbers)
        if made is not None:
            found.append(made)
    return found


def column(
    name: str,
    titled: str,
    kind: str,
    values: Iterable[Any],
    *,
    topic: str = "",
    unit: str = "",
    description: str = "",
) -> dict[str, Any]:
    """One column; what has no value is null."""
    return {
        "name": name,
        "title": titled,
        "topic": topic,
        "kind": kind,
        "unit": unit,
        "description": description,
        "values": list(values),
    }


def _told(
    rows: Sequence[Row | None],
    known: Known,
    measured: Callable[[Row], Any],
    other: Callable[[Unmeasured], Any],
) -> list[Any]:
    return [
        measured(row) if row is not None else other(known.others[place]) for place, row in enumerate(rows)
    ]


def _metric_column(metric: Metric, known: Known, numbers: np.ndarray[Any, Any]) -> dict[str, Any] | None:
    """One value a call, as two runs are compared by: a median, a ratio of sums, else a mean.

    Of those without a value, `unscored` has the rows by cause.
    """
    kept = known.digest.columns[metric.name]
    if not len(kept.episode) and not len(kept.missing):
        return None
    count = len(known.places)
    values: Floats = np.round(pair_values(kept, metric.statistic, numbers, count), _DIGITS)
    places, codes = numbers[kept.missing[:, 0]], kept.missing[:, 1]
    without = np.isnan(values[places])
    causes = {
        cause: np.unique(places[without & (codes == code)]).tolist()
        for code, cause in enumerate(kept.causes)
    }
    plain = [None if value != value else value for value in values.tolist()]
    made = column(
        metric.name,
        title(metric.name),
        "number",
        plain,
        topic=topic_of(metric.name),
        unit=metric.unit,
        description=metric.description,
    )
    return {**made, "unscored": {cause: rows for cause, rows in causes.items() if rows}}
