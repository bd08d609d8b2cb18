"""From speech probabilities to speech segments: pure, and exact in samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from streams.audio import sample_at
from streams.speech.interfaces import SPEECH_RATE


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Speech began at this sample of the stream (noticed later, when it had lasted long enough)."""

    at_sample: int


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """Speech ended before this sample of the stream (noticed later, after enough silence)."""

    at_sample: int


ActivityEdge = SpeechBegan | SpeechEnded


class ActivityTracker:
    """Finds where speech begins and ends in a stream of window probabilities.

    A window counts as speech from `start_probability` on, and then as long as it stays at
    `stop_probability` or above. Gaps shorter than `min_silence_s` belong to the speech around them; what
    holds less than `min_speech_s` of speech windows is a noise and never reported. Edges lie on the
    windows' borders, where speech really began and ended.

    Args:
        window: Samples in a window.
        rate: Samples per second.
        start_probability: From here on silence turns into speech.
        stop_probability: Below here speech turns into silence.
        min_speech_s: Seconds of speech windows it takes to be speech.
        min_silence_s: Seconds of silence it takes to end speech.
    """

    def __init__(
        self,
        window: int,
        *,
        rate: int = SPEECH_RATE,
        start_probability: float = 0.5,
        stop_probability: float = 0.35,
        min_speech_s: float = 0.06,
        min_silence_s: float = 0.1,
    ) -> None:
        if not 0 < stop_probability <= start_probability <= 1:
            raise ValueError(
                f"probabilities: stop {stop_probability}, start {start_probability};"
                " expected 0 < stop <= start <= 1"
            )
        self.window = window
        self.position = 0
        """Samples seen so far."""
        self.speaking = False
        """True from the moment speech was noticed to the moment its end was."""
        self._start = start_probability
        self._stop = stop_probability
        self._min_speech = sample_at(min_speech_s, rate)
        self._min_silence = sample_at(min_silence_s, rate)
        self._loud = False
        self._onset: int | None = None  # first sample of the stretch of speech that is open, noticed or not
        self._loud_samples = 0  # samples of speech windows in that stretch
        self._loud_end = 0  # end of the latest speech window in it
        self._speech_end = 0  # end of the latest speech that was more than a noise
        self._longest = 0

    @property
    def silence(self) -> int:
        """Samples since speech was last there, or since the start of the stream; 0 within speech."""
        return self.position - (self._loud_end if self.speaking else self._speech_end)

    @property
    def longest_silence(self) -> int:
        """Samples of the longest stretch without speech so far, the present one included."""
        return max(self._longest, self.silence)

    def push(self, probabilities: Iterable[float]) -> list[ActivityEdge]:
        """The next windows' probabilities; returns the edges that are now certain, in order."""
        return [edge for probability in probabilities if (edge := self._step(probability)) is not None]

    def finish(self) -> list[ActivityEdge]:
        """The stream ends here: ends the speech that is open."""
        return [self._end()] if self.speaking else []

    def _step(self, probability: float) -> ActivityEdge | None:
        begin = self.position
        self.position += self.window
        self._loud = probability >= (self._stop if self._loud else self._start)
        if self._loud:
            return self._hear(begin)
        if self._onset is not None and self.position - self._loud_end >= self._min_silence:
            if self.speaking:
                return self._end()
            self._onset = None  # it was a noise
        return None

    def _hear(self, begin: int) -> SpeechBegan | None:
        if self._onset is None:
            self._onset, self._loud_samples = begin, 0
        if self.speaking:
            self._longest = max(self._longest, begin - self._loud_end)
        self._loud_samples += self.window
        self._loud_end = self.position
        if self.speaking or self._loud_samples < self._min_speech:
            return None
        self.speaking = True
        self._longest = max(self._longest, self._onset - self._speech_end)
        return SpeechBegan(self._onset)

    def _end(self) -> SpeechEnded:
        self.speaking = False
        self._onset = None
        self._speech_end = self._loud_end
        return SpeechEnded(self._loud_end)
