from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from scenarios.conditions import Bed, Conditions, Noise, SecondSpeaker
from streams.audio import Samples, to_float
from streams.levels import SPEECH_DBOV, active_level
from streams.speech.fake import ToneVoice
from streams.speech.voice_cache import VoiceCache
from tests.user_sim.conditions.sounds import db, line, rms, sine, speech, through
from user_sim.conditions import beds
from user_sim.conditions.line import Beds
from user_sim.conditions.loops import Loop, round_of
from user_sim.conditions.prepare import prepare_beds


def prepared(conditions: Conditions, rate: int = 16000, folder: Path = Path()) -> Beds:
    return asyncio.run(prepare_beds(conditions, ToneVoice(), rate, folder=folder))


def noise(bed: str, snr_db: float = 15.0) -> Conditions:
    return Conditions(noise=(Noise(bed=bed, snr_db=snr_db),))


# --- level --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [8000, 16000, 24000])
@pytest.mark.parametrize("snr_db", [30.0, 15.0, 5.0, 0.0])
def test_pink_noise_has_the_snr_on_the_wire_that_was_asked_for(snr_db: float, rate: int) -> None:
    conditions = noise("pink", snr_db)
    clean = speech(12, rate)
    wire = through(line(conditions, rate, beds=prepared(conditions, rate)), clean)
    level = active_level(to_float((clean * 32768).astype(np.int16)), rate)
    assert level is not None
    assert level.dbov - db(rms(wire - clean)) == pytest.approx(snr_db, abs=0.1)


@pytest.mark.parametrize("bed", list(Bed))
def test_every_bed_has_its_level_over_one_round_of_half_a_minute(bed: Bed) -> None:
    (loop,) = prepared(noise(bed, 10.0)).noise
    assert len(loop.samples) == 30 * 16000
    assert db(rms(loop.samples)) == pytest.approx(SPEECH_DBOV - 10.0, abs=0.001)
    assert np.abs(loop.samples).max() < 1.0


def test_a_second_speaker_is_set_against_the_user_by_active_level() -> None:
    conditions = Conditions(second_speaker=SecondSpeaker(snr_db=6.0, lines=("Hello.", "Bye.")))
    loop = prepared(conditions).second_speaker
    assert loop is not None
    level = active_level(loop.samples, 16000)
    assert level is not None
    assert level.dbov == pytest.approx(SPEECH_DBOV - 6.0, abs=0.05)
    assert level.activity < 0.8  # it breathes between its lines


# --- without a seam -----------------------------------------------------------------------------


def biggest_jump(samples: Samples) -> float:
    return float(np.abs(np.diff(samples)).max())


@pytest.mark.parametrize("bed", list(Bed))
def test_a_bed_goes_round_without_a_click(bed: Bed) -> None:
    (loop,) = prepared(noise(bed)).noise
    around = loop.at(len(loop.samples) - 800, 1600)
    assert biggest_jump(around[799:801]) <= biggest_jump(loop.samples) / 2
    # the neighbourhood of the seam has no more treble than the rest: a click would be all treble
    treble = np.abs(np.diff(around, 2))[790:810].max()
    assert treble <= np.abs(np.diff(loop.samples, 2)).max() / 2


def test_a_recording_goes_round_without_a_click() -> None:
    # a hum that does not fit its length, on an offset that drifts: cut hard it would jump by 0.6
    rate = 16000
    recording = sine(130.3, 2.217, rate, 0.1) + np.linspace(
        -0.3, 0.3, round(2.217 * rate), dtype=np.float32
    )
    loop = round_of(recording, rate)
    assert len(loop) >= 30 * rate
    assert biggest_jump(np.concatenate([loop, loop[:10]])) <= 1.5 * biggest_jump(recording)


def test_any_stretch_of_a_loop_can_be_had() -> None:
    loop = Loop(np.arange(10, dtype=np.float32))
    assert loop.at(23, 4).tolist() == [3, 4, 5, 6]
    assert loop.at(28, 5).tolist() == [8, 9, 0, 1, 2]
    assert loop.at(5, 20).tolist() == [5, 6, 7, 8, 9, 0, 1, 2, 3, 4] * 2


# --- what they are ------------------------------------------------------------------------------


def spectrum(samples: Samples) -> np.typing.NDArray[np.float64]:
    return np.abs(np.fft.rfft(samples.astype(np.float64))) ** 2


def test_pink_noise_has_equal_power_in_every_octave() -> None:
    power = spectrum(beds.pink())
    hertz = np.fft.rfftfreq(beds.BED_RATE * beds.BED_S, 1 / beds.BED_RATE)
    octaves = [power[(hertz >= f) & (hertz < 2 * f)].sum() for f in 100 * 2 ** np.arange(7)]
    assert 10 * np.log10(max(octaves) / min(octaves)) < 0.5
    assert power[hertz < 50].sum() == pytest.approx(0, abs=1e-6 * power.sum())


def test_hum_is_fifty_hertz_and_its_harmonics_and_nothing_else() -> None:
    power = spectrum(beds.hum())
    harmonics = power[50 * beds.BED_S : 1001 * beds.BED_S : 50 * beds.BED_S]
    assert len(harmonics) == 20 and harmonics.min() > 0
    assert harmonics.sum() / power.sum() > 0.9999


def test_typing_is_quiet_between_loud_clicks() -> None:
    sound = beds.keyboard()
    assert np.abs(sound).max() > 10 * rms(sound)
    assert np.median(np.abs(sound)) < 0.05 * rms(sound)


def test_babble_is_at_least_six_voices_at_once() -> None:
    # one speaker who says a tone of 400 Hz: each voice of the babble is a tone of its own
    power = spectrum(beds.babble([sine(400, 1.0, 16000)], 16000))
    around = power[: 1000 * beds.BED_S].reshape(-1, beds.BED_S).sum(1)  # one value a hertz
    peaks = [
        f for f in range(290, 540) if around[f - 3 : f + 4].argmax() == 3 and around[f] > around.max() / 9
    ]
    assert len(peaks) >= 6
    assert peaks[0] == pytest.approx(400 * 0.78, abs=3) and peaks[-1] == pytest.approx(400 * 1.28, abs=3)


def test_a_bed_is_the_same_noise_at_every_rate() -> None:
    (low,), (high,) = prepared(noise("pink"), 8000).noise, prepared(noise("pink"), 24000).noise
    folded = soxr.resample(high.samples, 24000, 8000)[8000:-8000]
    original = low.samples[8000:-8000]
    assert np.corrcoef(folded, original)[0, 1] > 0.999


def test_a_recording_of_any_rate_serves_as_noise(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "fan.wav", sine(1000, 3.0, 44100, 0.8), 44100)
    (loop,) = prepared(noise("fan.wav", 20.0), folder=tmp_path).noise
    assert db(rms(loop.samples)) == pytest.approx(SPEECH_DBOV - 20.0, abs=0.001)
    assert spectrum(loop.samples[: 2 * 16000]).argmax() == 2000  # 1000 Hz over two seconds


def test_the_voices_of_a_babble_are_made_once(tmp_path: Path) -> None:
    class Counting(ToneVoice):
        spoken = 0

        async def speak(self, text: str):  # type: ignore[no-untyped-def]
            self.spoken += 1
            return await super().speak(text)

    voice, cache = Counting(), VoiceCache(tmp_path)
    for _ in range(2):
        asyncio.run(prepare_beds(noise("babble"), voice, 16000, cache))
    assert voice.spoken == 8
