"""Two sides of a call on one timeline. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from streams.audio import FRAME_MS, Pcm

FARTHEST_S = 3600.0
"""How far apart two files of one call may begin."""

_FRAMES_PER_S = 1000 // FRAME_MS


class OffsetInvalid(ValueError):
    """An offset that no two files of one call have."""

    def __init__(self, offset_s: float) -> None:
        self.offset_s = offset_s
        super().__init__(f"the offset is {offset_s} s, expected at most {FARTHEST_S:g} s either way")


@dataclass(frozen=True, slots=True)
class Tracks:
    """Both sides, sample 0 at the same instant, and of one length: a whole number of 20 ms frames."""

    user: Pcm
    user_rate: int
    endpoint: Pcm
    endpoint_rate: int
    duration_s: float


def lined_up(
    user: Pcm, user_rate: int, endpoint: Pcm, endpoint_rate: int, *, offset_s: float = 0.0
) -> Tracks:
    """Put two recordings on one timeline; what one lacks at an end is silence.

    Args:
        user: int16 samples.
        user_rate: Samples per second.
        endpoint: int16 samples.
        endpoint_rate: Samples per second.
        offset_s: Time of the endpoint's first sample after the user's first one; negative if before.

    Raises:
        OffsetInvalid: The offset is no number, or more than an hour.
    """
    if not math.isfinite(offset_s) or abs(offset_s) > FARTHEST_S:
        raise OffsetInvalid(offset_s)
    leads = round(max(0.0, -offset_s) * user_rate), round(max(0.0, offset_s) * endpoint_rate)
    lengths = (leads[0] + user.size, user_rate), (leads[1] + endpoint.size, endpoint_rate)
    frames = max(-(-samples * _FRAMES_PER_S // rate) for samples, rate in lengths)
    duration_s = frames / _FRAMES_PER_S
    return Tracks(
        user=_padded(user, leads[0], round(duration_s * user_rate)),
        user_rate=user_rate,
        endpoint=_padded(endpoint, leads[1], round(duration_s * endpoint_rate)),
        endpoint_rate=endpoint_rate,
        duration_s=duration_s,
    )


def _padded(pcm: Pcm, lead: int, samples: int) -> Pcm:
    track = np.zeros(samples, np.int16)
    track[lead : lead + pcm.size] = pcm
    return track
