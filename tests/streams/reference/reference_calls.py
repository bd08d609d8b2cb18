"""A small caller for the tests of the reference endpoint: speaks at given times and listens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from streams.audio import FRAME_S, Frame, Pcm, Samples, sample_at, to_pcm, to_pcm16
from streams.clock import now, run, sleep_until
from streams.endpoints.events import AudioReceived, EndpointEvent, Flush
from streams.endpoints.protocol import Endpoint
from streams.playback import Speaker
from streams.reference.answers import KnowledgeAnswerer
from streams.reference.engines import Engines
from streams.reference.knowledge_base import KnowledgeBase
from streams.speech.energy import EnergyDetector
from streams.speech.interfaces import ModelIdentity, Speech, Transcript

E = TypeVar("E", bound=EndpointEvent)
T = TypeVar("T")

RATE = 24000


def speech(seconds: float, rate: int = RATE) -> bytes:
    """A tone that is loud from its first sample to its last."""
    n = sample_at(seconds, rate)
    return to_pcm16(0.5 * np.where(np.arange(n) // (rate // 400) % 2, 1.0, -1.0))


@dataclass
class Call:
    """What a caller got.

    Attributes:
        start: When the session's sample 0 was, on the loop's clock.
        heard: The endpoint's track as the ear heard it.
    """

    start: float = 0.0
    events: list[EndpointEvent] = field(default_factory=list)
    heard: Pcm = field(default_factory=lambda: np.zeros(0, np.int16))

    def of(self, kind: type[E]) -> list[E]:
        """All events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def audible(self) -> list[tuple[int, int]]:
        """Stretches of sound on the heard track, cut at silences of more than 50 ms: [first, last + 1)."""
        loud = np.flatnonzero(self.heard)
        if not loud.size:
            return []
        cuts = np.flatnonzero(np.diff(loud) > RATE // 20)
        firsts = [loud[0], *loud[cuts + 1]]
        lasts = [*loud[cuts], loud[-1]]
        return [(int(first), int(last) + 1) for first, last in zip(firsts, lasts, strict=True)]


Hook = Callable[[Endpoint, float], Coroutine[Any, Any, None]]


async def call(
    endpoint: Endpoint, said: dict[float, bytes], seconds: float, hook: Hook | None = None
) -> Call:
    """Hold a call of some seconds; `said` is PCM16 by its start in seconds; `hook` runs at every tick."""
    await endpoint.open()
    rate = endpoint.capabilities.input.rate
    track = np.zeros(sample_at(seconds, rate), np.int16)
    for at, pcm in said.items():
        track[sample_at(at, rate) :][: len(pcm) // 2] = to_pcm(pcm)
    result = Call(now())
    speaker = Speaker(endpoint.capabilities.output.rate)
    listening = asyncio.create_task(_listen(endpoint, result, speaker))
    size = rate // 50
    for tick in range(track.size // size):
        await sleep_until(result.start + (tick + 1) * FRAME_S)
        await endpoint.send(Frame(track[tick * size : (tick + 1) * size].tobytes(), rate))
        if hook is not None:
            await hook(endpoint, (tick + 1) * FRAME_S)
    await endpoint.close()
    await listening
    result.heard = to_pcm(speaker.heard(sample_at(seconds, speaker.rate)))
    return result


async def _listen(endpoint: Endpoint, result: Call, speaker: Speaker) -> None:
    async for event in endpoint.events():
        result.events.append(event)
        at = event.at - result.start
        match event:
            case AudioReceived():
                speaker.play(event.pcm, at=at, item=event.item, response=event.response)
            case Flush():
                speaker.flush(at=at, responses=event.responses)


def simulate(main: Coroutine[Any, Any, T]) -> T:
    """Run in simulated time."""
    return run(main, simulate=True)


class ScriptedRecogniser:
    """Hears what the script says, clip by clip."""

    identity = ModelIdentity("scripted", "test", "1")

    def __init__(self, *texts: str, delay_s: float = 0.0) -> None:
        self.texts = list(texts)
        self.clips: list[Samples] = []
        self.delay_s = delay_s

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        self.clips.append(samples)
        await asyncio.sleep(self.delay_s)
        text = self.texts.pop(0)
        return Transcript(text, no_speech=not text)


class ToneVoice:
    """Takes `delay_s` for a sentence, and sounds 100 ms a word."""

    identity = ModelIdentity("tone", "test", "1")
    fingerprint = "tone"

    def __init__(self, delay_s: float = 0.1) -> None:
        self.delay_s = delay_s
        self.spoken: list[str] = []

    async def speak(self, text: str) -> Speech:
        self.spoken.append(text)
        await asyncio.sleep(self.delay_s)
        return Speech(speech(0.1 * len(text.split())), RATE)


def engines(recogniser: ScriptedRecogniser, voice: ToneVoice | None = None) -> Engines:
    """An assistant without models: energy for activity, a script for hearing, tones for a voice."""
    return Engines(
        EnergyDetector(), recogniser, voice or ToneVoice(), KnowledgeAnswerer(KnowledgeBase.load())
    )
