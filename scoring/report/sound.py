"""The sound of a call for browsers: the user on the left, the endpoint as heard on the right."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from recordings.format import EpisodeInfo
from streams.audio import Pcm
from streams.resample import resample

_OPUS_RATES = (8000, 12000, 16000, 24000, 48000)
_BLOCK = 1 << 16


class Audio(StrEnum):
    """How sound is written: FLAC keeps every sample, Opus takes less room."""

    FLAC = "flac"
    OPUS = "opus"
    NONE = "none"

    @property
    def media_type(self) -> str:
        """For a data URI."""
        return "audio/ogg" if self is Audio.OPUS else "audio/flac"


@dataclass(frozen=True, slots=True)
class Stereo:
    """Both tracks at one rate.

    Attributes:
        samples: int16, shape (n, 2): user, endpoint.
        rate: In Hz, that of the endpoint's track.
    """

    samples: npt.NDArray[np.int16]
    rate: int


def stereo(user: Pcm, endpoint: Pcm, info: EpisodeInfo) -> Stereo:
    """Both tracks of a call; the shorter one is continued with silence."""
    rate = info.endpoint_rate
    left = _at(user, info.user_rate, rate)
    both = np.zeros((max(left.size, endpoint.size), 2), np.int16)
    both[: left.size, 0], both[: endpoint.size, 1] = left, endpoint
    return Stereo(both, rate)


def encoded(samples: npt.NDArray[np.int16], rate: int, audio: Audio) -> bytes:
    """A sound file; int16 of shape (n,) or (n, channels).

    Opus knows five rates: others go to the next higher one of them, or to 48 kHz.
    """
    import soundfile

    if audio is Audio.OPUS and rate not in _OPUS_RATES:
        higher = next((known for known in _OPUS_RATES if known > rate), _OPUS_RATES[-1])
        samples, rate = _columns_at(samples, rate, higher), higher
    form, subtype = ("OGG", "OPUS") if audio is Audio.OPUS else ("FLAC", "PCM_16")
    file = io.BytesIO()
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    with soundfile.SoundFile(file, "w", rate, channels, format=form, subtype=subtype) as sound:
        for start in range(0, len(samples), _BLOCK):
            sound.write(samples[start : start + _BLOCK])
    return file.getvalue()


def data_uri(sound: Stereo, audio: Audio) -> str:
    """Sound inside a page; "" if there is none."""
    if audio is Audio.NONE or not len(sound.samples):
        return ""
    data = base64.b64encode(encoded(sound.samples, sound.rate, audio)).decode()
    return f"data:{audio.media_type};base64,{data}"


def _at(pcm: Pcm, rate: int, wanted: int) -> npt.NDArray[np.int16]:
    return np.frombuffer(resample(pcm.astype("<i2").tobytes(), rate, wanted), "<i2")


def _columns_at(samples: npt.NDArray[np.int16], rate: int, wanted: int) -> npt.NDArray[np.int16]:
    if samples.ndim == 1:
        return _at(samples, rate, wanted)
    return np.column_stack([_at(samples[:, channel], rate, wanted) for channel in range(samples.shape[1])])
