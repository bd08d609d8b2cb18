"""Plays clicks at times of the system's clock, whatever the pace of the sound card that plays them.

python -m benchmarks.clicker OUT.npz OUTPUT SECONDS

A click is put into the block that is asked for while it is due, as far behind its beginning as it is due
after that moment. So from the click's time to the air it takes as long as the card's buffer is: the same
for all, give or take how late a block is asked for. Nothing counts samples, so nothing can drift.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import numpy as np
import sounddevice

from streams import clock
from streams.clock import reader
from streams.devices.choose import choose
from streams.devices.portaudio import listed

RATE = 48000
EVERY_S = 0.4
"""On average: the times are random, so that they beat with nothing."""


def click() -> np.ndarray[Any, Any]:
    """4 ms of 2 kHz under a Hann window."""
    t = np.arange(192) / RATE
    return np.asarray(0.5 * np.sin(2 * np.pi * 2000 * t) * np.hanning(192), np.float32)


class Clicker:
    """What is played; `due` are times on the loop's clock."""

    def __init__(self, due: list[float]) -> None:
        self.due = due
        self.placed: list[float] = []
        self._clock = reader()
        self._rest = np.zeros(0, np.float32)

    def __call__(self, data: Any, frames: int, *_: object) -> None:
        """The next block."""
        at, wave = self._clock(), click()
        sound = np.zeros(frames + wave.size, np.float32)
        sound[: self._rest.size] += self._rest
        while self.due and self.due[0] < at + frames / RATE:
            time = self.due.pop(0)
            first = round((time - at) * RATE)
            if first >= 0:  # one that was due before this block was asked for is left out
                sound[first : first + wave.size] += wave
                self.placed.append(time)
        data[:, 0], self._rest = sound[:frames], sound[frames:]


async def main(out: str, output: str, seconds: float) -> None:
    gaps = np.random.default_rng(1).uniform(0.5, 1.5, round(seconds / EVERY_S)) * EVERY_S
    begin = clock.now() + 1.0
    clicker = Clicker([float(time) for time in begin + np.cumsum(gaps)])
    device = choose(listed(), output, "output").index
    with sounddevice.OutputStream(
        device=device, samplerate=RATE, channels=1, callback=clicker, latency=0.1
    ):
        await asyncio.sleep(seconds + 2)
    np.savez(out, placed=np.array(clicker.placed))


if __name__ == "__main__":
    clock.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
