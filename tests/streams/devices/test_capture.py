from __future__ import annotations

import random

import numpy as np
import pytest

from streams.devices.capture import Capture, Fault, Trouble
from streams.devices.fake import FakeDevice
from streams.devices.interfaces import Block
from tests.streams.devices.sounds import bursts, lag_ms, listen, warble


@pytest.mark.parametrize("drift_ppm", [200.0, -200.0])
def test_a_clock_that_is_200_ppm_off_moves_the_track_by_less_than_a_millisecond_a_minute(
    drift_ppm: float,
) -> None:
    # uncompensated, 200 ppm are 12 ms a minute
    heard = listen(FakeDevice(air=warble, drift_ppm=drift_ppm), 61.0)
    lags = [lag_ms(heard, warble, at) for at in (1, 2, 10, 30, 60)]
    assert max(map(abs, lags)) < 0.3  # until its pace is known
    assert max(map(abs, lags[3:])) < 0.01
    assert heard.headset.drifts_ppm[0] == pytest.approx(drift_ppm, abs=0.1)
    assert heard.troubles == []


def test_blocks_that_come_late_by_chance_do_not_move_the_track() -> None:
    rng = random.Random(7)
    device = FakeDevice(air=warble, drift_ppm=150, late_s=lambda _: rng.uniform(0, 0.004))
    heard = listen(device, 61.0)
    lags = [lag_ms(heard, warble, at) for at in (5, 10, 20, 40, 60)]
    assert max(lags) - min(lags) < 0.5
    # the least late blocks count: those are hardly late
    assert 0.0 < np.mean(lags) < 0.5
    assert heard.troubles == []


def test_what_is_captured_is_the_air() -> None:
    heard = listen(FakeDevice(air=warble), 3.0)
    true = warble(heard.times)
    assert np.corrcoef(heard.track, true)[0, 1] > 0.99999
    assert np.abs(heard.track - true).max() < 0.001


def test_lost_samples_are_silence_and_what_follows_stays_in_its_place() -> None:
    air = bursts((1.0, 1.2), (2.0, 2.2))
    # block 150 ends at 1.51 s and a bit: 480 samples, 10 ms, are lost before it
    heard = listen(FakeDevice(air=air, lost={150: 480}), 3.0)
    loud = heard.times[np.abs(heard.track) > 0.1]
    assert loud[0] == pytest.approx(1.0, abs=0.0003) and loud[-1] == pytest.approx(2.2, abs=0.0003)
    assert loud[loud > 1.5][0] == pytest.approx(2.0, abs=0.0003)
    assert heard.troubles == [Trouble(Fault.OVERRUN, 0.01)]


def test_a_block_that_comes_later_than_any_before_delays_the_track_and_says_by_how_much() -> None:
    device = FakeDevice(air=warble, late_s=lambda n: 0.05 if n == 200 else 0.0)
    heard = listen(device, 4.0)
    late = [trouble for trouble in heard.troubles if trouble.fault is Fault.LATE]
    assert late and 0.02 <= sum(trouble.seconds for trouble in late) <= 0.06
    # nothing is lost, and all that follows is where the new delay says
    assert abs(lag_ms(heard, warble, 3.2, 0.5)) < 0.5


def test_a_loss_that_no_one_counted_is_noticed_within_a_second() -> None:
    capture = Capture(48000, 16000)
    for number in range(400):  # from block 200 on everything is 40 ms later: so much was lost
        at = (number + 1) * 0.01 + (0.04 if number >= 200 else 0.0)
        capture.push(Block(np.zeros(480, np.float32), at))
    [shift] = capture.troubles()
    assert shift.fault is Fault.SHIFT and shift.seconds == pytest.approx(0.04, abs=0.006)
    assert capture.clock.sample_at(4.04) == pytest.approx(400 * 480, abs=0.006 * 48000)


def test_a_device_that_says_it_lost_something_is_on_record_without_a_number() -> None:
    capture = Capture(48000, 16000)
    capture.push(Block(np.zeros(480, np.float32), 0.01, overflow=True))
    assert capture.troubles() == [Trouble(Fault.OVERRUN, 0.0)]
