"""What a listener hears of a turn: at one rate whatever the endpoint's, and two replies equally loud.

Loudness is that of ITU-R BS.1770-4. Both replies are brought to -23 LUFS (EBU R 128), or both to less where
a peak of either would come too near full scale, or where one is so quiet that its noise would be played up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.blueprint.loudness import RATE, measure_loudness
from streams.audio import Pcm

TARGET_LUFS = -23.0
PEAK_DBFS = -1.0
MOST_GAIN_DB = 20.0

FADE_S = 0.005
"""A turn is cut out of a call: without a fade it would click."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Level:
    """How loud a clip is, and what was done about it.

    Attributes:
        lufs: As recorded; None of what is silent, or shorter than 0.4 s.
        gain_db: What it is played with, to the hundredth.
    """

    lufs: float | None
    gain_db: float

    def to_json(self) -> dict[str, float | None]:
        """As in files."""
        return {"lufs": None if self.lufs is None else round(self.lufs, 2), "gain_db": self.gain_db}


def listenable(pcm: Pcm, rate: int) -> Floats:
    """A clip at 48 kHz with faded ends; the rate it was recorded at would tell one endpoint from another.

    Args:
        pcm: Mono, int16.
        rate: Samples per second.

    Returns:
        Mono; full scale is 1.
    """
    from soxr import resample

    samples = pcm.astype(np.float32) / 32768
    if rate != RATE and samples.size:
        samples = np.asarray(resample(samples, rate, RATE), np.float32)
    fade = min(round(FADE_S * RATE), samples.size // 2)
    ramp = np.linspace(0, 1, fade, endpoint=False, dtype=np.float32)
    samples[:fade] *= ramp
    samples[samples.size - fade :] *= ramp[::-1]
    return np.asarray(samples, np.float32)


def equally_loud(first: Floats, second: Floats) -> tuple[Level, Level]:
    """The gains with which two clips of `listenable` are equally loud.

    If one of them cannot be measured, both are played as they are.
    """
    one, two = _lufs(first), _lufs(second)
    if one is None or two is None:
        return Level(one, 0.0), Level(two, 0.0)
    target = min(TARGET_LUFS, one + MOST_GAIN_DB, two + MOST_GAIN_DB)
    for lufs, clip in ((one, first), (two, second)):
        target = min(target, lufs + PEAK_DBFS - _peak_dbfs(clip))
    return Level(one, round(target - one, 2)), Level(two, round(target - two, 2))


def _lufs(clip: Floats) -> float | None:
    measured = measure_loudness(clip, RATE)
    return measured.integrated if measured else None


def with_gain(clip: Floats, gain_db: float) -> Pcm:
    """A clip as 16-bit samples; what is beyond full scale is clipped."""
    scaled = clip * np.float32(32768 * 10 ** (gain_db / 20))
    return np.clip(np.round(scaled), -32768, 32767).astype(np.int16)


def _peak_dbfs(clip: Floats) -> float:
    peak = float(np.abs(clip).max(initial=0.0))
    return 20 * math.log10(peak) if peak else -math.inf
