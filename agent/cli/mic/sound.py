"""A person's sound devices: which there are, and whether they are fit for a call."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from streams.devices.checkup import Checkup
    from streams.devices.interfaces import Device


MOST_OFFSET = 0.01
"""From this offset on a microphone is worth a look: it takes headroom, and meters show it as sound."""


@dataclass(frozen=True, slots=True)
class Sound:
    """Sound devices by parts of their names; latency in seconds."""

    input: str = ""
    output: str = ""
    latency_s: float = 0.05

    def open(self) -> Device:
        """The devices. Raises `DeviceMissing` if there are none such."""
        from streams.devices.portaudio import SoundCard

        return SoundCard(self.input, self.output, self.latency_s)


def list_devices(json: bool) -> int:
    """Show all sound devices."""
    from streams.devices.interfaces import DeviceMissing
    from streams.devices.portaudio import listed

    try:
        devices = listed()
    except DeviceMissing as error:
        return complain(error, exits.OUR_FAILURE)
    if json:
        print_json({"devices": [asdict(device) for device in devices]})
        return exits.PASS
    for device in devices:
        sides = "/".join(
            name for name, count in (("input", device.inputs), ("output", device.outputs)) if count
        )
        chosen = f"  (default {' and '.join(device.default)})" if device.default else ""
        sys.stdout.write(f"{device.name}  [{sides}, {device.rate} Hz, {device.host}]{chosen}\n")
    if not devices:
        sys.stderr.write("viva: there is no sound device on this machine\n")
    return exits.PASS


def check(sound: Sound, json: bool) -> int:
    """Listen to the room, play three chirps, and say what is wrong; exit code 1 if anything is."""
    from streams.devices.checkup import check_up
    from streams.devices.interfaces import DeviceError, DeviceMisnamed

    try:
        found = run_loop(check_up(sound.open()))
    except DeviceMisnamed as error:
        return complain(error, exits.BAD_INPUT)
    except DeviceError as error:
        return complain(error, exits.OUR_FAILURE)
    problems = [*_problems(found)]
    if json:
        print_json({**_plain(asdict(found)), "problems": problems})
    else:
        _show(found, problems)
    return exits.GATE_FAILED if problems else exits.PASS


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: silence has no level."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in values.items()}


def _problems(found: Checkup) -> list[str]:
    problems = []
    if found.silent:
        problems.append("the microphone gives nothing but zeros: it is muted, or not the one you mean")
    if found.peak_dbfs >= -0.01:
        problems.append("the microphone is at full scale: turn it down")
    if abs(found.offset) >= MOST_OFFSET:
        problems.append(
            f"the microphone has an offset of {100 * found.offset:+.1f} % of full scale: try another input"
        )
    if found.needs_headphones:
        problems.append(f"the microphone hears the ear at {found.echo_db:.0f} dB: wear headphones")
    lost = sum(abs(trouble.seconds) for trouble in found.troubles)
    if lost > 0.1:
        problems.append(f"{lost * 1000:.0f} ms of sound were lost or late: try a greater --latency")
    return problems


def _show(found: Checkup, problems: list[str]) -> None:
    write = sys.stdout.write
    write(f"devices     {found.device}\n")
    level = (
        "silence"
        if found.peak_dbfs == -math.inf
        else f"{found.noise_dbfs:.0f} dBFS, peak {found.peak_dbfs:.0f} dBFS"
    )
    write(f"room        {level}\n")
    if found.round_trip_s is None or found.spread_s is None:
        write("round trip  not measured: no chirp came back (with headphones that is as it should be)\n")
    else:
        write(
            f"round trip  {found.round_trip_s * 1000:.0f} ms, +/- {found.spread_s * 500:.1f} ms; "
            f"heard back at {found.echo_db:.0f} dB\n"
        )
    write(f"drift       {found.drift_ppm:+.0f} ppm\n")
    for problem in problems:
        write(f"problem     {problem}\n")
