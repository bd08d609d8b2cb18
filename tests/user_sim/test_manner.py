"""Manners applied to a voice of which everything is known; measured without WORLD's help."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from scenarios.manners import LIMITS, STYLES, VOICES, Manner
from streams.audio import Samples, to_float, to_pcm16
from streams.levels import active_level
from streams.speech.interfaces import Speech
from tests.user_sim.synthetic_speech import FORMANTS_HZ, RATE, sentence
from user_sim.manner.apply import apply, fingerprint, resynthesised
from user_sim.manner.measure import traits
from user_sim.manner.spoken import in_manner
from user_sim.manner.world import Floats, melody


@pytest.fixture(scope="module")
def flat() -> Samples:
    """0.8 s of one note: 120 Hz, no pause."""
    return sentence(0.8, swing_st=0.0, pause_s=0.0)


def spectrum(samples: Samples) -> tuple[Floats, Floats]:
    """Power of the middle 0.4 s, bins of 1 Hz."""
    middle = samples[len(samples) // 2 - RATE // 5 :][: 2 * RATE // 5]
    power = np.abs(np.fft.rfft(middle * np.hanning(middle.size), RATE)) ** 2
    return np.arange(power.size, dtype=np.float64), power


def note(samples: Samples) -> float:
    """Fundamental frequency in Hz: the first of the high peaks of the autocorrelation."""
    _, power = spectrum(samples)
    correlation = np.fft.irfft(power)[: RATE // 50]
    middle, before, after = correlation[1:-1], correlation[:-2], correlation[2:]
    peaks = np.flatnonzero((middle > before) & (middle >= after)) + 1
    peaks = peaks[peaks > RATE // 500]
    return RATE / float(peaks[correlation[peaks] > 0.9 * correlation[peaks].max()][0])


def resonance(samples: Samples) -> float:
    """Frequency of the first formant in Hz: centre of the power from 300 to 1100."""
    hertz, power = spectrum(samples)
    band = slice(300, 1100)
    return float((hertz[band] * power[band]).sum() / power[band].sum())


@pytest.mark.parametrize("rate", [0.5, 0.8, 1.0, 1.37, 2.0])
@pytest.mark.parametrize("samples", [8001, 12800])
def test_the_length_is_exact(rate: float, samples: int) -> None:
    spoken = apply(sentence()[:samples], RATE, Manner(rate=rate, pitch=1))
    assert abs(spoken.size - samples / rate) <= 0.5


@pytest.mark.parametrize("semitones", [-5, 4, 12, 19])
def test_pitch_moves_by_semitones_and_resonances_stay(flat: Samples, semitones: int) -> None:
    spoken = apply(flat, RATE, Manner(pitch=semitones))
    assert note(spoken) == pytest.approx(120 * 2 ** (semitones / 12), rel=0.02)
    if semitones <= 4:  # further up, too few harmonics show where a formant is
        assert resonance(spoken) == pytest.approx(resonance(flat), rel=0.06)


@pytest.mark.parametrize("scale", [0.8, 1.0, 1.25])
def test_formants_move_by_their_scale_and_the_note_stays(flat: Samples, scale: float) -> None:
    spoken = apply(flat, RATE, Manner(formants=scale, rate=0.9))
    assert resonance(spoken) == pytest.approx(FORMANTS_HZ[0] * scale, rel=0.08)
    assert note(spoken) == pytest.approx(120, rel=0.02)


def test_the_range_is_stretched_about_the_median() -> None:
    notes = {}
    for factor in (0.0, 2.0):
        found = melody(apply(sentence(), RATE, Manner(range=factor, rate=0.99)), RATE)
        notes[factor] = 12 * np.log2(np.percentile(found[found > 0], (10, 50, 90)) / 120)
    for factor, (low, middle, high) in notes.items():
        assert middle == pytest.approx(0.0, abs=0.6)
        # the melody swings 3 semitones up and down: 2.85 of them between these percentiles
        assert (low, high) == pytest.approx((-2.85 * factor, 2.85 * factor), abs=0.6)


def test_a_tremor_has_its_depth_and_rate(flat: Samples) -> None:
    spoken = apply(sentence(1.6, swing_st=0.0, pause_s=0.0), RATE, Manner(tremor=1.0, tremor_hz=6))
    found = melody(spoken, RATE)[40:-40]  # 5 ms each
    semitones = 12 * np.log2(found / np.median(found))
    wave = np.fft.rfft((semitones - semitones.mean()) * np.hanning(semitones.size), 2000)
    assert int(np.argmax(np.abs(wave))) * 200 / 2000 == pytest.approx(6, abs=0.3)
    assert np.ptp(semitones) == pytest.approx(2.0, abs=0.4)


def test_breath_takes_the_harmonics_away_and_a_whisper_has_none(flat: Samples) -> None:
    def harmonic(breath: float) -> float:
        """How far the harmonics from 1 to 2 kHz stand out of what is between them, in dB."""
        _, power = spectrum(apply(flat, RATE, Manner(breath=breath, rate=0.99)))
        bands = (120 * np.arange(9, 17))[:, None] + np.arange(-15, 16)  # Hz
        return float(10 * np.log10(power[bands].sum() / power[bands + 60].sum()))

    heights = [harmonic(breath) for breath in (0.0, 0.5, 0.8, 1.0)]
    assert all(more > less for more, less in itertools.pairwise(heights))
    assert heights[0] > 15 and abs(heights[-1]) < 5
    whisper = traits(apply(flat, RATE, STYLES["whispering"]), RATE)
    assert whisper is not None and whisper.pitch_hz is None and whisper.voicing < 0.1


def test_pauses_inside_are_stretched_and_those_around_are_not() -> None:
    plain = traits(sentence(pause_s=0.3), RATE)
    spoken = sentence(pause_s=0.3)
    longer = apply(spoken, RATE, Manner(pauses=3))
    measured = traits(longer, RATE)
    assert plain is not None and measured is not None
    # 0.3 s of pause become 0.9 s; a frame of 30 ms on either side is part speech
    assert measured.seconds - plain.seconds == pytest.approx(0.6, abs=0.1)
    assert (longer.size - spoken.size) / RATE == pytest.approx(0.6, abs=0.1)


@pytest.mark.parametrize("loudness", [-20, 0, 8])
def test_loudness_is_relative_to_the_clip_and_nothing_clips(loudness: float) -> None:
    clip = sentence() * np.float32(0.5)
    before = active_level(clip, RATE)
    spoken = apply(clip, RATE, Manner(loudness=loudness, tilt=2, pitch=2))
    after = active_level(spoken, RATE)
    assert before is not None and after is not None
    assert after.dbov - before.dbov == pytest.approx(loudness, abs=0.4)
    assert np.abs(spoken).max() < 1.0


def test_it_is_the_same_every_time() -> None:
    clip = sentence(0.8)
    manner = Manner(breath=0.6, tremor=0.5, formants=1.1)
    first = apply(clip, RATE, manner)
    apply(sentence(0.5), RATE, STYLES["whispering"])  # uses up some of the noise
    assert np.array_equal(first, apply(clip, RATE, manner))


def test_a_manner_that_changes_nothing_changes_no_sample() -> None:
    clip = sentence(0.5)
    assert np.array_equal(apply(clip, RATE, Manner()), clip)
    assert np.allclose(apply(clip, RATE, Manner(loudness=-6)), clip * 10 ** (-6 / 20), atol=1e-7)


@pytest.mark.parametrize("samples", [0, 1, 79, 801])
def test_shorter_clips_than_a_frame_and_silence_are_spoken_too(samples: int) -> None:
    for clip in (np.zeros(samples, np.float32), sentence()[3200 : 3200 + samples]):
        spoken = apply(clip, RATE, STYLES["elderly"])
        assert abs(spoken.size - samples / 0.82) <= 0.5
        assert np.isfinite(spoken).all() and np.abs(spoken).max(initial=0) < 1
    assert not apply(np.zeros(1600, np.float32), RATE, STYLES["child"]).round(4).any()


@pytest.mark.parametrize("rate", [8000, 22050, 44100])
def test_every_rate_of_a_voice_works(rate: int) -> None:
    speech = Speech(to_pcm16(sentence(0.8, rate=rate)), rate)
    spoken = to_float(in_manner(speech, VOICES["anna"], 24000))
    found = traits(spoken, 24000)
    assert spoken.size == 19200 and found is not None and found.pitch_hz is not None
    assert found.pitch_hz == pytest.approx(120 * 2 ** (10 / 12), rel=0.15)


def extremes() -> Iterator[Manner]:
    for name, limits in LIMITS.items():
        yield from (Manner(**{name: limit}) for limit in limits)
    yield Manner(**{name: high for name, (_, high) in LIMITS.items()})
    yield Manner(**{name: low for name, (low, _) in LIMITS.items()})


def test_at_the_limits_there_is_still_sound() -> None:
    clip = sentence(0.4, pause_s=0.1)
    for manner in extremes():
        spoken = apply(clip, RATE, manner)
        level = active_level(spoken, RATE)
        assert level is not None and level.dbov > -50, manner
        assert np.isfinite(spoken).all() and np.abs(spoken).max() < 1, manner


def test_the_plain_resynthesis_keeps_note_and_length(flat: Samples) -> None:
    spoken = resynthesised(flat, RATE)
    assert spoken.size == flat.size
    assert note(spoken) == pytest.approx(120, rel=0.02)


def test_a_fingerprint_changes_with_the_manner() -> None:
    assert fingerprint(Manner()) == ""
    others = [*STYLES.values(), *VOICES.values(), Manner(loudness=1), Manner(pitch=1), Manner(pitch=1.0001)]
    assert len({fingerprint(manner) for manner in others}) == len(others)
