"""The call of `viva endpoint probe`: one sentence, one reply, and then the end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.observers import Levels, Nobody
from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo, Event, HeardSpeech, ResponseFinished, SessionStarted
from recordings.raw import RawLogging
from scenarios.load import from_scenario
from scenarios.schema import Limits, Persona, Scenario, Turn
from streams.endpoints.events import ResponseStatus
from streams.endpoints.protocol import Endpoint
from streams.endpoints.websocket import WebsocketEndpoint
from user_sim.policy import Action, Ending, EndpointBegan, Percept, ReplyGoesOn, Since, WakeMe
from user_sim.scripted import ScriptedPolicy
from user_sim.turn_taking import Phase

SENTENCE = "Hello, can you hear me?"
"""What is said unless something else is asked for."""

WAIT_S = 10.0
"""So long a reply is waited for."""

ENOUGH_S = 15.0
"""A reply that goes on tells nothing more after this."""

NO_SPEECH_S = 2.5
"""After sound without speech so much silence is waited out: more than after speech (`user_sim.ear`)."""

MAX_LATENESS_S = 1.0
"""A tick of ours that comes later spoils the call; what is less late is a problem that the answer names."""

AUDIBLE_PEAK = 328
"""-40 dBFS: a frame whose peak is below is no reply."""

_NEVER_S = 120.0


@dataclass(frozen=True, slots=True)
class Probed:
    """How the call went.

    Attributes:
        failure: Why there was no call, if there was none.
        pinged: The endpoint has a socket, and a websocket ping was sent.
        pong_s: Seconds until it was answered; None if it was not.
    """

    info: EpisodeInfo | None
    failure: BaseException | None = None
    pinged: bool = False
    pong_s: float | None = None


class ProbeUser(ScriptedPolicy):
    """Says its sentence, hears the reply, hangs up; of a long reply it hears the beginning."""

    def _notice(self, percept: Percept) -> Sequence[Action]:
        match percept:
            case EndpointBegan():
                return (WakeMe(Since.REPLY, ENOUGH_S),)
            case ReplyGoesOn() if self.phase is Phase.LISTENING:
                return self.hang_up(Ending.DONE)
            case _:
                return ()


class _Onlooker(Nobody):
    """Pings once the line is open, and ends a call in which no more is to come.

    That is so if the reply has failed, and if there was sound after the user's words, but no speech in it:
    the user's ear takes no such sound for a turn, and would wait.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._heard = False
        self._sound_until: float | None = None
        self.session: asyncio.Task[EpisodeInfo] | None = None
        self.pong: asyncio.Task[float | None] | None = None
        self.gave_up = False

    def event(self, event: Event) -> None:
        match event:
            case SessionStarted() if isinstance(self._endpoint, WebsocketEndpoint):
                self.pong = asyncio.create_task(self._endpoint.ping())
            case HeardSpeech():
                self._heard = True
            case ResponseFinished(status=ResponseStatus.FAILED) if not self._heard:
                self._give_up()
            case _:
                pass

    def levels(self, levels: Levels) -> None:
        if levels.user > AUDIBLE_PEAK:
            self._sound_until = None
        elif levels.endpoint > AUDIBLE_PEAK:
            self._sound_until = levels.t
        elif (
            not self._heard and self._sound_until is not None and levels.t - self._sound_until > NO_SPEECH_S
        ):
            self._give_up()

    def _give_up(self) -> None:
        if self.session is not None and not self.gave_up:
            self.gave_up = True
            self.session.cancel()


def probe_scenario(sentence: str, wait_s: float, language: str = "en") -> Scenario:
    """One turn; the user neither asks again nor says goodbye."""
    return Scenario(
        id="probe",
        title="Probe",
        language=language,
        persona=Persona(patience_s=_NEVER_S),
        turns=(Turn(text=sentence),),
        limits=Limits(max_duration_s=wait_s + 4 * ENOUGH_S, reply_timeout_s=wait_s),
    )


async def probe(endpoint: Endpoint, engines: Engines, folder: Path, scenario: Scenario) -> Probed:
    """Call an endpoint with a scenario of `probe_scenario`, and record it.

    Raises:
        RecordingError: The episode could not be written.
    """
    onlooker = _Onlooker(endpoint)
    plan = SessionPlan(
        id=folder.name,
        scenario=from_scenario(scenario),
        policy=ProbeUser(scenario),
        max_lateness_s=MAX_LATENESS_S,
        raw_log=RawLogging.AUDIO,  # the call is short, and every message can be named
    )
    session = Session(plan, endpoint, engines, folder, onlooker)
    onlooker.session = asyncio.create_task(session.run())
    info: EpisodeInfo | None = None
    try:
        info = await onlooker.session
    except asyncio.CancelledError:
        if not onlooker.gave_up:
            raise
    pong = onlooker.pong
    if pong is None:
        return Probed(info, session.failure)
    if not pong.done():
        pong.cancel()
        await asyncio.wait([pong])
    return Probed(info, session.failure, True, None if pong.cancelled() else pong.result())
