"""Before a call: does the microphone live, how loud is the room, how long is the way, is there an echo?"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import numpy as np

from streams.audio import FRAME_S, FULL_SCALE, dbfs, rms, silence, to_float, to_pcm16
from streams.clock import now, sleep_until
from streams.devices.capture import Trouble
from streams.devices.chirp import chirp, find_chirp
from streams.devices.headset import Headset
from streams.devices.interfaces import Device

RATE = 16000
QUIET_S = 1.0
"""So long the room is listened to."""

CHIRPS = 3
EVERY_S = 1.0
"""Time between chirps, within which each must have come back."""

ECHO_DB = -40.0
"""A chirp that comes back louder than this is heard by the endpoint as well: headphones are needed."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found.

    Attributes:
        device: Its name.
        noise_dbfs: RMS level of the room, without the offset; minus infinity if the microphone gives zeros.
        offset: Mean of the microphone's samples, of full scale.
        peak_dbfs: The highest sample meanwhile.
        round_trip_s: Median time from handing sound to the ear until it is on the microphone's track; None
            if no chirp came back, as with headphones.
        spread_s: From the shortest to the longest.
        echo_db: Level at which a chirp came back.
        drift_ppm: By how much the microphone's clock is faster than ours.
        troubles: What the device did to the sound.
    """

    device: str
    noise_dbfs: float
    offset: float
    peak_dbfs: float
    round_trip_s: float | None
    spread_s: float | None
    echo_db: float | None
    drift_ppm: float
    troubles: tuple[Trouble, ...]

    @property
    def silent(self) -> bool:
        """True if the microphone gives nothing at all: it is muted, or not the one that is meant."""
        return self.peak_dbfs == -np.inf and self.echo_db is None

    @property
    def needs_headphones(self) -> bool:
        """True if the microphone hears the ear."""
        return self.echo_db is not None and self.echo_db > ECHO_DB


async def check_up(device: Device) -> Checkup:
    """Listen, then play three chirps and listen for them.

    Raises:
        DeviceError: The device can't be opened, or is lost.
    """
    headset = Headset(device, RATE, RATE)
    await headset.start()
    frame = round(FRAME_S * RATE)
    quiet, every = round(QUIET_S / FRAME_S), round(EVERY_S / FRAME_S)
    wave = to_pcm16(chirp(RATE))
    track = bytearray()
    troubles: list[Trouble] = []
    origin = now()
    try:
        for tick in range(quiet + CHIRPS * every):
            until = origin + (tick + 1) * FRAME_S
            await sleep_until(until)
            track += headset.capture(frame, until)
            at = (tick - quiet) % every * frame
            part = wave[2 * at : 2 * (at + frame)] if tick >= quiet else b""
            headset.play(part + silence(frame - len(part) // 2), until)
            troubles += headset.troubles()
    finally:
        await headset.stop()
    room = to_float(bytes(track[: 2 * quiet * frame]))
    trips = [
        find_chirp(to_float(bytes(track[2 * begin : 2 * (begin + every * frame)])), RATE)
        for begin in range(quiet * frame, quiet * frame + CHIRPS * every * frame, every * frame)
    ]
    found = [trip for trip in trips if trip is not None]
    # the frame is handed over at its end
    seconds = [trip.seconds - FRAME_S for trip in found]
    return Checkup(
        device=device.name,
        noise_dbfs=dbfs(FULL_SCALE * rms(room - room.mean())),
        offset=headset.offset,
        peak_dbfs=dbfs(FULL_SCALE * float(np.abs(room).max())),
        round_trip_s=statistics.median(seconds) if len(found) > CHIRPS // 2 else None,
        spread_s=max(seconds) - min(seconds) if len(found) > CHIRPS // 2 else None,
        echo_db=max(trip.gain_db for trip in found) if found else None,
        drift_ppm=headset.drifts_ppm[0],
        troubles=tuple(troubles),
    )
