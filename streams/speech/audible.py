"""Where a clean clip really begins and ends, to the sample."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streams.audio import FULL_SCALE, to_pcm

FLOOR = 2 * FULL_SCALE / 1000
"""Peak to peak in sample units: a tone of -60 dBFS. Nothing below is audible."""

RELATIVE = 10 ** (-50 / 20)
"""-50 dB: what is that far below the clip's own peak is not audible beside it."""

WINDOW_S = 0.002
"""A sample is compared with the 2 ms before it: an offset or slow drift is no sound."""

_Wide = npt.NDArray[np.int32]
"""Sample values with room for differences."""


def audible_span(pcm: bytes, rate: int, floor: float = FLOOR) -> tuple[int, int] | None:
    """First and one-past-last audible sample of a clip, or None if nothing in it is audible.

    A sample is audible if the signal has moved, within the 2 ms that end there, by more than the
    threshold, peak to peak: the larger of a tone of -60 dBFS and 50 dB below the clip's largest movement.
    Only movement counts, so neither a constant offset nor a decaying one is heard as sound. The end is
    found by the same rule with time reversed. Exact where 2 ms of silence are around the sound, or most of
    the clip is silent; else at most 2 ms off. Meant for clean speech, synthesised or recorded in quiet:
    steady noise above the threshold counts as sound.

    Args:
        pcm: PCM16 mono.
        rate: Samples per second.
        floor: Peak to peak in sample units, below which nothing is audible.
    """
    samples = to_pcm(pcm).astype(np.int32)
    if not samples.size:
        return None
    window = max(2, round(WINDOW_S * rate))
    forward, backward = _movement(samples, window), _movement(samples[::-1], window)
    threshold = max(floor, RELATIVE * float(forward.max()))
    if forward.max() <= threshold:
        return None
    first = _onset(samples, forward, threshold, window)
    behind = _onset(samples[::-1], backward, threshold, window)
    return first, samples.size - behind


def noise_floor(pcm: bytes, rate: int) -> float:
    """Twice what steady noise keeps below in 99 of 100 moments, peak to peak in samples; or `FLOOR`."""
    samples = to_pcm(pcm).astype(np.int32)
    if not samples.size:
        return FLOOR
    return max(FLOOR, 2 * float(np.percentile(_movement(samples, max(2, round(WINDOW_S * rate))), 99)))


def _movement(samples: _Wide, window: int) -> _Wide:
    """Peak-to-peak range of the `window` samples that end at each sample (fewer at the very start)."""
    padded = np.pad(samples, (window - 1, 0), mode="edge")
    highest = lowest = padded
    span = 1
    while span < window:
        step = min(span, window - span)
        highest = np.maximum(highest[:-step], highest[step:])
        lowest = np.minimum(lowest[:-step], lowest[step:])
        span += step
    return highest - lowest


def _onset(samples: _Wide, movement: _Wide, threshold: float, window: int) -> int:
    onset = int(np.argmax(movement > threshold))
    # with less than a window before it, sound from the very first sample can't be told by movement
    if onset < window and abs(samples[0] - np.median(samples)) > threshold:
        return 0
    return onset
