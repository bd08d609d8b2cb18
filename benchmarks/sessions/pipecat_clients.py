"""Pipecat's websocket clients doing the same: frames out, Silero on what comes, both tracks recorded.

Pipecat paces its output itself, and does not say how late it is: here that is counted from the first piece
of 20 ms that went out. Binary PCM only.

`python -m benchmarks.sessions.pipecat_clients pcm PORT COUNT SECONDS`
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import time
import wave
from pathlib import Path

import numpy as np
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    AudioRawFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    OutputAudioRawFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.runner import WorkerRunner
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.audio_buffer_processor import AudioBufferProcessor
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.serializers.base_serializer import FrameSerializer
from pipecat.transports.websocket.client import WebsocketClientParams, WebsocketClientTransport

from benchmarks.sessions.measured import SETTLES_S, STARTS_PER_S, Measure

RATE = 16000
PIECE_S = 0.02


class BinaryPcm(FrameSerializer):  # type: ignore[misc]
    """Sound as it is; notes when each piece went out."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[float] = []

    async def serialize(self, frame: Frame) -> bytes | None:
        if not isinstance(frame, AudioRawFrame):
            return None
        self.sent.append(time.perf_counter())
        return bytes(frame.audio)

    async def deserialize(self, data: str | bytes) -> Frame | None:
        assert isinstance(data, bytes)
        return InputAudioRawFrame(data, RATE, 1)


def wav(path: Path) -> wave.Wave_write:
    file = wave.open(str(path), "wb")  # noqa: SIM115 - closed where it is used
    file.setnchannels(2)
    file.setsampwidth(2)
    file.setframerate(RATE)
    return file


async def session(port: int, folder: Path, ends: float) -> list[float]:
    """Hold one; returns by how many milliseconds each piece was late."""
    serializer = BinaryPcm()
    transport = WebsocketClientTransport(
        f"ws://127.0.0.1:{port}/pcm",
        WebsocketClientParams(
            audio_in_enabled=True,
            audio_out_enabled=True,
            audio_in_sample_rate=RATE,
            audio_out_sample_rate=RATE,
            audio_out_10ms_chunks=2,
            add_wav_header=False,
            serializer=serializer,
        ),
    )
    recorder = AudioBufferProcessor(num_channels=2, buffer_size=2 * RATE // 10, auto_start_recording=True)
    file = wav(folder / "call.wav")

    @recorder.event_handler("on_audio_data")  # type: ignore[untyped-decorator]
    async def on_audio_data(_: AudioBufferProcessor, audio: bytes, rate: int, channels: int) -> None:
        file.writeframesraw(audio)

    vad = VADProcessor(vad_analyzer=SileroVADAnalyzer())
    pipeline = Pipeline([transport.input(), vad, transport.output(), recorder])
    params = PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=RATE)
    worker = PipelineWorker(pipeline, params=params, enable_rtvi=False)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    second = np.random.default_rng(1).integers(-3000, 3000, RATE).astype("<i2").tobytes()
    begun = time.perf_counter()
    while time.perf_counter() < ends:  # a little ahead of what is sent
        await worker.queue_frame(OutputAudioRawFrame(second, RATE, 1))
        begun += 1
        await asyncio.sleep(max(0.0, begun - time.perf_counter()))
    await worker.queue_frame(EndFrame())
    await running
    file.close()
    sent = np.asarray(serializer.sent)
    late = sent - sent[0] - PIECE_S * np.arange(sent.size)
    found: list[float] = (1000 * (late - late.min())).tolist()
    return found


async def measured(port: int, count: int, seconds: float, folder: Path) -> None:
    measure = Measure(count, seconds)
    first, all_begun = asyncio.Event(), asyncio.Event()
    ends = time.perf_counter() + SETTLES_S + count / STARTS_PER_S + 2 * SETTLES_S + seconds

    def begin(number: int) -> asyncio.Task[list[float]]:
        place = folder / str(number)
        place.mkdir()
        return asyncio.create_task(session(port, place, ends))

    watching = asyncio.create_task(measure.watch(first, all_begun))
    tasks = [begin(0)]
    first.set()
    await asyncio.sleep(SETTLES_S + 0.5)
    for number in range(1, count):
        await asyncio.sleep(1 / STARTS_PER_S)
        tasks.append(begin(number))
    all_begun.set()
    late = await asyncio.gather(*tasks)
    await watching
    measure.tell(late)


def main(protocol: str, port: str, count: str, seconds: str) -> None:
    if protocol != "pcm":
        raise SystemExit("binary PCM only")
    logger.remove()
    folder = Path(tempfile.mkdtemp(prefix="viva-bench-"))
    try:
        asyncio.run(measured(int(port), int(count), float(seconds), folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
