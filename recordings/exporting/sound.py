"""Both sides of a call as one stereo file: the user left, the endpoint right, sample 0 the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from recordings.errors import RecordingError
from recordings.exporting.whole import whole
from recordings.reader import Episode
from streams.audio import Pcm, to_pcm
from streams.resample import resample

FORMATS = {
    "wav": (".wav", "WAV", "PCM_16"),
    "flac": (".flac", "FLAC", "PCM_16"),
    "opus": (".opus", "OGG", "OPUS"),
}
"""Ending, format and kind of each, as libsndfile names them."""

_OPUS_RATES = (8000, 12000, 16000, 24000, 48000)


def stereo(episode: Episode, to: str = "wav") -> tuple[npt.NDArray[np.int16], int]:
    """Samples of shape (n, 2) and their rate: the higher of the two tracks', or one that the format has.

    A track that has this rate goes over sample for sample.

    Raises:
        RecordingError: A track cannot be read.
    """
    (user, mine), (endpoint, theirs) = episode.track("user"), episode.track("endpoint")
    rate = max(mine, theirs)
    if to == "opus" and rate not in _OPUS_RATES:
        rate = next((possible for possible in _OPUS_RATES if possible >= rate), _OPUS_RATES[-1])
    sides = [_at(user, mine, rate), _at(endpoint, theirs, rate)]
    both = np.zeros((max(side.size for side in sides), 2), np.int16)
    for channel, side in enumerate(sides):
        both[: side.size, channel] = side
    return both, rate


def write_stereo(episode: Episode, path: Path, to: str) -> None:
    """Write the file of one of `FORMATS`.

    Raises:
        RecordingError: A track cannot be read, the call has no sound, or there is such a file already.
        OSError: The disk does not take it.
    """
    import soundfile

    both, rate = stereo(episode, to)
    if not len(both):
        raise RecordingError(episode.path, "has no sound")
    _, format, kind = FORMATS[to]
    with (
        whole(path) as place,
        place.open("xb") as raw,
        soundfile.SoundFile(raw, "w", samplerate=rate, channels=2, format=format, subtype=kind) as file,
    ):
        for at in range(0, len(both), rate):  # libsndfile overflows its stack on long lossy blocks
            file.write(both[at : at + rate])


def _at(pcm: Pcm, rate: int, target: int) -> Pcm:
    return pcm if rate == target else to_pcm(resample(pcm.astype("<i2").tobytes(), rate, target))
