from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams import clock
from streams.audio import Samples
from streams.speech.energy import EnergyDetector
from streams.speech.gate import Span, speech_spans
from streams.speech.interfaces import SpeechError

RATE = 16000


def spans(samples: Samples) -> tuple[Span, ...]:
    return clock.run(speech_spans(samples, EnergyDetector()), simulate=True)


def tone(hertz: float, seconds: float, dbfs: float) -> Samples:
    """A sine whose RMS is `dbfs`."""
    time = np.arange(int(seconds * RATE)) / RATE
    samples: Samples = (10 ** (dbfs / 20) * np.sqrt(2) * np.sin(2 * np.pi * hertz * time)).astype(
        np.float32
    )
    return samples


def test_a_constant_offset_is_not_speech() -> None:
    assert spans(np.full(10 * RATE, 0.02, np.float32)) == ()


def test_an_offset_that_dies_away_is_not_speech() -> None:
    time = np.arange(10 * RATE) / RATE
    assert spans((0.1 * np.exp(-time / 0.3)).astype(np.float32)) == ()


def test_a_burst_on_an_offset_is_found_to_the_sample() -> None:
    track = np.full(10 * RATE, 0.02, np.float32)
    track[4 * RATE : 5 * RATE] += tone(440, 1.0, -30)
    assert spans(track) == (Span(4 * RATE, 5 * RATE),)


@pytest.mark.parametrize(("dbfs", "heard"), [(-44.5, 1.0), (-45.5, 0.0)])
def test_the_threshold_is_an_rms_level(dbfs: float, heard: float) -> None:
    burst = tone(400, 0.1, dbfs)  # whole periods in each 10 ms window
    assert clock.run(EnergyDetector(-45).stream().feed(burst)) == [heard] * 10


@given(st.lists(st.integers(0, 700), max_size=12))
def test_windows_are_the_same_however_the_stream_is_cut(sizes: list[int]) -> None:
    samples = np.random.default_rng(0).normal(0, 0.01, sum(sizes)).astype(np.float32)

    async def main() -> None:
        stream = EnergyDetector().stream()
        heard: list[float] = []
        for part in np.split(samples, np.cumsum(sizes)[:-1]) if sizes else []:
            heard += await stream.feed(part)
        assert heard == await EnergyDetector().stream().feed(samples)

    clock.run(main(), simulate=True)


def test_another_rate_is_refused() -> None:
    with pytest.raises(SpeechError, match="8000 Hz, expected 16000 Hz"):
        EnergyDetector().stream(rate=8000)


@pytest.mark.parametrize("wrong", [np.zeros((160, 2), np.float32), np.zeros(160, np.int16)])
def test_stereo_and_integers_are_refused(wrong: Samples) -> None:
    with pytest.raises(SpeechError, match="expected shape"):
        clock.run(EnergyDetector().stream().feed(wrong))
