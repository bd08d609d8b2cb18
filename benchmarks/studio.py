"""The studio with much to show: a call of an hour, and ten thousand calls."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import numpy as np

from agent.attached import attached, lifeline
from recordings.format import EndpointText, HeardSpeech, TickLate
from scoring.digest.columns import Digest, Row
from scoring.digest.make import digest_of
from scoring.digest.store import save, stamp_of
from scoring.score import score
from streams.audio import Pcm

VIVA = attached("agent.cli.main")
EVERY_S = 15.0
SENTENCE = "This is a sentence of the reply that goes on about enzymes, DNA and the weather. "


class Browser:
    """Asks a studio, over one connection, and keeps the time."""

    def __init__(self, url: str) -> None:
        found = urlparse(url)
        self._connection = http.client.HTTPConnection(found.hostname or "", found.port, timeout=600)

    def get(self, path: str, **headers: str) -> tuple[bytes, float]:
        """The answer, and milliseconds until its last byte was there."""
        started = time.perf_counter()
        self._connection.request("GET", path, headers=headers)
        response = self._connection.getresponse()
        data = response.read()
        if response.status not in (200, 206):
            raise RuntimeError(f"{path}: {response.status} {data[:300]!r}")
        return data, round((time.perf_counter() - started) * 1000, 1)


@contextmanager
def studio(*paths: Path) -> Iterator[tuple[Browser, int]]:
    """A studio in a process of its own; its browser, and its process id."""
    command = [*VIVA, "listen", *map(str, paths), "--port", "0", "--no-browser"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(
        command, stdin=lifeline(), stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        try:
            yield Browser(process.stdout.readline().strip()), process.pid
        finally:
            process.terminate()


def memory_mb(pid: int, name: str) -> float:
    """A line of /proc/PID/status: VmHWM is the most the process ever had, files it looks at included."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return round(int(line.split()[1]) / 1024, 1)
    raise RuntimeError(f"no {name} in /proc/{pid}/status")


def an_hour() -> dict[str, Any]:
    """First looks at an hour of call: waveforms, view, sound, memory."""
    with tempfile.TemporaryDirectory(prefix="viva-hour-") as name:
        return timed_hour(hour_of_call(Path(name) / "run" / "hour"))


def timed_hour(episode: Path) -> dict[str, Any]:
    """The same for an hour that is there."""
    with studio(episode.parent) as (browser, pid):
        catalogue = json.loads(browser.get("/api/catalogue")[0])
        ids = next(column for column in catalogue["columns"] if column["name"] == "id")
        at = f"/api/episodes/{ids['values'][0]}"
        samples = {"user": 16000 * 3600, "endpoint": 24000 * 3600}
        peaks = [f"{at}/peaks?track={t}&start=0&end={n}&width=1600" for t, n in samples.items()]
        found: dict[str, Any] = {
            "outline_ms": browser.get(f"{at}?outline=1")[1],
            "peaks_cold_ms": round(sum(browser.get(path)[1] for path in peaks), 1),
            "peaks_warm_ms": round(max(sum(browser.get(path)[1] for path in peaks) for _ in range(5)), 1),
            "peaks_near_ms": _worst(
                browser,
                (
                    f"{at}/peaks?track=endpoint&start={n}&end={n + 48000}&width=1600"
                    for n in range(0, samples["endpoint"], samples["endpoint"] // 10)
                ),
            ),
        }
        view, found["view_first_ms"] = browser.get(at)
        shown = json.loads(view)
        return {
            **found,
            "view_again_ms": _worst(browser, [at] * 3),
            "view_MB": round(len(view) / 1e6, 1),
            "spans": sum(len(lane["spans"]) for lane in shown["lanes"]),
            "turns": len(shown["turns"]),
            "seek_10_s_of_stereo_ms": max(
                browser.get(f"{at}/audio/both", Range=f"bytes={n}-{n + 960000}")[1]
                for n in range(0, 300_000_000, 60_000_000)
            ),
            "spectrogram_ms": _worst(
                browser,
                [
                    f"{at}/spectrogram?track=endpoint&start=0&end={samples['endpoint']}&width=1600&height=300"
                ],
            ),
            "memory_MB": memory_mb(pid, "VmRSS"),
            "memory_peak_MB": memory_mb(pid, "VmHWM"),
        }


def _worst(browser: Browser, paths: Iterable[str]) -> float:
    return max(browser.get(path)[1] for path in paths)


def ten_thousand() -> dict[str, Any]:
    """The table of ten thousand calls that are measured: first, and again."""
    with tempfile.TemporaryDirectory(prefix="viva-studio-") as name:
        return timed_table(many_calls(Path(name) / "run", 10_000))


def timed_table(run: Path) -> dict[str, Any]:
    """The same for a run that is there."""
    with studio(run) as (browser, pid):
        data, first = browser.get("/api/catalogue")
        again = max(browser.get("/api/catalogue")[1] for _ in range(3))
        return {
            "episodes": json.loads(data)["count"],
            "first_ms": first,
            "again_ms": again,
            "answer_MB": round(len(data) / 1e6, 1),
            "memory_peak_MB": memory_mb(pid, "VmHWM"),
        }


def hour_of_call(folder: Path, seconds: float = 3600.0) -> Path:
    """Write an episode of an hour: a question every 15 s, replies in bursts, more than 2,000 events."""
    from tests.scoring.episodes import CallMaker

    call = CallMaker(user_rate=16000, endpoint_rate=24000, length=seconds)
    rng = np.random.default_rng(1)
    for number in range(int(seconds / EVERY_S)):
        at = number * EVERY_S
        response, item = f"r{number}", f"i{number}"
        call.user(at + 1, at + 4, f"Question {number}: what is an enzyme?", heard="what is an enzyme")
        call.reply(at + 4.8, _bursts(rng, 8.0, 24000), response=response, item=item, every_s=0.06)
        call.note(
            EndpointText(t=at + 5, text=SENTENCE * 2, mode="final", item=item, response=response),
            *(HeardSpeech(t=at + 5 + n, edge="start", at=round((at + 5 + n) * 24000)) for n in range(4)),
            *(TickLate(t=at + n * 3.1, lateness_ms=6.0 + n) for n in range(4)),
        )
    return call.write(folder)


def _bursts(rng: np.random.Generator, seconds: float, rate: int) -> Pcm:
    """Noise in syllables and words, as loud as speech."""
    envelope = np.repeat(rng.random(int(seconds * 8)) > 0.25, rate // 8)
    return np.asarray(rng.normal(0, 2500, envelope.size) * envelope, np.int16)


def many_calls(run: Path, count: int) -> Path:
    """A run of short calls, twenty of them held by arithmetic and measured, the others copies of those.

    The table looks at `episode.json` and at the digest that is kept: a copy has no more.
    """
    from tests.scoring.episodes import CallMaker, tone

    made = []
    for number in range(20):
        call = CallMaker().user(0.5, 1.5).reply(2.0 + number / 50, tone(1.0, 24000))
        made.append(call.write(run / f"call-{number:05}", scenario={"id": f"scenario-{number}"}))
    scores = asyncio.run(score(made))
    first = digest_of(scores.episodes, [stamp_of(str(path)) for path in made])
    lots = [first]
    for start in range(20, count, 20):
        rows = [_copy(run, row, start + number) for number, row in enumerate(first.rows)]
        lots.append(Digest(tuple(rows), first.columns))
    save(run, Digest.join(lots))
    return run


def _copy(run: Path, row: Row, number: int) -> Row:
    folder = run / f"call-{number:05}"
    folder.mkdir()
    info = json.loads((Path(row.path) / "episode.json").read_text())
    (folder / "episode.json").write_text(json.dumps({**info, "id": folder.name, "seed": number}))
    stamp = stamp_of(str(folder))
    return replace(row, id=folder.name, path=str(folder), seed=number, stamp=stamp)
