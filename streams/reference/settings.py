"""What a client may set in an OpenAI Realtime session, in the GA shape and in the older beta shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from streams.audio import AudioFormat, Encoding
from streams.endpoints.protocol import Tool

DEFAULT_RATE = 24000
"""Samples per second of `audio/pcm` when the session names no rate."""

_DEFAULT_FORMAT = AudioFormat(DEFAULT_RATE)


@dataclass(frozen=True, slots=True)
class TurnTaking:
    """How the server decides that the user's turn begins and ends.

    Attributes:
        threshold: Speech probability from which a window counts as speech, 0 to 1.
        prefix_s: Seconds of audio before the start that belong to the turn.
        silence_s: Seconds of silence that end the turn.
        create_response: Answer by itself at the end of the turn.
        interrupt_response: Give up a reply that is being made when the user begins to talk.
    """

    threshold: float = 0.5
    prefix_s: float = 0.3
    silence_s: float = 0.5
    create_response: bool = True
    interrupt_response: bool = True


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The settings of one session.

    Attributes:
        input: Audio that the client sends.
        output: Audio that the client gets.
        turn_taking: None is manual mode: the client commits, and asks for a reply.
        transcribe: Send transcripts of what the user said.
        voice: What the client calls the voice; it is echoed and changes nothing.
        tools: What the endpoint may call.
        beta: Speak with the event names of the beta protocol.
    """

    input: AudioFormat = _DEFAULT_FORMAT
    output: AudioFormat = _DEFAULT_FORMAT
    turn_taking: TurnTaking | None = TurnTaking()
    transcribe: bool = False
    instructions: str = ""
    voice: str = "reference"
    tools: tuple[Tool, ...] = ()
    beta: bool = False


def initial(silence_s: float) -> SessionSettings:
    """The settings of a session until its client changes them; a turn ends after `silence_s`."""
    return SessionSettings(turn_taking=TurnTaking(silence_s=silence_s))


def _format(spec: object) -> AudioFormat:
    if not isinstance(spec, str | Mapping):
        raise ValueError('expected an audio format such as {"type": "audio/pcm", "rate": 24000}')
    return AudioFormat.parse(spec, DEFAULT_RATE)


class _Shape(BaseModel):
    """A part of `session.update`: what is absent keeps its value, what has no meaning here is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", arbitrary_types_allowed=True)

    def given(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names if name in self.model_fields_set}


_Format = Annotated[AudioFormat, BeforeValidator(_format)]


class _TurnDetection(_Shape):
    type: Literal["server_vad"] = "server_vad"
    threshold: float = Field(default=0.5, ge=0, le=1)
    prefix_padding_ms: int = Field(default=300, ge=0, le=5000)
    silence_duration_ms: int = Field(default=500, ge=20, le=10_000)
    create_response: bool = True
    interrupt_response: bool = True

    def turn_taking(self, before: TurnTaking) -> TurnTaking:
        changes = self.given("threshold", "create_response", "interrupt_response")
        if "prefix_padding_ms" in self.model_fields_set:
            changes["prefix_s"] = self.prefix_padding_ms / 1000
        if "silence_duration_ms" in self.model_fields_set:
            changes["silence_s"] = self.silence_duration_ms / 1000
        return replace(before, **changes)


class _Input(_Shape):
    format: _Format = _DEFAULT_FORMAT
    transcription: dict[str, Any] | None = None
    turn_detection: _TurnDetection | None = None


class _Output(_Shape):
    format: _Format = _DEFAULT_FORMAT
    voice: str | dict[str, Any] = ""


class _Audio(_Shape):
    input: _Input = _Input()
    output: _Output = _Output()


class _Function(_Shape):
    type: Literal["function"] = "function"
    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)

    def tool(self) -> Tool:
        return Tool(self.name, self.description, self.parameters)


class SessionPatch(_Shape):
    """The `session` of a `session.update`; the flat beta shape is read into the nested GA shape.

    A session without `type` is a beta session: in GA the field is mandatory, in beta it did not exist.
    """

    type: Literal["realtime"] | None = None
    output_modalities: tuple[str, ...] = ("audio",)
    instructions: str = ""
    audio: _Audio = _Audio()
    tools: tuple[_Function, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_beta(cls, session: object) -> object:
        if not isinstance(session, Mapping) or "type" in session:
            return session
        return _nested(session)

    @model_validator(mode="after")
    def _speaks(self) -> SessionPatch:
        if "audio" not in self.output_modalities:
            raise ValueError('output_modalities: this endpoint only speaks; expected ["audio"]')
        return self

    def apply(self, before: SessionSettings, default: TurnTaking) -> SessionSettings:
        """The settings after this update; turn detection that is switched on starts from `default`."""
        changes = self.given("instructions")
        if "tools" in self.model_fields_set:
            changes["tools"] = tuple(each.tool() for each in self.tools)
        heard, spoken = self.audio.input, self.audio.output
        if "format" in heard.model_fields_set:
            changes["input"] = heard.format
        if "transcription" in heard.model_fields_set:
            changes["transcribe"] = heard.transcription is not None
        if "turn_detection" in heard.model_fields_set:
            base = before.turn_taking or default
            detection = heard.turn_detection
            changes["turn_taking"] = None if detection is None else detection.turn_taking(base)
        if "format" in spoken.model_fields_set:
            changes["output"] = spoken.format
        if "voice" in spoken.model_fields_set:
            voice = spoken.voice
            changes["voice"] = voice if isinstance(voice, str) else str(voice.get("id", ""))
        return replace(before, beta=self.type is None, **changes)


_BETA_INPUT = {
    "input_audio_format": "format",
    "input_audio_transcription": "transcription",
    "turn_detection": "turn_detection",
}
_BETA_OUTPUT = {"output_audio_format": "format", "voice": "voice"}


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    session: dict[str, Any] = {key: flat[key] for key in ("instructions", "audio", "tools") if key in flat}
    if "modalities" in flat:
        session["output_modalities"] = flat["modalities"]
    heard = {new: flat[old] for old, new in _BETA_INPUT.items() if old in flat}
    spoken = {new: flat[old] for old, new in _BETA_OUTPUT.items() if old in flat}
    if heard or spoken:
        session["audio"] = {"input": heard, "output": spoken}
    return session


def describe(settings: SessionSettings, *, session: str, model: str) -> dict[str, Any]:
    """The `session` object of `session.created` and `session.updated`."""
    taking = settings.turn_taking
    detection = taking and {
        "type": "server_vad",
        "threshold": taking.threshold,
        "prefix_padding_ms": round(taking.prefix_s * 1000),
        "silence_duration_ms": round(taking.silence_s * 1000),
        "create_response": taking.create_response,
        "interrupt_response": taking.interrupt_response,
    }
    transcription = {"model": "reference"} if settings.transcribe else None
    if settings.beta:
        return {
            "id": session,
            "object": "realtime.session",
            "model": model,
            "modalities": ["audio", "text"],
            "instructions": settings.instructions,
            "voice": settings.voice,
            "input_audio_format": _beta_name(settings.input),
            "output_audio_format": _beta_name(settings.output),
            "input_audio_transcription": transcription,
            "turn_detection": detection,
            "tools": _functions(settings.tools),
        }
    return {
        "id": session,
        "object": "realtime.session",
        "type": "realtime",
        "model": model,
        "output_modalities": ["audio"],
        "instructions": settings.instructions,
        "audio": {
            "input": {
                "format": _ga_format(settings.input),
                "transcription": transcription,
                "turn_detection": detection,
            },
            "output": {"format": _ga_format(settings.output), "voice": settings.voice},
        },
        "tools": _functions(settings.tools),
    }


def _functions(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        }
        for tool in tools
    ]


_GA_NAMES = {Encoding.PCM16: "audio/pcm", Encoding.MULAW: "audio/pcmu", Encoding.ALAW: "audio/pcma"}
_BETA_NAMES = {Encoding.PCM16: "pcm16", Encoding.MULAW: "g711_ulaw", Encoding.ALAW: "g711_alaw"}


def _ga_format(audio: AudioFormat) -> dict[str, Any]:
    name: dict[str, Any] = {"type": _GA_NAMES[audio.encoding]}
    telephone = audio.encoding is not Encoding.PCM16 and audio.rate == 8000
    return name if telephone else {**name, "rate": audio.rate}


def _beta_name(audio: AudioFormat) -> str:
    name = _BETA_NAMES[audio.encoding]
    plain = DEFAULT_RATE if audio.encoding is Encoding.PCM16 else 8000
    return name if audio.rate == plain else f"{name}_{audio.rate}"
