"""Voices by arithmetic: harmonics under formants, so that pitch, level and pauses are known exactly."""

from __future__ import annotations

import numpy as np

from streams.audio import Samples

FORMANTS = ((700.0, 130.0), (1220.0, 150.0), (2600.0, 250.0))


def vowel(
    hz: float, seconds: float, rate: int = 16000, *, peak: float = 0.3, drift: float = 0.0
) -> Samples:
    """A sung vowel: every harmonic up to 3.6 kHz; `drift` semitones up over its length."""
    t = np.arange(round(seconds * rate)) / rate
    phase = 2 * np.pi * np.cumsum(hz * 2 ** (drift * t / seconds / 12)) / rate
    wave = np.zeros(t.size)
    for harmonic in range(1, int(3600 / hz) + 1):
        at = harmonic * hz
        gain = sum(1 / np.hypot(1, (at - centre) / width) for centre, width in FORMANTS)
        wave += gain * np.cos(harmonic * phase)
    made: Samples = (peak * wave / np.abs(wave).max()).astype(np.float32)
    return made


def quiet(seconds: float, rate: int = 16000) -> Samples:
    """Digital silence."""
    return np.zeros(round(seconds * rate), np.float32)


def noise(seconds: float, level: float, rate: int = 16000, seed: int = 0) -> Samples:
    """White noise of this RMS."""
    size = round(seconds * rate)
    return np.random.default_rng(seed).normal(0, level, size).astype(np.float32)


def talk(rate: int = 16000, *, hz: float = 150.0) -> Samples:
    """Six syllables in two phrases with a pause of 0.5 s between: 2.3 s in all."""
    ramp = np.minimum(1, np.arange(round(0.25 * rate)) / (0.02 * rate))
    shape = ramp * ramp[::-1]
    syllables = [vowel(hz + 10 * n, 0.25, rate) * shape.astype(np.float32) for n in range(6)]
    gap = quiet(0.06, rate)
    first = np.concatenate([syllables[0], gap, syllables[1], gap, syllables[2]])
    second = np.concatenate([syllables[3], gap, syllables[4], gap, syllables[5]])
    edge = quiet(0.03, rate)
    return np.concatenate([edge, first, quiet(0.5, rate), second, edge]).astype(np.float32)
