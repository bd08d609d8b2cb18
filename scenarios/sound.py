"""What is wrong with a recording that a scenario names, found before any call is made.

Any sample rate that holds speech is fine: recordings are resampled. Channels are never mixed down.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from soundfile import SoundFile

AUDIBLE = 1e-3
"""-60 dBFS: a recording without a sample above it is silence."""

MIN_NOISE_RATE = 8000
"""Hz; below, a noise leaves out most of the band of speech."""

MIN_NOISE_S = 1.0
"""A shorter loop buzzes at the rate of its repetition."""


class Fault(NamedTuple):
    """Why a recording cannot be used."""

    found: str
    expected: str
    remedy: str = ""


def speech_fault(path: Path) -> Fault | None:
    """Why a recording cannot be the user's speech, or None if it can."""
    return _opened(path, noise=False)


def noise_fault(path: Path) -> Fault | None:
    """Why a recording cannot go on and on under the user's speech, or None if it can."""
    return _opened(path, noise=True)


def _opened(path: Path, *, noise: bool) -> Fault | None:
    import soundfile

    try:
        with soundfile.SoundFile(path) as file:
            return (
                _shape_fault(file) or (_noise_fault(file) if noise else None) or _level_fault(file, noise)
            )
    except (OSError, soundfile.LibsndfileError) as error:
        found = getattr(error, "error_string", None) or getattr(error, "strerror", None) or str(error)
        return Fault(f"no sound that can be read ({str(found).rstrip('.')})", "a WAV or FLAC file")


def _shape_fault(file: SoundFile) -> Fault | None:
    if file.channels != 1:
        remedy = "keep one of them (ffmpeg -i IN -af 'pan=mono|c0=c0' OUT)"
        return Fault(f"{file.channels} channels", "one", remedy)
    if not file.frames:
        return Fault("no samples", "sound", "record it again")
    return None


def _noise_fault(file: SoundFile) -> Fault | None:
    rate = file.samplerate
    if rate < MIN_NOISE_RATE:
        return Fault(f"{rate} samples per second", f"{MIN_NOISE_RATE} or more, for the band of speech")
    if file.frames < MIN_NOISE_S * rate:
        found = f"{file.frames / rate:.2f} s of noise"
        return Fault(found, f"{MIN_NOISE_S:g} s or more", "it is repeated, and a short loop buzzes")
    return None


def _level_fault(file: SoundFile, noise: bool) -> Fault | None:
    if any(abs(block).max() > AUDIBLE for block in file.blocks(65536, dtype="float32")):
        return None
    return Fault("nothing but silence", "noise" if noise else "speech", "an snr_db compares the two")
