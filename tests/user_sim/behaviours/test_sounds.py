from __future__ import annotations

import numpy as np
import pytest

from streams.audio import dbfs, peak, to_pcm
from user_sim.behaviours.sounds import key_tones, noise

KEYS = {"1": (697, 1209), "6": (770, 1477), "*": (941, 1209), "0": (941, 1336), "D": (941, 1633)}


@pytest.mark.parametrize("rate", [8000, 16000, 24000])
def test_keys_sound_for_100_ms_with_100_ms_between_them(rate: int) -> None:
    pcm = to_pcm(key_tones("".join(KEYS), rate))
    step = rate // 10
    assert pcm.size == (2 * len(KEYS) - 1) * step
    for number, pair in enumerate(KEYS.values()):
        tone = pcm[2 * number * step : (2 * number + 1) * step].astype(float)
        spectrum = np.abs(np.fft.rfft(tone * np.hanning(step), 16 * step))
        hertz = np.fft.rfftfreq(16 * step, 1 / rate)
        for wanted in pair:  # ITU-T Q.24: within 1.5 %
            near = np.abs(hertz - wanted) < 40
            assert abs(hertz[near][np.argmax(spectrum[near])] - wanted) < 0.015 * wanted
        assert not pcm[(2 * number + 1) * step : (2 * number + 2) * step].any()
    assert peak(pcm) < 32767  # the two tones together do not clip


@pytest.mark.parametrize("name", ["cough", "throat"])
def test_a_cough_is_loud_short_and_the_same_every_time(name: str) -> None:
    pcm = to_pcm(noise(name, 24000))
    assert 0.3 < pcm.size / 24000 < 0.6
    assert -12 < dbfs(peak(pcm)) < -3
    assert noise(name, 24000) == pcm.tobytes()
    spectrum = np.abs(np.fft.rfft(pcm.astype(float))) ** 2
    hertz = np.fft.rfftfreq(pcm.size, 1 / 24000)
    assert spectrum[(hertz > 200) & (hertz < 2500)].sum() > 0.8 * spectrum.sum()  # where a telephone hears
