"""What an endpoint tells us, as one typed union for every wire protocol.

Each event is stamped on arrival, before parsing, and keeps the ordinal number of the wire message it
came from. The names follow `docs/architecture.md`; everything a score needs is derived from audio, so
these events are evidence beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class TextMode(StrEnum):
    """How a piece of text relates to the pieces before it."""

    DELTA = "delta"  # append
    CUMULATIVE = "cumulative"  # replace
    FINAL = "final"  # replace, and nothing more will come


class Edge(StrEnum):
    """Which end of a stretch of speech."""

    START = "start"
    STOP = "stop"


class ResponseStatus(StrEnum):
    """How a response ended."""

    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    INCOMPLETE = "incomplete"


class NoticeLevel(StrEnum):
    """How serious a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    RATE_LIMIT = "rate_limit"


class UsageUnit(StrEnum):
    """What usage is counted in."""

    TOKENS = "tokens"
    SECONDS = "seconds"
    CHARACTERS = "characters"


class Party(StrEnum):
    """Who did it."""

    ENDPOINT = "endpoint"
    US = "us"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrived:
    """Base of all events.

    Attributes:
        at: Arrival on the loop's clock, in seconds, taken before the message was parsed.
        raw: Ordinal number of the wire message, from 0; -1 if there was none.
    """

    at: float
    raw: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready(_Arrived):
    """The session is set up; audio may flow."""

    session: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioReceived(_Arrived):
    """Audio of a reply: whole PCM16 samples at the endpoint's declared output rate."""

    pcm: bytes
    item: str
    response: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReceived(_Arrived):
    """The endpoint's own text of what it says."""

    text: str
    mode: TextMode
    item: str = ""
    response: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTextReceived(_Arrived):
    """The endpoint's transcript of what the user said; may come late and out of order.

    Attributes:
        item: Which user item it is of; order them by `previous`, not by arrival.
        failed: The endpoint says that it could not transcribe this item.
    """

    text: str
    mode: TextMode
    item: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UserItemPlaced(_Arrived):
    """The endpoint says where a user item stands in the dialogue (OpenAI: `committed`)."""

    item: str
    previous: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSpeech(_Arrived):
    """The endpoint says that it hears the user begin or stop; never our zero of time.

    Attributes:
        server_ms: The endpoint's own stamp on its input timeline, if it gives one.
    """

    edge: Edge
    server_ms: float | None = None
    item: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseStarted(_Arrived):
    """The endpoint begins a response."""

    response: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEnded(_Arrived):
    """All audio of one item has been delivered (it may still wait to be heard)."""

    item: str
    response: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseEnded(_Arrived):
    """The endpoint has delivered a response, or given it up."""

    response: str
    status: ResponseStatus
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush(_Arrived):
    """Drop what has not been heard yet. Sent also while silent: no proof of an interruption.

    Attributes:
        responses: Responses begun so far, also those that have no audio yet.
    """

    responses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark(_Arrived):
    """The endpoint asks to be told when playback gets here."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled(_Arrived):
    """The endpoint calls a tool, or takes a call back.

    Attributes:
        arguments: JSON text as it came.
        told: The endpoint tells of a call that it may answer itself: an answer of ours is taken, not
            awaited.
    """

    call: str
    name: str
    arguments: str
    cancelled: bool = False
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(_Arrived):
    """What the endpoint says was used.

    Attributes:
        values: Counts by kind, in `unit`.
        cumulative: True if the values count from the start of the session: never sum those.
        model: The model that was used, where it is not the session's own (transcripts of the user).
    """

    unit: UsageUnit
    values: dict[str, float] = field(default_factory=dict)
    cumulative: bool = False
    response: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(_Arrived):
    """An error, warning or piece of information that is not about audio or text.

    Attributes:
        fatal: The session cannot go on. With `RATE_LIMIT`: the endpoint refuses to answer, since the
            account has used up what it may.
        reset_s: Seconds after which a limit that is used up is lifted, if the endpoint says so.
    """

    level: NoticeLevel
    code: str
    message: str
    fatal: bool = False
    reset_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(_Arrived):
    """A message the adapter does not know; counted by type, never ignored in silence."""

    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending(_Arrived):
    """The endpoint announces that it will close; a timer of ours must act before it does.

    Attributes:
        resumable: Only the connection ends; the session can go on over another, and nothing has to be done.
    """

    time_left_s: float | None = None
    reason: str = ""
    resumable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed(_Arrived):
    """The session goes on over a new connection: an end that was announced has not come.

    Attributes:
        gap_s: Time without a connection, in seconds, up to when the endpoint was ready again.
        held: Messages of ours that waited meanwhile; they are sent now.
    """

    gap_s: float
    held: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed(_Arrived):
    """The connection is gone; always the last event."""

    by: Party
    code: int | None = None
    reason: str = ""


EndpointEvent = (
    Ready
    | AudioReceived
    | TextReceived
    | UserTextReceived
    | UserItemPlaced
    | UserSpeech
    | ResponseStarted
    | ItemEnded
    | ResponseEnded
    | Flush
    | Mark
    | ToolCalled
    | Usage
    | Notice
    | Unknown
    | Ending
    | Resumed
    | Closed
)
