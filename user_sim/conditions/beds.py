"""Noises made from nothing: loops of 30 seconds whose end fits their beginning.

A bed is the same in every call, like a recording; from where in it a call begins is the seed's choice. All
are made at 48 kHz and then brought to the wire's rate, so that every endpoint hears the same noise in the
band that its wire has. Their level means nothing yet: see `user_sim.conditions.loops`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from streams.audio import Samples, rms
from streams.speech.interfaces import SpeechError

BED_RATE = 48000
"""Samples per second of every bed as it is made."""

BED_S = 30
"""Seconds in a loop."""

TALKERS = 8
"""Voices in a babble, all of one synthetic speaker at different speeds: pitch and formants go with it."""

_LENGTH = BED_RATE * BED_S
_LOWEST_HZ = 50
_MAINS_HZ = 50
_CAFE_RT60_S = 0.6

_Wide = npt.NDArray[np.float64]


def pink() -> Samples:
    """Equal power in every octave from 50 Hz up, shaped in the frequency domain: a loop by nature."""
    rng = np.random.default_rng(1)
    hertz = np.fft.rfftfreq(_LENGTH, 1 / BED_RATE)
    spectrum = rng.standard_normal(hertz.size) + 1j * rng.standard_normal(hertz.size)
    spectrum *= np.where(hertz >= _LOWEST_HZ, 1 / np.sqrt(np.maximum(hertz, _LOWEST_HZ)), 0)
    return _normal(np.fft.irfft(spectrum, _LENGTH))


def hum() -> Samples:
    """Mains hum: 50 Hz and 19 harmonics, the even ones stronger, as from a rectifier."""
    rng = np.random.default_rng(2)
    time = np.arange(BED_RATE // _MAINS_HZ) / BED_RATE
    period = np.zeros_like(time)
    for harmonic in range(1, 21):
        level = (1.0 if harmonic % 2 == 0 or harmonic == 1 else 0.4) / harmonic
        period += level * np.cos(2 * np.pi * (harmonic * _MAINS_HZ * time + rng.random()))
    return _normal(np.tile(period, _LENGTH // period.size))


def keyboard() -> Samples:
    """Typing: words of two to nine keys, about seven keys a second; each key goes down and up."""
    rng = np.random.default_rng(3)
    loop = np.zeros(_LENGTH)
    at = 0.2
    while at < BED_S:
        for _ in range(int(rng.integers(2, 10))):
            _strike(loop, at, _click(rng, 1.0))
            _strike(loop, at + rng.uniform(0.06, 0.11), _click(rng, 0.35))
            at += float(rng.lognormal(np.log(0.15), 0.3))
        at += float(rng.uniform(0.15, 0.4) if rng.random() < 0.8 else rng.uniform(0.8, 2.0))
    return _normal(loop)


def babble(clips: Sequence[Samples], rate: int) -> Samples:
    """Many voices at once.

    Args:
        clips: Sentences of one speaker, audible, and shorter than half a loop.
        rate: Their samples per second.
    """
    rng = np.random.default_rng(4)
    loop = np.zeros(_LENGTH)
    for speed in np.geomspace(0.78, 1.28, TALKERS):
        faster = [_at_speed(clip, rate, float(speed)) for clip in clips]
        at = start = int(rng.integers(_LENGTH))
        talker = np.zeros(_LENGTH)
        while at + (clip := faster[rng.integers(len(faster))]).size < start + _LENGTH:
            _add(talker, at, clip)
            at += clip.size + int(rng.uniform(0.05, 0.5) * BED_RATE)
        loop += _normal(talker)
    return _normal(loop)


def cafe(clips: Sequence[Samples], rate: int) -> Samples:
    """Babble, crockery and the hiss of a machine, in a room that reflects them from all sides.

    Args:
        clips: As for `babble`.
        rate: Of the clips.
    """
    rng = np.random.default_rng(5)
    crockery = np.zeros(_LENGTH)
    at = 0.3
    while at < BED_S:
        for _ in range(int(rng.integers(1, 4))):
            _strike(crockery, at, _ring(rng))
            at += float(rng.uniform(0.04, 0.25))
        at += float(rng.exponential(1.2))
    dry = babble(clips, rate) + 0.35 * _normal(crockery) + 0.25 * pink()
    # multiplied spectra convolve in a circle: the echo of the end lies on the beginning
    wet = np.fft.irfft(np.fft.rfft(dry) * np.fft.rfft(_diffuse(rng), _LENGTH), _LENGTH)
    return _normal(wet)


def dialogue(clips: Sequence[Samples], rate: int) -> Samples:
    """Another speaker, who says all the sentences in turn, with a breath between them; at least 30 s."""
    rng = np.random.default_rng(6)
    parts: list[Samples] = []
    while sum(part.size for part in parts) < _LENGTH:
        for clip in clips:
            breath = np.zeros(int(rng.uniform(0.3, 1.2) * BED_RATE), np.float32)
            parts += [_at_speed(clip, rate, 0.88), breath]
    return np.concatenate(parts)


def _at_speed(clip: Samples, rate: int, speed: float) -> Samples:
    """A clip at `BED_RATE` as if the tape ran faster: shorter, and higher in pitch and formants."""
    import soxr

    faster: Samples = soxr.resample(clip, rate * speed, BED_RATE, quality="MQ")
    return faster


def _click(rng: np.random.Generator, level: float) -> _Wide:
    """A key: a few milliseconds of noise around 2 to 5 kHz, over a dull knock."""
    time = np.arange(round(0.03 * BED_RATE)) / BED_RATE
    snap = np.exp(-time / rng.uniform(0.0015, 0.004)) * np.cos(2 * np.pi * rng.uniform(2000, 5000) * time)
    knock = 0.5 * np.exp(-time / 0.006) * np.sin(2 * np.pi * rng.uniform(150, 300) * time)
    sound: _Wide = level * rng.uniform(0.6, 1.0) * (snap * rng.uniform(0.3, 1.0, time.size) + knock)
    struck: _Wide = sound * np.minimum(1, time / 0.0003)
    return struck


def _ring(rng: np.random.Generator) -> _Wide:
    """A cup on its saucer: some inharmonic partials that decay within a tenth of a second."""
    time = np.arange(round(0.25 * BED_RATE)) / BED_RATE
    sound = np.zeros_like(time)
    base = rng.uniform(1800, 3500)
    for ratio in (1.0, 1.47, 2.09, 2.56):
        partial = np.sin(2 * np.pi * (base * ratio * time + rng.random()))
        sound += partial * rng.uniform(0.2, 1.0) * np.exp(-time * ratio / rng.uniform(0.02, 0.07))
    ringing: _Wide = sound * rng.uniform(0.2, 1.0) * np.minimum(1, time / 0.0005)
    return ringing


def _diffuse(rng: np.random.Generator) -> _Wide:
    """The sound of a room far from its sources: noise that decays exponentially (Polack 1988)."""
    time = np.arange(round(_CAFE_RT60_S * BED_RATE)) / BED_RATE
    response: _Wide = rng.standard_normal(time.size) * 10 ** (-3 * time / _CAFE_RT60_S)
    return response


def _strike(loop: _Wide, at_s: float, sound: _Wide) -> None:
    _add(loop, round(at_s * BED_RATE), sound)


def _add(loop: _Wide, at: int, sound: npt.NDArray[np.floating]) -> None:
    """Add a sound; what goes over the end of the loop is at its beginning."""
    at %= loop.size
    first = min(sound.size, loop.size - at)
    loop[at : at + first] += sound[:first]
    loop[: sound.size - first] += sound[first:]


def _normal(samples: npt.NDArray[np.floating]) -> Samples:
    """At an RMS of 1."""
    sound = np.asarray(samples, np.float32)
    level = rms(sound)
    if not level:
        raise SpeechError("noise", "the voices that make it are silent", "Take another voice.")
    return np.asarray(sound / level, np.float32)
