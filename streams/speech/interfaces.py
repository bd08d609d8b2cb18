"""What a speech engine must offer. Engines are async at the surface; heavy work runs in workers.

Speech engines work on mono float32 at 16 kHz (`SPEECH_RATE`) unless they say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from streams.audio import Samples

SPEECH_RATE = 16000
"""Samples per second that recognisers and detectors hear."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model made a result: written into every episode.

    Attributes:
        family: The engine ("faster-whisper", "piper", "silero", ...).
        name: The model within it ("base", "en_US-joe-medium").
        version: Version of the library, and of the weights where they have one.
        sha256: Hash of the weights, or "" where they are not files of ours (a remote service).
    """

    family: str
    name: str
    version: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """One recognised word; times in seconds from the start of the clip."""

    text: str
    start: float
    end: float
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a recogniser made of a clip.

    Attributes:
        text: The words; "" if nobody spoke.
        words: The same with times, where the engine gives them.
        no_speech: True if the clip held no speech: the text is then "" and nothing was invented.
        dropped: Segments thrown away as hallucinations on silence.
        moved: Words whose times lay outside speech and were moved into it.
    """

    text: str
    words: tuple[Word, ...] = ()
    no_speech: bool = False
    dropped: int = 0
    moved: int = 0


@dataclass(frozen=True, slots=True)
class Speech:
    """Synthesised speech: PCM16 mono at `rate` samples per second."""

    pcm: bytes
    rate: int


class SpeechError(RuntimeError):
    """An engine failed or is not installed; says which, and what to do."""

    def __init__(self, engine: str, found: str, remedy: str = "") -> None:
        self.engine = engine
        self.found = found
        self.remedy = remedy
        super().__init__(engine, found, remedy)

    def __str__(self) -> str:
        return f"{self.engine}: {self.found}." + (f" {self.remedy}" if self.remedy else "")


class EngineMisnamed(SpeechError):
    """The name given is no engine, or an option or key is missing or wrong: the caller's to mend."""


class Recogniser(Protocol):
    """Speech to text."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """Transcribe a clip of float32 at 16 kHz; silence gives `no_speech`, never an invention.

        Raises:
            SpeechError: The engine failed.
        """


@runtime_checkable
class BatchRecogniser(Recogniser, Protocol):
    """A recogniser that is faster with many clips at once."""

    async def transcribe_all(self, clips: Sequence[Samples], *, language: str = "en") -> list[Transcript]:
        """As `transcribe`, of each clip; which others are there changes nothing but the rounding of sums.

        Raises:
            SpeechError: The engine failed.
        """


class Voice(Protocol):
    """Text to speech."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""

    @property
    def fingerprint(self) -> str:
        """Everything that changes the sound, as one string: the key of a cache."""

    async def speak(self, text: str) -> Speech:
        """Speak a text; the sound is the same for the same fingerprint and text.

        Raises:
            SpeechError: The engine failed, or made no audio.
        """


class DetectorStream(Protocol):
    """Speech activity on one continuous stream."""

    async def feed(self, samples: Samples) -> Sequence[float]:
        """Next samples at 16 kHz; returns the speech probability of each window completed by them."""


class SpeechDetector(Protocol):
    """Speech activity: is somebody talking?"""

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""

    @property
    def window(self) -> int:
        """Samples (at 16 kHz) in a window."""

    def stream(self) -> DetectorStream:
        """A new stream with state of its own."""


class TurnDetector(Protocol):
    """End of turn: has the speaker finished, or only paused?"""

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""

    async def completion(self, samples: Samples) -> float:
        """Probability in [0, 1] that a turn whose audio ends here (16 kHz) is complete."""
