"""Does the microphone hear the endpoint? Normalised cross-correlation of both tracks. Pure.

People without headphones send the endpoint its own voice. The wire gets what the microphone got, as with
any such caller. But we must not take it for the person's speech: so the echo's delay and level are found,
and frames that hold nothing beyond it are silence where speech is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from streams.audio import FULL_SCALE, Samples, dbfs, rms

MOST_DELAY_S = 0.6
"""Echoes come back within this: device buffers and the room."""

WINDOW_S = 0.5
"""Length of a comparison."""

LOOK_BACK_S = 1.5
"""A comparison may end so long ago."""

SUSPECTED = 0.5
"""From this correlation on there is an echo; unrelated speech of half a second stays below 0.4."""

SPEAKING_DBFS = -50.0
"""Below this nothing is played that an echo could be found by."""

MARGIN_DB = 6.0
"""The person is there in a frame that is so much louder than the echo alone would be."""

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Echo:
    """The endpoint in the microphone.

    Attributes:
        delay_s: From the track of the endpoint to the track of the user.
        gain_db: Level of the echo against what was played.
        correlation: Normalised, 0 to 1.
    """

    delay_s: float
    gain_db: float
    correlation: float


def find_echo(played: Samples, captured: Samples, rate: int) -> Echo | None:
    """The delay at which `captured` is most like `played`; None if nothing was played, or nothing captured.

    rho(d) = sum p[n-d] c[n] / sqrt(sum p[n-d]^2 sum c[n]^2) over the samples of `captured`, of both less
    their means there (Pearson's coefficient): a microphone's offset is no sound.

    Args:
        played: Ends where `captured` ends, and begins earlier by the longest delay that is looked at.
        captured: float32.
        rate: Samples per second of both.
    """
    c, p = _sound(captured), played.astype(np.float64)
    energy = float(c @ c)
    lags = p.size - c.size
    if lags < 0 or not energy or _level(p) < SPEAKING_DBFS:
        return None
    size = 1 << (p.size + c.size - 1).bit_length()
    products = np.fft.irfft(np.fft.rfft(p, size) * np.conj(np.fft.rfft(c, size)), size)[: lags + 1]
    means = _sums(p, c.size) / c.size
    energies = np.maximum(_sums(p * p, c.size) - c.size * means**2, 0.0)
    loud = energies > 1e-3 * energies.max()
    rho = np.where(loud, products / np.sqrt(np.where(loud, energies, 1.0) * energy), 0.0)
    best = int(np.argmax(np.abs(rho)))
    gain = abs(products[best]) / energies[best] if energies[best] else 0.0
    return Echo((lags - best) / rate, dbfs(FULL_SCALE * gain), float(abs(rho[best])))


class EchoWatch:
    """Follows both tracks of a call, and says what of the user's is echo.

    Args:
        user_rate: Samples per second of the user's track.
        endpoint_rate: The same of the endpoint's.
    """

    RATE = 8000

    def __init__(self, user_rate: int, endpoint_rate: int) -> None:
        self._rates = user_rate, endpoint_rate
        held = round((MOST_DELAY_S + WINDOW_S + LOOK_BACK_S) * self.RATE)
        self._played = np.zeros(held, np.float32)
        self._captured = np.zeros(held, np.float32)
        self._since = 0
        self.echo: Echo | None = None
        """As it was last found; None if there was none."""

    def push(self, captured: Samples, played: Samples) -> bool:
        """One frame of both tracks, of equal duration; True if the captured one holds echo alone."""
        c = _thin(captured, round(captured.size * self.RATE / self._rates[0]))
        p = _thin(played, c.size)
        self._captured = np.concatenate([self._captured[c.size :], c])
        self._played = np.concatenate([self._played[p.size :], p])
        self._since += c.size
        if self._since >= WINDOW_S * self.RATE / 5:
            self._since = 0
            self._look()
        return self._is_echo(c)

    def _look(self) -> None:
        window = round(WINDOW_S * self.RATE)
        found = self._compare(window, 0)
        if found is not None and found.correlation >= SUSPECTED:
            self.echo = found

    def _is_echo(self, frame: Samples) -> bool:
        if self.echo is None:
            return False
        lag = round(self.echo.delay_s * self.RATE)
        around = round(0.02 * self.RATE)  # a room smears it
        end = self._played.size - lag
        expected = self._played[max(0, end - frame.size - around) : end + around or None]
        level = _level(expected) + self.echo.gain_db
        return _level(frame) < level + MARGIN_DB

    def explained(self, seconds: float, ago_s: float = 0.0) -> float:
        """How much of a stretch of the user's track is echo: the highest correlation, 0 to 1.

        Args:
            seconds: Its length; of a long one the end is looked at.
            ago_s: How long before now it ended, up to `LOOK_BACK_S`.
        """
        window = round(min(seconds, WINDOW_S) * self.RATE)
        found = self._compare(window, round(min(ago_s, LOOK_BACK_S) * self.RATE))
        return 0.0 if found is None else found.correlation

    def _compare(self, window: int, ago: int) -> Echo | None:
        end = self._captured.size - ago
        played = self._played[max(0, end - window - round(MOST_DELAY_S * self.RATE)) : end]
        return find_echo(played, self._captured[end - window : end], self.RATE)


def _thin(samples: Samples, count: int) -> Samples:
    """So many means of neighbours: a low rate that is good enough to compare with its like."""
    edges = np.linspace(0, samples.size, count, endpoint=False).astype(np.int64)
    means: Samples = (np.add.reduceat(samples, edges) / np.diff(edges, append=samples.size)).astype(
        np.float32
    )
    return means


def _sums(samples: _Floats, count: int) -> _Floats:
    """Of every so many neighbours."""
    summed = np.concatenate([[0.0], np.cumsum(samples)])
    sums: _Floats = summed[count:] - summed[:-count]
    return sums


def _sound(samples: npt.NDArray[np.floating]) -> _Floats:
    """Without an offset."""
    wide = samples.astype(np.float64)
    return wide - wide.mean() if wide.size else wide


def _level(samples: npt.NDArray[np.floating]) -> float:
    return dbfs(FULL_SCALE * rms(_sound(samples).astype(np.float32)))
