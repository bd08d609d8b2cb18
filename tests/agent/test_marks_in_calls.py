"""Marks in whole calls: told and recorded when playback reaches them, in simulated time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection

from agent.connect import connect
from agent.session import Engines, Session, SessionPlan
from recordings.check import check
from recordings.format import MarkReached, Outcome
from recordings.reader import Episode
from scenarios.load import from_scenario
from streams import clock
from streams.endpoints.events import AudioReceived, EndpointEvent, Mark
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.endpoints.protocol import PlaybackState
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from tests.agent.calls import hold, scripted
from tests.streams.vendors.serve import serving
from tests.streams.vendors.twilio import TwilioVendor
from tests.streams.vendors.vendor import Reply

RATE = 24000


class Marking(FakeEndpoint):
    """Sends a mark behind the third piece of its reply."""

    async def events(self) -> AsyncIterator[EndpointEvent]:
        pieces = 0
        async for event in super().events():
            yield event
            if isinstance(event, AudioReceived):
                pieces += 1
                if pieces == 3:
                    yield Mark(at=event.at, name="third")


def reached(episode: Episode) -> list[MarkReached]:
    return [event for event in episode.events if isinstance(event, MarkReached)]


def test_a_mark_in_the_middle_of_a_burst_is_recorded_when_playback_reaches_it(tmp_path: Path) -> None:
    # the reply is heard from 0.6 + 0.7 = 1.3 s on; three pieces of 100 ms stand before the mark: 1.6 s
    call = hold(tmp_path, Marking([FakeReply(pcm=tone(1.0), delay_s=0.7)]))
    (mark,) = reached(call.episode)
    assert (mark.name, mark.at) == ("third", round(1.6 * RATE))
    assert 1.6 <= mark.t <= 1.64  # the ear runs one frame behind, and looks once a frame
    told = [report for report in call.endpoint.reports if report.state is PlaybackState.PROGRESS]
    (report,) = told
    assert (report.item, report.received) == ("reply-1", RATE)
    # 0.3 s, and what was heard up to the tick
    assert 0.3 * RATE <= report.heard <= 0.34 * RATE
    assert check(call.episode) == []


class Server(TwilioVendor):
    """Answers after a second with 1 s of sound that has a mark in the middle and one at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.echoes: list[tuple[str, float]] = []
        self.heard_a_second = asyncio.Event()

    def _media(self, content: dict[str, dict[str, str]]) -> None:
        super()._media(content)
        if len(self.heard) >= 2 * 8000:
            self.heard_a_second.set()

    def _mark(self, content: dict[str, dict[str, str]]) -> None:
        super()._mark(content)
        self.echoes.append((content["mark"]["name"], clock.now()))


async def answer(vendor: Server, socket: ServerConnection) -> float:
    await vendor.heard_a_second.wait()
    half = vendor.audio(Reply(), tone(0.5, rate=8000))
    for message in (*half, *vendor.mark("middle"), *half, *vendor.mark("end")):
        await socket.send(message)
    return clock.now()


def test_a_server_on_a_socket_gets_its_marks_back_when_they_are_heard(tmp_path: Path) -> None:
    vendor, sent = Server(), 0.0

    async def script(socket: ServerConnection) -> None:
        nonlocal sent
        sent = await answer(vendor, socket)

    async def main() -> None:
        async with serving(vendor, script=script) as host:
            endpoint = connect(vendor.address(host), os.environ)
            engines = Engines(voice=ToneVoice(), detector=EnergyDetector())
            plan = SessionPlan(id="call", scenario=from_scenario(scripted()))
            info = await Session(plan, endpoint, engines, tmp_path / "call").run()
            assert info.outcome is Outcome.COMPLETED

    clock.run(main(), simulate=True)
    assert [name for name, _ in vendor.echoes] == ["middle", "end"]
    # each within two frames of when it was heard: 0.5 s and 1 s after the burst arrived
    assert [at - sent for _, at in vendor.echoes] == [
        pytest.approx(0.52, abs=0.021),
        pytest.approx(1.02, abs=0.021),
    ]
    episode = Episode.load(tmp_path / "call")
    first, last = reached(episode)
    assert (last.at or 0) - (first.at or 0) == 4000  # 0.5 s at 8000/s
    assert check(episode) == []
    assert vendor.goodbye
