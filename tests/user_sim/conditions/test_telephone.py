from __future__ import annotations

import numpy as np
import pytest

from scenarios.conditions import Codec
from streams import g711
from streams.audio import Encoding, Samples, to_float, to_pcm16
from tests.user_sim.conditions.sounds import db, rms, sine, speech
from user_sim.conditions.telephone import Telephone, UnfitCodec


def through(telephone: Telephone, samples: Samples, rate: int) -> Samples:
    frame = rate // 50
    return np.concatenate(
        [telephone.process(samples[i : i + frame]) for i in range(0, len(samples), frame)]
    )


def gain_db(codec: Codec, hertz: float, rate: int) -> float:
    tone = sine(hertz, 1.0, rate, 0.25)
    return db(rms(through(Telephone(codec, rate), tone, rate)[rate // 2 :]) / rms(tone))


@pytest.mark.parametrize(
    ("codec", "encoding"), [(Codec.G711_ULAW, Encoding.MULAW), (Codec.G711_ALAW, Encoding.ALAW)]
)
def test_at_8_khz_a_codec_is_the_codec_and_nothing_else(codec: Codec, encoding: Encoding) -> None:
    clean = speech(2, 8000)
    coded = g711.decode(g711.encode(to_pcm16(clean), encoding), encoding)
    assert to_pcm16(through(Telephone(codec, 8000), clean, 8000)) == coded


def test_at_8_khz_the_narrow_band_is_what_there_is() -> None:
    clean = to_float(to_pcm16(speech(1, 8000)))
    assert np.array_equal(through(Telephone(Codec.NARROWBAND, 8000), clean, 8000), clean)


@pytest.mark.parametrize("rate", [16000, 24000, 48000])
@pytest.mark.parametrize("codec", [Codec.NARROWBAND, Codec.G711_ULAW, Codec.G711_ALAW])
def test_the_band_of_a_telephone_is_kept_and_what_is_above_it_is_not(codec: Codec, rate: int) -> None:
    for hertz in (200, 1000, 3000):
        assert gain_db(codec, hertz, rate) == pytest.approx(0, abs=0.5)
    for hertz in (5000, 7000):  # D23: neither kept nor folded down
        assert gain_db(codec, hertz, rate) < -30


def test_coding_noise_has_the_level_that_mu_law_makes() -> None:
    # μ-law holds speech at about 38 dB over its noise, whatever the level (ITU-T G.712 asks for 33)
    clean = sine(1020, 2.0, 16000, 0.2)
    plain = through(Telephone(Codec.NARROWBAND, 16000), clean, 16000)
    coded = through(Telephone(Codec.G711_ULAW, 16000), clean, 16000)
    assert 33 < db(rms(plain) / rms(coded - plain)) < 45


@pytest.mark.parametrize("rate", [16000, 48000])
def test_the_filters_look_at_nothing_to_come_and_are_late_by_less_than_a_millisecond(rate: int) -> None:
    step = np.r_[np.zeros(rate // 10), 0.5 * np.ones(rate // 10)].astype(np.float32)
    out = through(Telephone(Codec.NARROWBAND, rate), step, rate)
    assert not out[: rate // 10].any()
    assert np.argmax(out > 0.25) - rate // 10 < rate / 1000


def test_how_the_stream_falls_into_frames_leaves_no_trace() -> None:
    tone = sine(1000, 1.0, 24000)
    out = through(Telephone(Codec.NARROWBAND, 24000), tone, 24000)[12000:]
    power = np.abs(np.fft.rfft(out)) ** 2
    assert power[500] / power.sum() > 0.99999  # 1000 Hz over half a second, and nothing at 50 Hz from it


def test_a_rate_that_is_no_multiple_of_8_khz_is_refused_with_a_remedy() -> None:
    with pytest.raises(UnfitCodec, match=r"g711_ulaw cannot .* 44100 Hz, only on a multiple of 8000 Hz"):
        Telephone(Codec.G711_ULAW, 44100)
