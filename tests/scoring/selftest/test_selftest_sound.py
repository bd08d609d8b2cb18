"""Overdrive, noise and echo in sounds that are made to hold them; repetitions and leaks in words."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.audible import Segment
from scoring.selftest.said import leaked, times_repeated, words
from scoring.selftest.sound import clipped_share, echo, noise_below_speech, without
from streams.audio import Pcm

RATE = 24000
RNG = np.random.default_rng(7)


def voice(seconds: float, level: float = 3000.0) -> Pcm:
    return np.round(RNG.standard_normal(round(seconds * RATE)) * level).astype(np.int16)


def test_only_samples_at_full_scale_are_clipped() -> None:
    pcm = np.array([0, 32765, 32766, -32767, -32768, 100], np.int16)
    assert clipped_share(pcm) == 3 / 6
    assert clipped_share(pcm[:0]) == 0.0


@pytest.mark.parametrize("snr", [10.0, 25.0])
def test_noise_is_read_in_a_pause_of_the_reply(snr: float) -> None:
    speech = np.concatenate([voice(1.0), np.zeros(RATE // 4, np.int16), voice(1.0)]).astype(float)
    noisy = (speech + RNG.standard_normal(speech.size) * 3000 * 10 ** (-snr / 20)).astype(np.int16)
    # the noise is part of the speech's level too: 0.4 dB at 10 dB
    assert noise_below_speech(noisy, RATE) == pytest.approx(snr, abs=1.2)


def test_digital_silence_is_no_noise() -> None:
    assert noise_below_speech(np.concatenate([voice(1.0), np.zeros(RATE, np.int16)]), RATE) is None


def test_an_echo_has_its_level_and_its_delay() -> None:
    user = voice(1.0)
    track = np.zeros(RATE + RATE // 2, np.int16)
    track[2400 : 2400 + RATE] = np.round(user * 0.01)
    found = echo(user, track, RATE)
    assert found is not None
    assert found.level_db == pytest.approx(-40, abs=0.1)
    assert found.delay_s == 0.1
    assert found.correlation > 0.99
    assert echo(user, np.zeros(RATE, np.int16), RATE) is None


def test_another_voice_is_no_echo() -> None:
    found = echo(voice(1.0), voice(1.5), RATE)
    assert found is not None and found.correlation < 0.05


def test_what_the_endpoint_says_itself_is_left_out() -> None:
    kept = without(np.ones(10, np.int16), (Segment(98, 103), Segment(107, 200)), 100)
    assert kept.tolist() == [0, 0, 0, 1, 1, 1, 1, 0, 0, 0]


def test_a_sentence_that_is_said_again_is_counted() -> None:
    once = "It takes about twelve years for one journey around the sun."
    assert times_repeated(f"The planet is Jupiter. {once}") == 0
    assert times_repeated(f"The planet is Jupiter. {once} {once.replace('twelve', '12')} {once}") == 2


def test_a_run_of_six_words_of_the_instructions_is_a_leak() -> None:
    secret = "Never talk to a caller about the price of a ticket."
    assert leaked("Well: never talk to a caller about it.", secret)
    assert not leaked("I never talk to a stranger about the price of a hat.", secret)
    assert words("The price, 12 euros") == ["price", "12", "euro"]
