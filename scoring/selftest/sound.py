"""What an endpoint's track tells by itself: overdrive, noise under the voice, an echo of the user. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.audible import Segment
from streams.audio import FULL_SCALE, Pcm

CEILING = FULL_SCALE - 2
"""A sample of this magnitude is at full scale."""

QUIET_S = 0.1
"""The quietest stretch of this length in a reply is its background."""

WINDOW_S = 0.02

STEADY_DB = 3.0
"""Five windows of white noise differ by less: the level of each is known to 0.3 dB."""

SPEECH_RANGE_DB = 40.0
"""Windows that are so far below the loudest one are no speech."""

ECHO_WITHIN_S = 0.5
"""An echo comes back so soon."""

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Echo:
    """The user's voice in the endpoint's track.

    Attributes:
        level_db: Against the user's own level.
        correlation: 0 to 1; 1 is an echo and nothing else.
        delay_s: After which it came back.
    """

    level_db: float
    correlation: float
    delay_s: float


def clipped_share(pcm: Pcm) -> float:
    """Share of the samples that are at full scale; 0 for no samples."""
    return float(np.mean(np.abs(pcm.astype(np.int32)) >= CEILING)) if pcm.size else 0.0


def noise_below_speech(pcm: Pcm, rate: int) -> float | None:
    """Decibels between the speech of a reply and its quietest 100 ms; None if that is digital silence.

    Speech is the RMS over the windows of 20 ms that are within 40 dB of the loudest one. The quietest
    stretch is background if it is steady: noise hardly changes within 100 ms, soft speech does. If it is
    not, the reply has no pause that could tell: None as well.
    """
    power = _powers(pcm, round(WINDOW_S * rate))
    span = round(QUIET_S / WINDOW_S)
    if power.size < span or not power.max():
        return None
    speech = float(np.mean(power[power >= power.max() * 10 ** (-SPEECH_RANGE_DB / 10)]))
    spans = np.lib.stride_tricks.sliding_window_view(power, span)
    quietest = spans[int(np.argmin(spans.mean(axis=1)))]
    if quietest.min() <= 0 or 10 * math.log10(quietest.max() / quietest.min()) > STEADY_DB:
        return None
    return 10 * math.log10(speech / float(quietest.mean()))


def echo(user: Pcm, endpoint: Pcm, rate: int) -> Echo | None:
    """How much of a stretch of the user's voice comes back in the endpoint's track; None if that is silent.

    Args:
        user: The user's clean voice, int16.
        endpoint: The endpoint's track from the same moment on, half a second longer; what it says itself
            is to be left out (zeros).
        rate: Of both.
    """
    if not user.size or not endpoint.any() or not user.any():
        return None
    said, heard = user.astype(np.float64), endpoint.astype(np.float64)
    size = 1 << (said.size + heard.size - 1).bit_length()
    product = np.fft.irfft(np.conj(np.fft.rfft(said, size)) * np.fft.rfft(heard, size), size)
    lags = product[: round(ECHO_WITHIN_S * rate)]
    best = int(np.argmax(np.abs(lags)))
    energy = float(said @ said)
    gain = abs(float(lags[best])) / energy
    alike = abs(float(lags[best])) / math.sqrt(energy * float(heard @ heard))
    level = 20 * math.log10(gain) if gain > 0 else -math.inf
    return None if math.isinf(level) else Echo(level, alike, best / rate)


def without(pcm: Pcm, segments: tuple[Segment, ...], origin: int) -> Pcm:
    """A stretch of a track that begins at `origin`, with silence where the segments are."""
    kept = pcm.copy()
    for segment in segments:
        kept[max(segment.start - origin, 0) : max(segment.end - origin, 0)] = 0
    return kept


def _powers(pcm: Pcm, window: int) -> _Floats:
    whole = pcm[: pcm.size // window * window].astype(np.float64).reshape(-1, window)
    power: _Floats = np.mean(np.square(whole), axis=1)
    return power
