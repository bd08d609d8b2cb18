"""From the endpoint's track to what a device plays: pure, and safe between two threads."""

from __future__ import annotations

from collections import deque
from threading import Lock

import numpy as np

from streams.audio import Samples
from streams.devices.capture import MOST_BEND, Fault, Trouble
from streams.devices.clock_map import ClockMap
from streams.devices.interpolate import Interpolator

LEAD_S = 0.06
"""So much waits to be played: it bridges late ticks and late callbacks."""

MOST_S = 0.5
"""More than this never waits: what is older is not heard."""


class Playing:
    """Plays a track at the pace of a device; a constant `lead_s` is kept waiting.

    Args:
        track_rate: Samples per second of the track.
        rate: Nominal samples per second of the device.
        lead_s: Seconds that wait to be played.
    """

    def __init__(self, track_rate: int, rate: int, lead_s: float = LEAD_S) -> None:
        self.lead_s = lead_s
        self.clock = ClockMap(rate)
        self._rate = rate
        self._step = track_rate / rate
        self._stream = Interpolator(track_rate, rate)
        self._lock = Lock()
        self._queue: deque[Samples] = deque()
        self._waiting = 0
        self._at = 0.0
        self._begun = False
        self._silence = 0
        self._dropped = 0

    def push(self, samples: Samples, at: float) -> None:
        """The next samples of the track, at `at` seconds on the session's loop."""
        if not samples.size:
            return
        with self._lock:
            if not self._begun:
                self._begun = True
                filtered = self._stream.reach / self._step  # what is pushed comes out so much later
                ready = self.lead_s * self._rate + self._pulled_since(at) + filtered
                self._put(np.zeros(round(ready), np.float32))
            self._stream.push(samples)
            count = int(np.ceil((self._stream.readable - self._at) / self._pace(at)))
            positions = self._at + self._pace(at) * np.arange(max(count, 0), dtype=np.float64)
            positions = positions[positions < self._stream.readable]
            self._at += self._pace(at) * positions.size
            self._put(self._stream.read(positions))
            while self._waiting > MOST_S * self._rate:
                old = self._queue.popleft()
                self._waiting -= old.size
                self._dropped += old.size

    def _pace(self, at: float) -> float:
        """Samples of the track for one of the device: by its clock, bent a little to keep the lead."""
        if not self.clock.known:
            return self._step
        waiting = self._waiting - self._pulled_since(at)
        short = self.lead_s - waiting / self._rate  # of a second: it is made up within about one second
        true = self._step / (1 + self.clock.drift_ppm * 1e-6)
        return true * (1 - min(max(short, -MOST_BEND), MOST_BEND))

    def _pulled_since(self, at: float) -> float:
        """Samples that the device has played since it pulled last: they are waiting no more."""
        return self.clock.sample_at(at) - self.clock.samples if self.clock.known else 0.0

    def _keep_lead(self, at: float) -> None:
        """The device's time has jumped: what waits is brought back to what should."""
        surplus = round(self._waiting - self.lead_s * self._rate - self._pulled_since(at))
        if surplus < 0:
            self._queue.appendleft(np.zeros(-surplus, np.float32))
            self._waiting -= surplus
        while surplus > 0 and self._queue:
            head = self._queue.popleft()
            if head.size > surplus:
                self._queue.appendleft(head[surplus:])
            gone = min(head.size, surplus)
            self._waiting -= gone
            self._dropped += gone
            surplus -= gone

    def restart(self) -> None:
        """Learn the device's clock anew: it was not steady yet."""
        with self._lock:
            self.clock.restart()

    def _put(self, samples: Samples) -> None:
        if samples.size:
            self._queue.append(samples)
            self._waiting += samples.size

    def pull(self, count: int, at: float) -> Samples:
        """What is to be played next; the device's thread calls this."""
        with self._lock:
            if self.clock.push(count, at):
                self._keep_lead(at)
            parts: list[Samples] = []
            wanted = count
            while wanted and self._queue:
                head = self._queue.popleft()
                if head.size > wanted:
                    self._queue.appendleft(head[wanted:])
                    head = head[:wanted]
                parts.append(head)
                wanted -= head.size
                self._waiting -= head.size
            if wanted and self._begun:
                self._silence += wanted
        return np.concatenate([*parts, np.zeros(wanted, np.float32)])

    def troubles(self) -> list[Trouble]:
        """What has happened since the last call."""
        with self._lock:
            found = [
                Trouble(fault, samples / self._rate)
                for fault, samples in ((Fault.UNDERRUN, self._silence), (Fault.DROPPED, self._dropped))
                if samples
            ]
            self._silence = self._dropped = 0
        return found
