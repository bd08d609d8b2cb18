"""Sounds and lines that the tests of conditions share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scenarios.conditions import Conditions
from streams.audio import FRAME_MS, Samples, to_float, to_pcm16
from streams.levels import amplified, speech_gain_db
from user_sim.conditions.line import Beds, Line

Wide = npt.NDArray[np.float64]


def sine(hertz: float, seconds: float, rate: int, level: float = 0.5) -> Samples:
    time = np.arange(round(seconds * rate)) / rate
    return (level * np.sin(2 * np.pi * hertz * time)).astype(np.float32)


def speech(seconds: int, rate: int) -> Samples:
    """Syllables of noise with pauses between them, at the level of neutral speech."""
    rng = np.random.default_rng(7)
    time = np.arange(seconds * rate) / rate
    syllables = np.maximum(0, np.sin(2 * np.pi * 4 * time)) * (np.sin(2 * np.pi * 0.4 * time) > -0.3)
    sound = (0.1 * rng.standard_normal(time.size) * syllables).astype(np.float32)
    return amplified(sound, speech_gain_db(sound, rate))


def through(line: Line, clean: Samples, heard: Samples | None = None) -> Samples:
    """What is on the wire; what the user hears comes to the line two frames late, as in a call."""
    count, ear = line.rate * FRAME_MS // 1000, line.endpoint_rate * FRAME_MS // 1000
    out = []
    for tick in range(len(clean) // count):
        heard_then = b""
        if heard is not None and tick >= 2:
            heard_then = to_pcm16(heard[(tick - 2) * ear : (tick - 1) * ear])
        out.append(line.frame(to_pcm16(clean[tick * count : (tick + 1) * count]), heard_then).pcm)
    return to_float(b"".join(out))


def line(
    conditions: Conditions,
    rate: int = 16000,
    endpoint_rate: int | None = None,
    seed: int = 1,
    beds: Beds = Beds(),  # noqa: B008 (frozen)
) -> Line:
    return Line(conditions, rate, endpoint_rate or rate, seed, beds)


def rms(samples: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


def db(ratio: float) -> float:
    return float(20 * np.log10(max(ratio, 1e-9)))
