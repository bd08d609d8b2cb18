"""Sounds in the air of a fake device, and sessions that listen to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streams import clock
from streams.audio import Samples, to_float
from streams.clock import now, sleep_until
from streams.devices.capture import Trouble
from streams.devices.fake import Air, FakeDevice
from streams.devices.headset import Headset

Floats = npt.NDArray[np.float64]


def warble(t: Floats) -> Floats:
    """A tone about 300 Hz that never repeats within minutes: every moment of it can be told from others."""
    phase = 2 * np.pi * (300 * t + 40 * np.sin(2 * np.pi * 0.37 * t))
    wave: Floats = 0.5 * np.sin(phase) * (0.6 + 0.4 * np.sin(2 * np.pi * 3.1 * t))
    return wave


def bursts(*spans: tuple[float, float], peak: float = 0.25) -> Air:
    """Tone bursts of 400 Hz that begin at their peak."""

    def air(t: Floats) -> Floats:
        wave = np.zeros(t.size)
        for begin, end in spans:
            inside = (t >= begin) & (t < end)
            wave[inside] = peak * np.cos(2 * np.pi * 400 * (t[inside] - begin))
        return wave

    return air


def speech_like(seconds: float, rate: int, seed: int = 1, rms: float = 0.1) -> Samples:
    """Noise with the long-term spectrum and the syllables of speech."""
    rng = np.random.default_rng(seed)
    count = round(seconds * rate)
    spectrum = np.fft.rfft(rng.standard_normal(count))
    hertz = np.fft.rfftfreq(count, 1 / rate)
    wave = np.fft.irfft(spectrum / (1 + (hertz / 500) ** 2), count)
    syllables = 0.6 + 0.4 * np.sin(2 * np.pi * 4 * np.arange(count) / rate + seed)
    wave *= syllables
    loud: Samples = (wave * rms / np.sqrt(np.mean(wave**2))).astype(np.float32)
    return loud


@dataclass
class Heard:
    """What a session got of a device.

    Attributes:
        track: The user's track.
        times: When each of its samples was in the air, in seconds since the device was started.
    """

    track: Samples
    times: Floats
    headset: Headset
    troubles: list[Trouble]


def listen(
    device: FakeDevice,
    seconds: float,
    rate: int = 16000,
    playing: Callable[[int], bytes] | None = None,
) -> Heard:
    """Capture with ticks of 20 ms in simulated time; `playing` gives the frame heard at each tick."""

    async def main() -> Heard:
        headset = Headset(device, rate, rate)
        await headset.start()
        origin, frame, parts = now(), rate // 50, []
        troubles: list[Trouble] = []
        for tick in range(round(seconds * 50)):
            until = origin + (tick + 1) * 0.02
            await sleep_until(until)
            parts.append(headset.capture(frame, until))
            headset.play(bytes(2 * frame) if playing is None else playing(tick), now())
            troubles += headset.troubles()
        await headset.stop()
        track = to_float(b"".join(parts))
        times = origin - device.began + np.arange(track.size) / rate - headset.delays.capture_s
        return Heard(track, times, headset, troubles)

    return clock.run(main(), simulate=True)


def lag_ms(heard: Heard, air: Air, begin: float, seconds: float = 1.0) -> float:
    """By how much the track lags behind the air in one stretch of it, by the highest correlation.

    Found to 0.1 ms, then by least squares: x(t) = a(t - tau), so x - a = -tau a' to first order.
    """
    inside = (heard.times >= begin) & (heard.times < begin + seconds)
    x, times = heard.track[inside], heard.times[inside]
    shifts = np.arange(-8, 8, 0.1) / 1000
    near = shifts[int(np.argmax([x @ air(times - shift) for shift in shifts]))]
    true = air(times - near)
    slope = np.gradient(true) / (times[1] - times[0])
    return float(1000 * near - 1000 * ((x - true) @ slope) / (slope @ slope))
