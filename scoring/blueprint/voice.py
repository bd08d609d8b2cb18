"""How a voice sounds: steadiness from period to period, and the slope of its spectrum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.blueprint.pitch import HOP, PitchTrack, around
from scoring.blueprint.sound import runs
from streams.audio import Samples
from streams.speech.interfaces import SPEECH_RATE

MOST_CHANGE = 1.3
"""Two periods that differ by more are no neighbours of one voice: a mark was missed (as in Praat)."""

MOST_LOUDER = 1.6
"""The same for amplitudes."""

FEWEST_PERIODS = 20
"""Pairs of periods below which jitter and shimmer are withheld."""

TILT_FROM_HZ, TILT_TO_HZ = 125.0, 4000.0

_SEARCH = 0.2
"""A period's mark is looked for within so much of the period around where it is expected."""

_FFT = 512

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Steadiness:
    """Jitter and shimmer (local), and from how many pairs of periods."""

    jitter: float
    shimmer: float
    pairs: int


def steadiness(samples: Samples, track: PitchTrack) -> Steadiness | None:
    """Change from one period to the next, over all voiced stretches; None if there are too few periods.

    Args:
        samples: Mono at 16 kHz.
        track: Its pitch.
    """
    changes: list[float] = []
    periods: list[float] = []
    louder: list[float] = []
    sizes: list[float] = []
    for start, end in runs(track.voiced):
        marks, heights = _marks(samples, start * HOP, end * HOP, track)
        lengths = np.diff(marks)
        if lengths.size < 2:
            continue
        sizes_here = heights[1:]
        near = _ratio(lengths) <= MOST_CHANGE
        alike = near & (_ratio(sizes_here) <= MOST_LOUDER)
        changes += np.abs(np.diff(lengths))[near].tolist()
        periods += ((lengths[1:] + lengths[:-1]) / 2)[near].tolist()
        louder += np.abs(np.diff(sizes_here))[alike].tolist()
        sizes += ((sizes_here[1:] + sizes_here[:-1]) / 2)[alike].tolist()
    if min(len(changes), len(louder)) < FEWEST_PERIODS or not sum(sizes):
        return None
    return Steadiness(sum(changes) / sum(periods), sum(louder) / sum(sizes), len(changes))


def _ratio(values: Floats) -> Floats:
    larger = np.maximum(values[1:], values[:-1])
    return larger / np.maximum(np.minimum(values[1:], values[:-1]), 1e-12)


def _marks(samples: Samples, start: int, end: int, track: PitchTrack) -> tuple[Floats, Floats]:
    """One mark a period in a voiced stretch: places (between samples), and the wave's height around each.

    The next mark is where the wave looks most like it does around this one.
    """
    part = samples[start:end].astype(np.float64)
    places: list[float] = []
    heights: list[float] = []
    period = _period(track, start)
    if part.size <= 2 * period:
        return np.zeros(0), np.zeros(0)
    place = float(period // 2 + np.argmax(np.abs(part[period // 2 : period // 2 + period + 1])))
    while True:
        at = round(place)
        period = _period(track, start + at)
        half, low, high = period // 2, round((1 - _SEARCH) * period), round((1 + _SEARCH) * period)
        if at < half or at + high + half >= part.size:
            return np.array(places), np.array(heights)
        around = part[at - half : at + half + 1]
        places.append(place)
        heights.append(float(np.ptp(around)))
        place += _shift(around, part[at + low - half : at + high + half + 1]) + low


def _shift(shape: Floats, room: Floats) -> float:
    """Where in `room` a stretch looks most like `shape`, in samples and between them."""
    product = np.correlate(room, shape, "valid")
    power = np.concatenate(([0.0], np.cumsum(np.square(room))))
    likeness = product / np.sqrt(np.maximum(power[shape.size :] - power[: -shape.size], 1e-12))
    best = int(np.argmax(likeness))
    if not 0 < best < likeness.size - 1:
        return float(best)
    left, top, right = likeness[best - 1 : best + 2]
    bend = min(left - 2 * top + right, -1e-12)
    return best + float(np.clip(0.5 * (left - right) / bend, -0.5, 0.5))


def _period(track: PitchTrack, sample: int) -> int:
    """Samples of the period at a place in a voiced stretch."""
    frame = min(sample // HOP, track.hertz.size - 1)
    hertz = track.hertz[frame]
    if not hertz:
        hertz = track.hertz[frame - 1] or float(np.median(track.hertz[track.voiced]))
    return max(2, round(SPEECH_RATE / float(hertz)))


def spectral_tilt(samples: Samples, track: PitchTrack) -> float | None:
    """Slope of the mean spectrum of the voiced frames in dB per octave; None without voiced frames.

    A line through the levels of thirds of an octave from 125 Hz to 4 kHz.
    """
    frames = np.flatnonzero(track.voiced)
    if not frames.size:
        return None
    shape = np.hanning(_FFT)
    power: Floats = np.zeros(_FFT // 2 + 1)
    for at in range(0, frames.size, 256):
        some = [around(samples, f * HOP, f * HOP, _FFT // 2) for f in frames[at : at + 256].tolist()]
        power += np.square(np.abs(np.fft.rfft(np.stack(some) * shape, axis=1))).sum(axis=0)
    hertz = np.asarray(np.fft.rfftfreq(_FFT, 1 / SPEECH_RATE), np.float64)
    centres = TILT_FROM_HZ * 2 ** (np.arange(0, 16) / 3)
    levels = [_band_level(power, hertz, centre) for centre in centres]
    return float(np.polyfit(np.log2(centres), levels, 1)[0])


def _band_level(power: Floats, hertz: Floats, centre: float) -> float:
    """Mean power density in a third of an octave, in dB; the nearest bin where it holds none."""
    inside = (hertz >= centre * 2 ** (-1 / 6)) & (hertz < centre * 2 ** (1 / 6))
    if not inside.any():
        inside[np.argmin(np.abs(hertz - centre))] = True
    return float(10 * np.log10(max(float(power[inside].mean()), 1e-20)))
