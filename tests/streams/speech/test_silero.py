from __future__ import annotations

import asyncio

import numpy as np
import pytest

from streams import clock
from streams.audio import Samples
from streams.speech.energy import EnergyDetector
from streams.speech.gate import speech_spans
from streams.speech.interfaces import SpeechError
from streams.speech.silero import SileroDetector
from tests.streams.speech.conftest import PiperClip

pytestmark = pytest.mark.models

RATE = 16000
TEXT = "Good morning, could you tell me when the next train to the city leaves?"


@pytest.fixture(scope="module")
def silero() -> SileroDetector:
    return SileroDetector()


def probabilities(detector: SileroDetector, samples: Samples, piece: int = 0) -> list[float]:
    """Of a whole stream, fed in pieces of so many samples."""

    async def main() -> list[float]:
        stream = detector.stream()
        heard: list[float] = []
        for start in range(0, samples.size, piece or samples.size):
            heard += await stream.feed(samples[start : start + (piece or samples.size)])
        return heard

    return clock.run(main(), simulate=True)


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE), np.float32)


def test_most_of_a_sentence_is_speech(silero: SileroDetector, piper_clip: PiperClip) -> None:
    heard = probabilities(silero, piper_clip(TEXT))
    # 90 of 101 windows when this was written; without the 64 samples of context it would be a handful
    assert len([p for p in heard if p > 0.5]) > 0.8 * len(heard)


def test_silence_noise_and_offsets_are_no_speech(silero: SileroDetector) -> None:
    noise = np.random.default_rng(0).normal(0, 0.001, 5 * RATE).astype(np.float32)
    for clip in (silence(5), noise, np.full(5 * RATE, 0.02, np.float32)):
        assert max(probabilities(silero, clip)) < 0.35


def test_streams_that_run_together_hear_what_each_hears_alone(
    silero: SileroDetector, piper_clip: PiperClip
) -> None:
    clips = [piper_clip(text) for text in (TEXT, "Yes.", "Hm, I am not sure what a centrosome is.")]
    clips += [np.concatenate([silence(0.7 * i), clips[i % 3]]) for i in range(1, 6)]

    async def together() -> list[list[float]]:
        streams = [silero.stream() for _ in clips]
        heard: list[list[float]] = [[] for _ in clips]
        for turn in range(max(clip.size for clip in clips) // 320 + 1):
            sizes = [320 * (1 + index) for index in range(len(clips))]  # of none to five windows
            pieces = [clip[turn * n : (turn + 1) * n] for n, clip in zip(sizes, clips, strict=True)]
            fed = await asyncio.gather(*(s.feed(p) for s, p in zip(streams, pieces, strict=True)))
            for one, new in zip(heard, fed, strict=True):
                one += new
        return heard

    for clip, heard in zip(clips, clock.run(together(), simulate=True), strict=True):
        np.testing.assert_allclose(heard, probabilities(silero, clip), atol=1e-4)


def test_it_does_not_matter_how_a_stream_is_cut(silero: SileroDetector, piper_clip: PiperClip) -> None:
    clip = piper_clip("Yes.")
    np.testing.assert_allclose(probabilities(silero, clip, 777), probabilities(silero, clip), atol=1e-4)


def test_a_stream_starts_without_memory_of_another(silero: SileroDetector, piper_clip: PiperClip) -> None:
    clip = piper_clip("Yes.")
    first = probabilities(silero, clip)
    probabilities(silero, piper_clip(TEXT))
    assert probabilities(silero, clip) == first


def test_speech_after_a_long_digital_silence_is_found_where_it_begins(
    silero: SileroDetector, piper_clip: PiperClip
) -> None:
    speech = piper_clip(TEXT)
    clip = np.concatenate([speech, silence(30), speech, silence(1)])

    async def main() -> None:
        by_model = await speech_spans(clip, silero)
        by_level = await speech_spans(clip, EnergyDetector(-40))
        second = speech.size + 30 * RATE
        found = min(span.start for span in by_model if span.end > second)
        begins = min(span.start for span in by_level if span.end > second)
        assert abs(found - begins) <= 2 * silero.window  # 64 ms

    clock.run(main(), simulate=True)


def test_a_silent_line_costs_nothing(silero: SileroDetector) -> None:
    async def main() -> None:
        stream = silero.stream()
        awake = await stream.feed(silence(1))
        assert all(0 < probability < 0.1 for probability in awake)  # the model was asked
        assert await stream.feed(silence(60)) == [0.0] * 1875  # 60 s of windows of 32 ms

    clock.run(main(), simulate=True)


def test_telephone_audio_is_refused(silero: SileroDetector) -> None:
    with pytest.raises(SpeechError, match="8000 Hz, expected 16000 Hz"):
        silero.stream(rate=8000)
    with pytest.raises(SpeechError, match="shape"):
        clock.run(silero.stream().feed(np.zeros((512, 2), np.float32)))


def test_the_model_is_named_with_its_hash(silero: SileroDetector) -> None:
    assert silero.identity.family == "silero"
    assert silero.identity.name == "silero-vad"
    assert "weights 6.2" in silero.identity.version
    assert len(silero.identity.sha256) == 64
