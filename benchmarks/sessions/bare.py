"""The floor: bare `websockets` clients that send frames on time, run Silero on what comes, write two WAVs.

No timeline, no playback clock, no turns, no events: what any client has to pay that does this work at all.

`python -m benchmarks.sessions.bare pcm|openai PORT COUNT SECONDS`
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import sys
import tempfile
import time
import wave
from pathlib import Path

import numpy as np
from websockets.asyncio.client import connect

from benchmarks.sessions.measured import SETTLES_S, STARTS_PER_S, Measure
from streams.clock import run
from streams.resample import StreamResampler
from streams.speech import models, onnx

PATHS = {"pcm": ("/pcm", 16000), "openai": ("/v1/realtime", 24000)}
FRAME_S = 0.02


class Vad:
    """Silero on one stream, by itself."""

    def __init__(self) -> None:
        self._session = onnx.session(models.locate("silero-vad"))
        self._state = np.zeros((2, 1, 128), np.float32)
        self._samples = np.zeros(64, np.float32)

    def feed(self, pcm: bytes) -> list[float]:
        new = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768
        self._samples = np.concatenate([self._samples, new])
        heard = []
        while self._samples.size >= 576:
            found, self._state = self._session.run(
                None,
                {
                    "input": self._samples[None, :576],
                    "state": self._state,
                    "sr": np.array(16000, np.int64),
                },
            )
            heard.append(float(found[0, 0]))
            self._samples = self._samples[512:]
        return heard


def wav(path: Path, rate: int) -> wave.Wave_write:
    file = wave.open(str(path), "wb")  # noqa: SIM115 - closed where it is used
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(rate)
    return file


async def session(protocol: str, port: int, folder: Path, ends: float, late: list[float]) -> None:
    path, rate = PATHS[protocol]
    speech = np.random.default_rng(1).integers(-3000, 3000, round(rate * FRAME_S)).astype("<i2").tobytes()
    url = f"ws://127.0.0.1:{port}{path}"
    # as ours: pings go out, and nobody minds that the sink answers none
    async with connect(url, compression=None, max_size=None, ping_timeout=None) as socket:
        spoken, heard = wav(folder / "user.wav", rate), wav(folder / "endpoint.wav", rate)
        vad, resampler = Vad(), StreamResampler(rate, 16000)

        async def receive() -> None:
            async for message in socket:
                if isinstance(message, str):
                    event = json.loads(message)
                    if event["type"] != "response.output_audio.delta":
                        continue
                    message = base64.b64decode(event["delta"])
                heard.writeframesraw(message)
                vad.feed(resampler.push(message))

        receiving = asyncio.create_task(receive())
        origin, tick = time.perf_counter(), 0
        while time.perf_counter() < ends:
            tick += 1
            due = origin + tick * FRAME_S
            await asyncio.sleep(due - time.perf_counter())
            late.append(1000 * (time.perf_counter() - due))
            if protocol == "pcm":
                await socket.send(speech)
            else:
                audio = base64.b64encode(speech).decode()
                await socket.send(json.dumps({"type": "input_audio_buffer.append", "audio": audio}))
            spoken.writeframesraw(speech)
        receiving.cancel()
        spoken.close()
        heard.close()


async def measured(protocol: str, port: int, count: int, seconds: float, folder: Path) -> None:
    measure = Measure(count, seconds)
    first, all_begun = asyncio.Event(), asyncio.Event()
    ends = time.perf_counter() + SETTLES_S + count / STARTS_PER_S + 2 * SETTLES_S + seconds
    late: list[list[float]] = [[] for _ in range(count)]

    def begin(number: int) -> asyncio.Task[None]:
        place = folder / str(number)
        place.mkdir()
        return asyncio.create_task(session(protocol, port, place, ends, late[number]))

    watching = asyncio.create_task(measure.watch(first, all_begun))
    tasks = [begin(0)]
    first.set()
    await asyncio.sleep(SETTLES_S + 0.5)
    for number in range(1, count):
        await asyncio.sleep(1 / STARTS_PER_S)
        tasks.append(begin(number))
    all_begun.set()
    await asyncio.gather(*tasks)
    await watching
    measure.tell(late)


def main(protocol: str, port: str, count: str, seconds: str) -> None:
    folder = Path(tempfile.mkdtemp(prefix="viva-bench-"))
    try:
        run(measured(protocol, int(port), int(count), float(seconds), folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
