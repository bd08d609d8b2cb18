"""Events of the session itself: begun, resumed, disturbed, ended."""

from __future__ import annotations

from typing import Literal

from recordings.format.outcome import Outcome
from recordings.format.record import EventRecord


class SessionStarted(EventRecord):
    """Sample 0: the endpoint is ready and the first tick is due in 20 ms.

    Attributes:
        user_rate: Rate of the user's track.
        endpoint_rate: Rate of the endpoint's track.
    """

    kind: Literal["session_started"] = "session_started"
    session: str = ""
    model: str = ""
    user_rate: int = 0
    endpoint_rate: int = 0


class EndAnnounced(EventRecord):
    """The endpoint says that it will close.

    Attributes:
        resumable: Only the connection ends: the session can go on over another.
    """

    kind: Literal["end_announced"] = "end_announced"
    time_left_s: float | None = None
    reason: str = ""
    resumable: bool = False


class SessionResumed(EventRecord):
    """The session went on over a new connection; what the user said meanwhile was sent then.

    Attributes:
        gap_s: Time without a connection, in seconds; it ends at `t`.
        held: Messages that waited for the new connection.
    """

    kind: Literal["session_resumed"] = "session_resumed"
    gap_s: float
    held: int = 0


class TickLate(EventRecord):
    """A 20 ms tick that came more than 5 ms late, or was skipped in silence."""

    kind: Literal["tick_late"] = "tick_late"
    lateness_ms: float
    skipped: bool = False


class Noticed(EventRecord):
    """An error, warning or note from the endpoint, or from our own side.

    Attributes:
        reset_s: Seconds after which a limit that is used up is lifted, if the endpoint said so.
    """

    kind: Literal["noticed"] = "noticed"
    by: Literal["endpoint", "us"] = "endpoint"
    level: str
    code: str
    message: str
    reset_s: float | None = None


class UnknownMessage(EventRecord):
    """A message that the adapter does not know."""

    kind: Literal["unknown_message"] = "unknown_message"
    type: str


class UsageReported(EventRecord):
    """What the endpoint says was used.

    Attributes:
        cumulative: The values count from the start of the session: the last one counts, sums mean nothing.
        model: The model that was used, where it is not the session's own.
    """

    kind: Literal["usage_reported"] = "usage_reported"
    unit: str
    values: dict[str, float]
    cumulative: bool = False
    response: str = ""
    model: str = ""


class VerdictGiven(EventRecord):
    """A live judge's verdict on a turn."""

    kind: Literal["verdict_given"] = "verdict_given"
    turn: int
    judge: str
    label: str | None = None
    unscored: str | None = None
    reason: str = ""
    evidence: tuple[str, ...] = ()


class SessionEnded(EventRecord):
    """The session is over."""

    kind: Literal["session_ended"] = "session_ended"
    outcome: Outcome
    reason: str = ""
    by: str = ""
