"""From the blocks of a capture device to a track on the session's clock: pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from streams.audio import Samples
from streams.devices.clock_map import JUMP_S, ClockMap
from streams.devices.interfaces import Block
from streams.devices.interpolate import Interpolator

MOST_BEND = 0.005
"""The pace of the device is followed by bending time at most so much: nobody hears it."""

MARGIN_S = 0.003
"""Delay on top of what the blocks so far have needed."""


class Fault(StrEnum):
    """What a device did to the sound."""

    OVERRUN = "overrun"  # captured samples are lost: silence stands for them
    LATE = "late"  # captured samples came late: silence was put in, and the track lags more from there on
    SHIFT = "shift"  # the device's time jumped: the track was mended by a jump
    UNDERRUN = "underrun"  # there was nothing to play: silence was heard
    DROPPED = "dropped"  # there was too much to play: some was not heard


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that a device did to the sound, and how many seconds of it; negative if it was skipped."""

    fault: Fault
    seconds: float


class Capture:
    """Reads a device's capture at the session's pace.

    The track lags behind the air by `delay_s` (and the device's own latency); only `Fault.LATE` changes it.

    Args:
        rate: Nominal samples per second of the device.
        track_rate: Samples per second of the track.
    """

    def __init__(self, rate: int, track_rate: int) -> None:
        self.delay_s = 0.0
        self.clock = ClockMap(rate)
        self._rate, self._track_rate = rate, track_rate
        self._step = rate / track_rate
        self._stream = Interpolator(rate, track_rate)
        self._at: float | None = None
        self._starved = 0  # samples of silence that stand for what has not come yet
        self._needed: deque[float] = deque(maxlen=300)
        self._troubles: list[Trouble] = []

    def troubles(self) -> list[Trouble]:
        """What has happened since the last call."""
        found, self._troubles = self._troubles, []
        return found

    def push(self, block: Block) -> None:
        """Take a block."""
        if block.lost:
            self._stream.push(np.zeros(block.lost, np.float32))
            self.clock.insert(block.lost)
            self._stood_for(block.lost)
            self._troubles.append(Trouble(Fault.OVERRUN, block.lost / self._rate))
        elif block.overflow:
            self._troubles.append(Trouble(Fault.OVERRUN, 0.0))
        self._stream.push(block.samples)
        shift = self.clock.push(block.samples.size, block.at)
        if shift:
            self._troubles.append(Trouble(Fault.SHIFT, shift))
        self._needed.append(block.samples.size / self._rate + max(0.0, self.clock.residual_s))

    def _stood_for(self, lost: int) -> None:
        """Silence stood on the track for samples that turn out to be lost: they have passed."""
        if self._at is not None and self._starved:
            passed = min(lost, self._starved * self._step)
            self._at += passed
            self._starved -= round(passed / self._step)

    def restart(self) -> None:
        """Learn the device's clock anew: what it gave so far was not steady yet."""
        self.clock.restart()
        self._needed.clear()
        self._troubles.clear()

    def settle(self) -> None:
        """Choose the delay by the blocks so far: no sample of theirs would have been missing."""
        self.delay_s = max(self._needed, default=0.0) + self._stream.reach / self._rate + MARGIN_S

    def take(self, count: int, until: float) -> Samples:
        """The next samples of the track; the last of them stands at `until`, less the delay.

        Args:
            count: How many.
            until: Seconds on the session's loop.
        """
        if self._starved and self._at is not None and self._stream.readable > self._at + 1:
            self.delay_s += self._starved / self._track_rate + MARGIN_S
            self._troubles.append(Trouble(Fault.LATE, self._starved / self._track_rate))
            self._starved = 0
        target = self.clock.sample_at(until - self.delay_s) - self._starved * self._step
        if self._at is None:
            self._at = target - count * self._step
        behind = target - (self._at + count * self._step)
        if behind > JUMP_S * self._rate:
            self._at += behind
            self._troubles.append(Trouble(Fault.SHIFT, -behind / self._rate))
        ahead = max(0.0, -behind / self._step) if behind < -JUMP_S * self._rate else 0.0
        wait = min(count, round(ahead))
        if wait == count:
            return np.zeros(count, np.float32)
        step = (target - self._at) / (count - wait)
        step = min(max(step, self._step * (1 - MOST_BEND)), self._step * (1 + MOST_BEND))
        return np.concatenate([np.zeros(wait, np.float32), self._read(count - wait, step)])

    def _read(self, count: int, step: float) -> Samples:
        assert self._at is not None
        positions = self._at + step * np.arange(count, dtype=np.float64)
        there = int(np.searchsorted(positions, self._stream.readable))
        out = self._stream.read(positions[:there])
        missing = count - there
        self._at = float(self._at + step * there)
        self._starved += missing
        return np.concatenate([out, np.zeros(missing, np.float32)])
