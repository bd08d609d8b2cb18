"""The clock of a sound device against the session's: pure.

A device counts samples by a quartz of its own, some 10 to 200 ppm off. Each block says when it came: never
too early, and on a busy machine much too late. So of each half second the least late block counts, and of
those the early ones count most. A line through (samples, time) is the device's clock: a Kalman filter with
two states, time and pace, follows it (Bar-Shalom, Li, Kirubarajan: Estimation with Applications, 2001).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

POINT_S = 0.5
"""One block in so much time counts."""

PACE_SD = 100e-6
"""What is known of a device's pace before anything was heard of it: 100 ppm."""

WANDER = 1e-6
"""By how much a pace wanders in a second (standard deviation): 1 ppm, as a quartz does that warms up."""

FIRST_SD_S = 0.1e-3
"""What is taken for the error of a point until twenty were seen."""

LEAST_SD_S = 20e-6
"""A time is never known better than this: one sample at 48 kHz."""

FAR_S = 0.001
"""A point that is farther off is no error of a clock: the way that the sound takes has become another, or
everything until now was late."""

SURE = 4
"""So many points in a row must be late by as much before the way has become longer; earlier is at once."""

EARLY = 0.25
"""The error of a block that came early is a part of that of one that came late."""

JUMP_S = 0.01
"""A time that is farther off than this has jumped; less is bent away."""

SHIFTED_S = 0.5
"""Blocks that all come late, or all early, by more than `JUMP_S` over so long have really shifted."""

MOST_PPM = 1000.0
"""No sound card is farther off: what looks like more is jitter of the first blocks."""


@dataclass(frozen=True, slots=True)
class _Point:
    samples: int
    at: float
    late: float


class ClockMap:
    """When each sample of a device was captured or played.

    Args:
        rate: Nominal samples per second.
    """

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self.samples = 0
        """Samples so far."""
        self.residual_s = 0.0
        """By how much the last block was later than expected."""
        self._fastest, self._slowest = ((1 + sign * MOST_PPM * 1e-6) / rate for sign in (-1, 1))
        self.restart()

    def restart(self) -> None:
        """Learn the clock anew: what came so far was not steady yet."""
        self.known = False
        """True from the first block on."""
        self._period = 1 / self.rate
        self._place, self._time = self.samples, 0.0  # a point of the line
        self._points = 0
        self._error_s = FIRST_SD_S
        self._p00, self._p01, self._p11 = 0.005**2, 0.0, PACE_SD**2  # covariance of time and pace
        self._best: _Point | None = None
        self._far: list[float] = []
        self._until = 0
        self._forget()

    @property
    def drift_ppm(self) -> float:
        """By how much the device's clock is faster than the session's, in parts per million."""
        return (1 / (self._period * self.rate) - 1) * 1e6

    def push(self, samples: int, at: float) -> float:
        """A block of so many samples ended at `at`, in seconds.

        Returns:
            By how many seconds the device's time has jumped, if that is plain now; else 0.0.
        """
        self.samples += samples
        if not self.known:
            self.known = True
            self._place, self._time = self.samples, at
            self._until = self.samples + round(POINT_S * self.rate)
        self.residual_s = at - self._expected(self.samples)
        if self._best is None or self.residual_s < self._best.late:
            self._best = _Point(self.samples, at, self.residual_s)
        if self._points < 2 and self.residual_s < 0:
            self._place, self._time = self.samples, at  # the least late block so far
        if self.samples >= self._until:
            self._take(self._best or _Point(self.samples, at, self.residual_s))
        return self._jumped(samples)

    def _expected(self, samples: int) -> float:
        return self._time + (samples - self._place) * self._period

    def _take(self, point: _Point) -> None:
        """One more point for the line: one step of the filter."""
        self._best, self._until = None, self.samples + round(POINT_S * self.rate)
        self._points += 1
        span = (point.samples - self._place) / self.rate
        expected = self._expected(point.samples)
        late = point.at - expected
        self._p00 += span * (2 * self._p01 + span * self._p11)
        self._p01 += span * self._p11
        self._p11 += abs(span) * WANDER**2
        self._error_s += (min(abs(late), 0.02) - self._error_s) / 20
        if self._points > 1 and abs(late) > FAR_S:
            self._move(point, late)
            return
        self._far.clear()
        sd = max(LEAST_SD_S, self._error_s) * (EARLY if late < 0 else 1)
        total = self._p00 + sd**2
        gain, pace_gain = self._p00 / total, self._p01 / total
        self._place, self._time = point.samples, expected + gain * late
        self._period = min(max(self._period + pace_gain * late / self.rate, self._fastest), self._slowest)
        self._p11 -= pace_gain * self._p01
        self._p01 *= 1 - gain
        self._p00 *= 1 - gain

    def _move(self, point: _Point, late: float) -> None:
        """Move the line to where sound comes from now on; its pace stays."""
        self._far = [late] if late < 0 else [*self._far, late]
        if late < 0 or len(self._far) == SURE:
            self._place, self._time = point.samples, self._expected(point.samples) + min(self._far)
            self._p00, self._p01 = LEAST_SD_S**2, 0.0
            self._far.clear()

    def _jumped(self, samples: int) -> float:
        self._lately.append((samples, self.residual_s))
        self._lately_samples += samples
        if self._lately_samples < SHIFTED_S * self.rate:
            return 0.0
        residuals = [residual for _, residual in self._lately]
        least, most = min(residuals), max(residuals)
        jump = least if least > JUMP_S else most if most < -JUMP_S else 0.0
        if jump:
            self._time += jump
            self._best = None
            self._forget()
        while self._lately_samples >= SHIFTED_S * self.rate:
            self._lately_samples -= self._lately.popleft()[0]
        return jump

    def _forget(self) -> None:
        self._lately: deque[tuple[int, float]] = deque()
        self._lately_samples = 0

    def insert(self, samples: int) -> None:
        """So many samples were put in for others that are lost: those after them are that much later."""
        self.samples += samples

    def sample_at(self, at: float) -> float:
        """Which sample of the device stands at a time: a position between samples."""
        return self._place + (at - self._time) / self._period
