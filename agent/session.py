"""One live call: prepare, open, talk (`agent.conversation`), close; whatever happens, it is recorded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.call import Call, End
from agent.control import Control
from agent.conversation import Conversation
from agent.engines import Engines as Engines
from agent.engines import warm_up as warm_up
from agent.episode_info import begin, complete
from agent.line import UserLine, prepare_line
from agent.observers import Audience, Nobody, TurnObserver
from agent.outcome import end_for
from agent.pacing import next_origin
from agent.person import Person
from agent.python_tools import PythonToolUnfit, load_functions
from agent.take_over import OpenDevice, Seat
from agent.tools import ToolBench, declared
from recordings.errors import RecordingError
from recordings.format import EpisodeInfo, Noticed, Outcome, SessionEnded
from recordings.raw import RawLogging, RawTraffic
from recordings.writer import EpisodeWriter
from scenarios.load import LoadedScenario
from scenarios.problems import ScenarioError
from scenarios.schema import Scenario
from scenarios.spoken.verbalise import spoken_form
from streams.audio import FRAME_S
from streams.devices.interfaces import DeviceError
from streams.endpoints.errors import EndpointError, RateLimited
from streams.endpoints.protocol import Endpoint
from streams.endpoints.websocket import WebsocketEndpoint
from streams.speech.interfaces import SpeechError
from user_sim.conditions.telephone import UnfitCodec
from user_sim.directed import Directed
from user_sim.personas import make_policy
from user_sim.policy import Policy
from user_sim.voice import UserVoice, UserVoiceFailed

_NOT_BEGUN = (UserVoiceFailed, SpeechError, UnfitCodec, ScenarioError, PythonToolUnfit, DeviceError)
"""What may keep a call from beginning, besides the endpoint."""

_CANCELLED = End(Outcome.CANCELLED, "the session was cancelled", "us")


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """What one session is.

    Attributes:
        seed: Base of every random choice of the user.
        max_lateness_s: A tick later than this makes the episode void.
        policy: A policy of one's own; None is the scenario's.
        raw_log: What is kept of the raw traffic, beside the episode.
        python_tools: Python functions beside the scenario may be run as its tools.
        control: Takes what is asked of the call from outside.
        person: Calls in the user's place.
        microphone: By which a person may take the user's place meanwhile, if `control` says so.
    """

    id: str
    scenario: LoadedScenario
    run: str = ""
    seed: int = 0
    repeat: int = 0
    max_lateness_s: float = 0.25
    policy: Policy | None = None
    observers: Sequence[TurnObserver] = field(default=())
    raw_log: RawLogging = RawLogging.OFF
    python_tools: bool = False
    control: Control | None = None
    person: Person | None = None
    microphone: OpenDevice | None = None


class Session:
    """One call of a simulated user with an endpoint, recorded into a folder."""

    def __init__(
        self,
        plan: SessionPlan,
        endpoint: Endpoint,
        engines: Engines,
        folder: Path,
        audience: Audience | None = None,
    ) -> None:
        self._plan = plan
        self._endpoint = endpoint
        self._engines = engines
        self._folder = folder
        self._audience = audience or Nobody()
        self.failure: BaseException | None = None
        """What broke the call off or kept it from beginning, if anything did."""
        self._scenario: Scenario = plan.scenario.scenario
        self._person = plan.person
        self._seat: Seat | None = None
        if plan.microphone is not None and plan.person is None:
            self._seat = Seat(plan.microphone, engines, self._scenario.language)
        policy = (
            make_policy(self._scenario, plan.seed, plan.policy)
            if plan.person is None
            else plan.person.policy(self._scenario, plan.seed)
        )
        self._policy = Directed(policy)

    async def run(self) -> EpisodeInfo:
        """Hold the call; whatever happens, the episode is written and says how it ended.

        Raises:
            RecordingError: The episode could not be written.
            asyncio.CancelledError: The session was cancelled; the episode is complete all the same.
        """
        self._raw = self._raw_traffic()
        try:
            return await self._hold()
        finally:
            if self._person is not None:
                await self._person.put_down()
            if self._raw is not None:
                await self._raw.close()

    async def _hold(self) -> EpisodeInfo:
        try:
            voice = await self._warm_voice()
            line = await self._line()
            bench = await self._tools()
            if self._person is not None:
                capabilities = self._endpoint.capabilities
                await self._person.pick_up(capabilities.input.rate, capabilities.output.rate)
            ready = await self._endpoint.open()
        except asyncio.CancelledError:
            await self._never_began(_CANCELLED)
            raise
        except EndpointError as failure:
            self.failure = failure
            limited = isinstance(failure, RateLimited)
            outcome = Outcome.RATE_LIMITED if limited else Outcome.CONNECT_FAILED
            return await self._never_began(End(outcome, str(failure), "endpoint"))
        except _NOT_BEGUN as failure:
            self.failure = failure
            return await self._never_began(end_for(failure))
        info = begin(self._plan, self._endpoint, self._engines, ready)
        try:
            recorder = EpisodeWriter(self._folder, info, clean=line is None)
        except RecordingError:
            await self._endpoint.close()
            raise
        call = Call(self._endpoint, recorder, self._audience)
        cancelled = False
        conversation: Conversation | None = None
        try:
            if line is not None and line.rates != (call.microphone.rate, call.speaker.rate):
                line = await self._line()  # the endpoint has settled for other rates than it announced
                call.origin = next_origin()
            call.line = line
            if self._raw is not None:
                self._raw.sample_zero(call.origin)
            if self._person is not None:
                call.microphone = self._person.join(call, self._scenario.language)
            if voice.rate != call.microphone.rate:
                voice = self._voice(call.microphone.rate)
            conversation = Conversation(
                call, self._plan, self._engines, self._policy, voice, bench, self._seat
            )
            end = await conversation.hold(ready)
        except asyncio.CancelledError:
            cancelled = True
            end = _CANCELLED
        except Exception as failure:  # noqa: BLE001 - the one place: an episode always says how it ended
            self.failure = failure
            end = end_for(failure)
        info = await self._close(call, conversation, info, end)
        if cancelled:
            raise asyncio.CancelledError
        return info

    def _raw_traffic(self) -> RawTraffic | None:
        """Writes what goes over the wire, where there is a wire and it is asked for."""
        plan, endpoint = self._plan, self._endpoint
        if plan.raw_log is RawLogging.OFF or not isinstance(endpoint, WebsocketEndpoint):
            return None
        raw = RawTraffic(self._folder, endpoint.address, audio=plan.raw_log is RawLogging.AUDIO)
        endpoint.log_raw(raw)
        return raw

    async def _tools(self) -> ToolBench:
        """The scenario's tools, of which the endpoint is told."""
        tools, plan = self._scenario.tools, self._plan
        if not tools:
            return ToolBench((), {})
        # their code may import for seconds: other sessions of this loop go on meanwhile
        functions = await asyncio.to_thread(load_functions, plan.scenario, allowed=plan.python_tools)
        self._endpoint.offer(declared(tools))
        return await asyncio.to_thread(ToolBench, tools, functions)

    async def _warm_voice(self) -> UserVoice:
        """Prepare the first words before the line is open: preparing is ours, not the endpoint's."""
        rate = self._endpoint.capabilities.input.rate
        voice = self._voice(rate)
        ahead = () if self._person is not None else self._policy.lines_ahead()
        for line in list(ahead)[:1]:
            await voice.prepare(line)
        return voice

    def _voice(self, rate: int) -> UserVoice:
        engines, persona = self._engines, self._scenario.persona
        folder = self._plan.scenario.path.parent
        aloud = spoken_form(self._scenario.language, folder)
        return UserVoice(engines.voice, rate, engines.cache, persona.voice, persona.style, folder, aloud)

    async def _line(self) -> UserLine | None:
        """Prepare room and line too: noises take seconds to make."""
        plan, engines = self._plan, self._engines
        return await prepare_line(
            self._scenario.conditions,
            self._endpoint.capabilities,
            plan.seed,
            engines.voice,
            engines.cache,
            plan.scenario.path.parent,
        )

    async def _close(
        self, call: Call, conversation: Conversation | None, info: EpisodeInfo, end: End
    ) -> EpisodeInfo:
        ticks = conversation.ticks if conversation else 0
        t = ticks * FRAME_S
        heard = call.speaker.heard(max(call.speaker.position, round(t * call.speaker.rate)))
        call.recorder.endpoint(heard)
        if conversation is not None:
            conversation.settle(t)
        call.write_turns(final=True)
        if call.line is not None:
            call.log(await call.line.report(t))
        if self._raw is not None and self._raw.failure is not None:
            lost = str(self._raw.failure)
            call.log(Noticed(t=t, by="us", level="warning", code="raw_log", message=lost))
        call.log(SessionEnded(t=t, outcome=end.outcome, reason=end.reason, by=end.by))
        with contextlib.suppress(EndpointError):
            await self._endpoint.close(end.reason)
            if conversation is not None:
                await conversation.hung_up(t)
        info = complete(
            info,
            end,
            duration_s=t,
            lateness=conversation.lateness() if conversation else None,
            unheard_s=call.speaker.pending / call.speaker.rate,
            late_pieces=call.speaker.late,
        )
        return await call.recorder.finish(info)

    async def _never_began(self, end: End) -> EpisodeInfo:
        info = begin(self._plan, self._endpoint, self._engines, None)
        recorder = EpisodeWriter(self._folder, info)
        event = SessionEnded(t=0.0, outcome=end.outcome, reason=end.reason, by=end.by)
        recorder.event(event)
        self._audience.event(event)
        info = complete(info, end, duration_s=0.0, lateness=None, unheard_s=0.0, late_pieces=0)
        return await recorder.finish(info)
