"""The way from the user's mouth to the wire, frame by frame."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from scenarios.conditions import Codec, Conditions
from streams.audio import FRAME_MS, FULL_SCALE, Samples, dbfs, rms, to_float, to_pcm16
from user_sim.conditions.echo import Echo
from user_sim.conditions.filters import Convolution
from user_sim.conditions.loops import Loop
from user_sim.conditions.network import Delays, Losses
from user_sim.conditions.telephone import TELEPHONE_RATE, Telephone


@dataclass(frozen=True, slots=True)
class Beds:
    """What a line needs that takes long to make; see `user_sim.conditions.prepare`.

    Attributes:
        noise: One loop for each noise of the conditions, at its level.
        second_speaker: The other speaker, at its level.
        room: Impulse response, the direct sound at sample 0 with 1.0.
    """

    noise: tuple[Loop, ...] = ()
    second_speaker: Loop | None = None
    room: Samples | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of one frame.

    Attributes:
        pcm: What went on the wire for this tick: for the record.
        frames: What arrives at the endpoint now, oldest first: none, one, or several that were late.
    """

    pcm: bytes
    frames: tuple[bytes, ...]


class Line:
    """The conditions of one call, applied to one frame after another.

    `delay_samples` is how far the wire lags behind the clean track: 0, since no stage looks ahead.

    Args:
        conditions: What is applied, in the order of `user_sim.conditions`.
        rate: Samples per second of the wire to the endpoint.
        endpoint_rate: Of what the user hears.
        seed: Of the call; together with the number of a frame it decides everything.
        beds: Made for these conditions and this rate.

    Raises:
        UnfitCodec: The codec cannot be applied at this rate.
    """

    delay_samples = 0

    def __init__(
        self, conditions: Conditions, rate: int, endpoint_rate: int, seed: int, beds: Beds
    ) -> None:
        self.rate, self.endpoint_rate = rate, endpoint_rate
        self.frame_samples = rate * FRAME_MS // 1000
        self.position = 0
        """Samples of the user's track so far."""
        self._conditions = conditions
        self._seed = seed
        self._noise = [(loop, self._offset(loop, f"noise {i}")) for i, loop in enumerate(beds.noise)]
        self._others = list(self._noise)
        if beds.second_speaker is not None:
            loop = beds.second_speaker
            self._others.insert(0, (loop, self._offset(loop, "second speaker")))
        self._room = None if beds.room is None else Convolution(beds.room, self.frame_samples)
        echo, loss, jitter = conditions.echo, conditions.packet_loss, conditions.jitter
        self._echo = None if echo is None else Echo(echo.delay_ms, echo.gain_db, rate, endpoint_rate)
        self._gain = np.float32(10 ** (conditions.gain_db / 20))
        self._limit = 10 ** ((conditions.clipping_dbfs or 0.0) / 20)
        self._telephone = None if conditions.codec is Codec.NONE else Telephone(conditions.codec, rate)
        self._losses = None if loss is None else Losses(loss, self.frame_samples, seed)
        self._delays = None if jitter is None else Delays(jitter, seed)
        self._frames = self._clipped = 0

    def _offset(self, loop: Loop, name: str) -> int:
        digest = hashlib.sha256(f"{self._seed} {name}".encode()).digest()
        # a share of the loop, so that it is the same stretch of noise at every rate
        return int(int.from_bytes(digest[:4], "big") / 2**32 * len(loop.samples))

    def frame(self, clean: bytes, heard: bytes, *, skipped: bool = False) -> Sent:
        """One tick.

        Args:
            clean: The user's next 20 ms, PCM16 at `rate`.
            heard: The 20 ms that the user heard since the last call, PCM16 at the endpoint's rate; nothing
                while there is none yet. At most two frames behind `clean`.
            skipped: This tick's frame does not go to the endpoint: it came too late, and silence does not
                catch up.
        """
        pcm = self._transmitted(self._picked_up(clean, heard))
        self.position += self.frame_samples
        self._frames += 1
        if self._delays is not None:
            return Sent(pcm, self._delays.pass_on(None if skipped else pcm))
        return Sent(pcm, () if skipped else (pcm,))

    def rest(self) -> tuple[bytes, ...]:
        """What is still on its way when the call is over."""
        return self._delays.rest() if self._delays is not None else ()

    def noise(self, start: int, count: int) -> Samples:
        """The noise beds alone, before gain and codec, at any sample of the call."""
        total = np.zeros(count, np.float32)
        for loop, offset in self._noise:
            total += loop.at(start + offset, count)
        return total

    def settings(self) -> dict[str, Any]:
        """Everything that is applied, with levels and offsets as they came out."""
        applied = self._conditions.model_dump(mode="json", exclude_defaults=True)
        applied["seed"] = self._seed
        for shown, (loop, offset) in zip(applied.get("noise", []), self._noise, strict=True):
            shown |= {"level_dbov": _level(loop.samples), "loop_s": len(loop.samples) / self.rate}
            shown["offset_s"] = round(offset / self.rate, 3)
        if self._conditions.codec is not Codec.NONE:
            applied["codec_rate"] = TELEPHONE_RATE
        return applied

    def report(self) -> dict[str, Any]:
        """What happened so far, counted."""
        values: dict[str, Any] = {"frames": self._frames, "clipped_samples": self._clipped}
        if self._losses is not None:
            values["lost_frames"] = self._losses.lost
        if self._delays is not None:
            values["delayed_frames"] = self._delays.delayed
            values["mean_delay_ms"] = round(self._delays.total_ms / max(1, self._frames), 3)
            values["worst_delay_ms"] = self._delays.worst_ms
        return values

    def _picked_up(self, clean: bytes, heard: bytes) -> Samples:
        """What the microphone gives: room, other sounds, echo, gain, clipping."""
        sound = to_float(clean)
        if self._room is not None:
            sound = self._room.process(sound)
        for loop, offset in self._others:
            sound = sound + loop.at(self.position + offset, self.frame_samples)
        if self._echo is not None:
            sound = sound + self._echo.process(heard)
        sound = sound * self._gain
        over = int(np.count_nonzero(np.abs(sound) > self._limit))
        if over:
            self._clipped += over
            sound = np.clip(sound, -self._limit, self._limit)
        return sound

    def _transmitted(self, sound: Samples) -> bytes:
        """What the network makes of it: codec, loss."""
        pcm = to_pcm16(sound if self._telephone is None else self._telephone.process(sound))
        return pcm if self._losses is None else self._losses.carry(pcm)


def _level(samples: Samples) -> float:
    return round(dbfs(FULL_SCALE * rms(samples)), 3)
