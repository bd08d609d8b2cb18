"""What workers ask the first process for, done with its models and judges."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

from agent.call import Call
from agent.control import Control
from agent.engines import Engines
from agent.observers import TurnObserver
from agent.suite.workers.messages import Service, sendable
from recordings.format import Outcome
from streams.speech.interfaces import SpeechError
from user_sim.policy import Percept, SayNext

Judges = Mapping[int, Sequence[TurnObserver]]

Told = Callable[[Literal["say", "stop"], str], None]


async def serve(
    service: Service,
    arguments: Sequence[Any],
    engines: Engines,
    judges: Judges,
) -> tuple[Any, BaseException | None]:
    """Do what is asked for.

    Args:
        service: What.
        arguments: With what.
        engines: The models.
        judges: Of each call, by its number.

    Returns:
        What came of it, or why nothing did.
    """
    work = asyncio.create_task(_done(service, arguments, engines, judges))
    try:
        await asyncio.wait([work])  # what it raises is raised where the service was asked for
    except asyncio.CancelledError:
        work.cancel()
        raise
    failure = work.exception()
    return (work.result(), None) if failure is None else (None, sendable(failure))


async def _done(
    service: Service,
    arguments: Sequence[Any],
    engines: Engines,
    judges: Judges,
) -> Any:
    match service, arguments:
        case Service.SPEAK, (text,):
            return await engines.voice.speak(text)
        case Service.TRANSCRIBE, (samples, language) if engines.recogniser is not None:
            return await engines.recogniser.transcribe(samples, language=language)
        case Service.COMPLETION, (samples,) if engines.turn_detector is not None:
            return await engines.turn_detector.completion(samples)
        case Service.COMPOSE, (request,) if engines.composer is not None:
            return await engines.composer(request)
        case Service.JUDGE, (call, place, turn) if call in judges:
            return await judges[call][place].turn_finished(turn)
        case _:
            raise SpeechError(service.value, "the process with the models has none for it")


class _CallElsewhere:
    """What a `Control` needs of a call, where the call goes on in another process."""

    def __init__(self, over: Any, told: Told) -> None:
        self.over = over
        self._told = told

    def end(self, _: Outcome, reason: str, __: str) -> None:
        """End it there."""
        self._told("stop", reason)


def steer(control: Control, over: Any, told: Told) -> None:
    """Let a control of this process steer a call in another.

    Args:
        control: Whose `say` and `stop` are to be obeyed.
        over: A future that is done when the call is.
        told: Tells the other process.
    """

    def tell(percept: Percept) -> None:
        if isinstance(percept, SayNext):
            told("say", percept.text)

    control.attach(cast(Call, _CallElsewhere(over, told)), tell)
