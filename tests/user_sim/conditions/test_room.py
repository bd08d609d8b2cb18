from __future__ import annotations

import numpy as np
import pytest

from tests.user_sim.conditions.sounds import db, rms
from user_sim.conditions.filters import Convolution
from user_sim.conditions.room import decay_s, impulse_response, room_sound


@pytest.mark.parametrize(("rt60_s", "rate"), [(0.2, 16000), (0.4, 8000), (0.9, 8000)])
def test_a_room_decays_as_long_as_was_asked_for(rt60_s: float, rate: int) -> None:
    response = impulse_response(rt60_s, 1.0, rate)
    assert decay_s(response, rate) == pytest.approx(rt60_s, rel=0.15)
    assert len(response) == round(rt60_s * rate)


def test_the_direct_sound_is_first_and_keeps_its_level() -> None:
    response = impulse_response(0.2, 1.0, 16000)
    assert response[0] == 1.0
    assert np.abs(response[1:]).max() < 1.0


def test_farther_away_there_is_more_room_in_the_sound() -> None:
    near, far = (impulse_response(0.2, distance, 16000)[1:] for distance in (0.3, 2.0))
    # the direct sound falls by 16.5 dB from 0.3 to 2 m, the room's sound hardly
    assert 10 < db(rms(far) / rms(near)) < 18


def test_a_room_is_computed_apart_from_the_calls_and_once() -> None:
    apart = room_sound(0.15, 0.5, 8000)
    assert np.array_equal(apart, impulse_response(0.15, 0.5, 8000))
    assert room_sound(0.15, 0.5, 8000) is apart


def test_a_room_has_no_rumble() -> None:
    response = impulse_response(0.4, 1.0, 8000)
    power = np.abs(np.fft.rfft(response, 8000)) ** 2  # one value a hertz
    assert power[:40].mean() < power[200:3000].mean()


@pytest.mark.parametrize("taps", [1, 100, 320, 321, 5000])
def test_frame_by_frame_is_the_same_as_in_one_piece(taps: int) -> None:
    rng = np.random.default_rng(taps)
    response = rng.standard_normal(taps).astype(np.float32) / np.float32(np.sqrt(taps))
    sound = rng.standard_normal(40 * 320).astype(np.float32)
    convolution = Convolution(response, 320)
    parts = [convolution.process(sound[i : i + 320]) for i in range(0, len(sound), 320)]
    expected = np.convolve(sound.astype(np.float64), response)[: len(sound)]
    assert np.abs(np.concatenate(parts) - expected).max() < 1e-4
