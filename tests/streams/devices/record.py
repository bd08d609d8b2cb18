"""A program that records a sound card as a call does: PortAudio looks at its environment once a process.

python -m tests.streams.devices.record OUT.npz INPUT OUTPUT SECONDS [LOOP]  (LOOP: it plays a warble itself)
"""

from __future__ import annotations

import asyncio
import sys

import numpy as np

from streams import clock
from streams.audio import to_float, to_pcm16
from streams.clock import now, sleep_until
from streams.devices.headset import Headset
from streams.devices.interfaces import Block
from streams.devices.portaudio import SoundCard
from tests.streams.devices.sounds import warble

RATE = 16000


class Logged(SoundCard):
    """A sound card that keeps when which block came: (seconds, samples)."""

    def __init__(self, wanted_input: str, wanted_output: str) -> None:
        super().__init__(wanted_input, wanted_output, 0.1)
        self.log: list[tuple[float, int]] = []

    def blocks(self) -> list[Block]:
        blocks = super().blocks()
        self.log += [(block.at, block.samples.size) for block in blocks]
        return blocks


async def main(out: str, wanted_input: str, wanted_output: str, seconds: float, loop: bool) -> None:
    card = Logged(wanted_input, wanted_output)
    headset = Headset(card, RATE, RATE)
    await headset.start()
    print("READY", flush=True)  # noqa: T201
    origin, parts, troubles, delays, frame = now(), [], [], [], RATE // 50
    for tick in range(round(seconds * 50)):
        until = origin + (tick + 1) * 0.02
        await sleep_until(until)
        parts.append(headset.capture(frame, until))
        times = (tick * frame + np.arange(frame)) / RATE
        headset.play(to_pcm16(warble(times)) if loop else bytes(2 * frame), until)
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
    clock.run(main(name, first, second, float(length), bool(rest)))
