"""What every sound device is to us, be it a sound card, a page in a browser, or a fake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from streams.audio import Samples

Source = Callable[[int, float], Samples]
"""Gives the next so many samples to be heard, float32 at the device's output rate. It is called from the
device's own thread, with the time on the session's loop in seconds."""


class DeviceError(RuntimeError):
    """A sound device could not be used: whose fault it is not is the endpoint's.

    Args:
        device: Its name.
        found: What is wrong.
        remedy: What to do.
    """

    def __init__(self, device: str, found: str, remedy: str) -> None:
        self.device, self.found, self.remedy = device, found, remedy
        super().__init__(f"sound device {device!r}: {found}. {remedy}")


class DeviceLost(DeviceError):
    """A device that was working is gone: unplugged, taken by another program, or its page was closed."""


class DeviceMissing(DeviceError):
    """No device fits what was asked for, or sound devices can't be used here at all."""


class DeviceMisnamed(DeviceMissing):
    """There are devices, and none or several of them fit the name."""


@dataclass(frozen=True, slots=True)
class Block:
    """What a device has captured since the block before.

    Attributes:
        samples: float32, mono, at the device's own rate.
        at: When its last sample was captured, in seconds on the session's loop; as well as it is known.
        lost: Samples known to be lost right before it.
        overflow: The device says that some were lost, but not how many.
    """

    samples: Samples
    at: float
    lost: int = 0
    overflow: bool = False


class Device(Protocol):
    """A microphone and an ear with one name.

    Attributes:
        name: For people and the record: input and output.
        input_rate: Samples per second of what it captures, by its own clock.
        output_rate: The same of what it plays.
        input_latency_s: From the air to a block's `at`, as far as the device knows; 0.0 if it does not.
        output_latency_s: From being pulled to the air, likewise.
    """

    name: str
    input_rate: int
    output_rate: int
    input_latency_s: float
    output_latency_s: float

    async def start(self, source: Source) -> None:
        """Begin to capture, and to play what `source` gives.

        Raises:
            DeviceError: It can't be opened.
        """

    def blocks(self) -> list[Block]:
        """What was captured since the last call.

        Raises:
            DeviceLost: The device is gone.
        """

    async def stop(self) -> None:
        """Let go of it; nothing is raised if it is gone already."""
