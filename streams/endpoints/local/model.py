"""What a local endpoint asks of the model behind it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from streams.audio import Samples, to_pcm16


class ModelFailed(RuntimeError):
    """The code or program behind the endpoint failed; says what it said last."""


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of a reply.

    Attributes:
        pcm: PCM16 at `rate`; may be empty.
        rate: Samples per second; 0 is the endpoint's output rate.
        text: Words that begin with it.
    """

    pcm: bytes
    rate: int = 0
    text: str = ""


class Model(Protocol):
    """One session's model."""

    async def start(self) -> None:
        """The call begins. Raises `ModelFailed`."""

    def hear(self, frame: Samples) -> bool | None:
        """A frame of the user: True ends the turn, False goes on with it, None leaves it to the level."""

    def reply(self, audio: Samples) -> AsyncGenerator[Said, None]:
        """Answer a turn, mono in [-1, 1) at the input rate. Raises `ModelFailed`."""

    async def close(self) -> None:
        """The call is over."""


def pcm_of(audio: object) -> bytes:
    """A model's audio as PCM16.

    Args:
        audio: One-dimensional, or with one channel; float in [-1, 1] or int16; arrays and tensors.

    Raises:
        ModelFailed: It is something else; says what was expected.
    """
    for step in ("detach", "cpu"):  # tensors
        if hasattr(audio, step):
            audio = getattr(audio, step)()
    if hasattr(audio, "float") and hasattr(audio, "numpy"):
        audio = audio.float().numpy()
    expected = "expected a one-dimensional array of float32 in [-1, 1], or of int16"
    try:
        array = np.asarray(audio)
    except (ValueError, TypeError) as error:
        raise ModelFailed(f"a reply of {type(audio).__name__}, {expected}") from error
    if array.dtype == object or array.ndim == 0:
        raise ModelFailed(f"a reply of {type(audio).__name__}, {expected}")
    array = np.squeeze(array) if array.ndim > 1 and min(array.shape) == 1 else array
    if array.ndim != 1:
        raise ModelFailed(f"a reply of shape {array.shape}, {expected}")
    if array.dtype == np.int16:
        return array.tobytes()
    if not np.issubdtype(array.dtype, np.floating):
        raise ModelFailed(f"a reply of {array.dtype}, {expected}")
    if not np.isfinite(array).all():
        raise ModelFailed(f"a reply with samples that are no numbers, {expected}")
    if array.size and float(np.abs(array).max()) > 8.0:  # a little over 1 is clipped; this is another scale
        raise ModelFailed(f"a reply with samples up to {float(np.abs(array).max()):g}, {expected}")
    return to_pcm16(np.clip(array.astype(np.float32), -1.0, 1.0))
