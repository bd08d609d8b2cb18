"""Finished tracks as FLAC: the same samples in about a third of the space.

A track is written as WAV while the call goes on, since a WAV file can be read while it grows; what is
finished may be packed. Only mono 16-bit FLAC is a track.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from recordings.errors import RecordingError
from streams.audio import Pcm

LONGEST_S = 12 * 3600
"""A longer track is refused: silence packs so well that a small file could fill any memory."""

_BLOCK = 1 << 18
"""Samples decoded at once."""


def write_flac(path: Path, pcm: Pcm, rate: int) -> None:
    """Write a track; the same samples give the same sound, bit for bit.

    Raises:
        ValueError: There are no samples: a FLAC file cannot be empty.
        OSError: The disk does not take it.
    """
    import soundfile

    if not pcm.size:
        raise ValueError(f"{path.name}: a FLAC file holds at least one sample")
    try:
        with path.open("xb") as file:
            soundfile.write(file, pcm, rate, format="FLAC", subtype="PCM_16")
    except soundfile.LibsndfileError as error:
        raise OSError(f"{path}: {error}") from error


def read_flac(path: Path) -> tuple[Pcm, int]:
    """Samples (read-only) and rate of a mono 16-bit FLAC file.

    Raises:
        RecordingError: Not there, no FLAC file, not mono with 16 bits, cut off, or its header promises
            another length than it holds.
    """
    import soundfile

    try:
        with path.open("rb") as raw, soundfile.SoundFile(raw) as file:
            found = f"{file.format}, {file.subtype}, {file.channels} channels"
            if (file.format, file.subtype, file.channels) != ("FLAC", "PCM_16", 1):
                raise RecordingError(path, f"holds {found}, expected mono 16-bit FLAC")
            rate, promised = int(file.samplerate), int(file.frames)
            if promised > LONGEST_S * rate:
                raise RecordingError(path, f"promises {promised} samples, more than {LONGEST_S // 3600} h")
            blocks = []
            while len(block := file.read(_BLOCK, dtype="int16")):
                blocks.append(block)
    except OSError as error:
        raise RecordingError(path, f"cannot be read ({error.strerror})") from error
    except soundfile.LibsndfileError as error:
        raise RecordingError(path, f"is no whole FLAC file ({error.error_string})") from error
    pcm = np.concatenate(blocks) if blocks else np.zeros(0, np.int16)
    if pcm.size != promised:
        raise RecordingError(path, f"holds {pcm.size} samples, its header promises {promised}")
    pcm.flags.writeable = False
    return pcm, rate
