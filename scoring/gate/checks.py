"""One thing that a gate looked at, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """What came of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # says nothing: void, unscored, too little data
    UNDECIDED = "undecided"  # too little was held, or our own side spoiled too much, for the gate to say


class Kind(StrEnum):
    """What a check is about."""

    EXPECTATION = "expectation"
    THRESHOLD = "threshold"
    REGRESSION = "regression"


EVERYTHING = "all"
"""Name of a check of all metrics at once."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: Of the episode or the metric.
        endpoint: Which it is about.
        reason: A sentence for people: why it failed or was skipped, or what was found.
        seconds: Length of the call, of an expectation.
        path: Folder of the episode, of an expectation.
    """

    kind: Kind
    name: str
    endpoint: str
    status: Status
    reason: str = ""
    seconds: float = 0.0
    path: str = ""

    def to_json(self) -> dict[str, Any]:
        """As in the JSON of `viva gate`."""
        return {
            "kind": self.kind.value,
            "name": self.name,
            "endpoint": self.endpoint,
            "status": self.status.value,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class GateResult:
    """All checks of a run."""

    run: str
    checks: tuple[Check, ...]

    def having(self, status: Status, kind: Kind | None = None) -> Sequence[Check]:
        """The checks that came out so."""
        return [c for c in self.checks if c.status is status and kind in (None, c.kind)]

    @property
    def compared_with_nothing(self) -> Sequence[Check]:
        """Endpoints that the baseline says nothing about, although one was named."""
        skipped = self.having(Status.SKIPPED, Kind.REGRESSION)
        return [check for check in skipped if check.name == EVERYTHING]

    @property
    def status(self) -> Status:
        """Failed if any check failed; else undecided if any could not be decided; else passed."""
        for status in (Status.FAILED, Status.UNDECIDED):
            if self.having(status):
                return status
        return Status.PASSED

    def to_json(self) -> dict[str, Any]:
        """As in the JSON of `viva gate`."""
        return {
            "run": self.run,
            "status": self.status.value,
            "reasons": [
                reason_of(check)
                for status in (Status.FAILED, Status.UNDECIDED)
                for check in self.having(status)
            ],
            "checks": [check.to_json() for check in self.checks],
        }


def reason_of(check: Check) -> str:
    """A check as one line for people."""
    return f"{check.kind.value} {check.name} ({check.endpoint}): {check.reason}"
