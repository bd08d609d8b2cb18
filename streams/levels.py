"""Levels of speech: how loud it is while somebody speaks, and gain that never clips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streams.audio import Samples

SPEECH_DBOV = -26.0
"""Nominal active speech level: what telephony calls normal, with room for the peaks (ITU-T P.56, G.191)."""

FAINTEST_DBOV = -50.0
"""A clip below this active level is taken for one without speech, and is not amplified."""

_TIME_CONSTANT_S = 0.03
_HANGOVER_S = 0.2
_MARGIN_DB = 15.9
_THRESHOLDS = 2.0 ** np.arange(-15, 0)
"""Of the envelope, 6 dB apart: the constants of P.56, method B."""

_KNEE, _CEILING = 0.7, 0.99
"""Samples up to -3 dBFS pass the limiter unchanged; none leaves it above -0.1 dBFS."""

_Float = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ActiveLevel:
    """How loud a clip of speech is.

    Attributes:
        dbov: Level while somebody speaks, in dB relative to the overload point: a full-scale square wave
            is 0 dBov, a full-scale sine -3 dBov.
        activity: Share of the clip in which somebody speaks, 0 to 1, pauses up to 0.2 s included.
    """

    dbov: float
    activity: float


def active_level(samples: Samples, rate: int) -> ActiveLevel | None:
    """Active speech level of a whole clip (ITU-T P.56 (12/2011), method B).

    Pauses do not lower it, so it is what a signal-to-noise ratio of speech refers to.

    Args:
        samples: Mono in [-1, 1); clean speech, since steady noise counts as speech.
        rate: Samples per second.

    Returns:
        None if nothing in the clip is louder than about -75 dBov.
    """
    squares = float(np.sum(np.square(samples, dtype=np.float64)))
    if squares == 0.0:
        return None
    active = _active_counts(_envelope(samples, rate), round(_HANGOVER_S * rate))
    reached = np.flatnonzero(active)
    if not reached.size:
        return None
    level = 10 * np.log10(squares / active[reached])
    above = level - 20 * np.log10(_THRESHOLDS[reached])
    first = int(np.argmax(above <= _MARGIN_DB))
    if first == 0:  # also where no threshold is that close to the level above it
        return None
    # between two thresholds both levels are taken as linear in dB
    share = (above[first - 1] - _MARGIN_DB) / (above[first - 1] - above[first])
    dbov = float(level[first - 1] + share * (level[first] - level[first - 1]))
    return ActiveLevel(dbov, min(1.0, float(squares / 10 ** (dbov / 10)) / len(samples)))


def speech_gain_db(samples: Samples, rate: int, target_dbov: float = SPEECH_DBOV) -> float:
    """Gain that brings a clip of speech to a level; 0 for one without speech (below `FAINTEST_DBOV`)."""
    found = active_level(samples, rate)
    return target_dbov - found.dbov if found is not None and found.dbov >= FAINTEST_DBOV else 0.0


def amplified(samples: Samples, gain_db: float) -> Samples:
    """Samples with a gain, their peaks limited softly so that nothing clips.

    Up to -3 dBFS only the gain acts; what is above follows a hyperbolic tangent towards -0.1 dBFS.
    """
    scaled = samples.astype(np.float64) * 10 ** (gain_db / 20)
    size = np.abs(scaled)
    room = _CEILING - _KNEE
    limited = np.where(size > _KNEE, _KNEE + room * np.tanh((size - _KNEE) / room), size)
    return np.copysign(limited, scaled).astype(np.float32)


def _envelope(samples: Samples, rate: int) -> _Float:
    """Magnitude through two equal first-order low-pass filters, as one convolution by FFT."""
    decay = float(np.exp(-1 / (rate * _TIME_CONSTANT_S)))
    steps = np.arange(min(len(samples), round(20 * _TIME_CONSTANT_S * rate)))  # beyond lies 1e-7 of it
    kernel = (1 - decay) ** 2 * (steps + 1) * decay**steps
    size = 1 << (len(samples) + len(kernel) - 1).bit_length()
    spectrum = np.fft.rfft(np.abs(samples.astype(np.float64)), size) * np.fft.rfft(kernel, size)
    envelope: _Float = np.fft.irfft(spectrum, size)[: len(samples)]
    return envelope


def _active_counts(envelope: _Float, hangover: int) -> npt.NDArray[np.int64]:
    """Samples at or above each threshold, or at most the hangover after one that was."""
    at = np.arange(len(envelope))
    never = -hangover - 1
    counts = np.empty(len(_THRESHOLDS), dtype=np.int64)
    for number, threshold in enumerate(_THRESHOLDS):
        last = np.maximum.accumulate(np.where(envelope >= threshold, at, never))
        counts[number] = np.count_nonzero(at - last <= hangover)
    return counts
