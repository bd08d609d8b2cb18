"""Sound of another rate than was declared (`scoring.probe.rate`)."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.probe.pace import Delivered
from scoring.probe.rate import Speaking, speaking, wrong_rate
from streams.audio import to_pcm
from streams.clock import run
from streams.endpoints.fake import tone
from streams.speech import select

AT_ONCE = Delivered("burst", 3.0)


@pytest.mark.parametrize(
    ("declared", "speed", "likely"),
    [(24000, 16000 / 24000, 16000), (16000, 24000 / 16000, 24000), (8000, 2.0, 16000), (48000, 0.5, 24000)],
)
def test_a_steady_delivery_that_is_off_by_the_ratio_of_two_rates_tells_the_other(
    declared: int, speed: float, likely: int
) -> None:
    sentence = wrong_rate(declared, Speaking(3.0, 17.0, 120.0), Delivered("realtime", 0.1, speed, True))
    assert f"declared are {declared} Hz, and it may be {likely} Hz" in sentence


def test_a_delivery_at_1x_or_at_once_tells_nothing_against_the_rate() -> None:
    for way in (Delivered("realtime", 0.1, 0.97, True), Delivered("burst", 3.0, 8.0, True), AT_ONCE):
        assert wrong_rate(24000, Speaking(3.0, 17.0, 120.0), way) == ""


def test_a_delivery_that_stalls_falls_behind() -> None:
    sentence = wrong_rate(24000, Speaking(3.0, 17.0, 120.0), Delivered("realtime", 0.1, 0.8, False))
    assert sentence == "its sound comes at 0.80 of real time: it falls behind, and is heard with holes"


@pytest.mark.parametrize(
    ("letters", "pitch", "said"),
    [
        (34.0, None, "too fast"),  # 17 characters a second at twice the speed
        (8.5, None, "too slowly"),  # at half the speed
        (25.5, 300.0, "too fast"),  # at 1.5 times the speed, and 200 Hz become 300
        (13.0, 90.0, ""),  # a slow speaker
        (25.5, 180.0, ""),  # a fast speaker
        (17.0, 350.0, ""),  # a child
        (None, 500.0, ""),  # no words to count
    ],
)
def test_words_and_pitch_tell_of_a_burst(letters: float | None, pitch: float | None, said: str) -> None:
    sentence = wrong_rate(16000, Speaking(3.0, letters, pitch), AT_ONCE)
    assert said in sentence and bool(said) == bool(sentence)


def test_speech_at_twice_its_speed_may_be_of_twice_the_rate() -> None:
    assert wrong_rate(16000, Speaking(3.0, 34.0, 240.0), AT_ONCE).endswith("it may be 8000 Hz")


def test_a_tone_has_its_pitch_and_its_seconds() -> None:
    # 24000 samples of a tone: 1 s, of which all is audible
    found = speaking(to_pcm(tone(1.0, rate=24000)), 24000, "seventeen letters")
    assert found.seconds == pytest.approx(1.0, abs=0.02)
    assert found.letters_per_s == pytest.approx(17.0, rel=0.02)


def test_a_language_without_word_spaces_is_not_counted_in_letters() -> None:
    assert speaking(np.ones(100, np.int16), 16000, "你好，你能听到我吗").letters_per_s is None


@pytest.mark.models
@pytest.mark.parametrize(
    "text",
    [
        "Yes, I can hear you well. What would you like to know?",
        "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    ],
)
def test_a_voice_is_of_its_own_rate_and_neither_of_its_double_nor_of_its_half(text: str) -> None:
    speech = run(select.voice("default", {}).speak(text))
    pcm = to_pcm(speech.pcm)
    said = {
        factor: wrong_rate(rate, speaking(pcm, rate, text), AT_ONCE) for factor, rate in rates(speech.rate)
    }
    assert said[1.0] == ""
    assert "too fast" in said[2.0] and f"{speech.rate}" in said[2.0] and "too slowly" in said[0.5]


def rates(own: int) -> list[tuple[float, int]]:
    """What a rate may be declared as, by the factor."""
    return [(factor, round(own * factor)) for factor in (0.5, 1.0, 2.0)]
