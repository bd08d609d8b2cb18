from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import Pcm
from streams.speech.audible import audible_span


def tone(samples: int, rate: int, amplitude: int = 8000, hz: float = 440.0) -> Pcm:
    """A tone that is loud from its first sample to its last."""
    square = np.where(np.sin(2 * np.pi * hz * (np.arange(samples) + 0.5) / rate) >= 0, 1, -1)
    return (amplitude * square).astype(np.int16)


def between_silences(before: int, sound: Pcm, after: int, offset: int = 0) -> bytes:
    track = np.concatenate([np.zeros(before, np.int16), sound, np.zeros(after, np.int16)])
    return (track + np.int16(offset)).astype("<i2").tobytes()


@given(
    before=st.integers(96, 4000),
    length=st.integers(1, 4000),
    after=st.integers(96, 4000),
    rate=st.sampled_from([8000, 16000, 22050, 24000, 48000]),
    offset=st.sampled_from([0, 655, -3277]),
)
def test_a_tone_between_2_ms_of_silence_is_found_to_the_sample(
    before: int, length: int, after: int, rate: int, offset: int
) -> None:
    pcm = between_silences(before, tone(length, rate), after, offset)
    assert audible_span(pcm, rate) == (before, before + length)


@given(before=st.integers(0, 200), length=st.integers(1, 400), offset=st.sampled_from([0, 655, -3277]))
def test_a_tone_in_a_clip_that_is_mostly_silent_is_found_to_the_sample(
    before: int, length: int, offset: int
) -> None:
    pcm = between_silences(before, tone(length, 16000), length + 100, offset)
    assert audible_span(pcm, 16000) == (before, before + length)
    backwards = np.frombuffer(pcm, "<i2")[::-1].tobytes()
    assert audible_span(backwards, 16000) == (length + 100, 2 * length + 100)


def test_a_clip_that_sounds_from_end_to_end_is_whole() -> None:
    assert audible_span(tone(4800, 24000).tobytes(), 24000) == (0, 4800)


def test_a_pause_inside_belongs_to_the_clip() -> None:
    pcm = between_silences(
        100, np.concatenate([tone(50, 8000), np.zeros(8000, np.int16), tone(50, 8000)]), 100
    )
    assert audible_span(pcm, 8000) == (100, 8200)


@pytest.mark.parametrize(
    "track",
    [
        np.zeros(0),
        np.zeros(1),
        np.zeros(16000),
        np.full(160000, 0.02),  # a constant offset of -34 dBFS
        0.1 * np.exp(-np.arange(160000) / 16000 / 0.3),  # an offset that decays within 0.3 s
        0.0004 * np.random.default_rng(1).choice([-1.0, 1.0], 16000),  # noise below -60 dBFS
    ],
    ids=["empty", "one", "zeros", "offset", "decay", "hiss"],
)
def test_what_does_not_sound_has_no_span(track: np.ndarray) -> None:
    pcm = np.round(track * 32768).astype("<i2").tobytes()
    assert audible_span(pcm, 16000) is None


def test_a_quiet_burst_on_an_offset_is_found_where_it_is() -> None:
    # pitfall D16: +0.02 for 10 s, and a 440 Hz burst of -30 dBFS from 4 s to 5 s
    track = np.full(160000, 0.02)
    track[64000:80000] += 10 ** (-30 / 20) * np.cos(2 * np.pi * 440 * np.arange(16000) / 16000)
    span = audible_span(np.round(track * 32768).astype("<i2").tobytes(), 16000)
    assert span is not None
    assert span[0] == 64000
    assert abs(span[1] - 80000) <= 1  # the cosine may end on a zero


def test_an_echo_50_db_below_the_peak_is_not_audible_beside_it() -> None:
    sound = np.concatenate([tone(1000, 16000, 32000), tone(1000, 16000, 90)])  # -51 dB
    assert audible_span(between_silences(500, sound, 500), 16000) == (500, 1500)
    sound = np.concatenate([tone(1000, 16000, 32000), tone(1000, 16000, 250)])  # -42 dB
    assert audible_span(between_silences(500, sound, 500), 16000) == (500, 2500)
