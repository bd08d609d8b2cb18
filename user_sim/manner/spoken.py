"""From what an engine says to what the user says: manner, rate of the wire, level of speech. Pure."""

from __future__ import annotations

from dataclasses import replace

from scenarios.manners import Manner
from streams.audio import to_float, to_pcm16
from streams.levels import SPEECH_DBOV, amplified, speech_gain_db
from streams.resample import resample
from streams.speech.interfaces import Speech
from user_sim.manner.apply import apply
from user_sim.manner.world import MIN_RATE


def in_manner(speech: Speech, manner: Manner, rate: int) -> bytes:
    """Speech in a manner, as PCM16 at `rate`.

    Its active level is -26 dBov plus the manner's loudness, whatever the engine's own: so a fixed noise
    means a fixed signal-to-noise ratio.

    Raises:
        SpeechError: WORLD is not installed, and the manner needs it.
    """
    if manner.resynthesises:
        finer = max(speech.rate, MIN_RATE)
        even, _ = levelled(speech, finer)
        samples = apply(to_float(even), finer, replace(manner, loudness=0.0))
        speech = Speech(to_pcm16(samples), finer)
    return levelled(speech, rate, SPEECH_DBOV + manner.loudness)[0]


def levelled(speech: Speech, rate: int, dbov: float = SPEECH_DBOV) -> tuple[bytes, float]:
    """Speech as PCM16 at `rate`, brought to an active level; and the gain in dB that did it.

    A clip without speech (below -50 dBov) keeps its level. Peaks are limited softly, never clipped.
    """
    pcm = speech.pcm if speech.rate == rate else resample(speech.pcm, speech.rate, rate)
    samples = to_float(pcm)
    gain_db = speech_gain_db(samples, rate, dbov)
    return (to_pcm16(amplified(samples, gain_db)) if gain_db else pcm), gain_db
