"""What a file may say about the messages of an endpoint: its rules, each key with its docstring."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from streams.endpoints.declarative.paths import Path
from streams.endpoints.declarative.templates import Messages
from streams.endpoints.events import Edge, NoticeLevel, ResponseStatus, TextMode, UsageUnit


def _tuple(kind: object) -> object:
    return tuple(kind) if isinstance(kind, list) else kind


_Kinds = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda kind: (kind,) if isinstance(kind, str) else _tuple(kind)),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class Part(BaseModel):
    """A mapping in a file; keys that it does not know are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class LateAudio(StrEnum):
    """What audio is that comes after a flush, while its reply has not ended."""

    NEW = "new"  # the next reply
    LATE = "late"  # the rest of the reply that was cut: counted, never heard


class Ready(Part):
    """The session is set up. Without such a rule it is ready once connected."""

    session: Path | None = None
    """The endpoint's name of the session."""
    model: Path | None = None
    """The model behind it."""
    send_format: Path | None = None
    """The format that it settled for, in any usual spelling, or its rate: replaces `audio.send`."""
    receive_format: Path | None = None
    """The same for `audio.receive`."""


class ReplyStart(Part):
    """The endpoint begins a reply."""

    response: Path | None = None
    """Its id; without one, replies are numbered."""


class UserSpeech(Part):
    """The endpoint says that it hears the user begin or stop."""

    edge: Edge
    """`start` or `stop`."""
    at_ms: Path | None = None
    """Its own time of that, in milliseconds of its input."""
    item: Path | None = None
    """Its id of the user's turn."""


class _Words(Part):
    text: Path
    """The words."""
    mode: TextMode = TextMode.FINAL
    """`delta` is added to what came before, `cumulative` replaces it, `final` does and is the last."""
    final_when: Path | None = None
    """Where this holds, the mode is `final`."""
    item: Path | None = None
    """Whose words they are; without it, of the reply or user's turn that is open."""


class UserText(_Words):
    """The endpoint's transcript of what the user said."""

    failed_when: Path | None = None
    """Where this holds, it could not be transcribed."""


class ReplyText(_Words):
    """What the endpoint says, in words."""

    response: Path | None = None
    """The id of the reply."""
    last: bool = False
    """Of the latest reply, also where that has ended: corrections, late transcripts."""


class ReplyAudio(Part):
    """Audio in a JSON message."""

    data: Path
    """The base64."""
    item: Path | None = None
    """The id of what it belongs to."""
    response: Path | None = None
    """The id of the reply."""
    order: Path | None = None
    """A number that grows, for `flush.upto`."""


class ItemEnd(Part):
    """All audio of one item was sent."""

    item: Path | None = None
    """Its id; without one, the open item."""


class ReplyEnd(Part):
    """The endpoint has sent a reply, or has given it up."""

    response: Path | None = None
    """Its id; without one, the open reply."""
    status: ResponseStatus = ResponseStatus.COMPLETED
    """How it ended."""
    status_when: dict[ResponseStatus, Path] = Field(default_factory=dict)
    """How it ended where one of these holds; the first wins."""
    reason: Path | None = None
    """Why."""


class Flush(Part):
    """What was not heard yet shall be dropped."""

    upto: Path | None = None
    """Audio of at most this `order` that comes later is dropped too."""
    rest: LateAudio = LateAudio.NEW
    """What audio is that comes before the reply has ended."""


class Mark(Part):
    """The endpoint wants to be told when playback gets here; see `commands.mark_reached`."""

    name: Path


class ToolCall(Part):
    """The endpoint calls a tool, or takes a call back."""

    id: Path
    """Its id of the call."""
    name: Path | None = None
    """The tool."""
    arguments: Path | None = None
    """JSON, or JSON as text."""
    cancelled: bool = False
    """It takes the call back."""


class Usage(Part):
    """What the endpoint says was used."""

    unit: UsageUnit
    """What is counted."""
    values: Path
    """An object of counts, or one count."""
    cumulative: bool = False
    """The counts are of the session so far."""
    response: Path | None = None
    """The id of the reply."""


class Notice(Part):
    """An error, a warning, a piece of information."""

    level: NoticeLevel = NoticeLevel.ERROR
    """How serious it is."""
    code: Path
    """A short name; a constant in single quotes."""
    message: Path | None = None
    """A sentence."""
    fatal: bool = False
    """The session is over with it."""
    fatal_when: Path | None = None
    """It is over where this holds."""


class Ending(Part):
    """The endpoint announces that it will close."""

    time_left_s: Path | None = None
    """In how many seconds."""
    reason: Path | None = None
    """Why."""


class Rule(Part):
    """What messages of one kind mean. Every rule that fits a message applies, in the order of the file.

    What one rule finds becomes events in the order of the keys below.
    """

    kind: _Kinds = ()
    """The kind, or kinds, of the messages (see `kind_at`)."""
    when: Path | None = None
    """And only where this holds."""
    each: Path | None = None
    """A list: the keys below are read in each of its elements."""
    ready: Ready | None = None
    keep: dict[str, Path] = Field(default_factory=dict)
    """Values to keep: `{name}` stands for them from here on."""
    reply_start: ReplyStart | None = None
    user_speech: UserSpeech | None = None
    user_text: UserText | None = None
    text: ReplyText | None = None
    audio: ReplyAudio | None = None
    tool_call: ToolCall | None = None
    mark: Mark | None = None
    usage: Usage | None = None
    notice: Notice | None = None
    item_end: ItemEnd | None = None
    reply_end: ReplyEnd | None = None
    flush: Flush | None = None
    ending: Ending | None = None
    reply: Messages = Messages()
    """What to answer at once: `{expression}` stands for what it selects in the message."""
    ignore: bool = False
    """Known, and of no consequence."""

    @model_validator(mode="after")
    def _check_rule(self) -> Rule:
        if not self.kind and self.when is None:
            raise ValueError("`kind` or `when`: a rule says which messages it is about")
        acts = self.model_fields_set - {"kind", "when", "each", "ignore"}
        if bool(acts) == self.ignore:
            raise ValueError("something that the message means, or `ignore: true`")
        return self
