"""Speaks the words of scenarios as a call would, and hears and measures what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from scenarios.basics import Say
from scenarios.load import LoadedScenario
from scenarios.problems import Place, place_text
from scenarios.spoken.verbalise import spoken_form
from scoring.verify import FLOOR_P808, Checked, compare
from streams.audio import Samples, to_float
from streams.speech import workers
from streams.speech.interfaces import SPEECH_RATE, Recogniser, SpeechError, Voice
from streams.speech.voice_cache import VoiceCache
from user_sim.turn_taking import line
from user_sim.voice import UserVoice, UserVoiceFailed, Utterance

MARGIN_S = 0.2
"""Silence put before and after a clip: recognisers lose words that begin at once."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What queries are spoken, heard and measured with.

    Attributes:
        voice: The machine's voice.
        recogniser: What it is heard with.
        p808: Quality of a clip at 16 kHz; blocking. None leaves it unmeasured.
        cache: Keeps what was synthesised.
        floor: The least quality.
    """

    voice: Voice
    recogniser: Recogniser
    p808: Callable[[Samples], float] | None = None
    cache: VoiceCache | None = None
    floor: float = FLOOR_P808


async def speak(one: LoadedScenario, say: Say, bench: Bench) -> Utterance:
    """Words of a scenario, by its user, at 16 kHz.

    Raises:
        UserVoiceFailed: They cannot be said.
    """
    scenario, folder = one.scenario, one.path.parent
    aloud = spoken_form(scenario.language, folder)
    persona = scenario.persona
    voice = UserVoice(bench.voice, SPEECH_RATE, bench.cache, persona.voice, persona.style, folder, aloud)
    return await voice.prepare(line(say))


async def check(one: LoadedScenario, place: Place, say: Say, bench: Bench) -> Checked:
    """Speak a query, transcribe it, compare, and measure its quality; what fails has its cause."""
    query = Checked(one.name, place_text(place), say.text, floor=bench.floor)
    try:
        utterance = await speak(one, say, bench)
    except UserVoiceFailed as error:
        return replace(query, cause=f"voice: {error.found}")
    query = replace(query, spoken=utterance.spoken)
    samples, language = to_float(utterance.pcm), one.scenario.language
    try:
        heard = await _heard(samples, language, bench.recogniser)
        quality = None if bench.p808 is None else await workers.run(bench.p808, samples, kind="quality")
    except SpeechError as error:
        return replace(query, cause=str(error))
    query = replace(query, heard=heard, p808=quality)
    if not heard:
        return query
    aloud = spoken_form(language, one.path.parent)
    return replace(query, comparison=compare(say.text, heard, aloud))


async def _heard(samples: Samples, language: str, recogniser: Recogniser) -> str:
    margin = np.zeros(round(MARGIN_S * SPEECH_RATE), np.float32)
    whole = np.concatenate([margin, samples, margin])
    return (await recogniser.transcribe(whole, language=language.split("-")[0])).text
