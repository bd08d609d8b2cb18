"""Recorded clips as speech: WAV, FLAC, OGG and whatever else libsndfile reads."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from streams.audio import to_pcm16
from streams.speech.interfaces import Speech, SpeechError


def read_clip(path: str | Path) -> Speech:
    """Read a mono recording at its own rate, as PCM16; what is over full scale clips.

    Raises:
        SpeechError: No such file, not readable, empty, or more than one channel. Channels are never
            mixed down: they may hold different speakers, and a mix would be neither.
    """
    try:
        with Path(path).open("rb") as file:
            return decode(file, str(path))
    except OSError as error:
        found = f"found no readable file ({error.strerror}), expected a recording"
        raise SpeechError(str(path), found, "Check the path.") from error


def decode(file: BinaryIO, place: str) -> Speech:
    """Decode an open audio file; `place` names it in errors."""
    import numpy as np
    import soundfile

    try:
        samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        found = f"found {error.error_string.rstrip('.')}, expected WAV, FLAC or OGG"
        raise SpeechError(place, found, "Convert it, for example with ffmpeg.") from error
    frames, channels = samples.shape
    if channels != 1:
        found = f"found {channels} channels, expected 1"
        remedy = "Keep the channel of the speaker (ffmpeg -i IN -af pan=mono|c0=c0 OUT); do not mix them."
        raise SpeechError(place, found, remedy)
    if not frames:
        raise SpeechError(place, "found no samples, expected a recording", "Record it again.")
    if not np.isfinite(samples).all():
        raise SpeechError(place, "found samples that are no numbers, expected audio", "Export it again.")
    return Speech(to_pcm16(samples[:, 0]), int(rate))
