"""Findings as JSON objects: unknowns are null, and `undefined` says why."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.agreement.compare import Comparison, Result
from scoring.agreement.examine import Finding, Pair
from scoring.agreement.position import PositionReport
from scoring.agreement.raters import AgainstPeople, Raters
from scoring.statistics.intervals import LEVEL, RESAMPLES, Interval
from scoring.statistics.undefined import Undefined, or_none

BOOTSTRAP = {"resamples": RESAMPLES, "seed": 0, "level": LEVEL}

MEASURES = {
    # name in JSON, and why a comparison may not have it at all
    "cohen_kappa": "",
    "cohen_kappa_linear": "labels_not_ordered",
    "cohen_kappa_quadratic": "labels_not_ordered",
    "gwet_ac1": "",
    "krippendorff_alpha": "",
    "krippendorff_alpha_ordinal": "labels_not_ordered",
    "macro_f1": "",
    "majority_baseline": "",
    "majority_baseline_macro_f1": "",
    "distance_over_disagreements": "labels_not_ordered",
    "distance_over_all": "labels_not_ordered",
    "accuracy_when_winner": "no_preference_labels",
    "fabricated_winner_rate": "both_bad_is_no_label",
}


def to_json(finding: Finding) -> dict[str, object]:
    """Any finding as a JSON object; `kind` says what it is."""
    if isinstance(finding, Pair):
        return _pair(finding)
    if isinstance(finding, AgainstPeople):
        return _people(finding)
    if isinstance(finding, Raters):
        return _raters(finding)
    if isinstance(finding, PositionReport):
        return {"kind": "position", **finding.to_json()}
    return finding.to_json()


def _pair(pair: Pair) -> dict[str, object]:
    undefined: dict[str, str] = {}
    found = {"kind": "pair", **_comparison(pair.comparison, undefined)}
    test = pair.truth.dropped.mcnemar if pair.truth else Undefined("no_truth")
    if isinstance(test, Undefined):
        undefined["mcnemar_p"] = test.cause
    found["mcnemar_p"] = None if isinstance(test, Undefined) else test.p
    if pair.truth:
        found["truth"] = pair.truth.to_json()
    bootstrap = {**BOOTSTRAP, "clusters": pair.comparison.clusters}
    return {**found, "undefined": undefined, "bootstrap": bootstrap}


def _people(found: AgainstPeople) -> dict[str, object]:
    undefined: dict[str, str] = {}
    comparison = _comparison(found.pooled, undefined)
    mean = or_none(found.mean)
    return {
        "kind": "people",
        **comparison,
        "items": found.items,
        "judge_unscored": dict(sorted(found.judge_unscored.items())),
        "percent_mean_of_people": None if mean is None else 100 * mean,
        "people": {
            name: {**accuracy.to_json(), "count_as_wrong": found.by_person_counted_wrong[name].to_json()}
            for name, accuracy in found.by_person.items()
        },
        "undefined": undefined,
        "bootstrap": {**BOOTSTRAP, "clusters": found.pooled.clusters},
    }


def _raters(raters: Raters) -> dict[str, object]:
    undefined: dict[str, str] = {}
    values = {"krippendorff_alpha": raters.alpha, "krippendorff_alpha_ordinal": raters.alpha_ordinal}
    intervals = {
        "krippendorff_alpha": raters.alpha_interval,
        "krippendorff_alpha_ordinal": raters.alpha_ordinal_interval,
    }
    return {
        "kind": "raters",
        "raters": list(raters.names),
        "items": raters.items,
        "n": raters.n,
        "values": raters.values,
        "unscored": {name: dict(sorted(causes.items())) for name, causes in raters.unscored.items()},
        "labels": list(raters.labels.names) if raters.labels else [],
        **_plain(values, undefined),
        "pairs": [{"a": a, "b": b, **accuracy.to_json()} for (a, b), accuracy in raters.pairs.items()],
        "intervals": _intervals(values, intervals, undefined),
        "undefined": undefined,
        "bootstrap": {**BOOTSTRAP, "clusters": raters.clusters},
    }


def _comparison(found: Comparison, undefined: dict[str, str]) -> dict[str, object]:
    names = found.labels.names if found.labels else ()
    values, intervals = _measured(found.n, found.values, found.intervals)
    return {
        "a": found.a,
        "b": found.b,
        "n": found.n,
        "only_a": found.only_a,
        "only_b": found.only_b,
        "unscored": {"a": dict(found.unscored_a), "b": dict(found.unscored_b)},
        "labels": list(names),
        "labels_declared": bool(found.labels and found.labels.declared),
        **_plain(values, undefined),
        "majority_label": found.majority_label,
        "confusion": {
            row: {column: int(found.table[r, c]) for c, column in enumerate(names)}
            for r, row in enumerate(names)
        },
        "per_class": {name: scores.to_json() for name, scores in found.per_class.items()},
        "policies": {"drop": found.dropped.to_json(), "count_as_wrong": _as_wrong(found)},
        "intervals": _intervals(values, intervals, undefined),
    }


def _as_wrong(found: Comparison) -> dict[str, object]:
    """Accuracy and every measure, with what the second source lacks counted as wrong."""
    undefined: dict[str, str] = {}
    values, intervals = _measured(found.counted_wrong.n, found.values_wrong, found.intervals_wrong)
    return {
        **found.counted_wrong.to_json(),
        **_plain(values, undefined),
        "intervals": _intervals(values, intervals, undefined),
        "undefined": undefined,
    }


def _measured(
    n: int, values: Mapping[str, Result], intervals: Mapping[str, Interval | Undefined]
) -> tuple[dict[str, Result], dict[str, Interval | Undefined]]:
    """Every measure there is, those that these labels lack with the cause, and the agreement in percent."""
    absent = {"agreement": "", **MEASURES}
    found = {
        name: values.get(name, Undefined((n and cause) or "no_common_items"))
        for name, cause in absent.items()
    }
    share = found.pop("agreement")
    percent = share if isinstance(share, Undefined) else 100 * share
    return {"percent": percent, **found}, {**intervals, "percent": _times_100(intervals.get("agreement"))}


def _times_100(interval: Interval | Undefined | None) -> Interval | Undefined:
    if interval is None or isinstance(interval, Undefined):
        return interval or Undefined("no_common_items")
    return Interval(100 * interval.low, 100 * interval.high, interval.level)


def _plain(values: Mapping[str, float | Undefined], undefined: dict[str, str]) -> dict[str, float | None]:
    """Numbers and nulls; causes go into `undefined`."""
    undefined |= {name: value.cause for name, value in values.items() if isinstance(value, Undefined)}
    return {name: or_none(value) for name, value in values.items()}


def _intervals(
    values: Mapping[str, float | Undefined],
    intervals: Mapping[str, Interval | Undefined],
    undefined: dict[str, str],
) -> dict[str, list[float] | None]:
    """Intervals of the values that are defined."""
    found: dict[str, list[float] | None] = {}
    for name, value in values.items():
        if isinstance(value, Undefined):
            continue
        interval = intervals[name]
        if isinstance(interval, Undefined):
            undefined[f"intervals.{name}"] = interval.cause
            found[name] = None
        else:
            found[name] = interval.to_json()
    return found
