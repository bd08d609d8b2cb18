"""Sounds that a user makes without words, made here: a cough, a throat that is cleared, telephone keys."""

from __future__ import annotations

import zlib

import numpy as np

from streams.audio import Samples, sample_at, silence, to_pcm16

KEY_S = GAP_S = 0.1
"""A key sounds for 100 ms, and 100 ms lie between two (ITU-T Q.24: at least 40 and 40)."""

_LOW = (697, 770, 852, 941)
_HIGH = (1209, 1336, 1477, 1633)
_KEYPAD = ("123A", "456B", "789C", "*0#D")
_KEYS = {
    key: (low, high)
    for low, row in zip(_LOW, _KEYPAD, strict=True)
    for high, key in zip(_HIGH, row, strict=True)
}

_KEY_PEAK = 10 ** (-12 / 20)
"""Of each of the two tones: together they stay below full scale."""

_BURSTS = {
    # start, attack, length in seconds; loudness; share of voice
    "cough": ((0.0, 0.008, 0.16, 0.5, 0.15), (0.21, 0.01, 0.2, 0.32, 0.35)),
    "throat": ((0.0, 0.03, 0.28, 0.26, 0.6), (0.31, 0.02, 0.22, 0.34, 0.6)),
}


def key_tones(digits: str, rate: int) -> bytes:
    """DTMF of some keys as PCM16: two tones at once for each (ITU-T Q.23), with silence between the keys.

    Args:
        digits: Of 0 to 9, *, #, A to D.
        rate: Samples per second; from 8000 on.
    """
    time = np.arange(sample_at(KEY_S, rate)) / rate
    tones = [sum(np.sin(2 * np.pi * hertz * time) for hertz in _KEYS[digit]) for digit in digits]
    gap = silence(sample_at(GAP_S, rate))
    return gap.join(to_pcm16(_KEY_PEAK * np.asarray(tone)) for tone in tones)


def noise(name: str, rate: int) -> bytes:
    """A sound by its name ("cough", "throat") as PCM16; the same samples every time.

    A cough is a burst of noise as the throat opens, and a softer one as it closes; clearing one's throat
    is rougher and has more voice in it. Each burst is noise and a falling voice, shaped by two resonances
    of the throat.
    """
    bursts = _BURSTS[name]
    length = max(sample_at(start + seconds, rate) for start, _, seconds, _, _ in bursts)
    sound = np.zeros(length)
    for number, (start, attack, seconds, loudness, voice) in enumerate(bursts):
        rng = np.random.default_rng(zlib.crc32(f"{name} {number}".encode()))
        burst = loudness * _burst(rng, rate, seconds, attack, voice)
        first = sample_at(start, rate)
        sound[first : first + burst.size] += burst[: length - first]
    return to_pcm16(sound)


def _burst(rng: np.random.Generator, rate: int, seconds: float, attack: float, voice: float) -> Samples:
    """Peak 1, from its first sample on; it dies away."""
    size = sample_at(seconds, rate)
    time = np.arange(size) / rate
    pitch = 2 * np.pi * np.cumsum(150 - 60 * time / seconds + 8 * rng.standard_normal(size)) / rate
    rough = (1 - voice) * rng.standard_normal(size) + voice * 2 * np.sign(np.sin(pitch))
    spectrum = np.fft.rfft(rough)
    hertz = np.fft.rfftfreq(size, 1 / rate)
    tract = np.exp(-(((hertz - 700) / 500) ** 2)) + 0.5 * np.exp(-(((hertz - 1600) / 700) ** 2))
    lips = hertz**2 / (hertz**2 + 300**2)  # what is low does not radiate
    shaped = np.fft.irfft(spectrum * tract * lips, size)
    envelope = np.minimum((time + 1 / rate) / attack, 1.0) * np.exp(-3.5 * time / seconds)
    burst = shaped * envelope
    return np.asarray(burst / np.abs(burst).max(), np.float32)
