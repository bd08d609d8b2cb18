from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from streams import clock
from streams.audio import Samples
from streams.speech.energy import EnergyDetector
from streams.speech.gate import Excerpt, Span, transcribe_speech
from streams.speech.hallucination import Segment
from streams.speech.interfaces import ModelIdentity, Transcript, Word
from tests.streams.speech.contracts import check_recogniser

RATE = 16000


@dataclass
class Inventor:
    """The worst of engines: hears "thank you" in whatever it is given, and then some."""

    identity: ModelIdentity = field(default_factory=lambda: ModelIdentity("inventor", "worst", "1"))
    asked: list[Samples] = field(default_factory=list)

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        return await transcribe_speech("inventor", samples, EnergyDetector(), self._recognise)

    async def _recognise(self, audio: Samples) -> Sequence[Segment]:
        self.asked.append(audio)
        seconds = audio.size / RATE
        return [Segment(0.0, seconds, "Thank you."), Segment(seconds, seconds + 2, "Thanks for watching!")]


def noise(seconds: float) -> Samples:
    return np.random.default_rng(0).normal(0, 0.1, int(seconds * RATE)).astype(np.float32)


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE), np.float32)


def test_any_engine_keeps_the_contract_behind_the_gate() -> None:
    speech = np.concatenate([silence(1), noise(1), silence(1)])
    clock.run(check_recogniser(Inventor(), speech, "thank you"), simulate=True)


def test_an_engine_is_not_even_asked_about_silence() -> None:
    engine = Inventor()
    clock.run(engine.transcribe(silence(5)), simulate=True)
    assert engine.asked == []


def test_an_engine_gets_speech_with_padding_and_no_long_silences() -> None:
    engine = Inventor()
    clip = np.concatenate([silence(2), noise(1), silence(10), noise(2), silence(3)])
    heard = clock.run(engine.transcribe(clip), simulate=True)
    (audio,) = engine.asked
    # 0.2 + 1 + 0.2, then 0.2 + 2 + 0.2
    assert audio.size == 3.8 * RATE
    assert heard == Transcript("Thank you.", dropped=1)


def test_times_come_back_as_times_of_the_clip() -> None:
    async def recognise(audio: Samples) -> Sequence[Segment]:
        words = (Word("one", 0.2, 1.2), Word("two", 1.6, 2.0))
        return [Segment(0.0, 2.0, "one two", words)]

    clip = np.concatenate([silence(2), noise(1), silence(10), noise(2), silence(3)])
    heard = clock.run(transcribe_speech("test", clip, EnergyDetector(), recognise), simulate=True)
    # the second stretch begins at 12.8 s of the clip and 1.4 s of the excerpt
    assert [word.start for word in heard.words] == pytest.approx([2.0, 13.0])
    assert [word.end for word in heard.words] == pytest.approx([3.0, 13.4])


def test_a_joint_of_an_excerpt_is_an_end_and_a_start() -> None:
    clip = np.arange(10 * RATE, dtype=np.float32)
    excerpt = Excerpt(clip, [Span(RATE, 2 * RATE), Span(5 * RATE, 6 * RATE)])
    assert excerpt.parts == [Span(12800, 35200), Span(76800, 99200)]  # 0.8-2.2 s and 4.8-6.2 s
    assert excerpt.original(1.4, end=True) == 2.2
    assert excerpt.original(1.4) == 4.8
    assert excerpt.original(99.0) == 6.2
    assert excerpt.audio[0] == 12800.0
    assert excerpt.audio[22400] == 76800.0


def test_stretches_whose_padding_meets_are_one() -> None:
    excerpt = Excerpt(silence(3), [Span(1600, 16000), Span(20000, 40000)])
    assert excerpt.parts == [Span(0, 43200)]
