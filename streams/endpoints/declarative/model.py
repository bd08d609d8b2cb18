"""What a file may say about an endpoint: its schema, strict, with a docstring for every key.

Three kinds of values stand in a file. An *expression* is JMESPath on the JSON of a message. A *template* is
a message with `{placeholders}`. `${parameter}` (lower case) may stand anywhere and comes from the address;
`${VARIABLE}` (upper case) may stand in templates and comes from the environment when the call begins.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from streams.audio import AudioFormat, AudioFormatError, Encoding
from streams.endpoints.declarative.paths import Path
from streams.endpoints.declarative.rule_model import Part, Rule
from streams.endpoints.declarative.templates import Messages, Template
from streams.endpoints.declarative.tool_use import ToolUse
from streams.endpoints.protocol import Pace, PlaybackReport, PlaybackState, TurnMode

_ParameterName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class Form(StrEnum):
    """How audio lies in a message."""

    BINARY = "binary"  # the message is the audio
    JSON = "json"  # base64 in a JSON message
    TAGGED = "tagged"  # the first bytes of a binary message say what follows


class Follows(StrEnum):
    """What follows a tag."""

    AUDIO = "audio"
    TEXT = "text"
    JSON = "json"
    NOTHING = "nothing"


class WavHeader(StrEnum):
    """Where WAV headers stand."""

    NONE = "none"
    FIRST = "first"  # once, before the first audio
    EACH = "each"  # every message is a WAV file


class Parameter(Part):
    """A parameter of the address: `file.yaml?NAME=VALUE`."""

    help: str
    """What it is, for people."""
    type: Literal["text", "integer", "number", "boolean"] = "text"
    """How its value is read."""
    default: JsonValue = None
    """Its value where the address gives none; without it, entries that consist of it are left out."""
    required: bool = False
    """The address must give it."""
    target: bool = False
    """It may stand behind `NAME://`."""
    choices: tuple[JsonValue, ...] = ()
    """The values that it may have; empty for any."""


class Prepare(Part):
    """A request over HTTP before the call."""

    method: Literal["GET", "POST", "PUT"] = "POST"
    """The method."""
    url: Template
    """Where it goes: http or https."""
    headers: dict[str, Template] = Field(default_factory=dict)
    """Its headers; keys as `${VARIABLE}`."""
    body: Template = Template(None)
    """Its JSON body."""
    take: Annotated[dict[str, Path], Field(min_length=1)]
    """Names for values of the JSON answer: `{name}` stands for them from here on."""
    timeout_s: Annotated[float, Field(gt=0, le=120)] = 10.0
    """Longest time to wait for the answer, in seconds."""
    when_set: str = ""
    """Only if this environment variable is set."""
    otherwise: dict[str, Template] = Field(default_factory=dict)
    """The same names, where the request is not made."""


class Connect(Part):
    """The websocket."""

    url: Template = Template("")
    """`wss://HOST/PATH`, or a value of `prepare` as `{name}`; empty if addresses always name the host."""
    path: Template = Template("")
    """The path at a host of one's own (`NAME+ws://HOST:PORT`); that of `url` if it is not given."""
    query: dict[str, Template] = Field(default_factory=dict)
    """What is added to the URL: text, numbers, true or false."""
    headers: dict[str, Template] = Field(default_factory=dict)
    """Sent with the handshake."""
    subprotocols: tuple[Template, ...] = ()
    """Offered in the handshake."""
    opening: Messages = Messages()
    """Messages to send as soon as the socket is open."""
    own_tools: Template = Template(None)
    """If this has a value, as `${agent}`, the endpoint has its own: `{tools}`, `{functions}` stay empty."""
    timeout_s: Annotated[float, Field(gt=0, le=120)] = 15.0
    """Longest time until the session is ready, in seconds."""


class _Audio(Part):
    encoding: Encoding = Encoding.PCM16
    """How one sample is coded."""
    rate: int
    """Samples per second."""
    form: Form
    """How it lies in a message."""
    wav_header: WavHeader = WavHeader.NONE
    """Where WAV headers stand."""

    @property
    def format(self) -> AudioFormat:
        """Rate and encoding."""
        return AudioFormat(self.rate, self.encoding)

    @model_validator(mode="after")
    def _check_format(self) -> _Audio:
        try:
            AudioFormat(self.rate, self.encoding)
        except AudioFormatError as error:
            raise ValueError(f"a usual rate: {error}") from None
        return self


class Send(_Audio):
    """The user's audio, as it goes out: mono."""

    message: Template = Template(None)
    """With `form: json`: the message, where `{audio}` stands for base64."""
    tag: Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$")] = ""
    """With `form: tagged`: the bytes before the audio, in hexadecimal."""
    message_ms: Annotated[int, Field(ge=20, le=1000, multiple_of=20)] = 20
    """Audio in one message, in milliseconds."""

    @model_validator(mode="after")
    def _check_form(self) -> Send:
        if self.form is Form.JSON and "audio" not in self.message.names:
            raise ValueError("a `message` with {audio}, as `form` is json")
        if self.form is not Form.JSON and self.message.value is not None:
            raise ValueError("`message` with `form: json`, and only there")
        if (self.form is Form.TAGGED) != bool(self.tag):
            raise ValueError("`tag` with `form: tagged`, and only there")
        return self


class Receive(_Audio):
    """The endpoint's audio, as it comes in: mono."""

    tags: dict[Annotated[str, Field(pattern=r"^([0-9a-f]{2})+$")], Follows] = Field(default_factory=dict)
    """With `form: tagged`: what follows each tag. Rules see text as `text`, JSON as `json`."""
    gap_s: Annotated[float, Field(gt=0, le=60)] | None = None
    """Audio after such a gap, in seconds, is another item. Default: 0.8, or none if rules tell the end."""

    @model_validator(mode="after")
    def _check_tags(self) -> Receive:
        if (self.form is Form.TAGGED) != bool(self.tags):
            raise ValueError("`tags` with `form: tagged`, and only there")
        if len({len(tag) for tag in self.tags}) > 1:
            raise ValueError("`tags` of one length")
        return self


class Audio(Part):
    """Audio both ways."""

    send: Send
    receive: Receive


class PlayedCommand(Part):
    """How the endpoint is told what was heard: `{item}`, `{heard_ms}`, `{heard_samples}`, `{state}`."""

    message: Messages
    states: tuple[PlaybackState, ...] = (PlaybackState.DROPPED,)
    """When it is told."""
    report: Literal[PlaybackReport.TRUNCATE, PlaybackReport.ACKNOWLEDGE] = PlaybackReport.TRUNCATE
    """What kind of report it is."""


class KeepAlive(Part):
    """A message against the endpoint's idle timer."""

    every_s: Annotated[float, Field(gt=0)]
    """After so many seconds of audio."""
    message: Messages


class Commands(Part):
    """What we send. Each is one message or a list of them; what is not here is not sent."""

    begin_turn: Messages = Messages()
    """Manual turns: the user begins."""
    end_turn: Messages = Messages()
    """Manual turns: the user has finished."""
    cancel: Messages = Messages()
    """Stop your reply."""
    tool_result: Messages = Messages()
    """`{call}`, `{name}`, `{output}`, `{error}` (true or false)."""
    tool_error: Messages = Messages()
    """The same for a tool that failed; without it, `tool_result`."""
    text: Messages = Messages()
    """`{text}`: the user says something in text."""
    dtmf: Messages = Messages()
    """`{digit}`: the user presses a key."""
    mark_reached: Messages = Messages()
    """`{mark}`: playback has got there, or has dropped what was before it."""
    played: PlayedCommand | None = None
    keep_alive: KeepAlive | None = None
    close: Messages = Messages()
    """The goodbye; `{reason}`."""


class Description(Part):
    """One endpoint."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    """Its protocol, in recordings: small letters, digits, hyphens."""
    title: str = ""
    """Its name for people."""
    parameters: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], Parameter] = Field(
        default_factory=dict
    )
    """What the address may say."""
    prepare: tuple[Prepare, ...] = ()
    """Requests before the call, in order."""
    connect: Connect
    audio: Audio
    pace: Pace = Pace.UNKNOWN
    """How fast it delivers audio, where that is known."""
    turns: TurnMode = TurnMode.SERVER_VAD
    """Who decides that the user's turn is over; with `manual`, audio flows within a turn only."""
    max_session_s: Annotated[float, Field(gt=0)] | None = None
    """Its longest session, in seconds."""
    tools: ToolUse = ToolUse()
    """How tools are declared, and when their results may be sent."""
    kind_at: Path = Path("type")
    """Where a message says of what kind it is."""
    rules: tuple[Rule, ...] = ()
    """What its messages mean; a message that no rule fits is recorded as unknown."""
    commands: Commands = Commands()

    @property
    def declares_tools(self) -> bool:
        """Whether the set-up tells the endpoint the scenario's tools."""
        if self.connect.own_tools.value is not None:
            return False
        templates: list[Template | Messages] = [self.connect.opening, *(step.body for step in self.prepare)]
        names = {name for each in templates for name in each.names}
        names |= {name for rule in self.rules for name in rule.reply.names}
        return bool(names & {"tools", "functions"})
