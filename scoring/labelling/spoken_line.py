"""What the user of a scenario that was grown says, as it can be listened to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from recordings.errors import RecordingError
from scoring.blueprint.loudness import RATE
from scoring.judge.material import wav_bytes
from scoring.labelling.sound import listenable, with_gain

LONGEST_S = 120
"""Of a line; what a file holds beyond it is no line of a user, and is not read."""


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A line.

    Attributes:
        wav: A WAV file at 48 kHz.
    """

    wav: bytes
    seconds: float


def spoken_line(folder: Path, audio: str) -> SpokenLine:
    """Read a line.

    Args:
        folder: The pack.
        audio: The path of its sound from there, as the queue has it.

    Raises:
        RecordingError: It cannot be read, is no sound, or lies elsewhere.
    """
    path = folder / audio
    if path.resolve() != folder.resolve() / audio or not path.resolve().is_relative_to(folder.resolve()):
        raise RecordingError(path, "leads elsewhere", "A queue names sounds of its own folder.")
    try:
        state = path.stat()
    except OSError as error:
        raise RecordingError(path, f"cannot be read ({error.strerror})") from error
    return _read(path, (state.st_size, state.st_mtime_ns))


@lru_cache(8)
def _read(path: Path, _stamp: tuple[int, int]) -> SpokenLine:
    import soundfile

    try:
        with soundfile.SoundFile(path) as file:
            rate, channels = file.samplerate, file.channels
            samples = file.read(LONGEST_S * rate, dtype="int16", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise RecordingError(path, f"is no sound ({error.error_string.rstrip('.')})") from error
    except OSError as error:
        raise RecordingError(path, f"cannot be read ({error.strerror})") from error
    if channels != 1:
        raise RecordingError(path, f"has {channels} channels", "A user's line has one.")
    clip = listenable(samples[:, 0], rate)
    return SpokenLine(wav_bytes(with_gain(clip, 0.0), RATE), clip.size / RATE)
