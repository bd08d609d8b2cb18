"""Filters for a stream of frames, without delay."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from streams.audio import FRAME_MS, Samples

Response = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
"""Impulse response of a filter: its value at each of these times, s; 0 before time 0."""


class Convolution:
    """Convolves a stream with an impulse response, frame by frame, without delay.

    Uniformly partitioned overlap-save (Stockham 1966, as in Gardner 1995): the response is cut into pieces
    of one frame, whose spectra are made once; a frame costs two transforms whatever the response's length.

    Args:
        response: Impulse response, at least one sample.
        frame: Samples in every frame.
    """

    def __init__(self, response: Samples, frame: int) -> None:
        count = -(-len(response) // frame)
        padded = np.zeros(count * frame, np.float32)
        padded[: len(response)] = response
        spectra = np.fft.rfft(padded.reshape(count, frame), 2 * frame).astype(np.complex64)
        # row -n modulo count, twice over: one slice of it lies beside the ring of inputs in whatever state
        self._response = np.concatenate([spectra[-np.arange(count) % count]] * 2)
        self._inputs = np.zeros_like(spectra)
        self._newest = 0
        self._window = np.zeros(2 * frame, np.float32)
        self._frame = frame

    def process(self, samples: Samples) -> Samples:
        """The next frame of the result."""
        frame, count = self._frame, len(self._inputs)
        self._window[:frame] = self._window[frame:]
        self._window[frame:] = samples
        self._inputs[self._newest] = np.fft.rfft(self._window)
        first = -self._newest % count
        total = (self._inputs * self._response[first : first + count]).sum(0)
        self._newest = (self._newest + 1) % count
        result: Samples = np.fft.irfft(total)[frame:].astype(np.float32)
        return result


class RateFilter:
    """A filter whose output has another rate than its input, frame by frame, without delay of its own.

    The output at time t is the sum over the input samples of response(t - time of the sample) × sample. A
    millisecond of it is a small matrix times the last input samples, and each millisecond is like the next.

    Args:
        source: Samples per second of the input.
        target: Of the output.
        response: Impulse response, causal.
        memory_s: Its length.
    """

    def __init__(self, source: int, target: int, response: Response, memory_s: float) -> None:
        self._frame = source * FRAME_MS // 1000
        pieces = math.gcd(self._frame, target * FRAME_MS // 1000, FRAME_MS)
        given, past = self._frame // pieces, math.ceil(memory_s * source)
        made_at = np.arange(target * FRAME_MS // 1000 // pieces) / target
        given_at = (np.arange(past + given) - past) / source
        self._matrix = response(made_at[None, :] - given_at[:, None]).astype(np.float32)
        self._window = np.zeros(past + self._frame, np.float32)
        steps = np.lib.stride_tricks.sliding_window_view(self._window, past + given)
        self._pieces = steps[::given]  # a view: it sees what the window will hold

    def process(self, samples: Samples) -> Samples:
        """The next frame of the output."""
        self._window[: -self._frame] = self._window[self._frame :]
        self._window[-self._frame :] = samples
        made: Samples = (self._pieces @ self._matrix).reshape(-1)
        return made
