"""The fundamental frequency of a voice, frame by frame, and how periodic each frame is.

Autocorrelation (P. Boersma: Accurate short-term analysis of the fundamental frequency and the
harmonics-to-noise ratio of a sampled sound, 1993), with the path through the candidates that costs least.
It was chosen over WORLD's two trackers, which look for the fundamental itself. A telephone line takes it
away, and DIO then answers an octave too high (301 Hz for a voice of 207 Hz); Harvest needs a third of real
time. Autocorrelation is as fast as DIO, hears a missing fundamental, and gives the harmonicity with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.blueprint.sound import runs
from streams.audio import Samples
from streams.speech.interfaces import SPEECH_RATE

LOWEST_HZ, HIGHEST_HZ = 65.0, 500.0
"""From a low, creaky voice to a child's."""

HOP = 160
"""Samples (at 16 kHz) from frame to frame: 10 ms."""

FRAME = 744
"""Samples of a frame: three periods of the lowest voice."""

Floats = npt.NDArray[np.float64]

_FFT = 1024
_FINER = 2
"""The autocorrelation is computed at twice the rate, so that its peaks are found between samples."""

_SHORTEST_LAG = int(SPEECH_RATE * _FINER / HIGHEST_HZ)
_LONGEST_LAG = int(SPEECH_RATE * _FINER / LOWEST_HZ) + 1
_CANDIDATES = 6
_BLOCK = 512

# costs of a path, as in the paper and in Praat
_VOICING = 0.45
_SILENCE = 0.03
_OCTAVE = 0.01
_JUMP = 0.35
_SWITCH = 0.14
_IMPOSSIBLE = -9.0

_BEST_PERIODICITY = 1 - 1e-6


@dataclass(frozen=True, slots=True)
class PitchTrack:
    """Frames of 46 ms, one every 10 ms; the middle of the first is the clip's first sample.

    Attributes:
        hertz: Fundamental frequency; 0 where the frame is unvoiced, shape (frames,).
        periodicity: Share of the power that repeats itself with it, 0 to 1; 0 where unvoiced.
    """

    hertz: Floats
    periodicity: Floats

    @property
    def voiced(self) -> npt.NDArray[np.bool_]:
        """Which frames have a pitch."""
        return self.hertz > 0

    @property
    def hnr_db(self) -> Floats:
        """Harmonics-to-noise ratio of the voiced frames; at most 60 dB."""
        share = np.minimum(self.periodicity[self.voiced], _BEST_PERIODICITY)
        return np.asarray(10 * np.log10(share / (1 - share)))


def track_pitch(samples: Samples) -> PitchTrack:
    """Follow the pitch of a clip.

    Args:
        samples: Mono float32 at 16 kHz. A clip shorter than a frame has no frames.
    """
    count = samples.size // HOP + 1 if samples.size >= FRAME else 0
    hertz, strength, peaks = np.zeros((count, _CANDIDATES)), np.zeros((count, _CANDIDATES)), np.zeros(count)
    for at in range(0, count, _BLOCK):
        end = min(at + _BLOCK, count)
        part = around(samples, at * HOP, (end - 1) * HOP, FRAME // 2)
        if part.any():
            hertz[at:end], strength[at:end], peaks[at:end] = _candidates(part)
    if not peaks.any():
        return PitchTrack(np.zeros(count), np.zeros(count))
    # the loudest percent is not asked: one click must not make all the speech silent
    loudest = float(np.percentile(peaks[peaks > 0], 99))
    path = _cheapest(hertz, strength, np.minimum(peaks / loudest, 1.0))
    rows = np.arange(count)
    voiced = path >= 0
    return PitchTrack(np.where(voiced, hertz[rows, path], 0.0), np.where(voiced, strength[rows, path], 0.0))


def around(samples: Samples, first: int, last: int, reach: int) -> Samples:
    """The samples from `reach` before `first` to `reach` behind `last`; beyond the clip is silence."""
    start, end = first - reach, last + reach
    part = samples[max(0, start) : min(end, samples.size)]
    if len(part) == end - start:
        return part
    return np.pad(part, (max(0, -start), max(0, end - samples.size)))


def _candidates(samples: Samples) -> tuple[Floats, Floats, Floats]:
    """Of each frame: the best peaks of its autocorrelation (Hz, height; 0 if there is none), its level."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, FRAME)[::HOP].astype(np.float32)
    frames = frames - frames.mean(axis=1, keepdims=True)
    shape = _autocorrelation(_WINDOW[np.newaxis])[0]
    made = _autocorrelation(frames * _WINDOW)
    power = np.where(made[:, :1] > 0, made[:, :1], 1.0)
    lags = slice(_SHORTEST_LAG - 1, _LONGEST_LAG + 2)
    curve = made[:, lags] / power / (shape[lags] / shape[0])
    before, here, after = curve[:, :-2], curve[:, 1:-1], curve[:, 2:]
    octave = _OCTAVE * np.log2(np.arange(_SHORTEST_LAG, _LONGEST_LAG + 1) / _LONGEST_LAG)
    peak = (here > before) & (here >= after) & (here > 0.1)
    rank = np.where(peak, here - octave, _IMPOSSIBLE)
    best = np.argpartition(-rank, _CANDIDATES, axis=1)[:, :_CANDIDATES]
    left, top, right = (np.take_along_axis(part, best, axis=1) for part in (before, here, after))
    bend = np.minimum(left - 2 * top + right, -1e-12)
    shift = np.clip(0.5 * (left - right) / bend, -0.5, 0.5)
    height = top - 0.25 * (left - right) * shift
    height = np.where(
        height > 1, 1 / np.maximum(height, 1), height
    )  # beyond 1 by rounding, as in the paper
    found = np.take_along_axis(peak, best, axis=1)
    hertz = SPEECH_RATE * _FINER / (best + _SHORTEST_LAG + shift)
    found &= (hertz >= LOWEST_HZ) & (hertz <= HIGHEST_HZ)
    return np.where(found, hertz, 0.0), np.where(found, height, 0.0), np.abs(frames).max(axis=1)


def _autocorrelation(frames: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    spectrum = np.fft.rfft(frames, _FFT, axis=1)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    return np.asarray(np.fft.irfft(power, _FFT * _FINER, axis=1), np.float32)


def _cheapest(hertz: Floats, strength: Floats, level: Floats) -> npt.NDArray[np.int64]:
    """For each frame the candidate on the best path, or -1 for unvoiced (Viterbi)."""
    unvoiced = _VOICING + np.maximum(0, 2 - level / (_SILENCE / (1 + _VOICING)))
    octaves = np.log2(np.maximum(hertz, 1))
    local = np.where(hertz > 0, strength + _OCTAVE * (octaves - np.log2(LOWEST_HZ)), _IMPOSSIBLE)
    local = np.concatenate([unvoiced[:, np.newaxis], local], axis=1)
    path = np.zeros(len(hertz), np.int64)
    # a frame without candidates is unvoiced: the stretches between such frames know nothing of each other
    for start, end in runs(np.asarray((hertz > 0).any(axis=1))):
        first, last = max(0, start - 1), min(len(hertz), end + 1)
        path[first:last] = _stretch(octaves[first:last], local[first:last])
    return path - 1


def _stretch(octaves: Floats, local: Floats) -> npt.NDArray[np.int64]:
    """The best path through some frames, 0 for unvoiced, else 1 and the candidate."""
    count = len(local)
    back = np.zeros((count, _CANDIDATES + 1), np.int64)
    total = local[0]
    cost = np.full((_CANDIDATES + 1, _CANDIDATES + 1), _SWITCH)
    cost[0, 0] = 0
    everyone = np.arange(_CANDIDATES + 1)
    for frame in range(1, count):
        cost[1:, 1:] = _JUMP * np.abs(octaves[frame - 1][:, np.newaxis] - octaves[frame])
        reached = total[:, np.newaxis] - cost
        back[frame] = reached.argmax(axis=0)
        total = reached[back[frame], everyone] + local[frame]
    path = np.zeros(count, np.int64)
    path[-1] = total.argmax()
    for frame in range(count - 1, 0, -1):
        path[frame - 1] = back[frame, path[frame]]
    return path


_WINDOW = np.hanning(FRAME + 2)[1:-1].astype(np.float32)
