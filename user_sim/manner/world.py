"""WORLD: speech taken apart into melody, resonances and breath, and put together again.

M. Morise, F. Yokomori, K. Ozawa: WORLD, a vocoder-based high-quality speech synthesis system for
real-time applications (2016). Deterministic: its noise begins with the same seed for every clip. The
library lets go of the interpreter while it computes: work in a thread never holds up a session's tick.
"""

from __future__ import annotations

import functools
import importlib.metadata
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech.world import world

FRAME_S = 0.005
"""Time between two frames of analysis."""

MIN_RATE = 16000
"""Samples per second that the analysis of breath needs: it looks at what lies above 4 kHz."""

LOWEST_HZ, HIGHEST_HZ = 60.0, 450.0
"""Where the melody of the machine's voice is looked for; every adult speaks within it."""

_SHORTEST_S = 0.1
_VOICE_BAND_HZ = (60.0, 1500.0)
_MELODY_BAND_HZ = (55.0, 900.0)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Parts:
    """Speech in frames of 5 ms.

    Attributes:
        melody: Fundamental frequency in Hz, shape (frames,); 0 where nothing is voiced.
        spectrum: Power of the spectral envelope, shape (frames, bins) from 0 Hz to half the rate.
        aperiodicity: Share of the amplitude that is noise, 0 to 1, same shape.
        rate: Samples per second.
    """

    melody: Floats
    spectrum: Floats
    aperiodicity: Floats
    rate: int

    @property
    def hertz(self) -> Floats:
        """Frequency of each bin."""
        return np.linspace(0, self.rate / 2, self.spectrum.shape[1])


@functools.cache
def version() -> str:
    """The installed version of WORLD; "" if it is not installed."""
    try:
        return importlib.metadata.version("pyworld")
    except importlib.metadata.PackageNotFoundError:
        return ""


def analyse(samples: Samples, rate: int) -> Parts:
    """Take a clip apart; one shorter than 0.1 s is continued by silence.

    Args:
        samples: Mono, float in [-1, 1).
        rate: Samples per second, at least `MIN_RATE`: below, everything would be taken for noise.

    Raises:
        SpeechError: WORLD is not installed.
    """
    library = world()
    wave = samples.astype(np.float64)
    wave = np.pad(wave, (0, max(0, round(_SHORTEST_S * rate) - wave.size)))
    melody, times = _melody(library, wave, rate)
    spectrum = library.cheaptrick(wave, melody, times, rate)
    return Parts(melody, spectrum, library.d4c(wave, melody, times, rate), rate)


def synthesise(parts: Parts, length: int) -> Samples:
    """Put speech together, cut or continued by silence to `length` samples."""
    arrays = (np.ascontiguousarray(a) for a in (parts.melody, parts.spectrum, parts.aperiodicity))
    wave = world().synthesize(*arrays, parts.rate, FRAME_S * 1000)[:length]
    made: Samples = np.pad(wave, (0, length - wave.size)).astype(np.float32)
    return made


def melody(samples: Samples, rate: int) -> Floats:
    """Fundamental frequency in Hz by frame, 0 where nothing is voiced.

    Raises:
        SpeechError: WORLD is not installed.
    """
    return _melody(world(), samples.astype(np.float64), rate)[0]


def _melody(library: ModuleType, wave: Floats, rate: int) -> tuple[Floats, Floats]:
    """Melody and the times of its frames.

    WORLD follows the fundamental itself, which high-passed voices (and telephones) hardly hold: there it is
    an octave too high. Half-wave rectified, the harmonics beat at the fundamental's frequency.
    """
    beating = np.maximum(_band(wave, rate, *_VOICE_BAND_HZ), 0)
    beating = _band(beating - beating.mean(), rate, *_MELODY_BAND_HZ)
    rough, times = library.dio(
        beating, rate, LOWEST_HZ, HIGHEST_HZ, channels_in_octave=4, allowed_range=0.15
    )
    return library.stonemask(beating, rough, times, rate), times


def low_passed(wave: Floats, rate: int, hertz: float) -> Floats:
    """A wave without what is above a frequency (and without its offset)."""
    return _band(wave, rate, 20.0, hertz)


def _band(wave: Floats, rate: int, low: float, high: float) -> Floats:
    hertz = np.fft.rfftfreq(wave.size, 1 / rate)
    gain = 1 / (1 + (low / np.maximum(hertz, 1)) ** 8) / (1 + (hertz / high) ** 8)
    filtered: Floats = np.fft.irfft(np.fft.rfft(wave) * gain, wave.size)
    return filtered
