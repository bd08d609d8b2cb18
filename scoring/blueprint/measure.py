"""From samples to a blueprint. Pure but for the models it is given: the same samples, the same record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from scoring.blueprint import pace
from scoring.blueprint.loudness import BLOCK_S, STEPS_PER_S, measure_loudness
from scoring.blueprint.pitch import HOP, PitchTrack, track_pitch
from scoring.blueprint.record import (
    CONTOUR_POINTS,
    GROUPS,
    Blueprint,
    Cause,
    LabelsPart,
    LoudnessPart,
    Opinion,
    PacePart,
    PitchPart,
    QualityPart,
    SignalPart,
    TranscriptPart,
    VoicePart,
    WordTime,
)
from scoring.blueprint.sound import Sound, clipping, dropouts, hear, levels
from scoring.blueprint.voice import TILT_TO_HZ, spectral_tilt, steadiness
from streams.audio import Samples
from streams.speech import dnsmos
from streams.speech.classifier import VoiceClassifier
from streams.speech.dnsmos_windows import scored_samples
from streams.speech.interfaces import SPEECH_RATE, SpeechError, Transcript
from streams.speech.windows import check_mono

LOWEST_RATE = 8000

FEWEST_VOICED = 5
"""Voiced frames (10 ms each) below which nothing is said about the melody."""

Floats = npt.NDArray[np.float64]


class QualityModel(Protocol):
    """What scores the quality of a clip: `streams.speech.dnsmos.Dnsmos`."""

    def score(self, samples: Samples) -> dnsmos.Quality:
        """Score a clip of mono float32 at 16 kHz."""


@dataclass(frozen=True, slots=True)
class Instruments:
    """The models a blueprint is made with; what is None leaves its part unscored."""

    quality: QualityModel | None = None
    affect: VoiceClassifier | None = None
    accent: VoiceClassifier | None = None


def blueprint_of(
    samples: Samples,
    rate: int,
    transcript: Transcript | None = None,
    *,
    instruments: Instruments | None = None,
    no_transcript: Cause = Cause.NO_RECOGNISER,
) -> Blueprint:
    """Make the blueprint of a stretch of speech. Blocking: call it in a worker.

    Args:
        samples: Mono float32, full scale 1; any length, none included.
        rate: Samples per second, 8000 or more.
        transcript: What a recogniser made of it; its word times make the pace exact.
        instruments: The models; none if None.
        no_transcript: Why there is no transcript.

    Raises:
        SpeechError: More than one channel, not floats, or a rate below 8000.
    """
    check_mono("blueprint", samples)
    if rate < LOWEST_RATE:
        found = f"audio of {rate} Hz, expected {LOWEST_RATE} Hz or more"
        raise SpeechError("blueprint", found, "Speech of a lower rate cannot be measured.")
    maker = _Maker(samples, rate, instruments or Instruments())
    maker.transcript(transcript, no_transcript)
    if not samples.size:
        return maker.nothing(Cause.NO_AUDIO)
    if not np.isfinite(samples).all():
        return maker.nothing(Cause.NOT_FINITE)
    sound = hear(samples, rate)
    if not sound.segments:
        return maker.nothing(Cause.SILENT)
    maker.measure(sound, transcript)
    return maker.done()


class _Maker:
    """Collects the parts of one blueprint, and the cause of everything that is missing."""

    def __init__(self, samples: Samples, rate: int, instruments: Instruments) -> None:
        self._samples = samples
        self._rate = rate
        self._seconds = samples.size / rate
        self._instruments = instruments
        self._parts: dict[str, Any] = dict.fromkeys(GROUPS)
        self._unscored: dict[str, Cause] = {}

    def transcript(self, transcript: Transcript | None, cause: Cause) -> None:
        if transcript is None or transcript.no_speech:
            self._unscored["transcript"] = cause if transcript is None else Cause.NO_SPEECH
            return
        words = tuple(
            WordTime(text=word.text, start_s=_round(max(0.0, word.start), 3), end_s=_round(word.end, 3))
            for word in transcript.words
        )
        if not words:
            self._unscored["transcript.words"] = Cause.NO_WORD_TIMES
        self._parts["transcript"] = TranscriptPart(text=transcript.text, words=words or None)

    def nothing(self, cause: Cause) -> Blueprint:
        """The record of a stretch in which there is nothing to be measured."""
        for group in GROUPS:
            if self._parts[group] is None:
                self._unscored.setdefault(group, cause)
        return self.done()

    def done(self) -> Blueprint:
        return Blueprint(
            seconds=_round(self._seconds, 4),
            sample_rate=self._rate,
            unscored=dict(sorted(self._unscored.items())),
            **self._parts,
        )

    def measure(self, sound: Sound, transcript: Transcript | None) -> None:
        speech = speech_samples(self._samples, self._rate)
        track = track_pitch(speech)
        self._keep("signal", _signal(sound))
        self._keep("loudness", _loudness(self._samples, self._rate))
        self._keep("pitch", _pitch(track))
        self._keep("voice", _voice(speech, track, self._rate))
        self._keep("pace", _pace(sound, self._seconds, transcript))
        self._keep("quality", _quality(self._instruments.quality, speech, sound.speaking_s))
        for name in ("affect", "accent"):
            self._keep(name, _labels(getattr(self._instruments, name), speech))

    def _keep(self, group: str, made: _Part | Cause) -> None:
        if isinstance(made, Cause):
            self._unscored[group] = made
            return
        part, causes = made
        self._parts[group] = part
        self._unscored |= {f"{group}.{name}": cause for name, cause in causes.items()}


_Part = tuple[Any, Mapping[str, Cause]]
"""A part of the record, and why some of its fields are missing."""


def speech_samples(samples: Samples, rate: int) -> Samples:
    """A clip as the speech models hear it: float32 at 16 kHz."""
    if rate == SPEECH_RATE:
        return samples.astype(np.float32, copy=False)
    from soxr import ResampleStream

    stream = ResampleStream(rate, SPEECH_RATE, 1, dtype="float32")
    made = np.zeros(round(samples.size * SPEECH_RATE / rate), np.float32)
    at, piece = 0, 60 * rate  # a minute at a time: a long clip is never there twice
    for start in range(0, samples.size, piece):
        part = samples[start : start + piece].astype(np.float32, copy=False)
        some = stream.resample_chunk(part, last=start + piece >= samples.size)[: made.size - at]
        made[at : at + some.size] = some
        at += some.size
    return made


def _signal(sound: Sound) -> _Part:
    found = levels(sound)
    share, clipped = clipping(sound.pcm)
    count, seconds = dropouts(sound, found.speech)
    silent = found.noise is not None and not np.isfinite(found.noise)
    cause = Cause.NO_PAUSE if found.noise is None else Cause.DIGITAL_SILENCE
    noise = None if found.noise is None or silent else found.noise
    part = SignalPart(
        peak_dbfs=_round(found.peak, 2),
        speech_dbfs=_round(found.speech, 2),
        noise_floor_dbfs=None if noise is None else _round(noise, 2),
        snr_db=None if noise is None else _round(found.speech - noise, 2),
        clipped_share=_round(share, 6),
        clipped_runs=clipped,
        dropouts=count,
        dropout_s=_round(seconds, 4),
    )
    return part, {} if noise is not None else {"noise_floor_dbfs": cause, "snr_db": cause}


def _loudness(samples: Samples, rate: int) -> _Part | Cause:
    found = measure_loudness(samples, rate)
    if found is None:
        return Cause.TOO_SHORT
    if found.integrated is None:
        return Cause.SILENT
    part = LoudnessPart(
        integrated_lufs=_round(found.integrated, 3),
        sd_lu=_round(float(found.blocks.std()), 3),
        contour_lufs=_contour(found.places, found.blocks, 2),
        contour_span_s=_span(found.places, 1 / STEPS_PER_S, BLOCK_S / 2),
    )
    return part, {}


def _pitch(track: PitchTrack) -> _Part | Cause:
    if not track.hertz.size:
        return Cause.TOO_SHORT
    share = _round(float(track.voiced.mean()), 4)
    names = [name for name in PitchPart.model_fields if name != "voiced_share"]
    frames = np.flatnonzero(track.voiced)
    if frames.size < FEWEST_VOICED:
        return PitchPart(voiced_share=share, **dict.fromkeys(names)), dict.fromkeys(names, Cause.UNVOICED)
    hertz = track.hertz[frames]
    low, high = (float(value) for value in np.percentile(hertz, (5, 95)))
    part = PitchPart(
        mean_hz=_round(float(hertz.mean()), 2),
        sd_hz=_round(float(hertz.std()), 2),
        low_hz=_round(low, 2),
        high_hz=_round(high, 2),
        range_hz=_round(high - low, 2),
        range_semitones=_round(12 * float(np.log2(high / low)), 3),
        sd_semitones=_round(12 * float(np.log2(hertz).std()), 3),
        contour_hz=_contour(frames, hertz, 1),
        contour_span_s=_span(frames, HOP / SPEECH_RATE, 0),
        voiced_share=share,
    )
    return part, {}


def _voice(speech: Samples, track: PitchTrack, rate: int) -> _Part | Cause:
    if not track.hertz.size:
        return Cause.TOO_SHORT
    enough = np.count_nonzero(track.voiced) >= FEWEST_VOICED
    steady = steadiness(speech, track) if enough else None
    wide = rate / 2 >= TILT_TO_HZ * 2 ** (1 / 6)  # the highest third of an octave has its upper edge there
    tilt = spectral_tilt(speech, track) if enough and wide else None
    causes = {} if enough else {"hnr_db": Cause.UNVOICED}
    if steady is None:
        causes |= dict.fromkeys(("jitter", "shimmer"), Cause.UNVOICED)
    if tilt is None:
        causes["tilt_db_per_octave"] = Cause.UNVOICED if wide else Cause.NARROW_BAND
    part = VoicePart(
        hnr_db=_round(float(track.hnr_db.mean()), 2) if enough else None,
        jitter=None if steady is None else _round(steady.jitter, 5),
        shimmer=None if steady is None else _round(steady.shimmer, 5),
        tilt_db_per_octave=None if tilt is None else _round(tilt, 2),
    )
    return part, causes


def _pace(sound: Sound, seconds: float, transcript: Transcript | None) -> _Part:
    told = transcript is not None and not transcript.no_speech
    timed = pace.spoken_spans(transcript, sound.rate) if transcript is not None and told else ()
    spans = timed or sound.segments
    speaking = sum(span.samples for span in spans) / sound.rate
    counted = pace.syllables(sound)
    words = pace.words_of(transcript) if transcript is not None and told else None
    amount = counted / pace.SYLLABLES_PER_WORD if words is None else words
    pauses = pace.pauses_between(spans, sound.rate)
    lengths = [pause.end_s - pause.start_s for pause in pauses]
    part = PacePart(
        source="words" if timed else "energy" if words is None else "text",
        words=words,
        speech_wpm=_round(amount / seconds * 60, 1),
        articulation_wpm=_round(amount / speaking * 60, 1),
        syllables_per_s=_round(counted / sound.speaking_s, 2),
        speaking_s=_round(speaking, 3),
        pause_count=len(pauses),
        pause_total_s=_round(sum(lengths), 3),
        pause_longest_s=_round(max(lengths, default=0.0), 3),
        pauses=pauses,
    )
    return part, {} if words is not None else {"words": Cause.OTHER_SOURCE}


def _quality(model: QualityModel | None, speech: Samples, speech_s: float) -> _Part | Cause:
    if model is None:
        return Cause.NO_MODEL
    found = model.score(speech)
    plain, personal = _opinion(found.plain, found.plain_raw), _opinion(found.personal, found.personal_raw)
    scores = {f"plain.{name}": score for name, score in plain}
    scores |= {f"personal.{name}": score for name, score in personal} | {"p808": _round(found.p808, 4)}
    part = QualityPart(
        plain=plain,
        personal=personal,
        p808=scores["p808"],
        windows=found.windows,
        scored_s=_round(scored_samples(speech.size) / SPEECH_RATE, 4),
        speech_s=_round(speech_s, 3),
        too_short=found.too_short,
        out_of_range=tuple(name for name, score in scores.items() if not 1 <= score <= 5),
    )
    return part, {}


def _opinion(mapped: dnsmos.Opinion, raw: dnsmos.Opinion) -> Opinion:
    return Opinion(
        signal=_round(mapped.signal, 4),
        background=_round(mapped.background, 4),
        overall=_round(mapped.overall, 4),
        raw_signal=_round(raw.signal, 4),
        raw_background=_round(raw.background, 4),
        raw_overall=_round(raw.overall, 4),
    )


def _labels(provider: VoiceClassifier | None, speech: Samples) -> _Part | Cause:
    if provider is None:
        return Cause.NO_PROVIDER
    try:
        scores = provider.classify(speech)
    except SpeechError:
        return Cause.PROVIDER_FAILED
    if not scores or not all(np.isfinite(score) for score in scores.values()):
        return Cause.PROVIDER_FAILED
    part = LabelsPart(
        provider=provider.identity.name, scores={name: _round(score, 3) for name, score in scores.items()}
    )
    return part, {}


def _contour(places: npt.NDArray[np.int64], values: Floats, digits: int) -> tuple[float, ...]:
    """20 evenly spaced points from the first place to the last, on straight lines between the values."""
    points = np.interp(np.linspace(places[0], places[-1], CONTOUR_POINTS), places, values)
    return tuple(_round(float(point), digits) for point in points)


def _span(places: npt.NDArray[np.int64], step_s: float, middle_s: float) -> tuple[float, float]:
    """Times of the first and the last of some frames, in seconds, each at its middle."""
    first, last = (_round(int(place) * step_s + middle_s, 3) for place in places[[0, -1]])
    return first, last


def _round(value: float, digits: int) -> float:
    return round(value, digits) + 0.0  # no negative zero
