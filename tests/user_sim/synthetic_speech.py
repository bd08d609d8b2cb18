"""A made-up voice that says one sentence of vowels: everything about it is known."""

from __future__ import annotations

import numpy as np

from streams.audio import Samples, to_pcm16
from streams.speech.interfaces import ModelIdentity, Speech

RATE = 16000
PITCH_HZ = 120.0
FORMANTS_HZ = (600.0, 1500.0, 2600.0)


def sentence(
    seconds: float = 1.6,
    *,
    pitch_hz: float = PITCH_HZ,
    swing_st: float = 3.0,
    pause_s: float = 0.2,
    rate: int = RATE,
) -> Samples:
    """Syllables with a melody that swings about its median, and one pause in the middle.

    Args:
        seconds: Length.
        pitch_hz: Median of the melody.
        swing_st: Semitones that the melody goes up and down.
        pause_s: Silence in the middle; there is 0.1 s of it at both ends, too.
        rate: Samples per second.
    """
    t = np.arange(round(seconds * rate)) / rate
    melody = pitch_hz * 2 ** (swing_st / 12 * np.sin(2 * np.pi * 1.25 * t))
    phase = 2 * np.pi * np.cumsum(melody) / rate
    wave = np.zeros_like(t)
    for number in range(1, int(0.45 * rate / (pitch_hz * 2 ** (swing_st / 12)))):
        wave += _height(number * melody) * np.cos(number * phase)
    syllables = 0.65 - 0.35 * np.cos(2 * np.pi * 5 * t)
    silent = (np.abs(t - seconds / 2) < pause_s / 2) | (t < 0.1) | (t >= seconds - 0.1)
    spoken: Samples = (wave * syllables * ~silent / np.abs(wave).max() * 0.5).astype(np.float32)
    return spoken


def _height(
    hertz: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The spectral envelope: three formants on a slope."""
    peaks = sum(1 / (1 + ((hertz - formant) / 80) ** 2) for formant in FORMANTS_HZ)
    height: np.ndarray[tuple[int], np.dtype[np.float64]] = (peaks + 0.02) * (200 / (hertz + 200))
    return height


class VowelVoice:
    """Says the sentence, whatever the text."""

    identity = ModelIdentity("test", "vowels", "1")
    fingerprint = "vowels"

    def __init__(self, seconds: float = 1.6) -> None:
        self.seconds = seconds
        self.spoken: list[str] = []

    async def speak(self, text: str) -> Speech:
        self.spoken.append(text)
        return Speech(to_pcm16(sentence(self.seconds)), RATE)
