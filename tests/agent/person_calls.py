"""Whole calls of a person in simulated time: a fake device, a fake endpoint, speech that is tone bursts."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from agent.engines import Engines
from agent.observers import TurnObserver
from agent.person import NoVoice, Person
from agent.session import Session, SessionPlan
from recordings.format import EpisodeInfo, UtteranceStarted
from recordings.reader import Episode
from scenarios.load import from_scenario
from scenarios.schema import Scenario
from streams import clock
from streams.devices.fake import FakeDevice
from streams.endpoints.fake import FakeEndpoint
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser
from streams.speech.interfaces import Recogniser
from user_sim.person import Mode, free_scenario

SETTLED_S = 0.94
"""Sample 0 of a call is so long after its device was started: 0.3 s of bursts and 0.6 s to know its clock,
each after a first block, in looks of 20 ms."""

T = TypeVar("T")


@dataclasses.dataclass
class PersonCall:
    info: EpisodeInfo
    episode: Episode
    device: FakeDevice
    endpoint: FakeEndpoint

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.episode.events if isinstance(event, kind)]

    @property
    def said(self) -> list[UtteranceStarted]:
        return self.of(UtteranceStarted)


def hold(
    tmp_path: Path,
    device: FakeDevice,
    endpoint: FakeEndpoint,
    says: Sequence[str] = (),
    hears: Sequence[str] = (),
    *,
    scenario: Scenario | None = None,
    mode: Mode = Mode.FREE,
    hang_up_s: float | None = 12.0,
    observers: Sequence[TurnObserver] = (),
    at: Sequence[tuple[float, Callable[[Person], None]]] = (),
    push_to_talk: bool = False,
    recogniser: Recogniser | None = None,
) -> PersonCall:
    """Hold a call; `at` is what the person does besides speaking, by seconds since their device began.

    `recogniser` hears the person; None is one that hears what `says` says.
    """
    person = Person(
        device,
        EnergyDetector(),
        recogniser or (ScriptedRecogniser(says) if says else None),
        mode,
        push_to_talk=push_to_talk,
    )
    loaded = from_scenario(scenario or free_scenario())
    plan = SessionPlan(id="call", scenario=loaded, person=person, observers=observers)
    ears = ScriptedRecogniser(hears) if hears else None
    engines = Engines(NoVoice(), EnergyDetector(), recogniser=ears)

    async def main() -> EpisodeInfo:
        session = Session(plan, endpoint, engines, tmp_path / "call")
        loop = asyncio.get_running_loop()
        actions = [*at, *([] if hang_up_s is None else [(hang_up_s, Person.hang_up)])]
        for seconds, action in actions:
            loop.call_at(loop.time() + seconds, action, person)
        return await session.run()

    info = clock.run(main(), simulate=True)
    return PersonCall(info, Episode.load(tmp_path / "call"), device, endpoint)
