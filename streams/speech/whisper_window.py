"""Whisper's window of 30 s for less than its price: most of it is silence behind a short clip.

A clip is encoded with some silence behind it, up to a multiple of 2.5 s, not with all that is missing to
30 s. A decoder that attends to much less than it was trained with goes in circles, or on where a clip has
ended. But what the encoder makes of silence is the same every time, except near a clip: its states are made
once, and put behind those of each clip.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech.interfaces import SPEECH_RATE

FRAMES = 3000
"""Of 10 ms, in a window."""

FRAMES_PER_S = 100
STEP_FRAMES = 250

Features = npt.NDArray[np.float32]
"""Log-mel, shape (bands, FRAMES), or of several clips, shape (clips, bands, FRAMES); 0 behind a clip."""


@dataclass(frozen=True, slots=True)
class Window:
    """How much of the window a model needs.

    Attributes:
        tail: Least silence that is encoded behind a clip, in frames of 10 ms.
        filled: States of silence are put behind it up to so many frames.
    """

    tail: int
    filled: int = 0

    def encoded(self, frames: int) -> int:
        """Frames that are encoded for a clip of so many."""
        return min(FRAMES, -(-(frames + self.tail) // STEP_FRAMES) * STEP_FRAMES)

    def attended(self, samples: int) -> int:
        """Frames to which the decoder attends for a clip of so many samples at 16 kHz."""
        return max(self.filled, self.encoded(samples * FRAMES_PER_S // SPEECH_RATE))


WHOLE = Window(FRAMES)


def windows(model: Any, clips: Sequence[Samples]) -> Features:
    """Features of clips (float32, 16 kHz, 30 s at most), each in a window of its own."""
    features = np.zeros((len(clips), _bands(model), FRAMES), np.float32)
    for row, clip in zip(features, clips, strict=True):
        heard = model.feature_extractor(clip)[
            :, :-1
        ]  # the last is beyond the clip; a clip alone lacks it, too
        row[:, : heard.shape[1]] = heard[:, :FRAMES]
    return features


def through(model: Any, window: Window) -> Any:
    """The same model, which hears clips through this window and encodes each of several for itself.

    On a processor one by one is quicker than several at a time (per clip of 10 s 0.22 against 0.28 s).

    Args:
        model: A `faster_whisper.WhisperModel`.
        window: Clips that are encoded in one call are attended to in as many frames.
    """
    from ctranslate2 import StorageView

    silence = _silence(model, window.filled)

    def encoded(clip: Features) -> Any:
        used = np.flatnonzero(clip.any(axis=0))
        frames = window.encoded(int(used[-1]) + 1 if used.size else 0)
        states = np.asarray(model.encode(np.ascontiguousarray(clip[:, :frames])))
        return (
            states if silence is None else np.concatenate([states, silence[:, states.shape[1] :]], axis=1)
        )

    def encode(features: Features) -> Any:
        clips = features if features.ndim == 3 else features[np.newaxis]
        return StorageView.from_array(np.concatenate([encoded(clip) for clip in clips]))

    return _encoding(model, encode)


def _silence(model: Any, frames: int) -> npt.NDArray[np.float32]:
    """States of a window in which nobody speaks, shape (1, frames / 2, width)."""
    if not frames:
        return np.empty((1, 0, 0), np.float32)
    states: npt.NDArray[np.float32] = np.array(model.encode(np.zeros((_bands(model), FRAMES), np.float32)))
    return states[:, : frames // 2]


def _bands(model: Any) -> int:
    bands: int = model.feature_extractor.mel_filters.shape[0]
    return bands


def _encoding(model: Any, encode: Callable[[Features], Any]) -> Any:
    made = copy.copy(model)
    made.encode = encode
    return made
