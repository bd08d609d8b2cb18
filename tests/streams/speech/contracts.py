"""What every recogniser must keep, whatever its engine."""

from __future__ import annotations

import numpy as np
import pytest

from streams.audio import Samples
from streams.speech.interfaces import SPEECH_RATE, Recogniser, SpeechError, Transcript

NOTHING = Transcript("", no_speech=True)


async def check_recogniser(recogniser: Recogniser, speech: Samples | None, expect: str | None) -> None:
    """Check the contract of `streams.speech.interfaces.Recogniser`.

    Args:
        recogniser: What is checked.
        speech: A spoken clip, float32 at 16 kHz; None to check only what holds for silence.
        expect: What the transcript must contain, in lower case; None if it may be anything.
    """
    identity = recogniser.identity
    assert identity.family
    assert identity.name
    assert identity.version
    await _check_that_silence_yields_nothing(recogniser)
    await _check_that_wrong_audio_is_refused(recogniser)
    if speech is not None:
        await _check_speech(recogniser, speech, expect)


async def _check_that_silence_yields_nothing(recogniser: Recogniser) -> None:
    noise = np.random.default_rng(1).normal(0, 10 ** (-60 / 20), 30 * SPEECH_RATE)  # -60 dBFS RMS
    for clip in (
        np.zeros(0, np.float32),
        np.zeros(1, np.float32),
        np.zeros(1000, np.float32),  # 62.5 ms
        np.zeros(SPEECH_RATE, np.float32),
        np.full(3 * SPEECH_RATE, 0.02, np.float32),  # a DC offset is not speech
        noise.astype(np.float32),
    ):
        assert await recogniser.transcribe(clip) == NOTHING, f"{clip.size} samples without speech"


async def _check_that_wrong_audio_is_refused(recogniser: Recogniser) -> None:
    for wrong in (np.zeros((SPEECH_RATE, 2), np.float32), np.zeros(SPEECH_RATE, np.int16)):
        with pytest.raises(SpeechError):
            await recogniser.transcribe(wrong)  # type: ignore[arg-type]


async def _check_speech(recogniser: Recogniser, speech: Samples, expect: str | None) -> None:
    first = await recogniser.transcribe(speech)
    assert not first.no_speech
    assert await recogniser.transcribe(np.zeros(SPEECH_RATE, np.float32)) == NOTHING  # never the last text
    assert await recogniser.transcribe(speech) == first, "the same clip twice"
    if expect is not None:
        assert expect in first.text.lower()
    duration = speech.size / SPEECH_RATE
    starts = [word.start for word in first.words]
    assert starts == sorted(starts)
    for word in first.words:
        assert 0 <= word.start <= word.end <= duration
