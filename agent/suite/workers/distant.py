"""The models and judges of the first process, as a worker sees them."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from agent.engines import Engines
from agent.observers import FinishedTurn, Judgement, Transcribed
from agent.suite.workers.messages import Answer, Ask, Forget, Service, Setup
from streams.audio import Samples
from streams.clock import now, simulated
from streams.speech import select
from streams.speech.interfaces import (
    SPEECH_RATE,
    ModelIdentity,
    Recogniser,
    Speech,
    SpeechError,
    Transcript,
)
from user_sim.policy import Compose, Composed

CALL: ContextVar[int | None] = ContextVar("call", default=None)
"""Number of the call that the running task belongs to: who looks on at it learns what is done for it."""


class Services(Protocol):
    """Whoever has the models."""

    async def ask(self, service: Service, *arguments: Any) -> Any:
        """Ask for something, and wait for the answer; a failure is raised here."""


class Asking:
    """Asks over a pipe. Simulated time stands still until the answer is there.

    Args:
        send: Sends a message to the first process.
    """

    def __init__(self, send: Callable[[Ask | Forget], None]) -> None:
        self._send = send
        self._numbers = itertools.count()
        self._open: dict[int, Future[Any]] = {}

    async def ask(self, service: Service, *arguments: Any) -> Any:
        """Ask for something, and wait for the answer; a failure is raised here."""
        number, answer = next(self._numbers), Future[Any]()
        self._open[number] = answer
        self._send(Ask(number, service, arguments, CALL.get()))
        if simulated():
            return await asyncio.get_running_loop().run_in_executor(None, answer.result)
        try:
            return await asyncio.wrap_future(answer)
        except asyncio.CancelledError:
            if self._open.pop(number, None) is not None:
                self._send(Forget(number))
            raise

    def answered(self, answer: Answer) -> None:
        """An answer has come, in whichever thread."""
        waiting = self._open.pop(answer.number, None)
        if waiting is None:
            return
        with suppress(InvalidStateError):  # nobody waits for it any more
            if answer.failure is None:
                waiting.set_result(answer.value)
            else:
                waiting.set_exception(answer.failure)

    def lost(self) -> None:
        """Nobody answers any more."""
        for number in list(self._open):
            gone = SpeechError("the process with the models", "it is gone")
            self.answered(Answer(number, failure=gone))


@dataclass(frozen=True, slots=True)
class DistantVoice:
    """A `Voice`."""

    services: Services
    identity: ModelIdentity
    fingerprint: str

    async def speak(self, text: str) -> Speech:
        """Speak a text."""
        spoken: Speech = await self.services.ask(Service.SPEAK, text)
        return spoken


@dataclass(frozen=True, slots=True)
class DistantRecogniser:
    """A `Recogniser`."""

    services: Services
    identity: ModelIdentity

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """Transcribe a clip."""
        heard: Transcript = await self.services.ask(Service.TRANSCRIBE, samples, language)
        return heard


@dataclass(frozen=True, slots=True)
class ToldRecogniser:
    """A `Recogniser` of whose work somebody is told, for the call that the running task belongs to."""

    inner: Recogniser
    told: Callable[[int, Transcribed], None]

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""
        return self.inner.identity

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """Transcribe a clip."""
        call, began = CALL.get(), now()
        try:
            return await self.inner.transcribe(samples, language=language)
        finally:
            kind = sys.exc_info()[0]
            given_up = kind is asyncio.CancelledError
            failure = "" if kind is None or given_up else kind.__name__
            if call is not None:
                audio_s = len(samples) / SPEECH_RATE
                self.told(call, Transcribed(self.identity, audio_s, now() - began, failure, given_up))


@dataclass(frozen=True, slots=True)
class DistantTurnDetector:
    """A `TurnDetector`."""

    services: Services
    identity: ModelIdentity

    async def completion(self, samples: Samples) -> float:
        """Probability that the turn is complete."""
        probability: float = await self.services.ask(Service.COMPLETION, samples)
        return probability


@dataclass(frozen=True, slots=True)
class DistantJudge:
    """A `TurnObserver`: the `place`-th judge of a call."""

    services: Services
    name: str
    call: int
    place: int

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        """Judge a turn."""
        judgement: Judgement = await self.services.ask(Service.JUDGE, self.call, self.place, turn)
        return judgement


def distant_engines(
    setup: Setup, services: Services, transcribed: Callable[[int, Transcribed], None]
) -> Engines:
    """The engines of a worker: speech activity is its own, the rest is elsewhere.

    Args:
        setup: What there is elsewhere.
        services: Asks for it.
        transcribed: Told what the recogniser does for a call, by its number, if the models are in a process
            of their own: nobody else would tell of it.

    Raises:
        SpeechError: The detector is not installed.
    """

    async def compose(request: Compose) -> Composed:
        composed: Composed = await services.ask(Service.COMPOSE, request)
        return composed

    hears, turns = setup.recogniser, setup.turn_detector
    recogniser: Recogniser | None = None if hears is None else DistantRecogniser(services, hears)
    if recogniser is not None and setup.models_apart:
        recogniser = ToldRecogniser(recogniser, transcribed)
    return Engines(
        voice=DistantVoice(services, *setup.voice),
        detector=select.detector(setup.detector),
        recogniser=recogniser,
        turn_detector=None if turns is None else DistantTurnDetector(services, turns),
        composer=compose if setup.composes else None,
        cache=setup.cache,
    )
