"""What happens in a session, as the server tells it; `streams.reference.wire` puts it into messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from streams.endpoints.events import ResponseStatus


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """The session exists, with its default settings."""


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """The settings were changed as the client asked."""


@dataclass(frozen=True, slots=True)
class UserBegan:
    """The user began to talk, so many milliseconds into the input audio."""

    item: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class UserStopped:
    """The user stopped talking, so many milliseconds into the input audio."""

    item: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class UserCommitted:
    """What the user said is now an item of the dialogue, after item `previous`."""

    item: str
    previous: str | None


@dataclass(frozen=True, slots=True)
class UserTranscribed:
    """What the user said, in words; `seconds` of audio were transcribed."""

    item: str
    text: str
    seconds: float


@dataclass(frozen=True, slots=True)
class UserNotTranscribed:
    """The recogniser failed."""

    item: str
    message: str


@dataclass(frozen=True, slots=True)
class InputCleared:
    """Audio that was not committed was forgotten."""


@dataclass(frozen=True, slots=True)
class TextItemAdded:
    """A message of text joined the dialogue after item `previous`."""

    item: str
    previous: str | None
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ItemDeleted:
    """An item left the dialogue."""

    item: str


@dataclass(frozen=True, slots=True)
class ItemTruncated:
    """Of a reply only the first `audio_end_ms` were heard."""

    item: str
    audio_end_ms: int


@dataclass(frozen=True, slots=True)
class ReplyBegan:
    """A reply is being made."""

    response: str


@dataclass(frozen=True, slots=True)
class ReplyItemBegan:
    """The reply has its first words or audio; they stand after item `previous`."""

    response: str
    item: str
    previous: str | None


@dataclass(frozen=True, slots=True)
class ReplyToolCalled:
    """The reply calls a tool, with JSON text as arguments; the call is item `item`, after `previous`."""

    response: str
    item: str
    previous: str | None
    call: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolOutputAdded:
    """What a tool returned joined the dialogue after item `previous`."""

    item: str
    previous: str | None
    call: str
    output: str


@dataclass(frozen=True, slots=True)
class ReplyAudio:
    """A piece of the reply: PCM16 at the output's rate."""

    response: str
    item: str
    pcm: bytes


@dataclass(frozen=True, slots=True)
class ReplyText:
    """A piece of the reply's words."""

    response: str
    item: str
    text: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a reply used: a token is 100 ms of audio heard, 50 ms of audio spoken, or one word."""

    audio_in: int = 0
    audio_out: int = 0
    text_out: int = 0


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """Nothing more will come of a reply.

    Attributes:
        item: Its item, or None if it has none yet.
        text: All its words.
        reason: Why it was cancelled (`turn_detected`, `client_cancelled`), or what failed.
        metadata: What the maker of the reply wants known about it.
        calls: The tools that it called.
    """

    response: str
    item: str | None
    text: str
    status: ResponseStatus
    reason: str = ""
    tokens: Tokens = Tokens()
    metadata: Mapping[str, str] = field(default_factory=dict)
    calls: Sequence[ReplyToolCalled] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """A client message could not be followed; the session goes on.

    Attributes:
        event_id: The client's id of the message.
        param: The field that was wrong.
    """

    code: str
    message: str
    event_id: str | None = None
    param: str | None = None


Happening = (
    SessionOpened
    | SessionChanged
    | UserBegan
    | UserStopped
    | UserCommitted
    | UserTranscribed
    | UserNotTranscribed
    | InputCleared
    | TextItemAdded
    | ItemDeleted
    | ItemTruncated
    | ReplyBegan
    | ReplyItemBegan
    | ReplyToolCalled
    | ToolOutputAdded
    | ReplyAudio
    | ReplyText
    | ReplyEnded
    | Refused
)
