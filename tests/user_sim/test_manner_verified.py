from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scenarios.manners import STYLES
from streams import clock
from streams.audio import Samples, to_float
from tests.user_sim.synthetic_speech import RATE, sentence
from user_sim.manner.apply import apply
from user_sim.manner.measure import traits
from user_sim.manner.verify import BANDS, Check, checks


@pytest.fixture(scope="module")
def clip() -> Samples:
    return sentence(1.2)


def verified(name: str, clips: Sequence[Samples], rate: int) -> tuple[Check, ...]:
    """Clips spoken in a style, against its bands."""
    styled = [traits(apply(clip, rate, STYLES[name]), rate) for clip in clips]
    return checks(name, [traits(clip, rate) for clip in clips], styled)


def failures(found: Sequence[Check]) -> list[Check]:
    return [check for check in found if not check.fits]


def test_every_style_has_bands() -> None:
    assert set(BANDS) == set(STYLES)


@pytest.mark.parametrize("name", STYLES)
def test_a_style_is_what_its_name_says(name: str, clip: Samples) -> None:
    found = verified(name, [clip], RATE)
    assert failures(found) == []
    voiced = {"duration", "pitch", "range", "level", "voicing"}
    assert {check.trait for check in found} == voiced - (
        {"pitch", "range"} if name == "whispering" else set()
    )


@pytest.mark.parametrize(
    ("said", "spoken", "traits_off"),
    [
        ("excited", "sad", {"duration", "pitch", "range", "level"}),
        ("hurried", "calm", {"duration", "level"}),
        ("whispering", "neutral", {"level", "voicing"}),
        ("angry", "whispering", {"duration", "pitch", "range", "level", "voicing"}),
    ],
)
def test_another_style_does_not_pass_for_it(
    said: str, spoken: str, traits_off: set[str], clip: Samples
) -> None:
    after = traits(apply(clip, RATE, STYLES[spoken]), RATE)
    off = {check.trait for check in failures(checks(said, [traits(clip, RATE)], [after]))}
    assert traits_off <= off


def test_clips_without_speech_are_left_out_and_alone_measure_nothing(clip: Samples) -> None:
    silent = np.zeros(RATE, np.float32)
    found = verified("calm", [silent], RATE)
    assert [check.measured for check in found] == [None] * 5 and not any(check.fits for check in found)
    assert verified("calm", [clip, silent], RATE) == verified("calm", [clip], RATE)


@pytest.mark.models
def test_styles_hold_for_a_neural_voice() -> None:
    from streams.speech.piper import PiperSpeaker

    async def speak() -> list[tuple[Samples, int]]:
        piper = PiperSpeaker()
        spoken = [await piper.speak(text) for text in ("Please call me back.", "Nobody is at home today.")]
        return [(to_float(speech.pcm), speech.rate) for speech in spoken]

    clips = clock.run(speak())
    for name in ("excited", "whispering"):
        assert failures(verified(name, [samples for samples, _ in clips], clips[0][1])) == [], name
