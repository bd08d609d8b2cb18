from __future__ import annotations

import numpy as np
import pytest

from streams.audio import Samples, to_pcm16
from streams.devices.capture import Fault
from streams.devices.fake import FakeDevice
from streams.devices.playing import Playing
from tests.streams.devices.sounds import Floats, listen, warble


def frame(tick: int) -> bytes:
    return to_pcm16(warble((tick * 320 + np.arange(320)) / 16000))


def best(played: Samples, times: Floats) -> float:
    """The delay from 50 to 150 ms at which what was played is most like the warble, to 0.1 ms."""
    lag, step = 0.1, 0.05
    for finer in (0.001, 0.0001):  # a period of the warble is about 3.3 ms
        shifts = np.arange(lag - step, lag + step, finer)
        lag = shifts[int(np.argmax([played @ warble(times - shift) for shift in shifts]))]
        step = finer
    return float(lag)


@pytest.mark.parametrize("drift_ppm", [200.0, -200.0])
def test_the_ear_hears_everything_with_a_constant_delay_whatever_its_clock(drift_ppm: float) -> None:
    device = FakeDevice(drift_ppm=drift_ppm)
    heard = listen(device, 20.0, playing=frame)
    played = np.concatenate(device.played)
    assert heard.troubles == []
    # sample n of the device is heard one block after it was pulled, by its own clock
    times = (np.arange(played.size) + 480) / (48000 * (1 + drift_ppm * 1e-6))
    origin = heard.times[0] + heard.headset.delays.capture_s
    lags = []
    for at in (5.0, 12.0, 18.0):
        inside = (times >= at) & (times < at + 1)
        lags.append(best(played[inside], times[inside] - origin))
    assert max(lags) - min(lags) < 0.001
    # lead 60 ms; a frame is handed over when it has passed (20 ms); a block waits 10 ms to be heard, and
    # the ticks fall anywhere within one
    assert lags[0] == pytest.approx(0.09, abs=0.006)


def test_what_is_missing_is_heard_as_silence_and_counted() -> None:
    playing = Playing(16000, 48000, lead_s=0.02)
    playing.push(np.full(320, 0.5, np.float32), 0.0)
    pulled = playing.pull(4800, 0.1)  # 20 ms of lead, 20 ms of sound: then nothing
    assert pulled.size == 4800 and not pulled[-2000:].any()
    [trouble] = playing.troubles()
    assert trouble.fault is Fault.UNDERRUN and trouble.seconds == pytest.approx(0.06, abs=0.0001)
    assert playing.troubles() == []


def test_nothing_is_missing_before_anything_was_to_be_heard() -> None:
    playing = Playing(16000, 48000)
    assert not playing.pull(480, 0.0).any()
    assert playing.troubles() == []


def test_an_ear_that_does_not_listen_hears_no_more_than_half_a_second_of_the_past() -> None:
    playing = Playing(16000, 16000, lead_s=0.0)
    for tick in range(100):
        playing.push(np.full(320, tick / 100, np.float32), tick * 0.02)
    [trouble] = playing.troubles()
    assert trouble.fault is Fault.DROPPED and trouble.seconds == pytest.approx(1.5, abs=0.03)
    assert playing.pull(320, 2.0)[0] == pytest.approx(0.75, abs=0.02)
