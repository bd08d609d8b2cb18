"""Loudness by ITU-R BS.1770-4: K-weighting, blocks of 400 ms, two gates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.blueprint.sound import runs
from streams.audio import Samples

BLOCK_S = 0.4
STEPS = 4
"""A block is four steps of 100 ms, and one begins at every step: 75 % overlap."""

ABSOLUTE_GATE_LUFS = -70.0
RELATIVE_GATE_LU = -10.0

RATE = 48000
"""The filters are defined at this rate only. Audio is brought to it, so that the same sound measures the
same at every rate; filters redesigned for 16 kHz are 0.08 LU off."""

Floats = npt.NDArray[np.float64]

K_WEIGHTING: Floats = np.array(
    [
        [1.53512485958697, -2.69169618940638, 1.19839281085285, 1.0, -1.69065929318241, 0.73248077421585],
        [1.0, -2.0, 1.0, 1.0, -1.99004745483398, 0.99007225036621],
    ]
)
"""High shelf and high pass of BS.1770, tables 1 and 2, as second-order sections."""

_OFFSET_DB = -0.691
STEPS_PER_S = 10
_STEP = RATE // STEPS_PER_S
_PART_S = 60


@dataclass(frozen=True, slots=True)
class Loudness:
    """What was measured.

    Attributes:
        integrated: LUFS; None if no block passes the gates.
        blocks: LUFS of the blocks that pass, in order, shape (n,).
        places: Index of each of them; block i begins at 0.1 s times i.
    """

    integrated: float | None
    blocks: Floats
    places: npt.NDArray[np.int64]


def measure_loudness(samples: Samples, rate: int) -> Loudness | None:
    """Loudness of a clip, or None if it holds no block of 0.4 s.

    Args:
        samples: Mono; full scale is 1.
        rate: Samples per second.
    """
    power = _block_power(samples, rate)
    if not power.size:
        return None
    absolute = power > _power(ABSOLUTE_GATE_LUFS)
    if not absolute.any():
        return Loudness(None, np.zeros(0), np.zeros(0, np.int64))
    passed = absolute & (power > float(power[absolute].mean()) * 10 ** (RELATIVE_GATE_LU / 10))
    blocks = _OFFSET_DB + 10 * np.log10(power[passed])
    return Loudness(_lufs(float(power[passed].mean())), blocks, np.flatnonzero(passed))


def _block_power(samples: Samples, rate: int) -> Floats:
    """Mean square of the weighted signal in every block, from sums over steps of 100 ms."""
    part = _PART_S * rate
    parts = -(-samples.size // part)
    sums = np.zeros(round(samples.size * RATE / rate) // _STEP)
    if sums.size < STEPS:
        return np.zeros(0)
    sounding = np.array([bool(samples[at * part : (at + 1) * part].any()) for at in range(parts)])
    # the filters ring on after sound, but not for a minute: from there on silence is left out
    sounding[1:] |= sounding[:-1].copy()
    for first, last in runs(sounding):
        at = first * _PART_S * STEPS_PER_S
        for made in _step_sums(samples[first * part : last * part], rate):
            room = sums[at : at + made.size]
            room[:] = made[: room.size]
            at += made.size
    return np.convolve(sums, np.ones(STEPS), "valid") / (STEPS * _STEP)


def _step_sums(samples: Samples, rate: int) -> Iterator[Floats]:
    """Sum of squares of each whole step of 100 ms, a minute at a time: memory does not grow with length."""
    from scipy.signal import sosfilt
    from soxr import ResampleStream

    stream = ResampleStream(rate, RATE, 1, dtype="float32") if rate != RATE else None
    state = np.zeros((len(K_WEIGHTING), 2))
    rest = np.zeros(0)
    for at in range(0, samples.size, _PART_S * rate):
        part = samples[at : at + _PART_S * rate].astype(np.float32, copy=False)
        if stream is not None:
            part = stream.resample_chunk(part, last=at + part.size >= samples.size)
        weighted, state = sosfilt(K_WEIGHTING, part.astype(np.float64), zi=state)
        rest = np.concatenate([rest, np.square(weighted)])
        whole = rest.size // _STEP * _STEP
        yield rest[:whole].reshape(-1, _STEP).sum(axis=1)
        rest = rest[whole:]


def _lufs(power: float) -> float:
    return _OFFSET_DB + 10 * math.log10(power)


def _power(lufs: float) -> float:
    return float(10 ** ((lufs - _OFFSET_DB) / 10))
