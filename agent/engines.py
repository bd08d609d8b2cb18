"""The user's voice and ears: the models that all calls of a process share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np

from agent.caller import Composer
from streams.audio import to_float
from streams.resample import resample
from streams.speech.interfaces import (
    SPEECH_RATE,
    Recogniser,
    SpeechDetector,
    TurnDetector,
    Voice,
)
from streams.speech.voice_cache import VoiceCache


@dataclass(frozen=True, slots=True)
class Engines:
    """The user's voice and ears; shared by all sessions of a process.

    Attributes:
        turn_detector: None decides the end of a turn by silence alone.
        recogniser: None leaves every heard text unscored.
        composer: Finds words for an LLM user.
    """

    voice: Voice
    detector: SpeechDetector
    turn_detector: TurnDetector | None = None
    recogniser: Recogniser | None = None
    composer: Composer | None = None
    cache: VoiceCache | None = None


async def warm_up(engines: Engines, *, speaks: bool = True) -> None:
    """Load the models before the first call: loading takes seconds, and would make ticks late.

    Args:
        engines: Whose models.
        speaks: The voice too; False where a person speaks.

    Raises:
        SpeechError: An engine failed.
    """
    if speaks:
        speech = await engines.voice.speak("Hello, can you hear me?")
        clip = to_float(await asyncio.to_thread(resample, speech.pcm, speech.rate, SPEECH_RATE))
    else:
        clip = (0.01 * np.sin(0.3 * np.arange(SPEECH_RATE))).astype(np.float32)
    await engines.detector.stream().feed(clip)
    if engines.turn_detector is not None:
        await engines.turn_detector.completion(clip)
    if engines.recogniser is not None:
        await engines.recogniser.transcribe(clip)
