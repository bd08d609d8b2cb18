"""A call by the studio's page: its browser has the microphone and the ear."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agent.cli.judging.judge import JudgeOptions, make_judge
from agent.observers import Audience, Levels
from recordings import format as record
from recordings.studio.mic_socket import Captured, Line, Take, Wish
from streams.audio import to_float, to_pcm16
from streams.clock import now, utc_now
from streams.devices.interfaces import Block, DeviceLost, Source

if TYPE_CHECKING:
    from agent.cli.runs.request import EngineChoice
    from agent.engines import Engines
    from agent.observers import TurnObserver
    from scoring.judge.contract import Judge

_SHOWN = (
    record.SessionStarted,
    record.DeviceOpened,
    record.DeviceTrouble,
    record.LineProposed,
    record.UtteranceStarted,
    record.HeardSpeech,
    record.TurnEnded,
    record.VerdictGiven,
    record.Noticed,
)


class PageDevice:
    """The microphone and ear of a browser: one clock, that of its audio; see `streams.devices.interfaces`.

    Each piece that was captured asks for as many samples to be heard.
    """

    def __init__(self, rate: int, name: str = "browser") -> None:
        self.name = name
        self.input_rate = self.output_rate = rate
        self.input_latency_s = self.output_latency_s = 0.0
        self._blocks: list[Block] = []
        self._next: int | None = None
        self._source: Source | None = None
        self._gone = False

    async def start(self, source: Source) -> None:
        """Begin."""
        self._source = source

    def captured(self, piece: Captured) -> bytes:
        """Take a piece; returns what is to be heard meanwhile, PCM16."""
        samples = to_float(piece.pcm)
        lost = 0 if self._next is None else max(0, piece.first - self._next)
        self._next = piece.first + samples.size
        at = now()
        # a page that was asleep for longer than this has not lost samples: its audio has stood still
        self._blocks.append(Block(samples, at, lost=min(lost, self.input_rate)))
        if self._source is None:
            return to_pcm16(np.zeros(samples.size, np.float32))
        return to_pcm16(self._source(samples.size, at))

    def lose(self) -> None:
        """The page is gone."""
        self._gone = True

    def blocks(self) -> list[Block]:
        """What was captured since the last call.

        Raises:
            DeviceLost: The page is gone.
        """
        if self._gone:
            raise DeviceLost(self.name, "the page was closed", "Open it again.")
        found, self._blocks = self._blocks, []
        return found

    async def stop(self) -> None:
        """The line is closed by whoever opened it."""


class PageScreen(Audience):
    """Shows a call to the page."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def event(self, event: record.Event) -> None:
        """Events that a person wants to see."""
        if isinstance(event, _SHOWN):
            self._line.send({"type": "event", "event": event.model_dump(mode="json")})

    def turn(self, turn: record.Turn) -> None:
        """Turns are shown as they are said and heard."""

    def levels(self, levels: Levels) -> None:
        """Meters."""
        self._line.send({"type": "levels", "user": levels.user, "endpoint": levels.endpoint, "t": levels.t})


@dataclass(slots=True)
class PageCalls:
    """Holds the calls of a page with one endpoint.

    Attributes:
        endpoint: Its address: the page cannot choose another.
        scenario: What guided and co-pilot calls go by; "" allows free talk alone.
        out: Where the runs are put.
    """

    endpoint: str
    scenario: str
    engines: EngineChoice
    judge: JudgeOptions
    out: Path = Path("recordings/episodes")
    max_lateness_s: float = 0.25
    _ready: tuple[Engines, Judge | None] | None = field(default=None)

    @property
    def take(self) -> Take:
        """For `recordings.studio.mic_socket.mic_routes`."""
        return self._take

    def check(self) -> None:
        """What can be known to go wrong before a page is served that could not say it.

        Raises:
            EndpointError: The address names no endpoint, or its key is not set.
            RecordingError: It is that of a recording that cannot be read.
            ScenarioError: The scenario cannot be used.
            SpeechError: An engine is not installed.
        """
        from agent.cli.mic.call import ears, scenario_named
        from agent.connect import connect

        connect(self.endpoint, os.environ)
        scenario_named(self.scenario)
        ears(self.engines)

    async def _take(self, wish: Wish, line: Line) -> None:
        from agent.cli.mic.call import scenario_named
        from agent.connect import connect
        from agent.live_judge import LiveJudge
        from agent.person import Person
        from agent.session import Session, SessionPlan
        from user_sim.person import Mode

        mode = Mode(wish.mode) if self.scenario else Mode.FREE
        device = PageDevice(wish.rate, f"browser{', echo cancelled' if wish.echo_cancellation else ''}")
        engines, judge = await self._models(line)
        person = Person(device, engines.detector, engines.recogniser, mode)
        observers: Sequence[TurnObserver] = () if judge is None else (LiveJudge(judge),)
        plan = SessionPlan(
            id="call",
            scenario=scenario_named(self.scenario),
            observers=observers,
            person=person,
            max_lateness_s=self.max_lateness_s,
        )
        folder = self.out / f"mic-{utc_now():%Y%m%d-%H%M%S}" / plan.id
        session = Session(plan, connect(self.endpoint, os.environ), engines, folder, PageScreen(line))
        listening = asyncio.create_task(self._listen(line, device, person), name="page is heard")
        try:
            info = await session.run()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
        ended = {"outcome": info.outcome.value, "reason": info.reason, "folder": str(folder)}
        line.send({"type": "ended", **ended})

    async def _listen(self, line: Line, device: PageDevice, person: Any) -> None:
        try:
            async for message in line.messages():
                if isinstance(message, Captured):
                    line.send(device.captured(message))
                elif message.name == "talk":
                    person.talk(message.on)
                elif message.name == "skip":
                    person.skip()
                else:
                    person.hang_up()
        finally:
            device.lose()

    async def _models(self, line: Line) -> tuple[Engines, Judge | None]:
        from agent.cli.mic.call import ears, load

        if self._ready is None:
            line.send({"type": "loading"})
            engines = await asyncio.to_thread(ears, self.engines)
            judge, _ = await asyncio.to_thread(make_judge, self.judge)
            await load(engines, judge)
            self._ready = engines, judge
        return self._ready


def page_calls(endpoint: str, scenario: str) -> PageCalls:
    """Calls with the best that is installed, judged by the rules."""
    from agent.cli.runs.request import EngineChoice

    return PageCalls(
        endpoint, scenario, EngineChoice("none", "default", "default", "default", ""), JudgeOptions()
    )
