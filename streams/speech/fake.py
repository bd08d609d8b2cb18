"""Speech engines without models, for tests and benchmarks: exact, and the same on every machine."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from streams.audio import Samples, silence, to_pcm16
from streams.speech.interfaces import ModelIdentity, Speech, SpeechError, Transcript

TONE_HZ = 400


class ToneVoice:
    """A voice that says every text as one tone burst with sharp edges.

    Args:
        seconds: Length of the burst.
        leading_s: Silence before it.
        trailing_s: Silence after it: part of the clip, but no speech.
        rate: Samples per second.
    """

    def __init__(
        self,
        seconds: float = 0.6,
        *,
        leading_s: float = 0.0,
        trailing_s: float = 0.0,
        rate: int = 24000,
    ) -> None:
        self._shape = (leading_s, seconds, trailing_s, rate)
        self.identity = ModelIdentity("fake", "tone", "1")

    @property
    def fingerprint(self) -> str:
        """Silence, tone, silence, rate."""
        return f"tone {self._shape}"

    async def speak(self, text: str) -> Speech:
        """One burst, whatever the text."""
        if not text.strip():
            raise SpeechError("tone voice", "there is no text to speak")
        lead, seconds, trail, rate = self._shape
        phase = 2 * np.pi * TONE_HZ / rate * np.arange(round(seconds * rate))
        burst = to_pcm16(0.25 * np.cos(phase))  # cosine: the first sample is at its peak, and audible
        pcm = silence(round(lead * rate)) + burst + silence(round(trail * rate))
        return Speech(pcm, rate)


class ScriptedRecogniser:
    """A recogniser that hears given texts, one per clip that holds sound; after them it hears no words.

    Attributes:
        clips: Length in samples at 16 kHz of every clip it was given.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self.clips: list[int] = []
        self.identity = ModelIdentity("fake", "scripted", "1")

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """The next text; `no_speech` for a clip of silence, or when no text is left."""
        self.clips.append(len(samples))
        if not np.any(samples) or not self._texts:
            return Transcript("", no_speech=True)
        return Transcript(self._texts.pop(0))
