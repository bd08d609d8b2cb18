"""Pitch, loudness, pace, voice and signal against sounds whose values are known by arithmetic."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.blueprint.loudness import measure_loudness
from scoring.blueprint.pitch import track_pitch
from scoring.blueprint.sound import clipping, dropouts, hear, levels
from scoring.blueprint.voice import spectral_tilt, steadiness
from streams.audio import Samples
from tests.scoring.blueprint.sounds import noise, quiet, talk, vowel

RATE = 16000


def world() -> ModuleType:
    """WORLD's compiled module, past the package around it (which wants `pkg_resources`)."""
    package = importlib.util.find_spec("pyworld")
    assert package is not None
    spec = importlib.machinery.PathFinder.find_spec("pyworld", package.submodule_search_locations)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def telephone(clip: Samples) -> Samples:
    """Nothing below 300 Hz and above 3400 Hz."""
    signal = importlib.import_module("scipy.signal")
    band = signal.butter(4, (300, 3400), "band", fs=RATE, output="sos")
    return np.asarray(signal.sosfiltfilt(band, clip), np.float32)


@pytest.mark.parametrize("hz", [70.0, 110.0, 207.0, 333.0, 480.0])
@pytest.mark.parametrize("line", ["wide", "telephone"])
def test_a_vowel_has_the_pitch_it_was_sung_at(hz: float, line: str) -> None:
    clip = vowel(hz, 0.6)
    track = track_pitch(telephone(clip) if line == "telephone" else clip)
    assert track.voiced.mean() > 0.9  # all but the two frames at either end, which are half empty
    assert np.median(track.hertz[track.voiced]) == pytest.approx(hz, rel=0.003)
    assert np.mean(np.abs(track.hertz[track.voiced] / hz - 1) > 0.03) < 0.05


def test_a_gliding_voice_is_followed_as_world_follows_it() -> None:
    clip = vowel(140, 1.5, drift=7)
    track = track_pitch(clip)
    library = world()
    rough, times = library.dio(clip.astype(np.float64), RATE, 65, 500, frame_period=10.0)
    theirs = library.stonemask(clip.astype(np.float64), rough, times, RATE)
    middles = np.arange(track.hertz.size) * 160 / RATE
    expected = np.interp(middles, times, theirs)
    both = track.voiced & (expected > 100)
    assert both.mean() > 0.9
    assert np.median(np.abs(track.hertz[both] / expected[both] - 1)) < 0.01
    assert track.hertz[both][-1] / track.hertz[both][0] == pytest.approx(2 ** (7 / 12), rel=0.03)


def test_noise_and_silence_have_no_pitch() -> None:
    assert track_pitch(noise(1, 0.1)).voiced.mean() < 0.02
    assert not track_pitch(quiet(1)).voiced.any()
    assert track_pitch(vowel(200, 0.04)).hertz.size == 0


@pytest.mark.parametrize("ratio_db", [5.0, 15.0])
def test_harmonicity_is_the_ratio_that_was_mixed(ratio_db: float) -> None:
    voice = vowel(150, 1.5)
    clip = voice + noise(1.5, float(voice.std()) / 10 ** (ratio_db / 20))
    assert track_pitch(clip).hnr_db.mean() == pytest.approx(ratio_db, abs=1.5)


def test_a_steady_voice_has_no_jitter_and_an_unsteady_one_has_what_was_put_in() -> None:
    still = steadiness(clip := vowel(160, 1.0), track_pitch(clip))
    assert still is not None
    assert still.jitter < 0.001
    assert still.shimmer < 0.005
    draw = np.random.default_rng(3)
    periods = np.round(100 * (1 + 0.02 * draw.standard_normal(160))).astype(int)  # 160 Hz, sd 2 %
    pulse = np.exp(-np.arange(90) / 12) * np.cos(np.arange(90) / 4)
    rough = np.concatenate([np.pad(pulse, (0, max(0, size - 90)))[:size] for size in periods])
    shaky = steadiness(wave := (0.3 * rough).astype(np.float32), track_pitch(wave))
    assert shaky is not None
    expected = np.abs(np.diff(periods)).mean() / periods.mean()  # about 2 / sqrt(pi) times 2 %
    assert shaky.jitter == pytest.approx(expected, rel=0.2)


def test_a_duller_voice_has_a_steeper_spectrum() -> None:
    clip = vowel(150, 1.0)
    track = track_pitch(clip)
    dull = np.convolve(clip, np.ones(8) / 8, "same").astype(np.float32)
    bright, flat = spectral_tilt(clip, track), spectral_tilt(dull, track)
    assert bright is not None and flat is not None
    assert flat < bright - 1


@pytest.mark.parametrize("rate", [8000, 16000, 24000, 44100, 48000])
def test_a_full_scale_sine_of_997_hz_is_minus_3_01_lufs(rate: int) -> None:
    tone = np.sin(2 * np.pi * 997 * np.arange(5 * rate) / rate).astype(np.float32)
    found = measure_loudness(tone, rate)
    assert found is not None
    assert found.integrated == pytest.approx(-3.01, abs=0.005)
    assert found.blocks.std() < 0.01


def test_quiet_parts_are_gated_out() -> None:
    tone = np.sin(2 * np.pi * 997 * np.arange(4 * RATE) / RATE).astype(np.float32)
    faint = 10 ** (-30 / 20) * tone
    loud, both = measure_loudness(tone, RATE), measure_loudness(np.concatenate([tone, faint]), RATE)
    assert loud is not None and both is not None and loud.integrated is not None
    assert both.integrated == pytest.approx(loud.integrated, abs=0.2)  # three blocks hold some of both


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rate", [16000, 48000])
def test_loudness_agrees_with_pyloudnorm(rate: int) -> None:
    clip = np.tile(talk(rate), 3)
    found = measure_loudness(clip, rate)
    theirs = importlib.import_module("pyloudnorm").Meter(rate).integrated_loudness(clip)
    assert found is not None
    assert found.integrated == pytest.approx(theirs, abs=0.1)


def test_below_a_block_there_is_no_loudness_and_silence_passes_no_gate() -> None:
    assert measure_loudness(vowel(150, 0.39), RATE) is None
    found = measure_loudness(quiet(1), RATE)
    assert found is not None and found.integrated is None


def test_loudness_does_not_depend_on_where_its_minutes_are_cut() -> None:
    clip = np.concatenate([noise(61, 0.05, 8000), noise(3, 0.2, 8000, seed=1)])
    whole, shifted = measure_loudness(clip, 8000), measure_loudness(clip[800:], 8000)
    assert whole is not None and shifted is not None
    assert np.allclose(whole.blocks[-20:], shifted.blocks[-20:], atol=0.01)


def test_the_noise_floor_is_what_is_between_the_sounds() -> None:
    clip = np.concatenate([quiet(0.5), vowel(150, 1.0), quiet(0.5)]) + noise(2.0, 0.001)
    found = levels(hear(clip, RATE))
    assert found.noise == pytest.approx(-60, abs=0.5)
    assert found.speech == pytest.approx(20 * np.log10(vowel(150, 1.0).std()), abs=0.2)


def test_clipping_is_counted_by_share_and_by_runs() -> None:
    pcm = np.zeros(1000, np.int16)
    pcm[100:105], pcm[200], pcm[300:303] = 32767, -32768, -32767
    assert clipping(pcm) == (9 / 1000, 2)  # 5 + 1 + 3 samples; a lone peak is no run
    assert clipping(np.zeros(0, np.int16)) == (0.0, 0)


def test_a_lost_packet_is_a_dropout_and_a_pause_after_a_dying_word_is_none() -> None:
    lost = vowel(150, 1.0)
    lost[8000:8320] = 0  # 20 ms
    sound = hear(lost, RATE)
    count, seconds = dropouts(sound, levels(sound).speech)
    assert count == 1
    assert seconds == pytest.approx(0.02, abs=0.001)
    sound = hear(talk(), RATE)
    assert dropouts(sound, levels(sound).speech) == (0, 0.0)


@settings(max_examples=15)
@given(st.floats(0.05, 3.0), st.floats(80, 400), st.floats(0.001, 1.0))
def test_every_measure_of_every_voice_is_a_number(seconds: float, hz: float, peak: float) -> None:
    clip = vowel(hz, seconds, peak=peak)
    track = track_pitch(clip)
    assert np.isfinite(track.hertz).all() and np.isfinite(track.hnr_db).all()
    assert ((track.periodicity >= 0) & (track.periodicity <= 1)).all()
    found = measure_loudness(clip, RATE)
    assert (found is None) == (clip.size < 6400)
    steady = steadiness(clip, track)
    assert steady is None or np.isfinite([steady.jitter, steady.shimmer]).all()
