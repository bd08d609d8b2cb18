"""Real speech for tests: Piper's voice, synthesised once and kept in pytest's cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from streams.audio import Samples, to_float
from streams.resample import resample
from streams.speech.interfaces import SPEECH_RATE
from streams.speech.models import locate

PiperClip = Callable[[str], Samples]

_RECIPE = "joe, no noise, version 1"
"""Changes whenever the same text would sound otherwise."""


@pytest.fixture(scope="session")
def piper_clip(pytestconfig: pytest.Config) -> PiperClip:
    """`piper_clip(text)`: the text spoken by Piper's "joe", float32 at 16 kHz, the same every time."""
    assert pytestconfig.cache is not None
    folder = pytestconfig.cache.mkdir("piper")

    def clip(text: str) -> Samples:
        name = hashlib.sha256(f"{_RECIPE}|{text}".encode()).hexdigest()[:20]
        path = folder / f"{name}.npy"
        if not path.exists():
            _save(path, _speak(text))
        samples: Samples = np.load(path)
        return samples

    return clip


def _save(path: Path, samples: Samples) -> None:
    partial = path.with_suffix(f".{os.getpid()}.npy")
    np.save(partial, samples)
    partial.replace(path)


@cache
def _voice() -> object:
    from piper import PiperVoice

    return PiperVoice.load(locate("piper-joe"))


def _speak(text: str) -> Samples:
    from piper import SynthesisConfig

    # without noise the voice is the same every time
    style = SynthesisConfig(noise_scale=0.0, noise_w_scale=0.0)
    chunks = list(_voice().synthesize(text, style))  # type: ignore[attr-defined]
    pcm = b"".join(chunk.audio_int16_bytes for chunk in chunks)
    return to_float(resample(pcm, chunks[0].sample_rate, SPEECH_RATE))
