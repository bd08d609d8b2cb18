"""The band of a telephone and its codecs, on a wire of any multiple of 8 kHz."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scenarios.conditions import Codec
from streams import g711
from streams.audio import Encoding, Samples, to_float, to_pcm16
from user_sim.conditions.filters import RateFilter, Response

TELEPHONE_RATE = 8000
"""Samples per second of a telephone call."""

_PASS_HZ, _STOP_HZ = 3400, 4600
"""What is above the stop band's edge would fold to below 3.4 kHz."""

_ATTENUATION_DB = 60.0

_ENCODINGS = {Codec.G711_ULAW: Encoding.MULAW, Codec.G711_ALAW: Encoding.ALAW}


class UnfitCodec(ValueError):
    """A codec that cannot be applied on this wire.

    Attributes:
        codec: Which.
        rate: Samples per second of the wire.
    """

    def __init__(self, codec: Codec, rate: int) -> None:
        self.codec, self.rate = codec, rate
        super().__init__(
            f"codec: {codec} cannot be applied on a wire of {rate} Hz, only on a multiple of"
            f" {TELEPHONE_RATE} Hz. Call this endpoint at another rate, or leave the codec out"
        )


class Telephone:
    """Down to 8 kHz, through the codec, and up again, frame by frame.

    Both filters are of minimum phase (linear-phase design, made so by the cepstrum): nothing waits for
    samples to come, and the pass band is late by less than a millisecond.

    Args:
        codec: Not `NONE`.
        rate: Of the wire.

    Raises:
        UnfitCodec: The rate is no multiple of 8000.
    """

    def __init__(self, codec: Codec, rate: int) -> None:
        if rate % TELEPHONE_RATE:
            raise UnfitCodec(codec, rate)
        self._encoding = _ENCODINGS.get(codec)
        self._down = self._up = None
        if rate > TELEPHONE_RATE:
            taps = _low_pass(rate)
            self._down = RateFilter(rate, TELEPHONE_RATE, _response(taps, rate), len(taps) / rate)
            # between two samples come zeros, which take their share of the level
            louder = taps * (rate // TELEPHONE_RATE)
            self._up = RateFilter(TELEPHONE_RATE, rate, _response(louder, rate), len(taps) / rate)

    def process(self, samples: Samples) -> Samples:
        """The next frame."""
        if self._down is None or self._up is None:
            return self._code(samples)
        return self._up.process(self._code(self._down.process(samples)))

    def _code(self, samples: Samples) -> Samples:
        pcm = to_pcm16(samples)
        if self._encoding is not None:
            pcm = g711.decode(g711.encode(pcm, self._encoding), self._encoding)
        return to_float(pcm)


def _low_pass(rate: int) -> npt.NDArray[np.float64]:
    """Taps of a low-pass at 3.4 kHz, of minimum phase."""
    from scipy.signal import firwin, kaiserord, minimum_phase

    count, beta = kaiserord(_ATTENUATION_DB, (_STOP_HZ - _PASS_HZ) / (rate / 2))
    linear = firwin(count | 1, (_PASS_HZ + _STOP_HZ) / 2, window=("kaiser", beta), fs=rate)
    taps: npt.NDArray[np.float64] = minimum_phase(linear, half=False)
    return taps


def _response(taps: npt.NDArray[np.float64], rate: int) -> Response:
    padded = np.pad(taps, 1)  # with the zeros before and after

    def at(seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        places = np.rint(seconds * rate).astype(int) + 1
        return np.asarray(padded[np.clip(places, 0, len(padded) - 1)])

    return at
