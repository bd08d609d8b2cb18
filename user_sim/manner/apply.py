"""A manner applied to speech: time, melody, resonances, breath, level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from scenarios.manners import Manner
from streams.audio import Samples
from streams.levels import active_level, amplified
from user_sim.manner.world import FRAME_S, Floats, Parts, analyse, synthesise, version

Flags = npt.NDArray[np.bool_]

VERSION = 1
"""Changes when the same manner would be made into other samples."""

_LOWEST_HZ, _HIGHEST_HZ = 45.0, 800.0
"""No melody leaves these, however far its range is stretched."""

_PAUSE_DB = 35.0
"""A frame so far below the loud ones is silent."""

_PAUSE_S = 0.06
"""Shorter silences belong to a consonant."""

_SYLLABLE_S = 0.1

_BREATH_HZ = 3000.0
"""Above this a breathy voice is noise first."""

_TILT_HZ = (100.0, 500.0, 8000.0)
"""A tilted spectrum is level below the first and above the last, and keeps its height at the middle one."""


def apply(samples: Samples, rate: int, manner: Manner) -> Samples:
    """Speak a clip in another manner.

    The clip's active level changes by the manner's loudness; peaks are limited softly, never clipped.
    The length is the clip's divided by the manner's rate, to the nearest sample, and what pauses gain.

    Args:
        samples: Clean speech of one speaker, float in [-1, 1).
        rate: Samples per second, 16 000 to 48 000.
        manner: One that changes nothing but loudness leaves the samples as they are, with a gain.

    Raises:
        SpeechError: WORLD is not installed.
    """
    if not manner.resynthesises or not samples.size:
        return amplified(samples, manner.loudness)
    parts = analyse(samples, rate)
    starts = _starts(parts, manner)
    length = round(samples.size * starts[-1] / (len(starts) - 1))
    spoken = synthesise(_voiced(_timed(parts, starts), manner), length)
    before, after = active_level(samples, rate), active_level(spoken, rate)
    kept = before.dbov - after.dbov if before is not None and after is not None else 0.0
    return amplified(spoken, kept + manner.loudness)


def fingerprint(manner: Manner) -> str:
    """Everything about a manner that changes the sound, for a cache's key; "" if it changes nothing."""
    if manner == Manner():
        return ""
    return f"{manner!r} made by {VERSION}, world {version()}"


def resynthesised(samples: Samples, rate: int) -> Samples:
    """The same speech through WORLD and nothing else: what every manner costs at least.

    Raises:
        SpeechError: WORLD is not installed.
    """
    return synthesise(analyse(samples, rate), samples.size)


def _starts(parts: Parts, manner: Manner) -> Floats:
    """Where each frame begins, in frames of the result; one more at the end."""
    durations = np.full(len(parts.melody), 1 / manner.rate)
    durations[_paused(parts)] *= manner.pauses
    return np.concatenate([[0.0], np.cumsum(durations)])


def _paused(parts: Parts) -> Flags:
    """Frames of the silences between words, without those before and after all speech."""
    power = parts.spectrum.sum(axis=1)
    silent = power < np.percentile(power, 95) * 10 ** (-_PAUSE_DB / 10)
    edges = np.flatnonzero(np.diff(np.concatenate([[True], silent, [True]])))
    paused = np.zeros(len(silent), dtype=np.bool_)
    # edges come in pairs: speech begins, speech ends; a pause lies between an end and the next begin
    for end, begin in zip(edges[1:-1:2], edges[2::2], strict=True):
        paused[end:begin] = begin - end >= _PAUSE_S / FRAME_S
    return paused


def _timed(parts: Parts, starts: Floats) -> Parts:
    """The parts at another tempo: each frame of the result from the two around its place."""
    places = np.interp(np.arange(int(starts[-1]) + 2), starts[:-1], np.arange(len(parts.melody)))
    before = places.astype(np.int64)
    after = np.minimum(before + 1, len(parts.melody) - 1)
    share = places - before
    voiced = (parts.melody[before] > 0) & (parts.melody[after] > 0)
    between = parts.melody[before] + share * (parts.melody[after] - parts.melody[before])
    nearest = parts.melody[np.where(share < 0.5, before, after)]
    rows = share[:, None]
    return replace(
        parts,
        melody=np.where(voiced, between, nearest),
        spectrum=np.exp((1 - rows) * np.log(parts.spectrum[before]) + rows * np.log(parts.spectrum[after])),
        aperiodicity=(1 - rows) * parts.aperiodicity[before] + rows * parts.aperiodicity[after],
    )


def _voiced(parts: Parts, manner: Manner) -> Parts:
    hertz = parts.hertz
    low, level, high = _TILT_HZ
    tilt_db = manner.tilt * np.log2(np.clip(hertz, low, high) / level)
    breath = manner.breath * np.minimum(1.0, hertz / _BREATH_HZ) ** (1 - manner.breath)
    aperiodicity = _scaled(parts.aperiodicity, manner.formants)
    return replace(
        parts,
        melody=_sung(parts.melody, manner),
        spectrum=np.exp(_scaled(np.log(parts.spectrum), manner.formants)) * 10 ** (tilt_db / 10),
        aperiodicity=aperiodicity + (1 - aperiodicity) * breath,
    )


def _scaled(frames: Floats, scale: float) -> Floats:
    """Bins moved up by a factor; above what there is, the last one goes on."""
    bins = frames.shape[1]
    places = np.minimum(np.arange(bins) / scale, bins - 1)
    before = np.minimum(places.astype(np.int64), bins - 2)
    share = places - before
    moved: Floats = frames[:, before] * (1 - share) + frames[:, before + 1] * share
    return moved


def _sung(melody: Floats, manner: Manner) -> Floats:
    voiced = melody > 0
    if manner.breath >= 1 or not voiced.any():
        return np.zeros_like(melody)
    octaves = np.log2(melody, where=voiced, out=np.zeros_like(melody))
    course = _smooth(np.where(voiced, octaves - np.median(octaves[voiced]), 0.0), voiced)
    tremble = np.sin(2 * np.pi * manner.tremor_hz * FRAME_S * np.arange(len(melody)))
    sung = octaves + (manner.range - 1) * course + (manner.pitch + manner.tremor * tremble) / 12
    return np.where(voiced, np.clip(2.0**sung, _LOWEST_HZ, _HIGHEST_HZ), 0.0)


def _smooth(course: Floats, voiced: Flags) -> Floats:
    """The melody's course over syllables: its range is stretched, and not the jitter of single periods."""
    kernel = np.hanning(round(_SYLLABLE_S / FRAME_S) | 1)
    weight = np.convolve(voiced, kernel, "same")
    smooth: Floats = np.convolve(course, kernel, "same") / np.maximum(weight, 1e-9)
    return smooth
