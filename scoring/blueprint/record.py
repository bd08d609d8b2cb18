"""The record itself. What could not be measured is None, and `unscored` says why: never 0, never NaN."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

BLUEPRINT_VERSION = 2
"""Raised whenever values change: blueprints of different versions are not comparable.

The field `Blueprint.version` admits no other."""

CONTOUR_POINTS = 20
"""Points of a contour, from the stretch's first measurement to its last, evenly spaced."""


class Cause(StrEnum):
    """Why something is missing."""

    NO_AUDIO = "no_audio"  # not a single sample
    NOT_FINITE = "not_finite"  # samples that are no numbers
    SILENT = "silent"  # nothing in it can be heard
    TOO_SHORT = "too_short"
    UNVOICED = "unvoiced"  # nothing in it has a pitch, or too little
    NO_PAUSE = "no_pause"  # no background between the speech, so no noise to be measured
    DIGITAL_SILENCE = "digital_silence"  # between the speech are zeros: no noise at all
    NARROW_BAND = "narrow_band"  # the rate is too low for it
    NO_PROVIDER = "no_provider"  # nobody was asked
    PROVIDER_FAILED = "provider_failed"
    NO_MODEL = "no_model"
    NO_RECOGNISER = "no_recogniser"
    RECOGNISER_FAILED = "recogniser_failed"
    NO_SPEECH = "no_speech"  # the recogniser found no words
    NO_WORD_TIMES = "no_word_times"
    WITHHELD = "withheld"  # measured, and taken out on purpose
    OTHER_SOURCE = "other_source"  # measured from words or from energy, whichever this is not


class Part(BaseModel):
    """A part of the record: immutable, and strict about its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Opinion(Part):
    """DNSMOS P.835, as it is published (mapped) and as the network gives it (raw); about 1 to 5.

    Values outside 1 to 5 are kept as they are.
    """

    signal: float
    background: float
    overall: float
    raw_signal: float
    raw_background: float
    raw_overall: float


class QualityPart(Part):
    """How good it sounds, by DNSMOS: predicted opinion scores, 1 (bad) to 5 (excellent).

    Attributes:
        plain: P.835.
        personal: P.835, personalised: other talkers count as background.
        p808: P.808.
        windows: Windows of 9.01 s they are means of.
        scored_s: Seconds that are in one of them.
        speech_s: Seconds of the stretch in which something can be heard.
        too_short: The clip is shorter than 1 s, and was repeated: do not rely on the scores.
        out_of_range: Scores below 1 or above 5, by their place: kept as they are, but on no scale.
    """

    plain: Opinion
    personal: Opinion
    p808: float
    windows: int
    scored_s: float
    speech_s: float
    too_short: bool
    out_of_range: tuple[str, ...] = ()


class PitchPart(Part):
    """The voice's melody, over voiced frames of 10 ms, between 65 and 500 Hz.

    Attributes:
        low_hz: 5th percentile.
        high_hz: 95th percentile.
        range_hz: From low to high.
        range_semitones: The same on a musical scale: comparable between low and high voices.
        contour_hz: 20 points from the first to the last voiced frame, unvoiced ones bridged.
        contour_span_s: Times of its first and last point.
        voiced_share: Voiced frames of all frames, 0 to 1.
    """

    mean_hz: float | None
    sd_hz: float | None
    low_hz: float | None
    high_hz: float | None
    range_hz: float | None
    range_semitones: float | None
    sd_semitones: float | None
    contour_hz: tuple[float, ...] | None
    contour_span_s: tuple[float, float] | None
    voiced_share: float


class LoudnessPart(Part):
    """How loud it is (ITU-R BS.1770-4: blocks of 400 ms, 75 % overlap, gated).

    Attributes:
        integrated_lufs: Of the whole stretch; a full-scale sine of 997 Hz is -3.01.
        sd_lu: Standard deviation of the blocks that pass the gates.
        contour_lufs: 20 points from the first to the last of those blocks, the others bridged.
        contour_span_s: Times of its first and last point: the middles of those blocks.
    """

    integrated_lufs: float
    sd_lu: float
    contour_lufs: tuple[float, ...]
    contour_span_s: tuple[float, float]


class Pause(Part):
    """Silence inside the speech, in seconds from the start of the stretch."""

    start_s: float
    end_s: float


class PacePart(Part):
    """How fast it is spoken.

    Attributes:
        source: "words" (a transcript with word times), "text" (one without) or "energy" (no transcript:
            words are estimated from syllables, at 1.5 a word).
        words: How many; None if they were estimated.
        speech_wpm: Words per minute of the stretch.
        articulation_wpm: Words per minute of speaking, pauses left out.
        syllables_per_s: Peaks of energy per second of speaking.
        speaking_s: Seconds in which somebody speaks.
        pauses: Silences of at least 0.2 s between the first and the last sound.
    """

    source: Literal["words", "text", "energy"]
    words: int | None
    speech_wpm: float | None
    articulation_wpm: float | None
    syllables_per_s: float | None
    speaking_s: float
    pause_count: int
    pause_total_s: float
    pause_longest_s: float
    pauses: tuple[Pause, ...]


class VoicePart(Part):
    """How the voice itself sounds.

    Attributes:
        hnr_db: Harmonics-to-noise ratio, mean over voiced frames: below about 7 hoarse or noisy.
        jitter: Mean change from one period to the next, as a share of the period.
        shimmer: Mean change of amplitude from one period to the next, as a share of the amplitude.
        tilt_db_per_octave: Slope of the voiced spectrum, 125 Hz to 4 kHz: flatter is brighter, or pressed.
    """

    hnr_db: float | None
    jitter: float | None
    shimmer: float | None
    tilt_db_per_octave: float | None


class SignalPart(Part):
    """What happened to the signal.

    Attributes:
        peak_dbfs: Largest sample; 0 is full scale.
        speech_dbfs: RMS level of the audible stretches.
        noise_floor_dbfs: RMS level between them.
        snr_db: The difference.
        clipped_share: Samples at full scale of all samples.
        clipped_runs: Runs of three and more of them.
        dropouts: Runs of at least 5 ms of zeros that begin in the middle of sound.
        dropout_s: Seconds of those.
    """

    peak_dbfs: float | None
    speech_dbfs: float | None
    noise_floor_dbfs: float | None
    snr_db: float | None
    clipped_share: float
    clipped_runs: int
    dropouts: int
    dropout_s: float


class WordTime(Part):
    """A word of a transcript, in seconds from the start of the stretch."""

    text: str
    start_s: float
    end_s: float


class TranscriptPart(Part):
    """What a recogniser made of it."""

    text: str
    words: tuple[WordTime, ...] | None


class LabelsPart(Part):
    """A classifier's scores by label, 0 to 1, and which classifier."""

    provider: str
    scores: dict[str, float]


class Blueprint(Part):
    """One stretch of speech.

    Attributes:
        version: `BLUEPRINT_VERSION`.
        seconds: Its length.
        sample_rate: Of the audio as it was given.
        affect: Scores of an affect classifier.
        accent: Scores of an accent classifier.
        unscored: Why something is missing, by its place ("pitch", "voice.hnr_db").
    """

    version: Literal[2] = 2
    seconds: float
    sample_rate: int
    quality: QualityPart | None
    pitch: PitchPart | None
    loudness: LoudnessPart | None
    pace: PacePart | None
    voice: VoicePart | None
    signal: SignalPart | None
    transcript: TranscriptPart | None
    affect: LabelsPart | None
    accent: LabelsPart | None
    unscored: dict[str, Cause] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _complete(self) -> Blueprint:
        """Every missing value has a cause, every cause a missing value, and every number is one."""
        missing = set(_missing(self))
        if missing != set(self.unscored):
            odd = ", ".join(sorted(missing ^ set(self.unscored)))
            raise ValueError(f"blueprint: causes and missing values differ at {odd}")
        for place, number in _numbers(self.model_dump(), ""):
            if not math.isfinite(number):
                raise ValueError(f"blueprint: {place} is {number}; what cannot be measured is None")
        return self

    def to_json(self) -> dict[str, Any]:
        """Plain data that strict JSON can hold."""
        return self.model_dump(mode="json")


GROUPS = ("quality", "pitch", "loudness", "pace", "voice", "signal", "transcript", "affect", "accent")
"""The parts of a blueprint."""


def _missing(blueprint: Blueprint) -> Iterator[str]:
    for group in GROUPS:
        part = getattr(blueprint, group)
        if part is None:
            yield group
            continue
        yield from (f"{group}.{name}" for name in type(part).model_fields if getattr(part, name) is None)


def _numbers(value: Any, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _numbers(item, f"{place}[{index}]")
    elif isinstance(value, float):
        yield place, value
