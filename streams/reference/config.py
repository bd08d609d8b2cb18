"""How the reference endpoint behaves, as a query string says: `mode=metronome&delays=0.1,0.5`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import parse_qsl

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from streams.audio import FRAME_S
from streams.reference.defects.kinds import OF_THE_VOICE, Plan, parse
from streams.reference.delivery import DeliveryPace
from streams.reference.rehearsal import SHIPPED, RehearsalError, read_rehearsal
from streams.reference.rehearsed import DELAY_S, RehearsedPlan

LONGEST_WAIT_S = 0.5
"""Seconds of silence that end a turn unless the configuration says otherwise."""

REHEARSED_WAIT_S = 0.7
"""The same for the rehearsed endpoint: longer than the pauses that it is to wait out."""

LONGEST_REHEARSED_S = 0.85
"""And the longest that it can have: its replies come 1 s after the user's last sample."""


class Mode(StrEnum):
    """What the endpoint is."""

    ASSISTANT = "assistant"  # hears, answers, speaks
    REHEARSED = "rehearsed"  # says known answers in a known order, and what is planted
    METRONOME = "metronome"  # answers with a tone at planted times
    CLICKS = "clicks"  # clicks at every whole second, hears nothing


class Detector(StrEnum):
    """What tells speech from silence."""

    SILERO = "silero"
    ENERGY = "energy"


class ConfigError(ValueError):
    """A parameter that is not known, has no meaning in this mode, or has a value out of range."""

    def __init__(self, parameter: str, found: str, remedy: str) -> None:
        self.parameter = parameter
        self.found = found
        self.remedy = remedy
        super().__init__(parameter, found, remedy)

    def __str__(self) -> str:
        return f"reference endpoint: {self.parameter}: {self.found}. {self.remedy}"


@dataclass(frozen=True, slots=True)
class MetronomePlan:
    """What the metronome plants; seconds.

    Attributes:
        delays: From the user's last audible sample to the reply's first one, turn by turn, for ever.
        leading_silence: Zeros before the reply's first audible sample.
        silence: Silence that ends the user's turn.
        reply: Length of the tone.
    """

    delays: tuple[float, ...]
    leading_silence: float
    silence: float
    reply: float
    pace: DeliveryPace
    seed: int


@dataclass(frozen=True, slots=True)
class ClicksPlan:
    """Where to click: seconds on the user's timeline, on a track of `length` seconds."""

    offsets: tuple[float, ...]
    length: float
    pace: DeliveryPace
    seed: int


def _seconds(text: object) -> object:
    return text.split(",") if isinstance(text, str) else text


_Delay = Annotated[float, Field(ge=0.06, le=60)]
_Offset = Annotated[float, Field(ge=0.2, le=86_400)]


class Config(BaseModel):
    """One session's behaviour.

    Attributes:
        pace: How fast replies are delivered.
        seed: Of ragged delivery.
        silence: Seconds of silence that end the user's turn; by default 0.5, and in the metronome as much
            of it as the shortest delay leaves.
        file: A YAML file of parameters; those that are named beside it go before.
        asr: Recogniser: a model of `streams.speech.models`, or an engine of `streams.speech.select`,
            such as `transformers:openai/whisper-large-v3`.
        voice: Voice: the same, such as `openai:MODEL@VOICE?base_url=http://127.0.0.1:8091/v1`.
        llm: Who answers: a language model (`streams.language.client.language_model`); "" is the
            knowledge that ships with the endpoint.
        vad: What tells speech from silence.
        greets: Whether the endpoint speaks first.
        filler: Whether it says that it takes a moment while a tool works.
        delays: See `MetronomePlan`.
        leading_silence: See `MetronomePlan`.
        reply: See `MetronomePlan`.
        clicks: Seconds of the clicks; empty is every whole second.
        length: Seconds of the track of clicks.
        defects: What is planted: `late:0.8,noise:15`; see `streams.reference.defects.kinds`.
        answers: A file of answers for the rehearsed endpoint; "" are those that ship with it.
        first: The answer that it begins with, from 0.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    mode: Mode = Mode.ASSISTANT
    pace: DeliveryPace = DeliveryPace.BURST
    seed: int = 0
    silence: Annotated[float, Field(ge=FRAME_S, le=10)] | None = None
    file: str = ""
    asr: str = "whisper-tiny"
    voice: str = "piper-joe"
    llm: str = ""
    vad: Detector = Detector.SILERO
    greets: bool = False
    filler: bool = False
    delays: Annotated[tuple[_Delay, ...], BeforeValidator(_seconds), Field(min_length=1)] = (0.5,)
    leading_silence: float = Field(default=0.0, ge=0, le=10)
    reply: float = Field(default=1.0, ge=0.01, le=600)
    clicks: Annotated[tuple[_Offset, ...], BeforeValidator(_seconds)] = ()
    length: float = Field(default=60.0, ge=1, le=7200)
    defects: str = ""
    answers: str = ""
    first: int = Field(default=0, ge=0)

    @classmethod
    def parse(cls, query: str, base: Config | None = None, *, fixed: Iterable[str] = ()) -> Self:
        """Read a query string.

        Args:
            query: `name=value&...`, percent-encoded.
            base: Where values come from that the query doesn't name.
            fixed: Parameters that this query may not name.

        Raises:
            ConfigError: With the parameter, what is wrong, and what is known.
        """
        pairs = parse_qsl(query, keep_blank_values=True)
        given = dict(pairs)
        if len(given) < len(pairs):
            twice = next(name for name in given if sum(name == other for other, _ in pairs) > 1)
            raise ConfigError(twice, "is given more than once", "Give it once; lists have commas.")
        for name in sorted(given.keys() & set(fixed)):
            raise ConfigError(name, "is chosen when the server starts", "Leave it out of the address.")
        inherited = base.model_dump(exclude_unset=True) if base is not None else {}
        if base is not None and given.get("mode", base.mode) != base.mode:
            inherited = {name: value for name, value in inherited.items() if name in _COMMON}
        config = cls._validated(inherited | _from_file(given.get("file", "")) | given)
        config._check_mode()
        config._check_timing()
        config._check_defects()
        config._check_rehearsal()
        return config

    @classmethod
    def _validated(cls, values: dict[str, Any]) -> Self:
        unknown = next((name for name in values if name not in cls.model_fields), None)
        if unknown is not None:
            near = difflib.get_close_matches(unknown, cls.model_fields, n=1)
            guess = f"Did you mean {near[0]!r}? " if near else ""
            raise ConfigError(unknown, "is no parameter", f"{guess}Known: {', '.join(cls.model_fields)}.")
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0])
            raise ConfigError(name, f"{values[name]!r} does not fit", f"{first['msg']}.") from None

    def _check_mode(self) -> None:
        known = _OF_MODE[self.mode]
        for name in sorted(self.model_fields_set - known):
            remedy = f"Known there: {', '.join(sorted(known))}."
            raise ConfigError(name, f"has no meaning with mode={self.mode}", remedy)

    def _check_timing(self) -> None:
        if self.mode is not Mode.METRONOME:
            return
        shortest = min(self.delays) - self.leading_silence
        # the turn's end is noticed at the end of a frame
        if self.wait_s + FRAME_S > shortest + 1e-9:
            raise ConfigError(
                "delays",
                f"{min(self.delays):g} s leaves no time for {self.wait_s:g} s of silence that end the turn,"
                f" a frame, and {self.leading_silence:g} s of leading silence",
                "Raise delays, or lower silence or leading_silence.",
            )

    def _check_defects(self) -> None:
        try:
            planted = parse(self.defects)
        except ValueError as error:
            remedy = "Write NAME:DOSE, with commas between several."
            raise ConfigError("defects", str(error), remedy) from None
        strange = sorted(planted.kinds - OF_THE_VOICE) if self.mode is Mode.ASSISTANT else []
        if strange:
            found = f"{', '.join(strange)} can't be planted with mode={self.mode}"
            remedy = f"Use mode=rehearsed, or one of {', '.join(sorted(OF_THE_VOICE))}."
            raise ConfigError("defects", found, remedy)

    def _check_rehearsal(self) -> None:
        if self.mode is not Mode.REHEARSED:
            return
        try:
            self.rehearsed()
        except RehearsalError as error:
            raise ConfigError("answers", str(error), "Mend the file, or leave it out.") from error
        # the end of the turn is noticed at the end of a frame, and sound that fades away comes before
        if self.wait_s > LONGEST_REHEARSED_S:
            found = f"{self.wait_s:g} s leaves no time before the reply {DELAY_S:g} s after the user"
            raise ConfigError("silence", found, f"Give at most {LONGEST_REHEARSED_S:g}.")

    @property
    def wait_s(self) -> float:
        """Seconds of silence that end the user's turn."""
        if self.silence is not None:
            return self.silence
        if self.mode is Mode.REHEARSED:
            return REHEARSED_WAIT_S
        if self.mode is not Mode.METRONOME:
            return LONGEST_WAIT_S
        # one frame to notice it, and one to spare for a late timer
        spare = min(self.delays) - self.leading_silence - 2 * FRAME_S
        return min(LONGEST_WAIT_S, max(FRAME_S, round(spare, 6)))

    def metronome(self) -> MetronomePlan:
        """The plan of `mode=metronome`."""
        return MetronomePlan(
            self.delays, self.leading_silence, self.wait_s, self.reply, self.pace, self.seed
        )

    @property
    def planted(self) -> Plan:
        """The defects of the voice, and of the rehearsed endpoint."""
        return parse(self.defects)

    def rehearsed(self) -> RehearsedPlan:
        """The plan of `mode=rehearsed`.

        Raises:
            RehearsalError: The file of answers can't be used.
        """
        known = read_rehearsal(Path(self.answers)) if self.answers else SHIPPED
        return RehearsedPlan(known.from_answer(self.first), self.wait_s, self.pace, self.seed, self.planted)

    def track(self) -> ClicksPlan:
        """The plan of `mode=clicks`."""
        seconds = self.clicks or tuple(float(second) for second in range(1, int(self.length) + 1))
        inside = tuple(second for second in seconds if second < self.length)
        return ClicksPlan(inside, self.length, self.pace, self.seed)


def _from_file(name: str) -> dict[str, Any]:
    """The parameters of a file. Raises `ConfigError`."""
    if not name:
        return {}
    remedy = "Name a YAML file of parameters, as examples/s3-cascade.yaml."
    try:
        found = yaml.safe_load(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(
            "file", f"{name} cannot be read: {' '.join(str(error).split())}", remedy
        ) from error
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise ConfigError("file", f"{name} holds no mapping of parameters", remedy)
    if "file" in found:
        raise ConfigError("file", f"{name} names another file", "Put its parameters here.")
    return found


_COMMON = frozenset({"mode", "pace", "seed", "file"})
_OF_MODE = {
    Mode.ASSISTANT: _COMMON | {"silence", "asr", "voice", "llm", "vad", "greets", "filler", "defects"},
    Mode.REHEARSED: _COMMON | {"silence", "voice", "defects", "answers", "first"},
    Mode.METRONOME: _COMMON | {"silence", "delays", "leading_silence", "reply"},
    Mode.CLICKS: _COMMON | {"clicks", "length"},
}
