"""Audio files of others: any format that libsndfile reads, checked before it is believed."""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recordings.errors import RecordingError
from recordings.flac import LONGEST_S
from recordings.format import SourceFile
from streams.audio import FULL_SCALE, Pcm, to_pcm, to_pcm16

if TYPE_CHECKING:
    from soundfile import SoundFile

MOST_CHANNELS = 2
SLOWEST, FASTEST = 4000, 192000
"""Rates in Hz that speech is recorded at."""

_BLOCK = 1 << 18
_HALF_STEP = 0.5 / FULL_SCALE
_WHOLE_NUMBERS = frozenset({"PCM_U8", "PCM_S8", "PCM_16", "PCM_24", "PCM_32", "ULAW", "ALAW"})
_LOSSY_START = "MP3: its encoder may have put some milliseconds of silence before the first sample"


@dataclass(frozen=True, slots=True)
class Sound:
    """A file as samples.

    Attributes:
        channels: int16 samples of each, of one length.
        notes: What changed on the way to 16 bits, or may be wrong, in sentences.
    """

    rate: int
    channels: tuple[Pcm, ...]
    source: SourceFile
    notes: tuple[str, ...] = ()


def read_sound(path: Path, channels: int | None = None) -> Sound:
    """Read an audio file.

    Args:
        path: WAV, FLAC, MP3, OGG (Vorbis, Opus), AIFF ...
        channels: How many it must have; None takes one or two.

    Raises:
        RecordingError: It cannot be read, is no audio, holds no samples or what is no number, is cut off,
            has other channels, or a rate or length that no call has.
    """
    import soundfile

    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise RecordingError(path, "is no file")
        with path.open("rb") as raw:
            digest = hashlib.file_digest(raw, "sha256").hexdigest()
            raw.seek(0)
            with soundfile.SoundFile(raw) as file:
                _check(path, file, channels)
                parts, over = _parts(path, file)
                rate, kind = int(file.samplerate), str(file.format)
    except OSError as error:
        raise RecordingError(path, f"cannot be read ({error.strerror})") from error
    except soundfile.LibsndfileError as error:
        raise RecordingError(path, f"cannot be read as audio ({error.error_string})") from error
    if not parts:
        raise RecordingError(path, "holds no samples")
    notes = [f"{path.name}: {over} samples over full scale were clipped"] if over else []
    notes += [f"{path.name}: {_LOSSY_START}"] if kind == "MP3" else []
    count = parts[0].shape[1]
    split = tuple(np.concatenate([part[:, channel] for part in parts]) for channel in range(count))
    return Sound(rate, split, SourceFile(name=path.name, sha256=digest), tuple(notes))


def _check(path: Path, file: SoundFile, channels: int | None) -> None:
    """What the header says, before anything is made as large as it says."""
    found = int(file.channels)
    if channels is not None and found != channels:
        expected = "one (one side of the call)" if channels == 1 else "two (the user and the endpoint)"
        raise RecordingError(path, f"has {found} channels, expected {expected}", _REMEDY[channels])
    if found > MOST_CHANNELS:
        raise RecordingError(path, f"has {found} channels, expected 1 or 2", _REMEDY[1])
    if not SLOWEST <= file.samplerate <= FASTEST:
        raise RecordingError(path, f"has {file.samplerate} Hz, expected {SLOWEST} to {FASTEST}")
    if file.frames > LONGEST_S * file.samplerate and file.format != "MP3":
        raise RecordingError(path, f"promises {file.frames} samples, more than {LONGEST_S // 3600} hours")


_REMEDY = {
    1: "Take one channel out of it; channels are never mixed.",
    2: "Use --user and --endpoint for two files of one side each; a mix of both sides cannot be parted.",
}


def _parts(path: Path, file: SoundFile) -> tuple[list[Pcm], int]:
    """All samples as int16, in pieces of shape (n, channels), and how many were over full scale."""
    whole = file.subtype in _WHOLE_NUMBERS
    parts: list[Pcm] = []
    done = over = 0
    while len(block := file.read(_BLOCK, dtype="int16" if whole else "float32", always_2d=True)):
        if not whole:
            if not np.isfinite(block).all():
                place = done + int(np.argwhere(~np.isfinite(block))[0][0])
                raise RecordingError(path, f"holds what is no number, at sample {place}")
            # as `to_pcm16` rounds: -1.0 is the lowest sample there is, +1.0 is one more than the highest
            over += int(np.count_nonzero((block >= 1 - _HALF_STEP) | (block < -1 - _HALF_STEP)))
            block = to_pcm(to_pcm16(block)).reshape(block.shape)
        parts.append(block)
        done += len(block)
        if done > LONGEST_S * file.samplerate:
            raise RecordingError(path, f"goes on for more than {LONGEST_S // 3600} hours")
    return parts, over
