"""What can be measured of a manner: tempo, melody, level, voicing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streams.audio import Samples, to_pcm16
from streams.levels import active_level
from streams.speech.audible import audible_span
from user_sim.manner.world import FRAME_S, Floats, low_passed, melody

_LOUD_DB = 35.0
"""Frames within this of the loud ones are counted; the others are silence."""

_PERIODIC = 0.5
"""A frame is voiced if it correlates so well with itself one period later; whispers stay below 0.4."""

_SUNG = 0.1
"""A clip with a smaller share of voiced frames has no melody: noise looks periodic now and then."""

_WINDOW_S = 0.03
_BAND_HZ = 1500.0


@dataclass(frozen=True, slots=True)
class Traits:
    """How a clip is spoken.

    Attributes:
        seconds: From the first audible sample to the last.
        pitch_hz: Median of the melody; None if less than a tenth is voiced.
        range_st: Semitones between the 10th and the 90th percentile of the melody; None likewise.
        level_dbov: Active speech level (ITU-T P.56).
        voicing: Share of the audible frames that are voiced, 0 to 1.
    """

    seconds: float
    pitch_hz: float | None
    range_st: float | None
    level_dbov: float
    voicing: float


@dataclass(frozen=True, slots=True)
class Change:
    """How one clip differs from another of the same words.

    Attributes:
        duration: Ratio.
        pitch: Semitones of the median; None if one of the two is not voiced.
        range: Ratio; None likewise.
        level: dB.
        voicing: Ratio of the shares.
    """

    duration: float
    pitch: float | None
    range: float | None
    level: float
    voicing: float


def traits(samples: Samples, rate: int) -> Traits | None:
    """Measure a clip of speech; None if nothing in it is audible.

    Raises:
        SpeechError: WORLD is not installed.
    """
    span, level = audible_span(to_pcm16(samples), rate), active_level(samples, rate)
    if span is None or level is None:
        return None
    sung = melody(samples, rate)
    power, periodic = _frames(samples, rate, sung)
    loud = power > np.percentile(power, 95) * 10 ** (-_LOUD_DB / 10)
    voiced = loud & (periodic > _PERIODIC)
    notes, voicing = sung[voiced], float(voiced.sum() / loud.sum())
    pitch = spread = None
    if voicing >= _SUNG:
        low, pitch, high = (float(value) for value in np.percentile(notes, (10, 50, 90)))
        spread = 12 * float(np.log2(high / low))
    seconds = (span[1] - span[0]) / rate
    return Traits(seconds, pitch, spread, level.dbov, voicing)


def _frames(samples: Samples, rate: int, sung: Floats) -> tuple[Floats, Floats]:
    """Power of each frame, and its correlation with what comes one period later (0 without a period)."""
    window = round(_WINDOW_S * rate)
    slow = low_passed(samples.astype(np.float64), rate, _BAND_HZ)
    lags = np.where(sung > 0, rate / np.maximum(sung, 1), 0).round().astype(np.int64)
    starts = (np.arange(len(sung)) * FRAME_S * rate).astype(np.int64)
    reach = window + int(lags.max(initial=0))
    padded = np.pad(slow, (window // 2, reach))
    here = padded[starts[:, None] + np.arange(window)]
    later = padded[(starts + lags)[:, None] + np.arange(window)]
    energy, energy_later = (here**2).sum(axis=1), (later**2).sum(axis=1)
    product = (here * later).sum(axis=1)
    periodic = product / np.sqrt(np.maximum(energy * energy_later, 1e-30))
    return energy, np.where(sung > 0, periodic, 0.0)


def change(before: Traits, after: Traits) -> Change:
    """What became of a clip."""
    pitch = spread = None
    if before.pitch_hz and after.pitch_hz and before.range_st and after.range_st is not None:
        pitch = 12 * float(np.log2(after.pitch_hz / before.pitch_hz))
        spread = after.range_st / before.range_st
    level = after.level_dbov - before.level_dbov
    voicing = after.voicing / before.voicing if before.voicing else 1.0
    return Change(after.seconds / before.seconds, pitch, spread, level, voicing)
