from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import (
    FRAME_S,
    AudioFormat,
    AudioFormatError,
    Encoding,
    Frame,
    dbfs,
    mix,
    peak,
    rms,
    sample_at,
    silence,
    to_float,
    to_pcm,
    to_pcm16,
)

EVERY_SAMPLE = np.arange(-32768, 32768, dtype=np.int16)


# --- formats: pitfall D02 ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "size"),
    [
        ("g711_ulaw", 8000),
        ({"type": "audio/pcmu"}, 8000),
        ("pcmu", 8000),
        ("PCMU", 8000),
        ("audio/x-mulaw", 8000),
        ("audio/x-mulaw;rate=8000", 8000),
        ({"encoding": "audio/x-mulaw", "sample_rate": 8000}, 8000),
        ("mulaw", 8000),
        ("ulaw_8000", 8000),
        ("audio/pcmu;rate=16000", 16000),
        ("g711_alaw", 8000),
        ({"type": "audio/pcma"}, 8000),
        ("pcma", 8000),
        ("alaw", 8000),
        ("audio/pcm;rate=24000", 48000),
        ("audio/pcm; rate=24000", 48000),
        (" Audio/PCM;Rate=24000 ", 48000),
        ({"type": "audio/pcm", "rate": 24000}, 48000),
        ({"type": "audio/pcm", "rate": "24000"}, 48000),
        ("audio/pcm;rate=16000", 32000),
        ("audio/L16;rate=16000", 32000),
        ("pcm_16000", 32000),
        ("pcm_24000hz", 48000),
        ("pcm_s16le_16000", 32000),
        ({"encoding": "linear16", "sample_rate": 48000}, 96000),
        ({"encoding": "pcm_s16le", "sample_rate": 44100}, 88200),
    ],
)
def test_one_second_is_one_second_in_every_spelling(spec: str | Mapping[str, object], size: int) -> None:
    assert AudioFormat.parse(spec).seconds(size) == 1.0


@pytest.mark.parametrize(
    ("spec", "encoding"),
    [("pcmu", Encoding.MULAW), ("pcma", Encoding.ALAW), ("audio/pcm;rate=8000", Encoding.PCM16)],
)
def test_formats_of_the_same_rate_differ_in_encoding(spec: str, encoding: Encoding) -> None:
    assert AudioFormat.parse(spec) == AudioFormat(8000, encoding)


@pytest.mark.parametrize(
    "spec", ["opus", "mp3_44100_128", "pcm_f32le", "", {}, {"type": "audio/opus", "rate": 48000}]
)
def test_a_format_that_is_not_known_is_an_error_and_never_pcm16(spec: str | Mapping[str, object]) -> None:
    with pytest.raises(AudioFormatError, match=r"is not known; known are .*g711_ulaw.*pcm16"):
        AudioFormat.parse(spec, default_rate=24000)


def test_pcm_without_a_rate_is_an_error_unless_the_protocol_has_one() -> None:
    with pytest.raises(AudioFormatError, match="'pcm16' names no sample rate"):
        AudioFormat.parse("pcm16")
    assert AudioFormat.parse("pcm16", default_rate=24000) == AudioFormat(24000)


def test_the_default_rate_of_a_protocol_does_not_touch_g711() -> None:
    assert AudioFormat.parse("g711_ulaw", default_rate=24000).rate == 8000


@pytest.mark.parametrize("rate", ["fast", -24000, 24000.5, True, [24000]])
def test_a_rate_that_is_no_whole_number_is_an_error(rate: object) -> None:
    with pytest.raises(AudioFormatError, match="expected whole samples per second"):
        AudioFormat.parse({"type": "audio/pcm", "rate": rate})


@pytest.mark.parametrize("rate", [0, 22051, 11025, 49])
def test_a_rate_whose_frame_is_no_whole_number_of_samples_is_an_error(rate: int) -> None:
    with pytest.raises(AudioFormatError, match=f"audio rate {rate} Hz"):
        AudioFormat.parse({"type": "audio/pcm", "rate": rate}, default_rate=24000)


@pytest.mark.parametrize(
    ("rate", "samples"), [(8000, 160), (16000, 320), (22050, 441), (24000, 480), (44100, 882), (48000, 960)]
)
def test_a_frame_is_twenty_milliseconds_at_every_rate(rate: int, samples: int) -> None:
    assert AudioFormat(rate).frame_samples == samples
    assert Frame(silence(samples), rate).samples == samples


def test_half_a_sample_is_an_error() -> None:
    with pytest.raises(AudioFormatError, match="4801 bytes are no whole number of pcm16 samples"):
        AudioFormat(24000).samples(4801)
    assert AudioFormat(8000, Encoding.ALAW).samples(4801) == 4801


# --- samples: pitfall D21 ----------------------------------------------------------------------


def test_a_mix_clips_and_counts_what_it_clipped() -> None:
    loud, louder = np.array([25000, -25000, 1], np.int16), np.array([15000, -15000, 2], np.int16)
    mixed, clipped = mix(loud, louder)
    assert mixed.tolist() == [32767, -32768, 3]
    assert mixed.dtype == np.int16
    assert clipped == 2


def test_a_mix_that_reaches_full_scale_exactly_is_not_clipped() -> None:
    mixed, clipped = mix(np.array([32766, -32767], np.int16), np.array([1, -1], np.int16))
    assert (mixed.tolist(), clipped) == ([32767, -32768], 0)


def test_float_over_full_scale_clips_and_never_wraps() -> None:
    assert to_pcm(to_pcm16(np.array([1.1, 1.0, -1.0, -1.1, np.inf, -np.inf]))).tolist() == [
        32767,
        32767,
        -32768,
        -32768,
        32767,
        -32768,
    ]


def test_the_peak_of_the_most_negative_sample_is_positive() -> None:
    assert peak(np.array([-32768, 12], np.int16)) == 32768
    assert peak(np.zeros(0, np.int16)) == 0


def test_the_rms_of_loud_samples_does_not_overflow() -> None:
    assert rms(np.full(10, 20000, np.int16)) == 20000.0
    assert rms(np.full(10, -32768, np.int16)) == 32768.0
    assert rms(np.zeros(0, np.int16)) == 0.0


def test_levels_are_relative_to_full_scale() -> None:
    assert dbfs(32768) == 0.0
    assert dbfs(3276.8) == pytest.approx(-20.0)
    assert dbfs(0) == -math.inf


def test_every_sample_survives_the_way_to_float_and_back() -> None:
    samples = to_float(EVERY_SAMPLE.tobytes())
    assert samples.dtype == np.float32
    assert (samples.min(), samples.max()) == (-1.0, 32767 / 32768)
    assert to_pcm16(samples) == EVERY_SAMPLE.tobytes()


def test_samples_are_little_endian() -> None:
    assert to_pcm(b"\x01\x00\x00\x80").tolist() == [1, -32768]
    assert to_pcm16(np.array([1 / 32768, -1.0])) == b"\x01\x00\x00\x80"


def test_a_frame_is_silent_only_if_every_sample_is_zero() -> None:
    assert Frame(silence(480), 24000).silent
    assert not Frame(silence(479) + b"\x00\x01", 24000).silent
    assert not Frame(b"\x01\x00" + silence(479), 24000).silent


# --- time and samples --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "rate", "sample"),
    [
        (0.0, 24000, 0),
        (1.2, 24000, 28800),  # 1.2 x 24000 = 28799.999999999996 in floats
        (2.01, 24000, 48240),  # 48239.99999999999
        (0.1 + 0.2, 16000, 4800),  # 4800.000000000001
        (0.00001, 24000, 1),  # the first sample at or after
        (1 / 24000 + 1e-10, 24000, 1),
        (1 / 24000 + 1e-7, 24000, 2),
    ],
)
def test_a_time_is_the_first_sample_at_or_after_it(seconds: float, rate: int, sample: int) -> None:
    assert sample_at(seconds, rate) == sample


@given(st.integers(0, 48000 * 7200), st.sampled_from([8000, 16000, 22050, 24000, 44100, 48000]))
def test_the_time_of_a_sample_is_that_sample_in_two_hours_at_any_rate(sample: int, rate: int) -> None:
    assert sample_at(sample / rate, rate) == sample


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 24000, 44100, 48000])
def test_every_tick_of_an_hour_falls_on_the_edge_of_a_frame(rate: int) -> None:
    frame = AudioFormat(rate).frame_samples
    assert all(sample_at(tick * FRAME_S, rate) == tick * frame for tick in range(0, 180_001))
