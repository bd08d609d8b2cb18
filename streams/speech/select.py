"""Speech engines by name, as they are written on a command line or in a configuration.

A spec is `default` (the best that is installed), `ENGINE`, `ENGINE:NAME` or
`ENGINE:NAME?OPTION=VALUE&OPTION=VALUE`:

    voices        piper, piper:VOICE.onnx, openai:MODEL@VOICE, pipecat:MODULE.CLASS
    recognisers   whisper:base, whisper:FOLDER, transformers:ID_OR_FOLDER, openai:MODEL,
                  pipecat:MODULE.CLASS
    detectors     silero, energy, energy:-40
    end of turn   smart-turn, none

For tests and trying things out there is a voice that needs no model: `tone` says every text as one burst of
0.6 s, `tone:1.5` of 1.5 s. With `--recogniser none --detector energy --turn-detector none` the user needs
no models at all.

Keys are never part of a spec: `key_env=NAME` (openai) and `api_key=$NAME` (pipecat) name the environment
variable that holds one.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from streams.speech import models
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from streams.speech.interfaces import (
    EngineMisnamed,
    Recogniser,
    SpeechDetector,
    SpeechError,
    TurnDetector,
    Voice,
)
from streams.speech.model_list import MODELS
from streams.speech.openai_compatible import OpenAIRecogniser, OpenAIVoice
from streams.speech.pipecat_services import PipecatRecogniser, PipecatVoice
from streams.speech.piper import PiperSpeaker
from streams.speech.silero import SileroDetector
from streams.speech.smart_turn import SmartTurn
from streams.speech.transformers_asr import TransformersRecogniser
from streams.speech.whisper import WhisperRecogniser

E = TypeVar("E")
Environ = Mapping[str, str] | None

_HEAR = "pip install 'vivavoce[hear]'"
_SPEAK = "pip install 'vivavoce[speak]'"


@dataclass(frozen=True, slots=True)
class _Spec:
    """A spec taken apart; `job` is what an engine is wanted for, in words."""

    job: str
    text: str
    engine: str
    name: str
    options: Mapping[str, str]

    def typed(self, **types: Callable[[str], Any]) -> dict[str, Any]:
        """The options, converted; those that are not named here are refused."""
        made: dict[str, Any] = {}
        for option, value in self.options.items():
            if option not in types:
                known = ", ".join(types) or "none"
                raise self.error(f"{self.engine} has no option {option!r}", f"Known are: {known}.")
            try:
                made[option] = types[option](value)
            except ValueError:
                kind = types[option].__name__.strip("_")
                raise self.error(f"{option} is {value!r}, expected {kind}", "Correct the value.") from None
        return made

    def needs_name(self, what: str) -> str:
        """The name, which this engine can't do without."""
        if not self.name:
            raise self.error("it names no model", f"Expected {self.engine}:{what}.")
        return self.name

    def error(self, found: str, remedy: str) -> EngineMisnamed:
        """An error about this spec; values of options are not repeated, they may be secrets."""
        return EngineMisnamed(f"{self.job} {self.text.partition('?')[0]!r}", found, remedy)


def voice(spec: str, environ: Environ = None) -> Voice:
    """The voice that a spec names; weights are checked and packages imported here, not later.

    Raises:
        SpeechError: Unknown, not installed, or its key is not in the environment.
    """
    return _choose("voice", spec, _VOICES, environ)


def recogniser(spec: str, environ: Environ = None) -> Recogniser:
    """The recogniser that a spec names.

    Raises:
        SpeechError: Unknown, not installed, or its key is not in the environment.
    """
    return _choose("recogniser", spec, _RECOGNISERS, environ)


def detector(spec: str) -> SpeechDetector:
    """The speech detector that a spec names. Raises `SpeechError`: unknown or not installed."""
    return _choose("detector", spec, _DETECTORS, None)


def turn_detector(spec: str) -> TurnDetector | None:
    """The end-of-turn detector that a spec names; None for "none", which leaves it to silence alone.

    Raises:
        SpeechError: Unknown or not installed.
    """
    return _choose("end of turn", spec, _TURN_DETECTORS, None)


def default_voice() -> Voice:
    """The offline voice. Raises `SpeechError` with what to install."""
    _require("voice", "piper", "piper-joe", _SPEAK)
    return PiperSpeaker()


def default_recogniser() -> Recogniser:
    """The best recogniser that comes as packages: Whisper base, else tiny (English only).

    Larger models are taken only by name, so that what happens to be cached never changes a result.

    Raises:
        SpeechError: With what to install.
    """
    tiny_alone = models.status("whisper-base").path is None
    model = "whisper-tiny" if tiny_alone else "whisper-base"
    _require("recogniser", "faster_whisper", model, _HEAR)
    return WhisperRecogniser(model)


def default_detector() -> SpeechDetector:
    """Silero. Raises `SpeechError` with what to install."""
    _require("detector", "onnxruntime", "silero-vad", _HEAR)
    return SileroDetector()


def default_turn_detector() -> TurnDetector:
    """smart-turn. Raises `SpeechError` with what to install."""
    _require("end of turn", "onnxruntime", "smart-turn", _HEAR)
    return SmartTurn()


def _require(job: str, package: str, model: str, remedy: str) -> None:
    missing = [package] if importlib.util.find_spec(package) is None else []
    missing += [f"the model {model}"] if models.status(model).path is None else []
    if missing:
        raise SpeechError(job, f"none is installed ({' and '.join(missing)} missing)", remedy)


def _choose(
    job: str, text: str, engines: Mapping[str, Callable[[_Spec, Environ], E]], environ: Environ
) -> E:
    named, _, query = text.partition("?")
    engine, _, name = named.partition(":")
    spec = _Spec(job, text, engine, name, dict(parse_qsl(query, keep_blank_values=True)))
    if engine not in engines:
        raise spec.error("there is no such engine", f"Known are: {', '.join(engines)}.")
    return engines[engine](spec, environ)


def _piper(spec: _Spec, _: Environ) -> Voice:
    options = spec.typed(length_scale=float, noise_scale=float, noise_w=float, speaker=int)
    return PiperSpeaker(spec.name or "piper-joe", **options)


def _tone(spec: _Spec, _: Environ) -> Voice:
    spec.typed()
    try:
        seconds = float(spec.name or 0.6)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 60:
        raise spec.error(f"{spec.name!r} is no length", "Expected tone:SECONDS, such as tone:0.6.")
    return ToneVoice(seconds)


def _openai_voice(spec: _Spec, environ: Environ) -> Voice:
    model, _, name = spec.needs_name("MODEL@VOICE").rpartition("@")
    if not model or not name:
        raise spec.error("it names no voice", "Expected openai:MODEL@VOICE.")
    options = spec.typed(base_url=str, rate=int, key_env=str, timeout_s=float)
    return OpenAIVoice(model, name, **options, environ=environ)


def _openai_recogniser(spec: _Spec, environ: Environ) -> Recogniser:
    options = spec.typed(base_url=str, word_times=_true_or_false, key_env=str, timeout_s=float)
    return OpenAIRecogniser(spec.needs_name("MODEL"), **options, environ=environ)


def _pipecat_voice(spec: _Spec, environ: Environ) -> Voice:
    options = {option: _value(text) for option, text in spec.options.items()}
    return PipecatVoice(spec.needs_name("MODULE.CLASS"), options, environ=environ)


def _pipecat_recogniser(spec: _Spec, environ: Environ) -> Recogniser:
    options = {option: _value(text) for option, text in spec.options.items()}
    return PipecatRecogniser(spec.needs_name("MODULE.CLASS"), options, environ=environ)


def _whisper(spec: _Spec, _: Environ) -> Recogniser:
    options = spec.typed(threads=int, beam=int, words=_true_or_false)
    model = f"whisper-{spec.name or 'base'}"
    return WhisperRecogniser(model if model in MODELS else spec.name, **options)


def _transformers(spec: _Spec, _: Environ) -> Recogniser:
    spec.typed()
    return TransformersRecogniser(spec.needs_name("ID_OR_FOLDER"))


def _silero(spec: _Spec, _: Environ) -> SpeechDetector:
    spec.typed()
    return SileroDetector(spec.name or "silero-vad")


def _energy(spec: _Spec, _: Environ) -> SpeechDetector:
    spec.typed()
    try:
        return EnergyDetector(float(spec.name or -45.0))
    except ValueError:
        raise spec.error(
            f"{spec.name!r} is no level", "Expected energy:DBFS, such as energy:-45."
        ) from None


def _smart_turn(spec: _Spec, _: Environ) -> TurnDetector | None:
    spec.typed()
    return SmartTurn(spec.name or "smart-turn")


def _none(spec: _Spec, _: Environ) -> TurnDetector | None:
    spec.typed()
    return None


def _true_or_false(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _value(text: str) -> Any:
    """A number, true, false, null or quoted text as JSON has them; anything else is text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


_VOICES: Mapping[str, Callable[[_Spec, Environ], Voice]] = {
    "default": lambda _spec, _environ: default_voice(),
    "piper": _piper,
    "openai": _openai_voice,
    "pipecat": _pipecat_voice,
    "tone": _tone,
}
_RECOGNISERS: Mapping[str, Callable[[_Spec, Environ], Recogniser]] = {
    "default": lambda _spec, _environ: default_recogniser(),
    "whisper": _whisper,
    "transformers": _transformers,
    "openai": _openai_recogniser,
    "pipecat": _pipecat_recogniser,
}
_DETECTORS: Mapping[str, Callable[[_Spec, Environ], SpeechDetector]] = {
    "default": lambda _spec, _environ: default_detector(),
    "silero": _silero,
    "energy": _energy,
}
_TURN_DETECTORS: Mapping[str, Callable[[_Spec, Environ], TurnDetector | None]] = {
    "default": lambda _spec, _environ: default_turn_detector(),
    "smart-turn": _smart_turn,
    "none": _none,
}
