"""The microphone: do clicks by the system's clock stand on the recorded track where they should?"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.signal import correlate, resample_poly
from scipy.stats import theilslopes

from agent.attached import attached, lifeline
from benchmarks.clicker import click
from tests.streams.devices.pulse import sound_system
from tests.streams.devices.record import RATE

SECONDS = 90

FAST = 48010
"""Samples a second of a card that says 48000: it is fast by 208 ppm, which is 12.5 ms a minute."""

SETTLED_S = 10.0
"""So long the way to the sink may change: PulseAudio chooses a latency when somebody begins to play."""

NEAR = RATE // 4
"""The way takes less than this, and clicks are at least 0.2 s apart: only one can be found."""


def drift(opened: int = FAST) -> dict[str, Any]:
    """By how much the track of a fast card drifts against the system's clock, and counted samples would."""
    with tempfile.TemporaryDirectory() as folder, sound_system(Path(folder) / "home") as environ:
        heard, clicks = Path(folder) / "heard.npz", Path(folder) / "clicks.npz"
        record = [
            *("tests.streams.devices.record", str(heard), "viva_mouth", "viva_ear"),
            *(str(SECONDS + 8), str(opened)),
        ]
        play = ["benchmarks.clicker", str(clicks), "viva_loop", str(SECONDS)]
        with subprocess.Popen(
            attached(*record), env=environ, stdin=lifeline(), stdout=subprocess.PIPE, text=True
        ) as recorder:
            assert recorder.stdout is not None and recorder.stdout.readline() == "READY\n"
            subprocess.run(attached(*play), env=environ, stdin=lifeline(), check=True)
            recorder.wait()
        return measured(np.load(heard), np.load(clicks)["placed"])


def measured(heard: Any, due: Any) -> dict[str, Any]:
    """How much later than at its time each click was found, and how that changes."""
    track, origin, delays = heard["track"], float(heard["origin"]), heard["delay_s"]
    wave = resample_poly(click(), 1, 48000 // RATE)
    match = np.abs(correlate(track, wave, mode="valid"))
    lags = []
    for time in due:
        first = round((time - origin) * RATE)
        near = match[first : first + NEAR]
        if time - due[0] < SETTLED_S or near.size < NEAR:
            continue
        at = int(np.argmax(near))
        below, here, above = near[at - 1 : at + 2]
        found = first + at + 0.5 * (below - above) / (below - 2 * here + above)
        delay = delays[min(round(found / RATE * 50), delays.size - 1)]
        lags.append((time, origin + found / RATE - delay - time))
    times, lag_ms = np.array(lags).T * [[1.0], [1000.0]]
    slope, _, low, high = theilslopes(lag_ms, times / 60)
    at, counts = heard["blocks"].T
    late = at - np.cumsum(counts) / float(heard["rate"])  # a block comes late or in time, never early
    whole = at.size // 50 * 50
    earliest, when = late[:whole].reshape(-1, 50).min(axis=1), at[:whole:50]
    counted, *_ = theilslopes(earliest, when)
    return {
        "seconds": round(float(times[-1] - times[0]), 1),
        "clicks": len(lags),
        "drift_ms_a_minute": round(float(slope), 3),
        "interval": [round(float(low), 3), round(float(high), 3)],
        "spread_ms": round(float(np.subtract(*np.quantile(lag_ms - slope * times / 60, [0.95, 0.05]))), 3),
        "lag_ms": round(float(np.median(lag_ms)), 1),
        "by_counting_ms_a_minute": round(60_000 * float(counted), 3),
        "device_ppm": round(float(heard["drift_ppm"]), 1),
        "troubles": len(heard["troubles"]),
    }
