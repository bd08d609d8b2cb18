"""What a planted defect does to a clip, sample by sample."""

from __future__ import annotations

import numpy as np
import pytest

from streams.audio import Pcm, sample_at, silence, to_pcm
from streams.reference.defects import sound
from streams.reference.defects.kinds import DOSES, Defect, parse
from streams.reference.defects.words import drop_words, is_chosen
from streams.speech.audible import audible_span

RATE = 24000


def wave(seconds: float, amplitude: float = 8000.0) -> Pcm:
    n = sample_at(seconds, RATE)
    tone: Pcm = np.round(amplitude * np.sin(2 * np.pi * 300 / RATE * (np.arange(n) + 0.5))).astype(np.int16)
    return tone


def test_exactly_the_share_that_was_asked_for_is_at_full_scale() -> None:
    ramp = np.arange(-5000, 5000).astype("<i2").tobytes()
    clipped = to_pcm(sound.clip(ramp, 0.02))
    assert np.count_nonzero(np.abs(clipped.astype(int)) == sound.LIMIT) == 201  # 2 % of 10,000, and a tie
    assert np.array_equal(np.sign(clipped), np.sign(to_pcm(ramp)))


def test_noise_has_the_level_that_was_asked_for_and_is_the_same_every_time() -> None:
    pcm = wave(2.0)
    noisy = to_pcm(sound.add_noise(pcm.tobytes(), 20, "a"))
    noise = noisy.astype(float) - pcm
    # 20 dB: a tenth of the RMS of the tone; a second holds 24,000 samples, so within 1 %
    assert np.std(noise) == pytest.approx(np.std(pcm.astype(float)) / 10, rel=0.02)
    assert sound.add_noise(pcm.tobytes(), 20, "a") == noisy.tobytes()
    assert sound.add_noise(pcm.tobytes(), 20, "b") != noisy.tobytes()


def test_the_level_of_speech_leaves_out_its_pauses() -> None:
    speech = wave(1.0)
    with_pause = np.concatenate([speech, np.zeros(RATE * 3, np.int16), speech])
    assert sound.speech_rms(with_pause) == pytest.approx(sound.speech_rms(speech), rel=0.01)


def test_sentences_in_a_row_have_exactly_the_pause_between_them() -> None:
    clip = silence(700) + wave(0.5).tobytes() + silence(900)
    row = to_pcm(sound.in_a_row([clip, clip], 0.25, RATE))
    # each clip is audible for 12,000 samples, less the few below the threshold at its edges
    audible = audible_span(clip, RATE)
    assert audible is not None
    length = audible[1] - audible[0]
    assert row.size == 2 * length + 6000
    assert not row[length : length + 6000].any()


def test_a_reply_breaks_off_in_a_loud_place_next_to_where_it_should() -> None:
    loud, soft = wave(0.4), wave(0.4, 80.0)
    broken = to_pcm(sound.break_off(np.concatenate([loud, soft, loud]).tobytes(), 0.45, RATE))
    # 45 % of 1.2 s is 0.54 s, in the soft part; the loud part before it ends at 0.4 s
    assert broken.size == pytest.approx(sample_at(0.4, RATE), abs=sample_at(0.02, RATE))
    # its last 30 ms are at most 1.5 dB below the whole, of which two thirds are loud
    assert np.std(broken[-720:].astype(float)) >= 0.84 * np.sqrt(2 / 3) * np.std(loud.astype(float))


def test_an_echo_is_the_same_sound_later_and_softer_however_it_is_cut() -> None:
    said = wave(0.5).tobytes() + silence(9600)
    whole = to_pcm(sound.Echo(-20, RATE).push(said))
    echo = sound.Echo(-20, RATE)
    pieces = b"".join(echo.push(said[at : at + 960]) for at in range(0, len(said), 960))
    assert pieces == whole.tobytes()
    delayed = whole[sample_at(sound.ECHO_S, RATE) :]
    assert np.array_equal(delayed, np.round(to_pcm(said)[: delayed.size] * 0.1).astype(np.int16))


def test_words_are_dropped_inside_a_sentence_and_named_ones_stay() -> None:
    said = "It needs about twelve years for one journey around the sun."
    kept = drop_words(said, 0.3, "seed", ("twelve years",)).split()
    assert len(kept) == 8  # 11 words less round(3.3)
    assert kept[0] == "It" and kept[-1] == "sun."
    assert "twelve" in kept and "years" in kept
    assert drop_words(said, 0.3, "seed", ("twelve years",)).split() == kept
    assert drop_words("No way.", 0.5, "seed") == "No way."  # first and last stay


@pytest.mark.parametrize("seed", range(5))
def test_of_every_two_replies_one_is_chosen_for_a_share_of_a_half(seed: int) -> None:
    chosen = [is_chosen(number, 0.5, seed) for number in range(10)]
    assert all(first != second for first, second in zip(chosen[::2], chosen[1::2], strict=True))
    assert all(is_chosen(number, 1.0, seed) for number in range(10))


def test_doses_are_read_and_checked() -> None:
    plan = parse("late:0.8, noise")
    assert plan.get(Defect.LATE) == 0.8
    assert plan.get(Defect.NOISE) == DOSES[Defect.NOISE].usual
    assert plan.get(Defect.ECHO) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("laet:1", "did you mean 'late'"),
        ("late:soon", "no number"),
        ("late:100", "0.02 to 60 s"),
        ("noise:nan", "out of range"),
        ("late:1,late:2", "planted twice"),
    ],
)
def test_what_cannot_be_planted_is_an_error_that_says_what_can(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse(text)
