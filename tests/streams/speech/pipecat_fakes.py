"""Pipecat services that stand where a remote one would: they answer late, in parts, wrongly, or never."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import aiohttp
from pipecat.frames.frames import ErrorFrame, Frame, TranscriptionFrame, TTSAudioRawFrame
from pipecat.frames.frames import VADUserStoppedSpeakingFrame as Stopped
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.settings import STTSettings, TTSSettings
from pipecat.services.stt_service import STTService
from pipecat.services.tts_service import TTSService


class StreamingRecogniser(STTService):  # type: ignore[misc]
    """Answers over a connection of its own: in two parts, some time after the speech has ended."""

    def __init__(self, *, finalize: bool = True, answer: bool = True, **kwargs: Any) -> None:
        kwargs.setdefault("settings", STTSettings(model="fake", language="en"))
        super().__init__(ttfs_p99_latency=1.0, **kwargs)
        self.finalize = finalize
        self.answer = answer
        self.heard = 0

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        self.heard += len(audio) // 2
        yield None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, Stopped) and self.answer:
            self.create_task(self.answers())

    async def answers(self) -> None:
        await asyncio.sleep(0.02)
        await self.push_frame(TranscriptionFrame(f"{self.heard} samples", "", ""))
        await asyncio.sleep(0.02)
        self.heard = 0
        await self.push_frame(TranscriptionFrame("in two parts.", "", "", finalized=self.finalize))


class BrokenVoice(TTSService):  # type: ignore[misc]
    """Fails, and quotes its key."""

    def __init__(self, *, api_key: str, **kwargs: Any) -> None:
        super().__init__(settings=TTSSettings(model=None, voice=None, language=None), **kwargs)
        self.api_key = api_key

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame, None]:
        yield ErrorFrame(error=f"no credit for {self.api_key}")


class StuckVoice(TTSService):  # type: ignore[misc]
    """Never answers."""

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame, None]:
        await asyncio.Event().wait()
        yield ErrorFrame(error="")


class SessionVoice(TTSService):  # type: ignore[misc]
    """Wants an HTTP session, as many services do."""

    def __init__(self, *, aiohttp_session: aiohttp.ClientSession, **kwargs: Any) -> None:
        settings = TTSSettings(model=None, voice=None, language=None)
        super().__init__(settings=settings, push_start_frame=True, push_stop_frames=True, **kwargs)
        self.session = aiohttp_session

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame, None]:
        assert not self.session.closed
        yield TTSAudioRawFrame(b"\1\0" * len(text), self.sample_rate, 1, context_id=context_id)
