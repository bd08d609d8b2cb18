"""A person's headset on the session's clock: what the microphone captured, what the ear hears."""

from __future__ import annotations

import math
from contextlib import AsyncExitStack
from dataclasses import dataclass

import numpy as np

from streams.audio import Samples, to_float, to_pcm16
from streams.clock import now, sleep_until
from streams.devices.capture import Capture, Trouble
from streams.devices.echo import Echo, EchoWatch
from streams.devices.interfaces import Block, Device, DeviceLost
from streams.devices.playing import Playing

SETTLE_S = 0.6
"""So long a device runs before the call, until its clock and the size of its blocks are known."""

BURST_S = 0.3
"""So long a device may be unsteady when it begins: sound systems give what they have saved up at once."""

START_S = 5.0
"""So long it may take until it gives its first sound."""

SILENT_S = 1.0
"""A device that gives nothing for so long is gone, whatever it says."""

FULL = 32767 / 32768
"""A captured sample of this magnitude is at full scale: what the microphone heard was louder."""


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds between the air and the tracks, without the latency that only the device knows."""

    capture_s: float
    playback_s: float


class Headset:
    """A device, between which and the tracks of a call nothing drifts.

    Args:
        device: The device; not started yet.
        user_rate: Samples per second of the user's track.
        endpoint_rate: The same of the endpoint's.
    """

    def __init__(self, device: Device, user_rate: int, endpoint_rate: int) -> None:
        self.device = device
        self.user_rate, self.endpoint_rate = user_rate, endpoint_rate
        self._capture = Capture(device.input_rate, user_rate)
        self._playing = Playing(endpoint_rate, device.output_rate)
        self._echo = EchoWatch(user_rate, endpoint_rate)
        self._last_block, self._patience_s = 0.0, START_S
        self._captured: Samples = np.zeros(0, np.float32)
        self.open = True
        """False while the person does not push to talk: the track is silent."""
        self.gone = False
        self.clipped = 0
        """Samples at full scale, counted as the device gives them: later filters round off what was cut."""
        self._summed, self._counted = 0.0, 0

    async def start(self) -> None:
        """Start the device, and wait until it is known.

        Raises:
            DeviceError: It can't be opened, or gives nothing.
        """
        async with AsyncExitStack() as letting_go:  # when it fails or is cancelled: nobody else would
            letting_go.push_async_callback(self.device.stop)
            await self.device.start(self._playing.pull)
            self._last_block = now()
            await self._flowing(BURST_S)
            self._capture.restart()
            self._playing.restart()
            await self._flowing(SETTLE_S)
            letting_go.pop_all()
        self._capture.settle()

    async def _flowing(self, seconds: float) -> None:
        """Take and forget what is captured in so many seconds from the next block on."""
        before, until = self._capture.clock.samples, math.inf
        while now() < until:
            await sleep_until(now() + 0.02)
            self._drain()
            if until == math.inf and self._capture.clock.samples > before:
                until = now() + seconds

    async def stop(self) -> None:
        """Let go of the device."""
        await self.device.stop()

    @property
    def echo(self) -> Echo | None:
        """The endpoint in the microphone, if it was found there."""
        return self._echo.echo

    @property
    def delays(self) -> Delays:
        """As they are now."""
        return Delays(self._capture.delay_s, self._playing.lead_s)

    @property
    def drifts_ppm(self) -> tuple[float, float]:
        """By how much the clocks of microphone and ear are faster than the session's."""
        return self._capture.clock.drift_ppm, self._playing.clock.drift_ppm

    @property
    def offset(self) -> float:
        """Mean of what the device captured in the call while it was open, of full scale."""
        return self._summed / self._counted if self._counted else 0.0

    def _drain(self) -> list[Block]:
        blocks = self.device.blocks()
        for block in blocks:
            self._capture.push(block)
        if blocks:
            self._last_block, self._patience_s = now(), SILENT_S
        elif now() > self._last_block + self._patience_s:
            found = f"it has given no sound for {self._patience_s:g} s"
            raise DeviceLost(self.device.name, found, "Plug it in again, or choose another.")
        return blocks

    def idle(self) -> None:
        """Take what was captured, for nobody; a device that is gone is told at the next `capture`."""
        try:
            self._drain()
        except DeviceLost:
            self.gone = True

    def capture(self, samples: int, until: float) -> bytes:
        """The next samples of the user's track, PCM16.

        Args:
            samples: How many.
            until: When the last of them was captured, but for the delay, in seconds on the loop.

        Raises:
            DeviceLost: The device is gone.
        """
        for block in self._drain():
            if self.open:
                self.clipped += int(np.count_nonzero(np.abs(block.samples) >= FULL))
                self._summed += float(block.samples.sum(dtype=np.float64))
                self._counted += block.samples.size
        taken = self._capture.take(samples, until)
        self._captured = taken if self.open else np.zeros_like(taken)
        return to_pcm16(self._captured)

    def play(self, heard: bytes, at: float) -> bool:
        """What is heard in the same 20 ms; True if the captured frame is an echo of the endpoint alone."""
        played = to_float(heard)
        self._playing.push(played, at)
        if self._captured.size * self.endpoint_rate != played.size * self.user_rate:
            return False  # the first frame or the last
        return self._echo.push(self._captured, played)

    def explained(self, seconds: float, ago_s: float) -> float:
        """How much a stretch of the user's track is like what was played; see `EchoWatch.explained`."""
        return self._echo.explained(seconds, ago_s)

    def troubles(self) -> list[Trouble]:
        """What the device did to the sound since the last call."""
        return [*self._capture.troubles(), *self._playing.troubles()]
