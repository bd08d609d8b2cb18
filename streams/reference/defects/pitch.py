"""A voice without melody, by WORLD. Pure."""

from __future__ import annotations

import numpy as np

from streams.audio import FULL_SCALE, to_pcm, to_pcm16
from streams.speech.world import world


def flatten(pcm: bytes, share: float, rate: int) -> bytes:
    """Take away a share of the melody: the pitch moves so much less around its own median.

    Args:
        pcm: PCM16 mono of one speaker.
        share: 0 changes nothing but the resynthesis, 1 leaves one pitch.
        rate: Samples per second.

    Raises:
        SpeechError: WORLD is not installed.
    """
    pyworld = world()
    samples = to_pcm(pcm).astype(np.float64) / FULL_SCALE
    f0, times = pyworld.harvest(samples, rate)
    envelope = pyworld.cheaptrick(samples, f0, times, rate)
    aperiodicity = pyworld.d4c(samples, f0, times, rate)
    voiced = f0 > 0
    if not voiced.any():
        return pcm
    middle = float(np.median(f0[voiced]))
    f0[voiced] = middle * (f0[voiced] / middle) ** (1 - share)
    flat = pyworld.synthesize(f0, envelope, aperiodicity, rate)
    return to_pcm16(flat[: samples.size])
