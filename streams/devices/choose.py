"""Which of a machine's sound devices is meant: by a part of its name. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streams.devices.interfaces import DeviceMisnamed, DeviceMissing


@dataclass(frozen=True, slots=True)
class Listed:
    """A sound device as the system lists it.

    Attributes:
        index: The system's number of it.
        inputs: Channels that can be captured; 0 if it is an output only.
        outputs: The same for playing.
        rate: Its usual samples per second.
        default: It is the system's choice for ("input",), ("output",) or both.
    """

    index: int
    name: str
    host: str
    inputs: int
    outputs: int
    rate: int
    default: tuple[str, ...] = ()


def choose(devices: Sequence[Listed], wanted: str, side: str) -> Listed:
    """The device whose name holds `wanted`, in any case; "" is the system's choice.

    Args:
        devices: All there are.
        wanted: A part of the name, or the whole of it, which decides between several.
        side: "input" or "output".

    Raises:
        DeviceMissing: There is none at all.
        DeviceMisnamed: None fits, or several do.
    """
    fit = [device for device in devices if (device.inputs if side == "input" else device.outputs)]
    if not fit:
        raise DeviceMissing(wanted or "default", f"there is no {side} device", "Plug one in.")
    if not wanted:
        return next((device for device in fit if side in device.default), fit[0])
    named = [device for device in fit if wanted.casefold() in device.name.casefold()]
    whole = [device for device in named if device.name.casefold() == wanted.casefold()]
    found = whole or named
    if len(found) == 1:
        return found[0]
    names = ", ".join(repr(device.name) for device in found or fit)
    if found:
        raise DeviceMisnamed(wanted, f"several {side} devices fit: {names}", "Say more of the name.")
    raise DeviceMisnamed(
        wanted, f"no {side} device is called so; there are: {names}", "Choose one of them."
    )
