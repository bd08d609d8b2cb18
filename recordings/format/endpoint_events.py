"""Events of the endpoint's side: what it said of itself, and what became of its audio."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from recordings.format.record import EventRecord


class EndpointText(EventRecord):
    """The endpoint's own text of a reply."""

    kind: Literal["endpoint_text"] = "endpoint_text"
    text: str
    mode: str
    item: str = ""
    response: str = ""


class EndpointUserText(EventRecord):
    """The endpoint's transcript of the user."""

    kind: Literal["endpoint_user_text"] = "endpoint_user_text"
    text: str
    mode: str
    item: str = ""
    failed: bool = False


class EndpointUserItem(EventRecord):
    """Where the endpoint puts a user item."""

    kind: Literal["endpoint_user_item"] = "endpoint_user_item"
    item: str
    previous: str | None = None


class EndpointUserSpeech(EventRecord):
    """The endpoint says that it hears the user begin or stop."""

    kind: Literal["endpoint_user_speech"] = "endpoint_user_speech"
    edge: Literal["start", "stop"]
    server_ms: float | None = None
    item: str = ""


class ResponseBegan(EventRecord):
    """The endpoint began a response."""

    kind: Literal["response_began"] = "response_began"
    response: str


class ResponseFinished(EventRecord):
    """The endpoint delivered a response or gave it up."""

    kind: Literal["response_finished"] = "response_finished"
    response: str
    status: str
    reason: str = ""


class PlaybackReported(EventRecord):
    """What we told the endpoint was heard of an item, cumulative."""

    kind: Literal["playback_reported"] = "playback_reported"
    item: str
    heard: int
    received: int
    state: str


class Flushed(EventRecord):
    """Playback was cut.

    Attributes:
        by: "endpoint" (it asked for it) or "user" (we stopped listening).
        at: Where, on the endpoint's track.
        items: Items cut, with samples heard and received so far. Empty: nothing was playing.
    """

    kind: Literal["flushed"] = "flushed"
    by: Literal["endpoint", "user"]
    at: int
    items: tuple[tuple[str, int, int], ...] = ()


class MarkReached(EventRecord):
    """Playback reached a mark of the endpoint's; one that a flush dropped is never reached.

    Attributes:
        at: Where it stands, on the endpoint's track. Recordings from before this was kept have None.
    """

    kind: Literal["mark_reached"] = "mark_reached"
    name: str
    at: int | None = None


class ToolCall(EventRecord):
    """The endpoint called a tool."""

    kind: Literal["tool_call"] = "tool_call"
    call: str
    name: str
    arguments: str
    cancelled: bool = False


class ToolFault(StrEnum):
    """Why a tool call got an error that the scenario did not ask for."""

    UNKNOWN_TOOL = "unknown_tool"  # the scenario has no tool of that name
    MALFORMED_ARGUMENTS = "malformed_arguments"  # no JSON, or not as the tool's parameters say
    NO_ANSWER = "no_answer"  # the scenario has none for these arguments
    FAILED = "failed"  # a Python tool raised, or returned what cannot be sent
    TIMEOUT = "timeout"


class ToolAnswered(EventRecord):
    """A tool call was answered; `t` is when the endpoint was sent the answer.

    Attributes:
        error: The answer is the words of a failure.
        fault: Why, where the scenario did not ask for it.
    """

    kind: Literal["tool_answered"] = "tool_answered"
    call: str
    name: str
    output: str
    error: bool = False
    fault: ToolFault | None = None
