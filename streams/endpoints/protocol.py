"""The one seam to the outside: what the session asks of an endpoint, whatever its wire protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from streams.audio import AudioFormat, Frame
from streams.endpoints.events import EndpointEvent, Ready, UsageUnit


class Pace(StrEnum):
    """How fast the endpoint delivers the audio of a reply."""

    BURST = "burst"  # as fast as it can
    REALTIME = "realtime"  # at 1x
    LEAD = "lead"  # at most so far ahead
    UNKNOWN = "unknown"


class TurnMode(StrEnum):
    """Who decides that the user's turn is over."""

    SERVER_VAD = "server_vad"
    SEMANTIC_VAD = "semantic_vad"
    MANUAL = "manual"  # push to talk: latencies are then without endpointing


class PlaybackReport(StrEnum):
    """What the protocol has for telling the endpoint what was heard."""

    NONE = "none"
    TRUNCATE = "truncate"
    ACKNOWLEDGE = "acknowledge"
    MARKS = "marks"


class PlaybackState(StrEnum):
    """Why playback of an item is reported."""

    PROGRESS = "progress"
    COMPLETED = "completed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What an adapter can do and what it expects.

    Attributes:
        input: Audio we send: rate and wire encoding.
        output: Audio we get: rate and wire encoding; events carry it decoded to PCM16.
        continuous: The endpoint needs audio all the time, silence included.
        tools: Tool calls can be answered.
        tool_setup: Tools can be declared in the set-up; elsewhere the endpoint brings its own.
        max_session_s: Longest session, if the protocol has a limit.
        ready_on_connect: The protocol has no set-up: `WebsocketEndpoint` is ready once connected.
    """

    protocol: str
    input: AudioFormat
    output: AudioFormat
    pace: Pace = Pace.UNKNOWN
    turn_modes: frozenset[TurnMode] = frozenset({TurnMode.SERVER_VAD})
    playback_report: PlaybackReport = PlaybackReport.NONE
    endpoint_text: bool = False
    user_text: bool = False
    speech_events: bool = False
    response_bounds: bool = False
    flush: bool = False
    tools: bool = False
    tool_setup: bool = False
    dtmf: bool = False
    text_input: bool = False
    usage_unit: UsageUnit | None = None
    continuous: bool = True
    max_session_s: float | None = None
    ready_on_connect: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """What was truly heard of an item: cumulative samples, never more than arrived."""

    item: str
    heard: int
    received: int
    state: PlaybackState


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the endpoint may call.

    Attributes:
        parameters: JSON Schema of its arguments, an object.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, object] = field(
        default_factory=lambda: {"type": "object", "properties": dict[str, object]()}
    )


class Endpoint(Protocol):
    """The system under test behind a streaming connection.

    Life: `open` once, then `send` once per tick while `events` is consumed by another task, then
    `close`. The iterator ends after a `Closed` event. What a protocol does not have is a no-op, as
    the capabilities say.
    """

    @property
    def address(self) -> str:
        """How the endpoint was named; never holds a secret."""

    @property
    def capabilities(self) -> Capabilities:
        """Valid after `open`: formats may be negotiated."""

    def offer(self, tools: Sequence[Tool]) -> None:
        """What the endpoint may call; before `open`. Without `capabilities.tool_setup` a no-op."""

    async def open(self) -> Ready:
        """Connect and set up.

        Raises:
            EndpointError: With the address, what was found, and what to do about it.
        """

    def events(self) -> AsyncIterator[EndpointEvent]:
        """What arrives, in order, each event stamped before parsing; `Ready` is not repeated."""

    async def send(self, frame: Frame) -> None:
        """One frame of the user's continuous track, PCM16 at `capabilities.input.rate`.

        Called from the media path: it must not wait for the network. On a connection that is gone it does
        nothing; the `Closed` event tells.
        """

    async def begin_turn(self) -> None:
        """Manual turn mode: the user starts to talk."""

    async def end_turn(self) -> None:
        """Manual turn mode: the user has finished, please answer."""

    async def played(self, report: Played) -> None:
        """What was heard; becomes a truncation, an acknowledgement, a mark's echo, or nothing."""

    async def cancel(self) -> None:
        """Ask the endpoint to stop its reply."""

    async def tool_result(self, call: str, output: str, *, error: bool = False) -> None:
        """Answer a tool call."""

    async def text(self, text: str) -> None:
        """Say something as text."""

    async def dtmf(self, digit: str) -> None:
        """Press a telephone key."""

    async def close(self, reason: str = "") -> None:
        """Say the protocol's goodbye and hang up; safe to call twice."""


Message = str | bytes
"""What goes over a websocket in one message."""


class Codec(Protocol):
    """The logic of a wire protocol without I/O: values in, messages or events out.

    `streams.endpoints.websocket.WebsocketEndpoint` gives a codec a socket. `receive` gets the time
    as an argument; nothing here reads a clock.
    """

    @property
    def capabilities(self) -> Capabilities:
        """What this protocol can do; settled once `Ready` was received."""

    def offer(self, tools: Sequence[Tool]) -> None:
        """As `Endpoint.offer`."""

    def opening(self) -> Sequence[Message]:
        """Messages to send as soon as the socket is open."""

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """Parse one message. `Ready` is among the events when set-up is complete."""

    def replies(self) -> Sequence[Message]:
        """Messages that `receive` wants sent (a pong, the next step of a handshake), then forgotten."""

    def audio(self, frame: Frame) -> Sequence[Message]:
        """Wrap one frame of user audio."""

    def begin_turn(self) -> Sequence[Message]:
        """As `Endpoint.begin_turn`."""

    def end_turn(self) -> Sequence[Message]:
        """As `Endpoint.end_turn`."""

    def played(self, report: Played) -> Sequence[Message]:
        """As `Endpoint.played`."""

    def cancel(self) -> Sequence[Message]:
        """As `Endpoint.cancel`."""

    def tool_result(self, call: str, output: str, *, error: bool) -> Sequence[Message]:
        """As `Endpoint.tool_result`."""

    def text(self, text: str) -> Sequence[Message]:
        """As `Endpoint.text`."""

    def dtmf(self, digit: str) -> Sequence[Message]:
        """As `Endpoint.dtmf`."""

    def closing(self, reason: str) -> Sequence[Message]:
        """The protocol's goodbye, before the socket closes."""

    @property
    def parted(self) -> bool:
        """False while the endpoint's answer to our goodbye is still to come."""

    def resume(self, *, code: int | None = None) -> Sequence[Message] | None:
        """How the session goes on over another connection: the messages that open it there.

        Asked after each message, when the answer means "move now", and once the connection is gone. `Ready`
        is then among the events again when the session is up; see docs/decisions/resumption.md.

        Args:
            code: The close code of the connection that is gone; None while it stands.

        Returns:
            None where the session cannot go on, or should stay where it is.
        """
