"""What room and line cost: one 20 ms frame of the user's voice through its conditions."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import numpy as np

from scenarios.conditions import (
    Codec,
    Concealment,
    Conditions,
    Echo,
    Jitter,
    Noise,
    PacketLoss,
    Reverberation,
)
from streams.audio import to_pcm16
from streams.speech.fake import ToneVoice
from user_sim.conditions.line import Line
from user_sim.conditions.prepare import prepare_beds

_USUAL = Conditions(
    noise=(Noise(bed="pink", snr_db=15),),
    gain_db=-3,
    codec=Codec.G711_ULAW,
    packet_loss=PacketLoss(rate=0.05, concealment=Concealment.REPEAT),
)
_EVERYTHING = _USUAL.model_copy(
    update={
        "reverberation": Reverberation(rt60_s=0.5),
        "echo": Echo(delay_ms=150),
        "clipping_dbfs": -12.0,
        "jitter": Jitter(mean_ms=10),
    }
)
_FRAMES = 250


def frame_cost() -> dict[str, Any]:
    """Microseconds a frame, the best of several rounds: noise, μ-law and loss, and then everything."""
    found = {}
    for name, conditions in (("usual", _USUAL), ("everything", _EVERYTHING)):
        for rate in (8000, 24000):
            beds = asyncio.run(prepare_beds(conditions, ToneVoice(), rate))
            line = Line(conditions, rate, 24000, 1, beds)
            found[f"{name}_{rate // 1000}_khz_us"] = _microseconds(line)
    return found


def _microseconds(line: Line) -> int:
    rng = np.random.default_rng(1)
    clean = to_pcm16(0.05 * rng.standard_normal(line.frame_samples))
    heard = to_pcm16(0.05 * rng.standard_normal(line.endpoint_rate // 50))
    rounds = []
    for _ in range(8):
        started = time.perf_counter()
        for _ in range(_FRAMES):
            line.frame(clean, heard)
        rounds.append((time.perf_counter() - started) / _FRAMES)
    return round(1e6 * min(rounds))
