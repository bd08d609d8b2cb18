"""The models behind the assistant: loaded once per process, shared by its sessions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from streams.audio import to_float
from streams.reference.answers import Answerer, KnowledgeAnswerer, LanguageAnswerer
from streams.reference.assistant import Assistant
from streams.reference.attention import AttentiveEars, Manners
from streams.reference.config import Config, Detector, Mode
from streams.reference.defects.kinds import Defect
from streams.reference.defects.sound import Echo
from streams.reference.defects.voice import FlawedVoice
from streams.reference.ears import Ears, LevelEars, OpenEars, VoiceEars
from streams.reference.knowledge_base import KnowledgeBase
from streams.reference.metronome import Clicks, Metronome, Planted
from streams.reference.rehearsed import Rehearsed
from streams.reference.replies import Cast
from streams.reference.settings import DEFAULT_RATE, SessionSettings
from streams.resample import resample
from streams.speech import workers
from streams.speech.energy import EnergyDetector
from streams.speech.interfaces import SPEECH_RATE, Recogniser, SpeechDetector, Voice
from streams.speech.kept import KeptVoice


@dataclass(frozen=True, slots=True)
class Engines:
    """What the assistant is made of."""

    detector: SpeechDetector
    recogniser: Recogniser
    voice: Voice
    answerer: Answerer


_loaded: dict[tuple[str, ...], Engines] = {}
_voices: dict[str, KeptVoice] = {}


async def load(config: Config) -> Engines:
    """The engines that a configuration names; warm, so that the first turn is as fast as the others.

    Raises:
        SpeechError: A model or package is missing.
        LanguageError: The language model's name or key is.
    """
    key = (config.vad, config.asr, config.voice, config.llm, str(config.filler))
    if key not in _loaded:
        engines = await workers.run(_make, config, kind="asr")
        await _warm(engines)
        _loaded[key] = engines
    return _loaded[key]


def _make(config: Config) -> Engines:
    from streams.speech.silero import SileroDetector

    detector = SileroDetector() if config.vad is Detector.SILERO else EnergyDetector()
    return Engines(detector, _recogniser(config.asr), _voice(config.voice), _answerer(config))


def _recogniser(name: str) -> Recogniser:
    """A model of the register by its name, or any engine as `ENGINE:NAME`."""
    from streams.speech import select
    from streams.speech.whisper import WhisperRecogniser

    return select.recogniser(name) if ":" in name else WhisperRecogniser(name)


def _voice(name: str) -> Voice:
    from streams.speech import select
    from streams.speech.piper import PiperSpeaker

    return select.voice(name) if ":" in name else PiperSpeaker(name)


def _answerer(config: Config) -> Answerer:
    if not config.llm:
        return KnowledgeAnswerer(KnowledgeBase.load(), filler=config.filler)
    from streams.language.client import language_model

    return LanguageAnswerer(language_model(config.llm))


async def _warm(engines: Engines) -> None:
    """Use every model once: the first use loads weights and builds tables."""
    speech = await engines.voice.speak("One moment, please.")
    clip = to_float(await workers.run(resample, speech.pcm, speech.rate, SPEECH_RATE, kind="tts"))
    await engines.detector.stream().feed(clip)
    await engines.recogniser.transcribe(clip)


async def cast(
    config: Config, engines: Engines | None = None, journal: Callable[[Planted], None] | None = None
) -> Cast:
    """Who takes part in a session of this configuration.

    Args:
        config: What the session should be like.
        engines: Models to use instead of those that the configuration names.
        journal: Takes what a metronome plants.

    Raises:
        SpeechError: A model or package is missing.
        LanguageError: The language model's name or key is.
    """
    match config.mode:
        case Mode.METRONOME:
            return Cast(_level_ears(config.wait_s), Metronome(config.metronome(), journal))
        case Mode.CLICKS:
            return Cast(_open_ears, Clicks(config.track()), opens=True)
        case Mode.REHEARSED:
            return await _rehearsed(config, engines)
    chosen = engines or await load(config)
    voice = FlawedVoice(chosen.voice, config.planted, config.seed) if config.defects else chosen.voice
    replier = Assistant(chosen.answerer, voice, config.pace, config.seed)
    return Cast(_voice_ears(chosen.detector), replier, chosen.recogniser, opens=config.greets)


async def _rehearsed(config: Config, engines: Engines | None) -> Cast:
    plan = config.rehearsed()
    echo = plan.planted.get(Defect.ECHO)
    return Cast(
        _attentive_ears(plan.manners),
        Rehearsed(plan, engines.voice if engines else await kept_voice(config.voice)),
        queues=True,
        echo=None if echo is None else functools.partial(Echo, echo),
    )


async def kept_voice(name: str) -> KeptVoice:
    """A voice that speaks every sentence once, whatever the session; loaded when it is first needed."""
    if name not in _voices:
        _voices[name] = KeptVoice(await workers.run(_voice, name, kind="tts"), DEFAULT_RATE)
    return _voices[name]


def _attentive_ears(manners: Manners) -> Callable[[SessionSettings, float], Ears]:
    return lambda settings, start_s: AttentiveEars(manners, settings.input.rate, start_s)


def _level_ears(wait_s: float) -> Callable[[SessionSettings, float], Ears]:
    return lambda settings, start_s: LevelEars(wait_s, settings.input.rate, start_s)


def _open_ears(settings: SessionSettings, start_s: float) -> Ears:
    return OpenEars(settings.input.rate, start_s)


def _voice_ears(detector: SpeechDetector) -> Callable[[SessionSettings, float], Ears]:
    def make(settings: SessionSettings, start_s: float) -> Ears:
        if settings.turn_taking is None:
            return OpenEars(settings.input.rate, start_s)
        return VoiceEars(detector, settings.turn_taking, settings.input.rate, start_s)

    return make
