"""What a network does to frames: it loses some, and brings others late. No sound is touched but in gaps."""

from __future__ import annotations

import random
from collections import deque

import numpy as np
import numpy.typing as npt

from scenarios.conditions import Concealment, Jitter, LossModel, PacketLoss
from streams.audio import FRAME_MS, silence, to_float, to_pcm16

_FULL_MS, _GONE_MS = 10, 60
"""A repeated frame keeps its level for 10 ms and is gone after 60, as G.711 Appendix I fades."""


class Losses:
    """Frames that get lost, and what stands in their place: the stream keeps its time.

    Which frames are lost depends on the seed and their number alone. Gilbert-Elliott is taken with a good
    state that loses nothing and a bad one that loses everything (Gilbert 1960): the bad state is left with
    probability 1 / burst_frames, and entered so often that in the long run the share of lost frames is the
    rate. A call begins in the bad state with that probability.

    Args:
        loss: Model, rate, concealment.
        frame: Samples in a frame.
        seed: Of the call.
    """

    def __init__(self, loss: PacketLoss, frame: int, seed: int) -> None:
        self.lost = 0
        """Frames lost so far."""
        self._rng = random.Random(f"{seed} packet loss")  # noqa: S311 (no secret)
        self._rate = loss.rate
        self._bursts = loss.model is LossModel.GILBERT_ELLIOTT
        self._leave = 1 / (loss.burst_frames or 1)
        self._enter = loss.rate * self._leave / (1 - loss.rate) if loss.rate < 1 else 1.0
        self._bad = self._rng.random() < loss.rate
        self._repeats = loss.concealment is Concealment.REPEAT
        self._silence = self._last = silence(frame)
        self._in_a_row = 0
        self._fade = _fade(frame)

    def carry(self, pcm: bytes) -> bytes:
        """What arrives of the next frame."""
        if not self._loses():
            self._last, self._in_a_row = pcm, 0
            return pcm
        self.lost += 1
        before, self._in_a_row = self._in_a_row, self._in_a_row + 1
        if not self._repeats or before >= len(self._fade):
            return self._silence
        return to_pcm16(to_float(self._last) * self._fade[before])

    def _loses(self) -> bool:
        if not self._bursts:
            return self._rng.random() < self._rate
        bad = self._bad
        self._bad = self._rng.random() >= self._leave if bad else self._rng.random() < self._enter
        return bad


def _fade(frame: int) -> npt.NDArray[np.float32]:
    """Gain of each repetition of a frame, one a row."""
    ms = np.arange(_GONE_MS // FRAME_MS * frame) / frame * FRAME_MS
    gain = np.clip((_GONE_MS - ms) / (_GONE_MS - _FULL_MS), 0, 1)
    return gain.astype(np.float32).reshape(-1, frame)


class Delays:
    """Frames that wait, in ticks of 20 ms; what goes in first comes out first, and all of it.

    A delay of d ms takes floor(d / 20 + u) ticks with u from 0 to 1, so that its mean stays what it is.
    """

    def __init__(self, jitter: Jitter, seed: int) -> None:
        self._rng = random.Random(f"{seed} jitter")  # noqa: S311 (no secret)
        self._jitter = jitter
        self._most = int(jitter.max_ms / FRAME_MS)
        self._tick = 0
        self._last_due = 0
        self._waiting: deque[tuple[int, bytes]] = deque()
        self.delayed = 0
        """Frames that had to wait."""
        self.total_ms = 0
        """Sum of their waiting times."""
        self.worst_ms = 0

    def pass_on(self, pcm: bytes | None) -> tuple[bytes, ...]:
        """One tick: take a frame, if there is one, and give what is due."""
        drawn = self._rng.expovariate(1 / self._jitter.mean_ms), self._rng.random()
        if pcm is not None:
            ticks = min(int(min(drawn[0], self._jitter.max_ms) / FRAME_MS + drawn[1]), self._most)
            self._last_due = max(self._last_due, self._tick + ticks)
            self._waiting.append((self._last_due, pcm))
            self._count((self._last_due - self._tick) * FRAME_MS)
        due = []
        while self._waiting and self._waiting[0][0] <= self._tick:
            due.append(self._waiting.popleft()[1])
        self._tick += 1
        return tuple(due)

    def rest(self) -> tuple[bytes, ...]:
        """Everything that still waits."""
        left = tuple(pcm for _, pcm in self._waiting)
        self._waiting.clear()
        return left

    def _count(self, waits_ms: int) -> None:
        self.delayed += waits_ms > 0
        self.total_ms += waits_ms
        self.worst_ms = max(self.worst_ms, waits_ms)
