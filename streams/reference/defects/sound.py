"""Defects of how it sounds. Pure and seeded; PCM16 in and out."""

from __future__ import annotations

import numpy as np

from streams.audio import FULL_SCALE, Pcm, sample_at, silence, to_pcm, to_pcm16
from streams.speech.audible import audible_span

LIMIT = FULL_SCALE - 1
"""Where an overdriven sample ends up: at plus or minus this."""

ECHO_S = 0.2
"""After so long the user's voice comes back."""

SAME = 1.5
"""dB by which a place may be below the level of the whole to be within a word."""

_WINDOW_S = 0.03


def clip(pcm: bytes, share: float) -> bytes:
    """Amplify so much that this share of the samples would go beyond full scale, and cut them there."""
    samples = to_pcm(pcm).astype(np.float64)
    if not samples.size:
        return pcm
    count = max(1, round(share * samples.size))
    # the `count` loudest samples reach the limit, the next one does not
    loudest = float(np.partition(np.abs(samples), samples.size - count)[samples.size - count])
    driven = np.clip(samples * (LIMIT / max(loudest, 1.0)), -LIMIT, LIMIT)
    return np.round(driven).astype("<i2").tobytes()


def add_noise(pcm: bytes, snr_db: float, seed: str) -> bytes:
    """Add white noise over the whole of a clip, so far below the RMS of what is audible in it.

    The RMS of the speech is taken over windows of 20 ms within 40 dB of the loudest.
    """
    samples = to_pcm(pcm).astype(np.float64) / FULL_SCALE
    level = speech_rms(to_pcm(pcm)) / FULL_SCALE
    noise = np.random.default_rng([*seed.encode()]).standard_normal(samples.size)
    return to_pcm16(samples + noise * level * 10 ** (-snr_db / 20))


def speech_rms(pcm: Pcm, window: int = 480) -> float:
    """RMS over the windows that are within 40 dB of the loudest one, in sample units."""
    whole = pcm[: pcm.size // window * window].astype(np.float64).reshape(-1, window)
    power = np.mean(np.square(whole), axis=1)
    if not power.size:
        return 0.0
    return float(np.sqrt(np.mean(power[power >= power.max() * 1e-4])))


def in_a_row(clips: list[bytes], pause_s: float, rate: int) -> bytes:
    """Sentences with exactly such a silence between them, from the first audible sample to the last."""
    parts: list[bytes] = []
    for pcm in clips:
        span = audible_span(pcm, rate)
        if span is not None:
            parts.append(pcm[2 * span[0] : 2 * span[1]])
    return silence(sample_at(pause_s, rate)).join(parts)


def break_off(pcm: bytes, share: float, rate: int) -> bytes:
    """Stop after a share of the clip, at the nearest place that is as loud as the whole of it."""
    samples = to_pcm(pcm).astype(np.float64)
    window = sample_at(_WINDOW_S, rate)
    if samples.size <= window:
        return pcm
    sums = np.concatenate(([0.0], np.cumsum(np.square(samples))))
    power = (sums[window:] - sums[:-window]) / window  # of the window that ends at each place
    whole = float(np.mean(np.square(samples)))
    loud = np.flatnonzero(power >= whole * 10 ** (-SAME / 10)) + window
    if not loud.size:
        return pcm
    end = int(loud[np.argmin(np.abs(loud - share * samples.size))])
    return pcm[: 2 * end]


class Echo:
    """Gives back what it hears, later and softer.

    Args:
        gain_db: Its level, at most 0.
        rate: Samples per second.
    """

    def __init__(self, gain_db: float, rate: int) -> None:
        self._gain = 10 ** (gain_db / 20)
        self._held = silence(sample_at(ECHO_S, rate))

    def push(self, pcm: bytes) -> bytes:
        """The next samples of the user; returns as many of the echo."""
        self._held += pcm
        out, self._held = self._held[: len(pcm)], self._held[len(pcm) :]
        return to_pcm16(to_pcm(out).astype(np.float64) / FULL_SCALE * self._gain)
