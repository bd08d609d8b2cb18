from __future__ import annotations

import numpy as np
import pytest

from streams.audio import Samples
from streams.devices.chirp import chirp, find_chirp

RATE = 16000


def captured(delay_s: float, gain_db: float, noise_dbfs: float) -> Samples:
    track = np.random.default_rng(1).standard_normal(RATE) * 10 ** (noise_dbfs / 20)
    begin, wave = round(delay_s * RATE), chirp(RATE)
    track[begin : begin + wave.size] += wave * 10 ** (gain_db / 20)
    found: Samples = track.astype(np.float32)
    return found


@pytest.mark.parametrize("delay_s", [0.0, 0.0425, 0.3])
def test_the_round_trip_is_found_to_the_sample_in_a_noisy_room(delay_s: float) -> None:
    trip = find_chirp(captured(delay_s, gain_db=-20, noise_dbfs=-50), RATE)
    assert trip is not None
    assert trip.seconds == round(delay_s * RATE) / RATE
    assert trip.gain_db == pytest.approx(-20, abs=0.5)


def test_a_chirp_that_does_not_come_back_is_not_found_in_the_noise() -> None:
    assert find_chirp(captured(0.1, gain_db=-200, noise_dbfs=-40), RATE) is None
    assert find_chirp(np.zeros(RATE, np.float32), RATE) is None
    assert find_chirp(np.zeros(10, np.float32), RATE) is None
