"""How often the findings are right: precision, recall and errors of the dose, by defect. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.selftest.detectors import DETECTORS, IMPLIES

OVERALL_BAR = 0.95
EACH_BAR = 0.85
EXACT_S = 0.005
"""Planted delays and yields are recovered to within this."""

EXACT = frozenset({"late", "yields_late"})
"""Defects whose dose has to be."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One call: what was planted and what was found.

    Attributes:
        planted: Name of the defect; "" in a control.
        found: Doses that were measured, by defect.
        void: Why the call does not count; "" if it does.
    """

    name: str
    planted: str
    dose: float
    found: Mapping[str, float]
    void: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One defect over all calls.

    Attributes:
        n: Calls in which it was planted.
        hits: Of these, those in which it was found.
        false: Names of other calls in which it was found.
        missed: Names of those in which it was not.
        errors: Measured less planted dose, in the dose's unit.
    """

    defect: str
    n: int
    hits: int
    false: tuple[str, ...]
    missed: tuple[str, ...]
    errors: tuple[float, ...] = field(default=())

    @property
    def precision(self) -> float | None:
        """Share of the findings that are right; None if there are none."""
        found = self.hits + len(self.false)
        return self.hits / found if found else None

    @property
    def recall(self) -> float | None:
        """Share of the planted defects that are found; None if none was planted."""
        return self.hits / self.n if self.n else None

    @property
    def worst_error(self) -> float | None:
        """The largest error of the dose, in either direction."""
        return max((abs(error) for error in self.errors), default=None)


@dataclass(frozen=True, slots=True)
class Result:
    """The whole self-test.

    Attributes:
        alarms: Names of the controls in which anything was found, with what it was.
        void: Calls that do not count, with why.
    """

    rows: tuple[Row, ...]
    controls: int
    alarms: Mapping[str, tuple[str, ...]]
    void: Mapping[str, str]

    @property
    def precision(self) -> float | None:
        """Over all findings in all calls."""
        hits = sum(row.hits for row in self.rows)
        found = hits + sum(len(row.false) for row in self.rows)
        return hits / found if found else None

    @property
    def recall(self) -> float | None:
        """Over all planted defects."""
        planted = sum(row.n for row in self.rows)
        return sum(row.hits for row in self.rows) / planted if planted else None

    @property
    def shortfalls(self) -> list[str]:
        """Every bar that is missed, in words; none if the examiner can be trusted."""
        found = [f"{name}: the call is void ({why})" for name, why in self.void.items()]
        for what, value in (("precision", self.precision), ("recall", self.recall)):
            if value is not None and value < OVERALL_BAR:
                found.append(f"overall {what} {value:.3f} is below {OVERALL_BAR}")
        for row in self.rows:
            for what, value in (("precision", row.precision), ("recall", row.recall)):
                if row.n and (value or 0.0) < EACH_BAR:
                    found.append(f"{row.defect}: {what} {value or 0.0:.3f} is below {EACH_BAR}")
            worst = row.worst_error
            if row.defect in EXACT and worst is not None and worst > EXACT_S:
                found.append(f"{row.defect}: dose is {worst * 1000:.1f} ms off, more than 5 ms")
        found += [f"{name}: false alarm ({', '.join(what)})" for name, what in self.alarms.items()]
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain data that strict JSON can hold."""
        return {
            "overall": {"precision": self.precision, "recall": self.recall},
            "defects": {row.defect: _row(row) for row in self.rows if row.n},
            "control": {"episodes": self.controls, "false_alarms": len(self.alarms)},
            "shortfalls": self.shortfalls,
            "void": dict(self.void),
        }


def tabulate(examined: Iterable[Examined]) -> Result:
    """Put the calls together; void ones are left out and named."""
    everything = list(examined)
    calls = [call for call in everything if not call.void]
    return Result(
        rows=tuple(_tally(name, calls) for name in DETECTORS),
        controls=sum(not call.planted for call in calls),
        alarms={call.name: tuple(call.found) for call in calls if not call.planted and call.found},
        void={call.name: call.void for call in everything if call.void},
    )


def _tally(defect: str, calls: Sequence[Examined]) -> Row:
    own = [call for call in calls if call.planted == defect]
    hits = [call for call in own if defect in call.found]
    return Row(
        defect=defect,
        n=len(own),
        hits=len(hits),
        false=tuple(
            call.name
            for call in calls
            if call.planted != defect
            and defect in call.found
            and defect not in IMPLIES.get(call.planted, {})
        ),
        missed=tuple(call.name for call in own if defect not in call.found),
        errors=tuple(call.found[defect] - call.dose for call in hits if DETECTORS[defect].unit),
    )


def _row(row: Row) -> dict[str, Any]:
    unit, errors = DETECTORS[row.defect].unit, row.errors
    found: dict[str, Any] = {"precision": row.precision, "recall": row.recall, "n": row.n}
    if errors and unit == "s":
        found["dose_error_ms"] = {
            "mean": round(1000 * sum(errors) / len(errors), 3),
            "worst": round(1000 * _worst(errors), 3),
        }
    elif errors:
        found["dose_error"] = {
            "unit": unit,
            "mean": round(sum(errors) / len(errors), 4),
            "worst": round(_worst(errors), 4),
        }
    if row.false:
        found["false"] = list(row.false)
    if row.missed:
        found["missed"] = list(row.missed)
    return found


def _worst(errors: Sequence[float]) -> float:
    return max(errors, key=lambda error: abs(error))
