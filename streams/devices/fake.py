"""A sound device that is none: it lives in the session's time, exact to the sample.

What it captures is a function of true time; its clock may be fast or slow, its blocks late; samples may be
lost, and it may be unplugged. What it plays it keeps, and may hear again (`echo`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.clock import now, sleep_until
from streams.devices.interfaces import Block, DeviceLost, Source

Air = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.floating]]
"""The sound at each time, in seconds since the device was started."""


def quiet(times: npt.NDArray[np.float64]) -> npt.NDArray[np.floating]:
    """Nobody speaks."""
    return np.zeros(times.size)


@dataclass(slots=True)
class FakeDevice:
    """See the head of this file.

    Attributes:
        air: What there is to be heard.
        drift_ppm: By how much its clock is fast.
        block_s: Length of a block.
        late_s: By how much block n comes late.
        lost: Samples lost right before block n; the device knows how many.
        unplugged_at: Block at which it is gone.
        echo: Delay in seconds and gain with which it hears itself.
        played: All that was played.
        began: When it was started, on the loop's clock.
    """

    air: Air = quiet
    drift_ppm: float = 0.0
    input_rate: int = 48000
    output_rate: int = 48000
    block_s: float = 0.01
    late_s: Callable[[int], float] = lambda _: 0.0
    lost: Mapping[int, int] = field(default_factory=dict)
    unplugged_at: int | None = None
    echo: tuple[float, float] | None = None
    name: str = "fake"
    input_latency_s: float = 0.0
    output_latency_s: float = 0.0
    played: list[Samples] = field(default_factory=list)
    began: float = 0.0
    _blocks: list[Block] = field(default_factory=list)
    _gone: bool = False
    _task: asyncio.Task[None] | None = None

    async def start(self, source: Source) -> None:
        """Begin."""
        self.began = now()
        self._task = asyncio.create_task(self._live(source), name="fake sound device")

    async def _live(self, source: Source) -> None:
        size = round(self.block_s * self.input_rate)
        pace = self.input_rate * (1 + self.drift_ppm * 1e-6)
        number = first = 0
        while number != self.unplugged_at:
            lost = self.lost.get(number, 0)
            first += lost
            due = self.began + (first + size) / pace
            await sleep_until(due + self.late_s(number))
            sound = self.air((first + np.arange(size)) / pace) + self._heard_again(first, size)
            self._blocks.append(Block(sound.astype(np.float32), now(), lost=lost))
            self.played.append(source(round(size * self.output_rate / self.input_rate), now()))
            first += size
            number += 1
        self._gone = True

    def _heard_again(self, first: int, size: int) -> npt.NDArray[np.floating]:
        if self.echo is None or not self.played:
            return np.zeros(size)
        delay, gain = self.echo
        sound = np.concatenate(self.played)
        index = first - size - round(delay * self.input_rate) + np.arange(size)
        known = (index >= 0) & (index < sound.size)
        return gain * np.where(known, sound[np.where(known, index, 0)], 0.0)

    def blocks(self) -> list[Block]:
        """What was captured since the last call."""
        if self._gone:
            raise DeviceLost(self.name, "it was unplugged", "Plug it in again.")
        found, self._blocks = self._blocks, []
        return found

    async def stop(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
