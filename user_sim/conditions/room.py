"""The sound of a room: an impulse response by image sources."""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
import sys
from functools import lru_cache
from typing import Any

import numpy as np

from streams.audio import Samples
from streams.speech.interfaces import SpeechError

_ROOMS = ((0.35, (5.2, 4.1, 2.7)), (0.75, (8.3, 6.4, 3.6)), (math.inf, (16.7, 12.1, 6.8)))
"""Reverberation time up to which a room is used, s, and its size, m: an office, a classroom, a hall.
In a room that fits its reverberation time, walls need neither be all felt nor all glass."""

_MOUTH = (0.24, 0.22, 0.45)
_FAR_CORNER = (0.83, 0.81, 0.55)
"""Where the mouth is and where the microphone could be, as shares of the room."""

_CLOSE_ENOUGH = 0.02
_TRIES = 4
"""The reverberation time is met within 2 %, or as near as four attempts come: what Sabine's formula asks
for decays up to half too long."""

_INSTALL = "pip install 'vivavoce[conditions]'"

_RUMBLE_HZ = 80.0
"""Image sources all have the same sign, which piles up below; real rooms do not."""


@lru_cache(maxsize=8)
def room_sound(rt60_s: float, distance_m: float, rate: int) -> Samples:
    """`impulse_response`, computed once, and in a process of its own.

    pyroomacoustics computes for a second without letting other threads of its process run: the ticks of
    calls that are under way would come late.

    Raises:
        SpeechError: pyroomacoustics is missing, or failed.
    """
    if importlib.util.find_spec("pyroomacoustics") is None:
        raise SpeechError("reverberation", "pyroomacoustics is not installed", _INSTALL)
    done = subprocess.run(  # noqa: S603 (our own module, with numbers)
        [sys.executable, "-m", __name__, repr(rt60_s), repr(distance_m), str(rate)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise SpeechError("reverberation", f"pyroomacoustics failed ({reason})", _INSTALL)
    return np.frombuffer(done.stdout, np.float32)


def impulse_response(rt60_s: float, distance_m: float, rate: int) -> Samples:
    """What arrives at the microphone of an impulse at the mouth.

    By pyroomacoustics' image source method in a rectangular room of equal walls, whose absorption is
    corrected until the decay (T30, ISO 3382) is as long as asked for.

    Args:
        rt60_s: Seconds for a decay by 60 dB.
        distance_m: From the mouth to the microphone, taken to the nearest whole sample.
        rate: Samples per second.

    Returns:
        Sample 0 is the direct sound, at 1.0; `rt60_s` long.
    """
    size = next(size for most, size in _ROOMS if rt60_s <= most)
    asked = rt60_s
    for _ in range(_TRIES):
        response = _response(size, asked, distance_m, rate)
        ratio = decay_s(response, rate) / rt60_s
        if abs(ratio - 1) < _CLOSE_ENOUGH:
            break
        asked /= ratio
    return response[: max(1, round(rt60_s * rate))]


def decay_s(response: Samples, rate: int) -> float:
    """Reverberation time of an impulse response: T30, from the slope of its decay from -5 to -35 dB."""
    from pyroomacoustics.experimental import measure_rt60

    return float(measure_rt60(response.astype(np.float64), rate, decay_db=30))


def _response(size: tuple[float, float, float], rt60_s: float, distance_m: float, rate: int) -> Samples:
    import pyroomacoustics
    from scipy.signal import butter, sosfilt

    absorption, order = pyroomacoustics.inverse_sabine(rt60_s, size)
    room: Any = pyroomacoustics.ShoeBox(
        size, fs=rate, materials=pyroomacoustics.Material(absorption), max_order=order
    )
    mouth = np.multiply(size, _MOUTH)
    path = np.multiply(size, _FAR_CORNER) - mouth
    # a whole number of samples away: the direct sound is one sample, and begins the response
    samples = max(1, round(distance_m / room.c * rate))
    room.add_source(mouth)
    room.add_microphone(mouth + path / np.linalg.norm(path) * samples * room.c / rate)
    room.compute_rir()
    start = samples + pyroomacoustics.constants.get("frac_delay_length") // 2
    whole = room.rir[0][0][start:].astype(np.float64)
    later = np.concatenate([[0.0], whole[1:] / whole[0]])
    later = sosfilt(butter(2, _RUMBLE_HZ, "highpass", fs=rate, output="sos"), later)
    later[0] = 1.0
    return np.asarray(later, np.float32)


if __name__ == "__main__":
    os.nice(10)
    sys.stdout.buffer.write(
        impulse_response(float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])).tobytes()
    )
