"""A program that records a sound card as a call does: PortAudio looks at its environment once a process.

python -m tests.streams.devices.record OUT.npz INPUT OUTPUT SECONDS [RATE]

RATE is what the microphone is opened with, while the call takes it for 48000: one that gives 48010 samples
a second is a card that is fast by 208 ppm.
"""

from __future__ import annotations

import asyncio
import sys

import numpy as np

from streams import clock
from streams.audio import to_float
from streams.clock import now, sleep_until
from streams.devices.headset import Headset
from streams.devices.interfaces import Block, Source
from streams.devices.portaudio import SoundCard

RATE = 16000


class Logged(SoundCard):
    """A sound card that keeps when which block came: (seconds, samples)."""

    def __init__(self, wanted_input: str, wanted_output: str, opened: int) -> None:
        super().__init__(wanted_input, wanted_output, 0.1)
        self._opened, self._said = opened, self.input_rate
        self.log: list[tuple[float, int]] = []

    async def start(self, source: Source) -> None:
        self.input_rate = self._opened
        await super().start(source)
        self.input_rate = self._said

    def blocks(self) -> list[Block]:
        blocks = super().blocks()
        self.log += [(block.at, block.samples.size) for block in blocks]
        return blocks


async def main(out: str, wanted_input: str, wanted_output: str, seconds: float, opened: int) -> None:
    card = Logged(wanted_input, wanted_output, opened)
    headset = Headset(card, RATE, RATE)
    await headset.start()
    print("READY", flush=True)  # noqa: T201
    origin, parts, troubles, delays, frame = now(), [], [], [], RATE // 50
    for tick in range(round(seconds * 50)):
        until = origin + (tick + 1) * 0.02
        await sleep_until(until)
        parts.append(headset.capture(frame, until))
        headset.play(bytes(2 * frame), until)
        troubles += headset.troubles()
        delays.append(headset.delays.capture_s)
        await asyncio.sleep(0)
    drift, _ = headset.drifts_ppm
    await headset.stop()
    np.savez(
        out,
        track=to_float(b"".join(parts)),
        drift_ppm=drift,
        delay_s=np.array(delays),
        origin=origin,
        blocks=np.array(card.log),
        rate=card.input_rate,
        troubles=np.array([f"{t.fault} {t.seconds:.4f}" for t in troubles]),
    )


if __name__ == "__main__":
    name, first, second, length, *rest = sys.argv[1:]
    clock.run(main(name, first, second, float(length), int(rest[0]) if rest else 48000))
