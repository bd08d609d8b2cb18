from __future__ import annotations

import numpy as np
import pytest
import soxr

from streams.audio import Samples
from streams.devices.interpolate import Interpolator
from tests.streams.devices.sounds import speech_like, warble


def read_all(samples: Samples, source: int, target: int, cut: int) -> Samples:
    stream, at = Interpolator(source, target), 0
    out: list[Samples] = []
    step = source / target
    padded = np.concatenate([samples, np.zeros(200, np.float32)])
    for begin in range(0, padded.size, cut):
        stream.push(padded[begin : begin + cut])
        count = max(0, int((stream.readable - 1 - at * step) // step))
        out.append(stream.read(np.arange(at, at + count, dtype=np.float64) * step))
        at += count
    return np.concatenate(out)


@pytest.mark.parametrize(("source", "target"), [(48000, 16000), (44100, 24000), (16000, 48000)])
def test_it_agrees_with_soxr_whatever_the_pieces(source: int, target: int) -> None:
    speech = speech_like(1.0, source)
    reference = soxr.resample(speech, source, target, quality="VHQ")
    for cut in (97, 480, 5000):
        ours = read_all(speech, source, target, cut)
        inner = slice(200, min(ours.size, reference.size) - 200)
        assert np.corrcoef(ours[inner], reference[inner])[0, 1] > 0.9999


@pytest.mark.parametrize("frequency", [300, 1000, 2000, 4000, 5000])
def test_between_the_samples_the_error_is_below_90_db(frequency: int) -> None:
    def wave(
        n: np.ndarray[tuple[int], np.dtype[np.float64]],
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.sin(2 * np.pi * frequency * n / 16000)

    stream = Interpolator(16000, 16000)
    stream.push(wave(np.arange(2000.0)).astype(np.float32))
    positions = np.sort(np.random.default_rng(1).uniform(100, 1900, 1000))
    assert np.abs(stream.read(positions) - wave(positions)).max() < 10 ** (-90 / 20)


def test_at_the_samples_themselves_nothing_changes() -> None:
    wave = warble(np.arange(1000) / 16000).astype(np.float32)
    stream = Interpolator(16000, 16000)
    stream.push(wave)
    assert np.abs(stream.read(np.arange(100.0, 900.0)) - wave[100:900]).max() < 1e-6


def test_what_was_not_pushed_yet_cannot_be_read() -> None:
    stream = Interpolator(16000, 16000)
    stream.push(np.zeros(100, np.float32))
    with pytest.raises(ValueError, match="was not pushed yet"):
        stream.read(np.array([99.0]))
