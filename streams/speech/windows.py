"""What every detector and recogniser does with its input: refuse what it would get wrong, cut the rest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech.interfaces import SPEECH_RATE, SpeechError


class Windows:
    """Cuts a stream into windows of equal length, keeping what is left for the next call."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._rest: Samples = np.zeros(0, np.float32)

    def cut(self, samples: Samples) -> npt.NDArray[np.float32]:
        """The windows completed by these samples, shape (n, size)."""
        check_mono("speech activity", samples)
        data = np.concatenate([self._rest, samples.astype(np.float32, copy=False)])
        whole = data.size // self.size * self.size
        self._rest = data[whole:]
        return data[:whole].reshape(-1, self.size)


def check_rate(engine: str, rate: int) -> None:
    """Refuse any rate but 16 kHz: with another one every time would be wrong in silence."""
    if rate != SPEECH_RATE:
        raise SpeechError(engine, f"audio of {rate} Hz, expected {SPEECH_RATE} Hz", "Resample it first.")


def check_mono(engine: str, samples: Samples) -> None:
    """Refuse all but one channel of floats: integers are 32768 times too loud, stereo would be mixed up."""
    if samples.ndim != 1 or samples.dtype.kind != "f":
        raise SpeechError(
            engine,
            f"audio of shape {samples.shape} and type {samples.dtype}, expected shape (n,) and float32",
            "Give it one channel at a time, as streams.audio.to_float makes it.",
        )
