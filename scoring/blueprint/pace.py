"""How fast somebody speaks: from the times of words, or, without a transcript, from the energy alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from scoring.audible import Segment, merge
from scoring.blueprint.record import Pause
from scoring.blueprint.sound import Sound
from streams.speech.interfaces import Transcript

SYLLABLES_PER_WORD = 1.5
"""Of English talk; what turns syllables into words where nobody wrote the words down."""

SHORTEST_PAUSE_S = 0.2
"""A shorter silence belongs to the words: closures of plosives last up to about 0.15 s."""

_STEP_S = 0.01
_SMOOTHED = 5
_DIP_DB = 2.0
_BELOW_LOUD_DB = 25.0

Floats = npt.NDArray[np.float64]


def words_of(transcript: Transcript) -> int:
    """How many words a transcript has; marks that stand alone are none."""
    return sum(any(letter.isalnum() for letter in word) for word in transcript.text.split())


def spoken_spans(transcript: Transcript, rate: int) -> tuple[Segment, ...]:
    """Where the words are, in samples, in order; pauses shorter than 0.2 s are inside."""
    spans = (
        Segment(round(max(0.0, word.start) * rate), round(word.end * rate))
        for word in transcript.words
        if word.end > max(0.0, word.start)
    )
    return merge(spans, round(SHORTEST_PAUSE_S * rate))


def pauses_between(spans: tuple[Segment, ...], rate: int) -> tuple[Pause, ...]:
    """The silences of at least 0.2 s between these spans."""
    return tuple(
        Pause(start_s=before.end / rate, end_s=after.start / rate)
        for before, after in pairwise(spans)
        if after.start - before.end >= SHORTEST_PAUSE_S * rate
    )


def syllables(sound: Sound) -> int:
    """Peaks of energy that stand 2 dB above the dip before them, within 25 dB of the loud parts.

    After N. H. de Jong, T. Wempe: Praat script to detect syllable nuclei and measure speech rate
    automatically, 2009. An estimate: fast or mumbled speech has fewer peaks than syllables.
    """
    contour = _contour(sound)
    if contour.size < 3:
        return 0
    lowest = float(np.percentile(contour, 99)) - _BELOW_LOUD_DB
    count, dip, top = 0, -np.inf, -np.inf
    rising = True
    for level in contour.tolist():
        if rising:
            top = max(top, level)
            if level < top - _DIP_DB:
                count += top >= lowest
                rising, dip = False, level
        else:
            dip = min(dip, level)
            if level > dip + _DIP_DB:
                rising, top = True, level
    return count + int(rising and top >= lowest)


def _contour(sound: Sound) -> Floats:
    """Level in dB every 10 ms, over 50 ms."""
    step = round(_STEP_S * sound.rate)
    whole = sound.pcm.size // step * step
    minute = step * 6000
    parts = [sound.pcm[at : min(at + minute, whole)].reshape(-1, step) for at in range(0, whole, minute)]
    power = np.concatenate([np.square(p, dtype=np.float32).mean(axis=1) for p in parts] or [np.zeros(0)])
    if power.size < _SMOOTHED:
        return np.zeros(0)
    shape = np.hanning(_SMOOTHED + 2)[1:-1]
    return 10 * np.log10(np.maximum(np.convolve(power, shape / shape.sum(), "same"), 1e-2))
