"""What every voice must keep, whatever its engine."""

from __future__ import annotations

import pytest

from streams.speech.audible import audible_span
from streams.speech.interfaces import SpeechError, Voice

TEXT = "The ribosome reads messenger RNA."


async def check_voice(voice: Voice, rate: int, *, repeats: bool) -> None:
    """Check the contract of `streams.speech.interfaces.Voice`.

    Args:
        voice: What is checked.
        rate: The rate it declares, in samples per second.
        repeats: Whether the same text sounds the same twice; False for engines whose documentation says
            that it may not.
    """
    identity = voice.identity
    assert identity.family
    assert identity.name
    assert identity.version
    assert voice.fingerprint
    assert voice.fingerprint == voice.fingerprint
    speech = await voice.speak(TEXT)
    assert speech.rate == rate
    assert len(speech.pcm) % 2 == 0
    span = audible_span(speech.pcm, speech.rate)
    assert span is not None
    assert 1.0 < (span[1] - span[0]) / rate < 4.0, "five words"
    if repeats:
        assert await voice.speak(TEXT) == speech
    longer = await voice.speak(f"{TEXT} {TEXT}")
    assert len(longer.pcm) > 1.5 * len(speech.pcm)
    for empty in ("", "   ", "\n\t"):
        with pytest.raises(SpeechError):
            await voice.speak(empty)
