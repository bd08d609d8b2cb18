"""The other end of each wire protocol: what a server of that vendor takes and sends, without I/O.

One class a protocol, in a file of its own beside this one. `serve.py` gives it a socket. The conformance
suite drives every vendor through the same situations, and the vendor's own SDK is run against the same
class: that proves the double, which proves the adapter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.protocol import Message


class Concept(StrEnum):
    """What a protocol may have; a situation needs some of them."""

    TEXT = "text"  # the endpoint's own words
    USER_TEXT = "user text"
    USER_SPEECH = "user speech"  # it says that it hears the user
    RESPONSE_BOUNDS = "response bounds"
    ITEM_IDS = "item ids"  # audio names its item
    CANCELLED_BOUNDS = "cancelled bounds"  # it says which response was cancelled
    FLUSH = "flush"
    MARKS = "marks"
    MARKS_ON_CLEAR = "marks on clear"  # a flush returns the marks that it drops
    PLAYED = "played"  # it is told how much of an item was heard
    TOOLS = "tools"
    TOOL_CANCEL = "tool cancel"
    ERRORS = "errors"
    FATAL_ERRORS = "fatal errors"
    ENDING = "ending"  # it announces that it will close
    PING = "ping"  # a keep-alive of the protocol's own
    USAGE = "usage"
    BASE64 = "base64"  # audio in text messages
    RATE_IN_AUDIO = "rate in audio"  # each message, or a header, names the rate


class Absent(Exception):
    """The protocol has no such message; raised where `concepts` says so."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One spoken reply: its names on the wire (where the protocol has names), and the rate of its PCM16."""

    response: str = "resp-1"
    item: str = "item-1"


@dataclass(frozen=True, slots=True)
class PlaybackTold:
    """What we told the vendor of playback: samples heard of an item (cumulative), or a mark's name."""

    item: str
    samples: int | None = None


class Vendor(Protocol):
    """A server of one protocol. Methods without the concept raise `Absent`."""

    name: str
    """As in the table of `docs/protocols.md`."""
    concepts: frozenset[Concept]
    input_rate: int
    output_rate: int
    heard: bytearray
    """The user's audio so far, decoded to PCM16 at `input_rate`."""
    told: list[PlaybackTold]
    tool_results: list[tuple[str, str]]
    """Call id and output of each tool result."""
    goodbye: bool
    """The protocol's goodbye was said."""

    def address(self, host: str) -> str:
        """What a person would write for this vendor at `HOST:PORT`."""

    def greet(self) -> Sequence[Message]:
        """What it sends as soon as the socket is open."""

    def take(self, message: Message) -> Sequence[Message]:
        """Take one message of the client; what it answers at once (handshake, pong).

        Raises:
            AssertionError: A message that the vendor would refuse.
        """

    def begin(self, reply: Reply) -> Sequence[Message]:
        """A reply begins; nothing where the protocol does not say so."""

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        """A piece of its sound: PCM16 at `output_rate`, encoded as the wire has it."""

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        """A piece of its words: a delta, or the whole if `final`."""

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        """The reply is delivered or given up; nothing where the protocol does not say so."""

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        """Its transcript of a user's turn."""

    def user_speech(self, edge: Edge) -> Sequence[Message]:
        """It hears the user begin or stop."""

    def flush(self) -> Sequence[Message]:
        """What has not been heard shall be dropped."""

    def mark(self, name: str) -> Sequence[Message]:
        """Tell me when playback gets here."""

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        """It calls a tool."""

    def tool_cancel(self, call: str) -> Sequence[Message]:
        """It takes a tool call back."""

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        """Something went wrong."""

    def ending(self, seconds: float) -> Sequence[Message]:
        """It will close in so many seconds."""

    def ping(self) -> Sequence[Message]:
        """Its keep-alive; the client's answer makes `take` note it in `pongs`."""

    pongs: int

    def usage(self, *, tokens: int) -> Sequence[Message]:
        """What was used."""

    def unknown(self) -> Sequence[Message]:
        """A well-formed message of a kind that the protocol does not have today."""

    def malformed(self) -> Sequence[Message]:
        """Like the protocol's messages, but broken: base64 that isn't, fields of wrong types."""


class RatedVendor(Vendor, Protocol):
    """A vendor whose protocol states the rate beside the audio (`Concept.RATE_IN_AUDIO`)."""

    def audio(self, reply: Reply, pcm: bytes, *, rate: int = ...) -> Sequence[Message]:
        """A piece of sound that is said to have that rate; `output_rate` if not given."""
