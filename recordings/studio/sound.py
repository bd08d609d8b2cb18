"""Tracks as WAV files that a browser can seek in: one track, or both sides as stereo.

The header is made anew from what is there: that of a call which is still being recorded, or was killed, may
promise something else. Stereo needs one rate: the slower side is resampled, a second at a time, by the same
filter wherever one begins to listen.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from recordings.studio.tracks import TrackFile
from streams.audio import FULL_SCALE, Pcm

HEADER_BYTES = 44

_LARGEST = 0xFFFFFFFF
_PIECE = 1 << 16
"""Bytes that are sent at once."""

_TAPS_EACH_SIDE = 32
"""Zero crossings of the resampling filter: above 80 dB of attenuation with its window."""

_KAISER = 8.0


@dataclass(frozen=True, slots=True)
class Wave:
    """A WAV file that is made while it is sent.

    Attributes:
        left: The only track, or the left one.
        right: The right track of two.
    """

    left: TrackFile
    right: TrackFile | None = None

    @property
    def rate(self) -> int:
        """Samples per second: of two tracks, the higher rate."""
        return max(self.left.rate, self.right.rate if self.right else 0)

    @property
    def channels(self) -> int:
        """One or two."""
        return 2 if self.right else 1

    @property
    def samples(self) -> int:
        """Samples of each channel."""
        return max(-(-t.samples * self.rate // t.rate) for t in (self.left, self.right) if t)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return HEADER_BYTES + 2 * self.channels * self.samples

    @property
    def tag(self) -> str:
        """Changes whenever the file does: a strong validator (RFC 9110, 8.8.1)."""
        stamps = [number for t in (self.left, self.right) if t for number in t.stamp]
        return '"' + "-".join(f"{number:x}" for number in (self.channels, *stamps)) + '"'

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """Bytes [start, end) of the file, a piece at a time.

        Raises:
            RecordingError: A track cannot be read.
        """
        if start < HEADER_BYTES:
            yield self._header()[start : min(end, HEADER_BYTES)]
        at, last = max(start, HEADER_BYTES) - HEADER_BYTES, end - HEADER_BYTES
        width = 2 * self.channels
        while at < last:
            begin = at // _PIECE * _PIECE  # always whole pieces: the same bytes however they are asked for
            data = self._frames(begin // width, (begin + _PIECE) // width)
            upto = min(last, begin + _PIECE)
            yield data[at - begin : upto - begin]
            at = upto

    def _frames(self, start: int, end: int) -> bytes:
        if self.right is None:
            return _padded(self.left.read(start, end), end - start).tobytes()
        both = np.empty((end - start, 2), "<i2")
        both[:, 0] = resampled(self.left, self.rate, start, end)
        both[:, 1] = resampled(self.right, self.rate, start, end)
        return both.tobytes()

    def _header(self) -> bytes:
        width, data = 2 * self.channels, self.size - HEADER_BYTES
        return struct.pack(
            "<4sI4s4sIHHIIHH4sI",
            b"RIFF",
            min(self.size - 8, _LARGEST),
            b"WAVE",
            b"fmt ",
            16,
            1,  # PCM
            self.channels,
            self.rate,
            width * self.rate,
            width,
            16,
            b"data",
            min(data, _LARGEST),
        )


def resampled(track: TrackFile, rate: int, start: int, end: int) -> Pcm:
    """Samples [start, end) of a track at a higher rate; what is beyond it is silent.

    Sample n is the track at n / rate, by a windowed sinc whose coefficients depend on n alone: it is the
    same wherever the stretch begins.

    Raises:
        RecordingError: The track cannot be read.
    """
    if rate == track.rate:
        return _padded(track.read(start, end), end - start)
    divisor = math.gcd(rate, track.rate)
    up, down = rate // divisor, track.rate // divisor
    places = np.arange(start, end, dtype=np.int64) * down
    whole, phase = places // up, places % up
    first = int(whole[0]) - _TAPS_EACH_SIDE + 1
    count = int(whole[-1]) + _TAPS_EACH_SIDE + 1 - first
    source = np.zeros(count, np.float64)
    pcm = track.read(max(first, 0), first + count)
    source[max(-first, 0) : max(-first, 0) + pcm.size] = pcm
    taps = _taps(up)
    windows = np.lib.stride_tricks.sliding_window_view(source, 2 * _TAPS_EACH_SIDE)
    out = np.empty(end - start, np.float64)
    for turn in np.unique(phase):
        own = phase == turn
        out[own] = windows[whole[own] - int(whole[0])] @ taps[turn]
    return np.clip(np.round(out), -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)


def _taps(up: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The filter for each of the `up` places between two samples, shape (up, taps)."""
    offsets = np.arange(-_TAPS_EACH_SIDE + 1, _TAPS_EACH_SIDE + 1)
    distance = offsets[None, :] - np.arange(up)[:, None] / up
    window = np.i0(_KAISER * np.sqrt(np.clip(1 - (distance / _TAPS_EACH_SIDE) ** 2, 0, 1))) / np.i0(_KAISER)
    taps = np.sinc(distance) * window
    return np.asarray(taps / taps.sum(axis=1, keepdims=True))


def _padded(pcm: Pcm, count: int) -> Pcm:
    if pcm.size == count:
        return pcm
    found = np.zeros(count, np.int16)
    found[: pcm.size] = pcm
    return found
