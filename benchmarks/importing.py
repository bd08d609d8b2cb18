"""Recordings made elsewhere: an hour of stereo, and how near the latencies of known calls come again."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from agent.attached import attached, lifeline
from recordings.exporting.sound import stereo
from recordings.reader import Episode
from streams.audio import FULL_SCALE

ROOT = Path(__file__).parents[1]
SAMPLES = ("good-call", "interruption", "wrong-fact")
HOUR_S = 3600
SNR_DB = (20, 10)


def an_hour() -> dict[str, Any]:
    """Import a call of an hour at 16 kHz with Silero, without words; seconds and memory of the command."""
    parts = [stereo(Episode.load(ROOT / "recordings/samples" / name)) for name in SAMPLES]
    rate = parts[0][1]
    once = np.concatenate([both for both, _ in parts])
    hour = np.tile(once, (-(-HOUR_S * rate // len(once)), 1))[: HOUR_S * rate]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hour.wav"
        soundfile.write(path, hour, rate)
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        scored = _import(path, Path(folder) / "out")
        seconds = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return {
        "call_s": HOUR_S,
        "turns": len(scored["turns"]),
        "seconds": round(seconds, 1),
        "processor_s": round(processor, 1),
        "peak_mb": used.ru_maxrss // 1024,
    }


def again() -> dict[str, Any]:
    """Import the exported samples again, and compare latencies; then with white noise on the user."""
    found: dict[str, Any] = {"calls": len(SAMPLES)}
    for snr in (None, *SNR_DB):
        off = [difference for name in SAMPLES for difference in _differences(name, snr)]
        known = [one for one in off if one is not None]
        label = "clean" if snr is None else f"at {snr} dB"
        found |= {
            f"{label} turns": f"{len(known)} of {len(off)}",
            f"{label} mean ms": round(float(np.mean(known)), 1),
            f"{label} worst ms": round(max(map(abs, known)), 1),
        }
    return found


def _differences(name: str, snr_db: int | None) -> list[float | None]:
    """Latency as imported less as recorded, of every answered turn; None where no turn begins there."""
    folder = ROOT / "recordings/samples" / name
    both, rate = stereo(Episode.load(folder))
    if snr_db is not None:
        loud = both[:, 0][np.abs(both[:, 0]) > FULL_SCALE / 1000].astype(float)
        level = float(np.std(loud)) / 10 ** (snr_db / 20)
        noisy = both[:, 0] + np.random.default_rng(1).normal(0, level, len(both))
        both[:, 0] = np.clip(noisy.round(), -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)
    timing = json.loads((folder / "scores/timing.json").read_text())
    values = timing["metrics"]["response_latency"]["values"]
    with tempfile.TemporaryDirectory() as out:
        soundfile.write(Path(out) / "call.wav", both, rate)
        turns = _import(Path(out) / "call.wav", Path(out) / "out")["turns"]
    replies = {round(turn["endpoint_start_s"], 2): turn for turn in turns if turn["latency_ms"] is not None}
    off: list[float | None] = []
    for value in values:
        if value["value"] is not None:
            turn = replies.get(round(value["evidence"]["endpoint_start_s"], 2))
            off.append(None if turn is None else turn["latency_ms"] - value["value"])
    return off


def _import(path: Path, out: Path) -> dict[str, Any]:
    command = attached("agent.cli.main", "import", str(path), "--recogniser", "none")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "--out", str(out), "--json"],
        stdin=lifeline(),
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    (episode,) = json.loads(done.stdout)["episodes"]
    return dict(episode)
