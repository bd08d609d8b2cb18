"""How long sound takes from our track through ear, air and microphone back: by a chirp. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streams.audio import FULL_SCALE, Samples, dbfs

CHIRP_S = 0.1
LOW_HZ, HIGH_HZ = 500.0, 3500.0
LEVEL = 0.3
"""Peak of the chirp: -10 dBFS."""

CLEAR = 8.0
"""The match must be so many times as high as what else there is: noise alone reaches about 5."""


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """What became of a chirp.

    Attributes:
        seconds: From the track it was played on to the track it was captured on.
        gain_db: Level at which it came back.
        clearness: Height of the match over the typical height elsewhere.
    """

    seconds: float
    gain_db: float
    clearness: float


def chirp(rate: int) -> Samples:
    """A tone that rises from 500 to 3500 Hz within 100 ms, under a Hann window."""
    t = np.arange(round(CHIRP_S * rate)) / rate
    phase = 2 * np.pi * (LOW_HZ * t + (HIGH_HZ - LOW_HZ) * t**2 / (2 * CHIRP_S))
    wave: Samples = (LEVEL * np.sin(phase) * np.hanning(t.size)).astype(np.float32)
    return wave


def find_chirp(captured: Samples, rate: int) -> RoundTrip | None:
    """Where in `captured`, which begins with the first sample of the played chirp, it comes back.

    Matched filter: the highest correlation with the chirp. None if nothing stands out.
    """
    from scipy.signal import correlate

    wave = chirp(rate)
    if captured.size < wave.size:
        return None
    match = np.abs(correlate(captured.astype(np.float64), wave.astype(np.float64), mode="valid"))
    best = int(np.argmax(match))
    typical = float(np.median(match))
    clearness = float(match[best] / typical) if typical > 0 else (np.inf if match[best] > 0 else 0.0)
    gain_db = dbfs(FULL_SCALE * float(match[best] / (wave @ wave)))
    if clearness < CLEAR or gain_db < -80:
        return None
    return RoundTrip(best / rate, gain_db, min(clearness, 1e6))
