"""How a session ended, and whose fault it is."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """Whose fault an outcome is."""

    NOBODY = "nobody"
    ENDPOINT = "endpoint"
    SCENARIO = "scenario"
    US = "us"


class Outcome(StrEnum):
    """How a session ended. The second group is void: it never lowers an endpoint's score."""

    COMPLETED = "completed"
    ENDPOINT_HUNG_UP = "endpoint_hung_up"
    ENDPOINT_SILENT = "endpoint_silent"
    ENDPOINT_ERROR = "endpoint_error"
    SESSION_LIMIT = "session_limit"
    MAX_DURATION = "max_duration"
    MAX_TURNS = "max_turns"
    USER_STOPPED = "user_stopped"

    SCENARIO_INVALID = "scenario_invalid"
    CONNECT_FAILED = "connect_failed"
    RATE_LIMITED = "rate_limited"
    BEHIND_REAL_TIME = "behind_real_time"
    USER_FAILED = "user_failed"
    HARNESS_FAILED = "harness_failed"
    CANCELLED = "cancelled"
    TAKEN_OVER = "taken_over"
    UNFINISHED = "unfinished"

    @property
    def void(self) -> bool:
        """True if the episode says nothing about the endpoint."""
        return self in _VOID

    @property
    def fault(self) -> Fault:
        """Whose fault it is."""
        return _FAULTS.get(self, Fault.US if self.void else Fault.NOBODY)


_VOID = frozenset(
    {
        Outcome.SCENARIO_INVALID,
        Outcome.CONNECT_FAILED,
        Outcome.RATE_LIMITED,
        Outcome.BEHIND_REAL_TIME,
        Outcome.USER_FAILED,
        Outcome.HARNESS_FAILED,
        Outcome.CANCELLED,
        Outcome.TAKEN_OVER,
        Outcome.UNFINISHED,
    }
)


_FAULTS = {
    Outcome.ENDPOINT_HUNG_UP: Fault.ENDPOINT,
    Outcome.ENDPOINT_SILENT: Fault.ENDPOINT,
    Outcome.ENDPOINT_ERROR: Fault.ENDPOINT,
    Outcome.SESSION_LIMIT: Fault.ENDPOINT,
    Outcome.SCENARIO_INVALID: Fault.SCENARIO,
    Outcome.CANCELLED: Fault.NOBODY,
    Outcome.TAKEN_OVER: Fault.NOBODY,
}
