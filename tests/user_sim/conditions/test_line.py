from __future__ import annotations

import numpy as np
import pytest

from scenarios.conditions import (
    Codec,
    Conditions,
    Echo,
    Jitter,
    Noise,
    PacketLoss,
    Reverberation,
    SecondSpeaker,
)
from streams.audio import Samples, to_float, to_pcm16
from tests.user_sim.conditions.sounds import db, line, rms, sine, speech, through
from user_sim.conditions.line import Beds
from user_sim.conditions.loops import Loop

RNG = np.random.default_rng(3)
HISS = Loop((0.01 * RNG.standard_normal(30 * 16000)).astype(np.float32))
NOISY = Conditions(noise=(Noise(bed="pink", snr_db=15),))


def quiet(seconds: float, rate: int = 16000) -> Samples:
    return np.zeros(round(seconds * rate), np.float32)


# --- as a whole ---------------------------------------------------------------------------------


def everything() -> tuple[Conditions, Beds]:
    conditions = Conditions(
        reverberation=Reverberation(rt60_s=0.3),
        second_speaker=SecondSpeaker(snr_db=10),
        noise=(Noise(bed="pink", snr_db=15),),
        echo=Echo(delay_ms=120),
        gain_db=3.0,
        clipping_dbfs=-12.0,
        codec=Codec.G711_ULAW,
        packet_loss=PacketLoss(rate=0.1),
        jitter=Jitter(mean_ms=20),
    )
    room = (0.1 * RNG.standard_normal(4800) * np.exp(-np.arange(4800) / 800)).astype(np.float32)
    return conditions, Beds((HISS,), Loop(HISS.samples[::-1]), room)


def test_the_same_seed_makes_the_same_line_and_another_seed_another() -> None:
    conditions, beds = everything()
    clean, heard = speech(2, 16000), speech(2, 16000)[::-1]
    first, second, other = (through(line(conditions, seed=s, beds=beds), clean, heard) for s in (5, 5, 6))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_the_line_does_not_depend_on_the_endpoint() -> None:
    conditions, beds = everything()
    conditions = conditions.model_copy(update={"echo": None})
    clean = speech(2, 16000)
    patient = through(line(conditions, endpoint_rate=24000, beds=beds), clean, speech(2, 24000))
    silent = through(line(conditions, endpoint_rate=8000, beds=beds), clean, None)
    assert np.array_equal(patient, silent)


def test_a_line_that_only_delays_changes_no_sample() -> None:
    clean = speech(1, 16000)
    wire = through(line(Conditions(jitter=Jitter(mean_ms=40))), clean)
    assert np.array_equal(wire, to_float(to_pcm16(clean)))


def test_what_is_applied_is_told_with_its_levels() -> None:
    told = line(NOISY, beds=Beds((HISS,))).settings()
    assert told["noise"][0] | {"offset_s": 0} == {
        "bed": "pink",
        "snr_db": 15.0,
        "level_dbov": pytest.approx(-40.0, abs=0.05),
        "loop_s": 30.0,
        "offset_s": 0,
    }
    assert told["seed"] == 1


# --- noise --------------------------------------------------------------------------------------


def test_silence_carries_the_noise_too_and_the_noise_never_stops() -> None:
    noisy = line(NOISY, beds=Beds((HISS,)))
    wire = through(noisy, quiet(65))  # twice round the loop, and more
    levels = [db(rms(wire[i : i + 8000])) for i in range(0, len(wire), 8000)]
    assert max(levels) - min(levels) < 0.5
    assert np.abs(wire - noisy.noise(0, len(wire))).max() <= 0.5 / 32768 + 1e-7


def test_two_noises_of_the_same_bed_are_not_the_same_noise() -> None:
    twice = Conditions(noise=(Noise(bed="pink", snr_db=15), Noise(bed="pink", snr_db=15)))
    wire = through(line(twice, beds=Beds((HISS, HISS))), quiet(20))
    # two that differ add up in power, +3 dB; one that is doubled would have +6 dB
    assert db(rms(wire) / rms(HISS.samples)) == pytest.approx(3.01, abs=0.1)


# --- echo ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "ear"), [(16000, 16000), (16000, 24000), (8000, 24000), (24000, 8000)])
@pytest.mark.parametrize("delay_ms", [50.0, 123.0, 400.0])
def test_the_endpoint_hears_itself_at_exactly_the_delay(rate: int, ear: int, delay_ms: float) -> None:
    def burst(time: np.typing.NDArray[np.float64]) -> Samples:
        inside = (time > 0.2) & (time < 0.3)
        shape = np.where(inside, np.sin((time - 0.2) / 0.1 * np.pi) ** 2, 0)
        return (0.5 * shape * np.sin(2 * np.pi * 700 * time)).astype(np.float32)

    echoing = line(Conditions(echo=Echo(delay_ms=delay_ms, gain_db=-6.0)), rate, ear)
    wire = through(echoing, quiet(1, rate), burst(np.arange(ear) / ear))
    expected = 10 ** (-6 / 20) * burst(np.arange(rate) / rate - delay_ms / 1000)
    assert np.abs(wire - expected).max() < 0.001 * 0.5


def test_a_whole_call_of_echo_stays_in_step() -> None:
    echoing = line(Conditions(echo=Echo(delay_ms=70, gain_db=0)), 16000, 24000)
    wire = through(echoing, quiet(60), sine(440, 60, 24000))
    assert np.abs(wire[16000:] - sine(440, 60, 16000)[16000 - 1120 : -1120]).max() < 0.003


# --- gain and clipping --------------------------------------------------------------------------


def test_gain_is_for_everything_together() -> None:
    loud = line(NOISY.model_copy(update={"gain_db": 6.0}), beds=Beds((HISS,)))
    plain = line(NOISY, beds=Beds((HISS,)))
    clean = speech(2, 16000)
    assert db(rms(through(loud, clean)) / rms(through(plain, clean))) == pytest.approx(6.0, abs=0.01)


def test_clipping_cuts_off_at_its_level_and_is_counted() -> None:
    clipping = line(Conditions(clipping_dbfs=-12.0))
    limit = 10 ** (-12 / 20)
    wire = through(clipping, sine(101, 2.0, 16000, level=2 * limit))
    assert np.abs(wire).max() == pytest.approx(limit, abs=1 / 32768)
    # |sin x| > 1/2 in two thirds of its period
    assert clipping.report()["clipped_samples"] / len(wire) == pytest.approx(2 / 3, abs=0.005)
    assert np.mean(np.abs(wire) > limit - 2 / 32768) == pytest.approx(2 / 3, abs=0.005)


def test_what_is_over_full_scale_clips_and_never_wraps() -> None:
    overdriven = line(Conditions(gain_db=20.0))
    wire = through(overdriven, sine(101, 1.0, 16000))
    assert wire.max() == pytest.approx(1.0, abs=1e-4) and wire.min() == -1.0
    assert np.all(wire * sine(101, 1.0, 16000) >= 0)
    assert overdriven.report()["clipped_samples"] > 8000


# --- order --------------------------------------------------------------------------------------


def test_clipping_comes_after_noise_and_gain_and_before_the_codec() -> None:
    conditions = Conditions(noise=NOISY.noise, gain_db=20.0, clipping_dbfs=-20.0, codec=Codec.G711_ULAW)
    wire = through(line(conditions, 8000, beds=Beds((HISS,))), speech(2, 8000))
    # the μ-law level nearest to 0.1: 32768 × 0.1 = 3277 lies between 3260 and 3388
    assert np.abs(wire).max() * 32768 == 3260


def test_a_lost_frame_is_lost_with_its_noise_and_the_room_rings_on() -> None:
    conditions = Conditions(
        reverberation=Reverberation(rt60_s=0.3),
        noise=NOISY.noise,
        packet_loss=PacketLoss(rate=1.0),
    )
    room = np.r_[1.0, np.zeros(3199), 0.5].astype(np.float32)
    assert not through(line(conditions, beds=Beds((HISS,), None, room)), speech(1, 16000)).any()
    ringing = conditions.model_copy(update={"packet_loss": None, "noise": ()})
    clean = speech(1, 16000)
    wire = through(line(ringing, beds=Beds((), None, room)), clean)
    late = np.r_[np.zeros(3200), clean[:-3200]]
    assert np.abs(wire - (clean + 0.5 * late)).max() < 1e-4


def test_a_tick_that_comes_too_late_takes_its_frame_with_it_but_none_that_was_on_its_way() -> None:
    plain, late = line(NOISY, beds=Beds((HISS,))), line(NOISY, beds=Beds((HISS,)))
    frame = bytes(640)
    for tick in range(10):
        whole, cut = plain.frame(frame, b""), late.frame(frame, b"", skipped=tick == 4)
        assert cut.pcm == whole.pcm  # the record goes on
        assert cut.frames == (() if tick == 4 else whole.frames)


def test_the_second_speaker_is_on_the_wire_beside_the_user_all_the_time() -> None:
    conditions = Conditions(second_speaker=SecondSpeaker(snr_db=10))
    clean = speech(2, 16000)
    alone = through(line(conditions, beds=Beds((), HISS)), quiet(2.0))
    assert rms(alone) == pytest.approx(rms(HISS.samples), rel=0.05)
    both = through(line(conditions, beds=Beds((), HISS)), clean)
    # what is left without the user is the other voice, to within the rounding to 16 bits
    assert np.max(np.abs(both - clean - alone)) <= 2 / 32768
