"""Audio values: formats, 20 ms frames, and the arithmetic of 16-bit samples.

Inside the process audio is always mono PCM16 little-endian, at the wire's rate. G.711 exists only on
the wire (`streams.g711`); float32 in [-1, 1) only where maths needs it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

FRAME_MS = 20
"""Length of a frame in milliseconds: the tick of every session."""

FRAME_S = FRAME_MS / 1000
"""Length of a frame in seconds."""

FULL_SCALE = 32768
"""Magnitude of the most negative PCM16 sample; float 1.0."""

Samples = npt.NDArray[np.float32]
"""Mono float32 samples in [-1, 1), shape (n,)."""

Pcm = npt.NDArray[np.int16]
"""Mono int16 samples, shape (n,)."""


class AudioFormatError(ValueError):
    """A declared audio format that is not known, or bytes that do not fit the format."""


class Encoding(StrEnum):
    """How one sample is coded on the wire."""

    PCM16 = "pcm16"
    MULAW = "mulaw"
    ALAW = "alaw"


_SPELLINGS: dict[str, Encoding] = {
    "pcm16": Encoding.PCM16,
    "pcm": Encoding.PCM16,
    "audio/pcm": Encoding.PCM16,
    "pcm_s16le": Encoding.PCM16,
    "s16le": Encoding.PCM16,
    "linear16": Encoding.PCM16,
    "audio/l16": Encoding.PCM16,
    "g711_ulaw": Encoding.MULAW,
    "pcmu": Encoding.MULAW,
    "audio/pcmu": Encoding.MULAW,
    "mulaw": Encoding.MULAW,
    "ulaw": Encoding.MULAW,
    "audio/x-mulaw": Encoding.MULAW,
    "g711_alaw": Encoding.ALAW,
    "pcma": Encoding.ALAW,
    "audio/pcma": Encoding.ALAW,
    "alaw": Encoding.ALAW,
    "audio/x-alaw": Encoding.ALAW,
}

_RATE_SUFFIX = re.compile(r"^(?P<name>.*?)(?:\s*;\s*rate=(?P<rate>\d+)|_(?P<suffix>\d{4,6})(?:hz)?)?$")


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """Mono audio on a wire.

    Attributes:
        rate: Samples per second.
        encoding: How a sample is coded; PCM16 takes two bytes, G.711 one.
    """

    rate: int
    encoding: Encoding = Encoding.PCM16

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.rate * FRAME_MS % 1000:
            raise AudioFormatError(
                f"audio rate {self.rate} Hz: a {FRAME_MS} ms frame must hold a whole number of samples"
            )

    @property
    def bytes_per_sample(self) -> int:
        """Two for PCM16, one for G.711."""
        return 2 if self.encoding is Encoding.PCM16 else 1

    @property
    def frame_samples(self) -> int:
        """Samples in one frame."""
        return self.rate * FRAME_MS // 1000

    def samples(self, size: int) -> int:
        """Samples in `size` bytes; a part of a sample is an error."""
        whole, rest = divmod(size, self.bytes_per_sample)
        if rest:
            raise AudioFormatError(f"{size} bytes are no whole number of {self.encoding} samples")
        return whole

    def seconds(self, size: int) -> float:
        """Duration of `size` bytes in seconds."""
        return self.samples(size) / self.rate

    @classmethod
    def parse(cls, spec: str | Mapping[str, object], default_rate: int | None = None) -> AudioFormat:
        """Read a format in any of the spellings that endpoints use.

        Args:
            spec: `"g711_ulaw"`, `"audio/pcm;rate=24000"`, `"pcm_16000"`, `{"type": "audio/pcmu"}`, ...
            default_rate: Rate when the spelling names none; G.711 is 8000 Hz by definition.

        Raises:
            AudioFormatError: The name is not known, or no rate is named and none is given. There is
                no default encoding: a wrong guess changes every time and pitch in silence.
        """
        rate: object = None
        if isinstance(spec, Mapping):
            rate = spec.get("rate", spec.get("sample_rate"))
            name = str(spec.get("type", spec.get("encoding", "")))
        else:
            name = spec
        match = _RATE_SUFFIX.match(name.strip().lower())
        assert match is not None  # every part is optional
        encoding = _SPELLINGS.get(match["name"])
        if encoding is None:
            known = ", ".join(sorted(_SPELLINGS))
            raise AudioFormatError(f"audio format {name!r} is not known; known are {known}")
        fallback = default_rate if encoding is Encoding.PCM16 else 8000
        given = next((r for r in (rate, match["rate"], match["suffix"], fallback) if r is not None), None)
        if given is None:
            raise AudioFormatError(f"audio format {name!r} names no sample rate")
        if not str(given).isdecimal():
            raise AudioFormatError(
                f"audio format {name!r} has rate {given!r}, expected whole samples per second"
            )
        return cls(int(str(given)), encoding)


@dataclass(frozen=True, slots=True)
class Frame:
    """A stretch of mono PCM16 audio, usually 20 ms.

    Attributes:
        pcm: Little-endian 16-bit samples.
        rate: Samples per second.
    """

    pcm: bytes
    rate: int

    @property
    def samples(self) -> int:
        """Length in samples."""
        return len(self.pcm) // 2

    @property
    def silent(self) -> bool:
        """True if every sample is zero."""
        return not self.pcm.strip(b"\0")


def silence(samples: int) -> bytes:
    """PCM16 silence of `samples` samples."""
    return bytes(2 * samples)


def to_pcm(data: bytes) -> Pcm:
    """View PCM16 bytes as int16 samples."""
    return np.frombuffer(data, dtype="<i2")


def to_float(data: bytes | Pcm) -> Samples:
    """PCM16 to float32 in [-1, 1)."""
    pcm = to_pcm(data) if isinstance(data, bytes) else data
    return pcm.astype(np.float32) / np.float32(FULL_SCALE)


def to_pcm16(samples: npt.NDArray[np.floating]) -> bytes:
    """Float to PCM16 bytes; what is over full scale clips, it never wraps."""
    scaled = np.round(np.asarray(samples, dtype=np.float64) * FULL_SCALE)
    return np.clip(scaled, -FULL_SCALE, FULL_SCALE - 1).astype("<i2").tobytes()


def mix(first: Pcm, second: Pcm) -> tuple[Pcm, int]:
    """Sum of two tracks of equal length, and how many samples clipped."""
    total = first.astype(np.int32) + second.astype(np.int32)
    clipped = np.clip(total, -FULL_SCALE, FULL_SCALE - 1)
    return clipped.astype(np.int16), int(np.count_nonzero(clipped != total))


def peak(pcm: Pcm) -> int:
    """Largest magnitude, 0 to 32768; 0 for an empty array."""
    return max(-int(pcm.min(initial=0)), int(pcm.max(initial=0)))


def rms(pcm: Pcm | Samples) -> float:
    """Root mean square in the unit of the samples; 0.0 for an empty array."""
    return float(np.sqrt(np.mean(np.square(pcm, dtype=np.float64)))) if pcm.size else 0.0


def dbfs(value: float) -> float:
    """A magnitude in sample units as dB relative to full scale; minus infinity for 0."""
    return 20 * math.log10(value / FULL_SCALE) if value > 0 else -math.inf


def sample_at(seconds: float, rate: int) -> int:
    """The first sample at or after a time; times within 1 ns of a sample count as on it."""
    return math.ceil(round(seconds * rate, 4))
