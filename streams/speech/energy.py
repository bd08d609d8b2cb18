"""Speech activity by loudness alone: exact and repeatable. For tests, and where no model is installed."""

from __future__ import annotations

import numpy as np

from streams.audio import Samples
from streams.speech.interfaces import SPEECH_RATE, ModelIdentity
from streams.speech.windows import Windows, check_rate


class EnergyDetector:
    """Answers 1.0 for windows louder than a threshold, else 0.0.

    Loudness is that of the window's AC part: its mean is removed first, so that a DC offset is not speech.

    Args:
        threshold_dbfs: RMS level from which a window counts, in dB relative to full scale (a full-scale
            square wave is 0).
    """

    window = 160
    """Samples in a window: 10 ms."""

    def __init__(self, threshold_dbfs: float = -45.0) -> None:
        self.threshold_dbfs = threshold_dbfs
        self.identity = ModelIdentity("energy", f"{threshold_dbfs:g} dBFS", "1")

    def stream(self, rate: int = SPEECH_RATE) -> EnergyStream:
        """A new stream. Raises `SpeechError` for a rate other than 16 kHz."""
        check_rate("energy", rate)
        return EnergyStream(10 ** (self.threshold_dbfs / 20))


class EnergyStream:
    """Speech activity on one stream by loudness."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._windows = Windows(EnergyDetector.window)

    async def feed(self, samples: Samples) -> list[float]:
        """Next samples at 16 kHz; returns 1.0 or 0.0 for each window completed by them."""
        windows = self._windows.cut(samples).astype(np.float64)
        level = np.sqrt(np.mean(np.square(windows - windows.mean(axis=1, keepdims=True)), axis=1))
        return [float(loud) for loud in level >= self._threshold]
