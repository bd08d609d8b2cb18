"""Sounds that go on for the whole call: at the wire's rate, at their level, without a seam."""

from __future__ import annotations

import numpy as np

from streams.audio import Samples, rms
from streams.levels import SPEECH_DBOV, active_level
from streams.speech.interfaces import SpeechError
from user_sim.conditions.beds import BED_RATE, BED_S

_CROSSFADE_S = 0.5
"""Over which the end of a recording becomes its beginning."""

_WRAP_S = 1
"""Of a loop's other end, for the resampler's filter to run in: whole seconds at every rate."""


class Loop:
    """A sound of which any stretch can be had, for ever.

    Args:
        samples: One round.
    """

    def __init__(self, samples: Samples) -> None:
        self.samples = samples

    def at(self, start: int, count: int) -> Samples:
        """`count` samples from any sample `start` on."""
        first = start % len(self.samples)
        part = self.samples[first : first + count]
        if len(part) == count:
            return part
        return np.take(self.samples, np.arange(first, first + count), mode="wrap")


def noise_loop(bed: Samples, rate: int, snr_db: float) -> Loop:
    """A bed, whose RMS over a round lies `snr_db` below the level of neutral speech (-26 dBov).

    Args:
        bed: At `rate`.
        rate: Of the wire.
        snr_db: Signal-to-noise ratio, dB.

    Raises:
        SpeechError: The bed is silent.
    """
    found = rms(bed)
    if not found:
        raise SpeechError(
            "noise", "it is silent: no level can be set against it", "Take another recording."
        )
    return Loop((bed * (10 ** ((SPEECH_DBOV - snr_db) / 20) / found)).astype(np.float32))


def speech_loop(speech: Samples, rate: int, snr_db: float) -> Loop:
    """A second speaker, whose active speech level lies `snr_db` below the user's.

    Raises:
        SpeechError: There is no speech in it.
    """
    found = active_level(speech, rate)
    if found is None:
        raise SpeechError(
            "second speaker", "nothing is audible in its lines", "Take other lines, or another voice."
        )
    return Loop((speech * 10 ** ((SPEECH_DBOV - snr_db - found.dbov) / 20)).astype(np.float32))


def round_at(bed: Samples, rate: int) -> Samples:
    """A seamless loop at `BED_RATE`, whole seconds long, brought to another rate: still seamless."""
    import soxr

    wrap = np.take(bed, np.arange(-_WRAP_S * BED_RATE, len(bed) + _WRAP_S * BED_RATE), mode="wrap")
    resampled: Samples = soxr.resample(wrap, BED_RATE, rate)
    return resampled[_WRAP_S * rate : len(bed) // BED_RATE * rate + _WRAP_S * rate]


def round_of(recording: Samples, rate: int) -> Samples:
    """A recording as a seamless loop of at least 30 s.

    Its last half second (at most a quarter of it) fades into its first, at equal power.
    """
    fade = min(round(_CROSSFADE_S * rate), len(recording) // 4)
    rising = np.sin(np.linspace(0, np.pi / 2, fade, dtype=np.float32))
    body = recording[: len(recording) - fade].copy()
    body[:fade] = body[:fade] * rising + recording[len(recording) - fade :] * rising[::-1]
    return np.tile(body, -(-BED_S * rate // len(body)))
