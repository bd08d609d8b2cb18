"""Sound cards, by PortAudio (the `sounddevice` package): a thin shell, a callback that only hands over."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from streams.clock import reader
from streams.devices.choose import Listed, choose
from streams.devices.interfaces import Block, DeviceError, DeviceLost, DeviceMissing, Source

if TYPE_CHECKING:
    import sounddevice

MOST_BLOCKS = 500
"""Blocks that wait at most, some 4 s: what comes then is lost, and counted."""

PREFERRED_RATE = 48000

LATENCY_S = 0.05
"""What is asked of the system; with much less some sound systems stutter."""


def _sounddevice() -> Any:
    try:
        import sounddevice
    except ImportError as error:
        raise DeviceMissing(
            "sound card",
            "the package sounddevice is not installed",
            "Install it: pip install 'vivavoce[mic]'",
        ) from error
    except OSError as error:  # the package is there, the library is not
        raise DeviceMissing(
            "sound card",
            "the PortAudio library is not installed",
            "Install it: apt install libportaudio2 (macOS: brew install portaudio)",
        ) from error
    return sounddevice


def listed() -> list[Listed]:
    """All sound devices of this machine.

    Raises:
        DeviceMissing: Sound devices can't be used here.
    """
    sd = _sounddevice()
    hosts = [host["name"] for host in sd.query_hostapis()]
    default = tuple(zip(("input", "output"), sd.default.device, strict=True))
    return [
        Listed(
            index=number,
            name=device["name"],
            host=hosts[device["hostapi"]],
            inputs=device["max_input_channels"],
            outputs=device["max_output_channels"],
            rate=round(device["default_samplerate"]),
            default=tuple(side for side, index in default if index == number),
        )
        for number, device in enumerate(sd.query_devices())
    ]


class SoundCard:
    """A microphone and an ear of this machine; they may be different devices.

    Args:
        wanted_input: A part of the name; "" is the system's choice.
        wanted_output: Likewise.
        latency_s: What is asked of the system, for each of both.

    Raises:
        DeviceMissing: There is none such.
    """

    def __init__(
        self, wanted_input: str = "", wanted_output: str = "", latency_s: float = LATENCY_S
    ) -> None:
        self._latency_s = latency_s
        self._sd = _sounddevice()
        devices = listed()
        self._ends = choose(devices, wanted_input, "input"), choose(devices, wanted_output, "output")
        self.name = f"{self._ends[0].name} / {self._ends[1].name}"
        self.input_rate = self._rate(self._ends[0], self._sd.check_input_settings)
        self.output_rate = self._rate(self._ends[1], self._sd.check_output_settings)
        self.input_latency_s = self.output_latency_s = 0.0
        self._waiting: deque[Block] = deque()
        self._lost = 0
        self._streams: list[sounddevice.InputStream | sounddevice.OutputStream] = []
        self._ended = False
        self._opening = threading.Lock()
        """Who lets go while it is still being opened waits."""

    def _rate(self, end: Listed, check: Callable[..., None]) -> int:
        """48 kHz, of which the wire's rates are parts, where the device takes it; else its own."""
        try:
            check(device=end.index, channels=1, dtype="float32", samplerate=PREFERRED_RATE)
        except self._sd.PortAudioError:
            return end.rate
        return PREFERRED_RATE

    async def start(self, source: Source) -> None:
        """Open both; the callbacks come from PortAudio's threads.

        Raises:
            DeviceError: One can't be opened.
        """
        await asyncio.to_thread(self._start, source, reader())  # it may take long, and a call may go on

    def _start(self, source: Source, clock: Callable[[], float]) -> None:
        def captured(data: Any, frames: int, time: Any, status: Any) -> None:
            if len(self._waiting) >= MOST_BLOCKS:
                self._lost += frames
                return
            lost, self._lost = self._lost, 0
            samples = np.array(data[:, 0], np.float32)
            self._waiting.append(Block(samples, clock(), lost, bool(status.input_overflow)))

        def wanted(data: Any, frames: int, time: Any, status: Any) -> None:
            data[:] = source(frames, clock())[:, None]

        def ended() -> None:
            self._ended = True

        common = {"channels": 1, "dtype": "float32", "latency": self._latency_s, "finished_callback": ended}
        with self._opening:
            self._open(captured, wanted, common)

    def _open(
        self, captured: Callable[..., None], wanted: Callable[..., None], common: dict[str, Any]
    ) -> None:
        try:
            ear = self._sd.OutputStream(
                device=self._ends[1].index, samplerate=self.output_rate, callback=wanted, **common
            )
            self._streams.append(ear)
            microphone = self._sd.InputStream(
                device=self._ends[0].index, samplerate=self.input_rate, callback=captured, **common
            )
            self._streams.append(microphone)
            for stream in self._streams:
                stream.start()
        except self._sd.PortAudioError as error:
            self._close()
            remedy = "See whether another program holds it; `viva mic --list-devices` shows what there is."
            raise DeviceError(self.name, str(error), remedy) from error
        self.input_latency_s, self.output_latency_s = float(microphone.latency), float(ear.latency)

    def blocks(self) -> list[Block]:
        """What was captured since the last call.

        Raises:
            DeviceLost: PortAudio has ended a stream: as a rule the device was unplugged.
        """
        if self._ended or not all(stream.active for stream in self._streams):
            raise DeviceLost(self.name, "it is gone", "Plug it in again, or choose another with --input.")
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    async def stop(self) -> None:
        """Close both."""
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        with self._opening:
            self._close()

    def _close(self) -> None:
        streams, self._streams = self._streams, []
        for stream in streams:
            try:
                stream.abort(ignore_errors=True)
                stream.close(ignore_errors=True)
            except self._sd.PortAudioError:
                continue  # it is gone already
