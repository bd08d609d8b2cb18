"""The whole record: bad input, what must not change it, and what it may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import soxr

from recordings.strict_json import encode
from scoring.blueprint.measure import Instruments, blueprint_of
from scoring.blueprint.record import GROUPS, Blueprint, Cause
from streams.audio import Samples
from streams.speech.dnsmos import Opinion, Quality
from streams.speech.interfaces import ModelIdentity, SpeechError, Transcript, Word
from tests.scoring.blueprint.sounds import noise, quiet, talk, vowel

RATE = 16000


class Listener:
    """A quality model whose scores say what it was given."""

    def score(self, samples: Samples) -> Quality:
        level = float(np.sqrt(np.mean(np.square(samples))))
        seconds = samples.size / RATE
        return Quality(
            plain=Opinion(level, 2, 3),
            plain_raw=Opinion(1, 2, 3),
            personal=Opinion(1, 2, 3),
            personal_raw=Opinion(1, 2, 3),
            p808=seconds,
            windows=1,
            repeated=True,
            too_short=seconds < 1,
        )


class Moods:
    """A classifier."""

    identity = ModelIdentity("test", "moods", "1")

    def __init__(self, scores: Mapping[str, float]) -> None:
        self.scores = scores

    def classify(self, samples: Samples) -> Mapping[str, float]:
        if not self.scores:
            raise SpeechError("moods", "it is out of sorts")
        return self.scores


TOLD = Transcript("one two three", (Word("one", 0.1, 0.4), Word("two", 0.5, 0.9), Word("three", 1.5, 2.0)))


def test_a_record_is_strict_json_and_reads_back_as_itself() -> None:
    tools = Instruments(Listener(), Moods({"happy": 0.7, "sad": 0.3}), Moods({"scottish": 1.0}))
    made = blueprint_of(talk(), RATE, TOLD, instruments=tools)
    assert Blueprint.model_validate_json(encode(made)) == made
    assert made.to_json()["version"] == 2
    assert made.unscored.keys() <= {"signal.noise_floor_dbfs", "signal.snr_db"}


@pytest.mark.parametrize(
    ("clip", "cause"),
    [
        (quiet(0), Cause.NO_AUDIO),
        (quiet(2), Cause.SILENT),
        (np.full(RATE, 0.2, np.float32), Cause.SILENT),  # a constant is no sound
        (np.array([0.1, np.nan] * 8000, np.float32), Cause.NOT_FINITE),
        (np.array([0.1, np.inf] * 8000, np.float32), Cause.NOT_FINITE),
    ],
)
def test_what_holds_nothing_to_measure_is_unscored_with_one_cause(clip: Samples, cause: Cause) -> None:
    made = blueprint_of(clip, RATE, instruments=Instruments(Listener()))
    assert made.unscored == {g: cause for g in GROUPS if g != "transcript"} | {
        "transcript": Cause.NO_RECOGNISER
    }
    assert all(getattr(made, group) is None for group in GROUPS)
    encode(made)


def test_a_tenth_of_a_second_has_what_can_be_told_and_causes_for_the_rest() -> None:
    made = blueprint_of(vowel(150, 0.1), RATE, instruments=Instruments(Listener()))
    assert made.seconds == 0.1
    assert made.unscored["loudness"] is Cause.TOO_SHORT  # less than a block of 0.4 s
    assert made.unscored["voice.jitter"] is Cause.UNVOICED  # less than 20 periods
    assert made.quality is not None and made.quality.too_short
    assert made.pitch is not None and made.pitch.mean_hz == pytest.approx(150, abs=1)
    assert blueprint_of(vowel(150, 0.04), RATE).unscored["pitch"] is Cause.TOO_SHORT  # no frame of 46 ms


class Unfitted:
    """A quality model that answers off the scale."""

    def score(self, samples: Samples) -> Quality:
        good = Opinion(3.0, 1.0, 5.0)
        return Quality(Opinion(5.9, 2, -0.1), good, good, Opinion(3, 3, 0.99), 5.01, 1, True, False)


def test_scores_off_the_scale_are_kept_and_named() -> None:
    part = blueprint_of(talk(), RATE, instruments=Instruments(Unfitted())).quality
    assert part is not None
    assert (part.plain.signal, part.plain.overall, part.p808) == (
        5.9,
        -0.1,
        5.01,
    )  # neither clipped nor lost
    assert part.out_of_range == ("plain.signal", "plain.overall", "personal.raw_overall", "p808")
    within = blueprint_of(talk(), RATE, instruments=Instruments(Dnsmoslike())).quality
    assert within is not None and within.out_of_range == ()


class Dnsmoslike(Unfitted):
    """One that stays on it, both ends included."""

    def score(self, samples: Samples) -> Quality:
        ends = Opinion(1.0, 5.0, 3.0)
        return Quality(ends, ends, ends, ends, 5.0, 1, True, False)


def test_it_is_told_how_much_was_scored_and_how_much_of_it_is_speech() -> None:
    # half a second of voice, a second of silence, half a second of voice
    clip = np.concatenate([vowel(150, 0.5), quiet(1), vowel(150, 0.5)])
    part = blueprint_of(clip, RATE, instruments=Instruments(Listener())).quality
    assert part is not None
    assert part.scored_s == 2.0
    assert part.speech_s == pytest.approx(1.0, abs=0.03)


def test_noise_alone_is_heard_and_has_no_melody() -> None:
    made = blueprint_of(noise(1, 0.1), RATE)
    assert made.pitch is not None and made.pitch.mean_hz is None
    assert made.unscored["pitch.mean_hz"] is Cause.UNVOICED
    assert made.unscored["signal.snr_db"] is Cause.NO_PAUSE
    assert made.loudness is not None


def test_a_voice_between_digital_silence_has_no_noise_to_be_measured() -> None:
    made = blueprint_of(talk(), RATE)
    assert made.unscored["signal.noise_floor_dbfs"] is Cause.DIGITAL_SILENCE


def test_at_8_khz_everything_is_measured_but_what_needs_the_upper_half() -> None:
    made = blueprint_of(talk(8000), 8000, instruments=Instruments(Listener()))
    assert made.unscored["voice.tilt_db_per_octave"] is Cause.NARROW_BAND
    assert made.quality is not None and made.quality.p808 == pytest.approx(made.seconds, abs=1e-3)
    assert made.pitch is not None and made.pitch.mean_hz is not None


@pytest.mark.parametrize(
    ("clip", "rate", "said"),
    [
        (np.zeros((1000, 2), np.float32), 16000, "shape"),
        (np.zeros(1000, np.int16), 16000, "int16"),
        (vowel(150, 0.5), 4000, "4000 Hz"),
    ],
)
def test_what_would_be_measured_wrongly_is_refused(clip: Samples, rate: int, said: str) -> None:
    with pytest.raises(SpeechError, match=said):
        blueprint_of(clip, rate)


def test_clipped_speech_is_measured_and_told() -> None:
    made = blueprint_of(np.clip(8 * talk(), -1, 1), RATE)
    assert made.signal is not None
    assert made.signal.clipped_share > 0.01
    assert made.signal.clipped_runs > 50
    assert made.signal.peak_dbfs == pytest.approx(0, abs=0.01)
    assert made.pitch is not None and made.pitch.mean_hz == pytest.approx(175, abs=4)


def test_six_decibels_more_are_6_lu_and_change_neither_pitch_nor_pace() -> None:
    soft, loud = blueprint_of(talk(), RATE), blueprint_of(talk() * np.float32(10 ** (6 / 20)), RATE)
    assert soft.loudness is not None and loud.loudness is not None
    assert loud.loudness.integrated_lufs - soft.loudness.integrated_lufs == pytest.approx(6, abs=0.01)
    assert loud.loudness.sd_lu == pytest.approx(soft.loudness.sd_lu, abs=0.01)
    assert loud.pitch == soft.pitch
    assert loud.pace is not None and soft.pace is not None
    assert loud.pace.pause_count == soft.pace.pause_count
    assert loud.pace.articulation_wpm == pytest.approx(soft.pace.articulation_wpm, rel=0.01)


def test_silence_around_it_leaves_pitch_and_pauses() -> None:
    bare = blueprint_of(talk(), RATE)
    padded = blueprint_of(np.concatenate([quiet(1), talk(), quiet(2)]), RATE)
    assert bare.pitch is not None and padded.pitch is not None
    assert bare.pace is not None and padded.pace is not None
    assert padded.pitch.mean_hz == pytest.approx(bare.pitch.mean_hz, abs=0.5)
    assert padded.pitch.contour_hz == pytest.approx(bare.pitch.contour_hz, abs=2)
    assert padded.pace.pause_count == bare.pace.pause_count == 1
    assert padded.pace.articulation_wpm == bare.pace.articulation_wpm
    shift = padded.pace.pauses[0].start_s - bare.pace.pauses[0].start_s
    assert shift == pytest.approx(1, abs=0.001)


def test_the_same_sound_at_48_khz_is_the_same_record() -> None:
    clip = talk()
    low = blueprint_of(clip, RATE)
    high = blueprint_of(soxr.resample(clip, RATE, 48000), 48000)
    assert low.pitch is not None and high.pitch is not None
    assert low.loudness is not None and high.loudness is not None
    assert high.pitch.mean_hz == pytest.approx(low.pitch.mean_hz, rel=0.002)
    assert high.loudness.integrated_lufs == pytest.approx(low.loudness.integrated_lufs, abs=0.01)


def test_the_pace_comes_from_the_times_of_words_if_there_are_any() -> None:
    pace = blueprint_of(talk(), RATE, TOLD).pace
    assert pace is not None
    assert pace.source == "words"
    assert pace.words == 3
    assert pace.speaking_s == 1.3  # 0.1-0.9 (the gap of 0.1 s belongs to the words) and 1.5-2.0
    assert pace.articulation_wpm == 138.5  # 3 / 1.3 * 60
    assert pace.speech_wpm == round(3 / (talk().size / RATE) * 60, 1)
    assert [(p.start_s, p.end_s) for p in pace.pauses] == [(0.9, 1.5)]


def test_without_a_transcript_the_pace_is_estimated_and_says_so() -> None:
    made = blueprint_of(talk(), RATE)
    assert made.pace is not None
    assert made.pace.source == "energy"
    assert made.unscored["pace.words"] is Cause.OTHER_SOURCE
    assert made.pace.syllables_per_s == pytest.approx(6 / made.pace.speaking_s, abs=0.01)
    assert made.pace.pause_longest_s == pytest.approx(0.5, abs=0.05)


def test_a_transcript_without_times_counts_words_and_one_without_words_divides_by_nothing() -> None:
    plain = blueprint_of(talk(), RATE, Transcript("four words are here"))
    assert plain.pace is not None and plain.pace.source == "text" and plain.pace.words == 4
    assert plain.unscored["transcript.words"] is Cause.NO_WORD_TIMES
    silent = blueprint_of(talk(), RATE, Transcript("", no_speech=True))
    assert silent.unscored["transcript"] is Cause.NO_SPEECH
    assert silent.pace is not None and silent.pace.source == "energy"


def test_affect_and_accent_are_optional_and_a_failure_is_no_score() -> None:
    made = blueprint_of(talk(), RATE, instruments=Instruments(affect=Moods({"happy": 0.75})))
    assert made.affect is not None and made.affect.scores == {"happy": 0.75}
    assert made.affect.provider == "moods"
    assert made.unscored["accent"] is Cause.NO_PROVIDER
    for bad in ({}, {"happy": float("nan")}):
        failed = blueprint_of(talk(), RATE, instruments=Instruments(affect=Moods(bad)))
        assert failed.unscored["affect"] is Cause.PROVIDER_FAILED


@pytest.mark.parametrize(
    "change",
    [
        {"unscored": {}},
        {"seconds": float("nan")},
        {"unscored": {"pitch": Cause.SILENT}},
    ],
)
def test_a_record_without_a_cause_or_with_a_number_that_is_none_cannot_be_made(
    change: dict[str, Any],
) -> None:
    made = blueprint_of(talk(), RATE)
    with pytest.raises(ValueError, match="blueprint"):
        Blueprint(**(dict(made) | change))


def test_two_hours_are_measured_in_pieces() -> None:
    clip = np.zeros(7200 * 8000, np.float32)
    clip[3600 * 8000 : 3600 * 8000 + talk(8000).size] = talk(8000)
    made = blueprint_of(clip, 8000)
    assert made.seconds == 7200
    assert made.pitch is not None and made.pitch.mean_hz == pytest.approx(175, abs=4)
    assert made.loudness is not None
    assert made.loudness.contour_span_s[0] == pytest.approx(3600, abs=0.5)
