"""Whole calls over a socket with the doubles of Gemini Live, OpenAI Live and Doubao, in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from agent.session import Engines, Session, SessionPlan
from recordings.check import Severity, check
from recordings.format import (
    EndAnnounced,
    EpisodeInfo,
    Flushed,
    Noticed,
    Outcome,
    SessionResumed,
    UsageReported,
)
from recordings.reader import Episode
from scenarios.load import from_scenario
from streams import clock
from streams.audio import silence
from streams.endpoints.address import connect
from streams.endpoints.events import ResponseStatus
from streams.endpoints.fake import tone
from streams.endpoints.protocol import Message
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from tests.agent.calls import audible, scripted
from tests.streams.vendors.doubao import DoubaoVendor
from tests.streams.vendors.gemini import GeminiVendor
from tests.streams.vendors.openai_live import OpenAILiveVendor
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Reply

Double = GeminiVendor | OpenAILiveVendor | DoubaoVendor
Answer = Callable[[ServerConnection, int], Awaitable[None]]

HANG_OVER_S = 0.5
DELAY_S = 0.3


class Ears:
    """Finds the ends of the user's turns in what a double has heard."""

    def __init__(self, vendor: Double) -> None:
        self._vendor = vendor
        self._turns = 0

    async def turn(self) -> int:
        """Wait for the end of the next turn of the user; its number, from 1."""
        quiet = round(HANG_OVER_S * self._vendor.input_rate)
        start = len(self._vendor.heard) // 2
        while True:
            samples = np.frombuffer(bytes(self._vendor.heard), np.int16)[start:]
            loud = np.flatnonzero(samples)
            if loud.size and samples.size - loud[-1] > quiet:
                self._turns += 1
                return self._turns
            await asyncio.sleep(0.02)


def answering(vendor: Double, answer: Answer) -> Callable[[ServerConnection], Awaitable[None]]:
    """A script that answers each turn of the user."""

    async def script(socket: ServerConnection) -> None:
        ears = Ears(vendor)
        try:
            while True:
                number = await ears.turn()
                await asyncio.sleep(DELAY_S)
                await answer(socket, number)
        except ConnectionClosed:
            pass

    return script


async def send(socket: ServerConnection, *messages: Message) -> None:
    for message in messages:
        await socket.send(message)


def burst(vendor: Double) -> Answer:
    """A reply of one second, delivered at once."""

    async def answer(socket: ServerConnection, number: int) -> None:
        reply = Reply(f"response-{number}", f"item-{number}")
        await send(socket, *vendor.user_text(f"question {number}", item=f"user-{number}"))
        await send(socket, *vendor.begin(reply), *vendor.audio(reply, tone(1.0, rate=vendor.output_rate)))
        await send(socket, *vendor.text(reply, f"answer {number}", final=True))
        await send(socket, *vendor.usage(tokens=30), *vendor.end(reply))

    return answer


def call(
    tmp_path: Path, vendor: Double, script: Callable[[ServerConnection], Awaitable[None]], turns: int = 2
) -> tuple[EpisodeInfo, Episode]:
    """Hold a call, and make sure that its episode agrees with itself."""
    engines = Engines(
        voice=ToneVoice(), detector=EnergyDetector(), recogniser=ScriptedRecogniser(["yes"] * 9)
    )

    async def main() -> EpisodeInfo:
        async with serving(vendor, script=script) as host:
            plan = SessionPlan(id="call", scenario=from_scenario(scripted(turns)))
            return await Session(plan, connect(vendor.address(host), {}), engines, tmp_path / "call").run()

    info = clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "call")
    assert [problem for problem in check(episode) if problem.severity is Severity.ERROR] == []
    return info, episode


def all_was_heard(vendor: Double, episode: Episode) -> None:
    """What the double heard is what the recording says was sent, up to the last frame."""
    sent, _ = episode.track("user")
    assert sent.tobytes().startswith(bytes(vendor.heard))
    assert 2 * sent.size - len(vendor.heard) <= 2 * vendor.input_rate // 50


@pytest.mark.parametrize("make", [GeminiVendor, DoubaoVendor])
def test_a_call_with_replies_in_bursts_is_completed(tmp_path: Path, make: Callable[[], Double]) -> None:
    vendor = make()
    info, episode = call(tmp_path, vendor, answering(vendor, burst(vendor)))
    assert info.outcome is Outcome.COMPLETED, info.reason
    replies = audible(episode, "endpoint")
    assert [round(end - start, 3) for start, end in replies] == [1.0, 1.0]
    all_was_heard(vendor, episode)
    said = [(turn.intended, turn.heard) for turn in episode.turns if turn.side == "endpoint"]
    assert [intended for intended, _ in said] == ["answer 1", "answer 2"]
    understood = [turn.heard for turn in episode.turns if turn.side == "user"]
    assert understood == ["question 1", "question 2"]
    usage = [event.values for event in episode.events if isinstance(event, UsageReported)]
    assert len(usage) == 2


def test_a_call_with_an_endless_stream_is_completed_and_the_goodbye_said(tmp_path: Path) -> None:
    vendor = OpenAILiveVendor()
    playing: list[bytes] = []

    async def answer(socket: ServerConnection, number: int) -> None:
        reply = Reply(f"response-{number}", "")
        await send(socket, *vendor.user_text(f"question {number}", item=""))
        await send(socket, *vendor.text(reply, f"answer {number}", final=True))
        pcm = tone(1.0, rate=vendor.output_rate)
        playing.extend(pcm[at : at + 4800] for at in range(0, len(pcm), 4800))

    async def stream(socket: ServerConnection) -> None:
        """100 ms every 100 ms for ever, speech or silence."""
        answers = asyncio.ensure_future(answering(vendor, answer)(socket))
        try:
            while True:
                await asyncio.sleep(0.1)
                piece = playing.pop(0) if playing else silence(2400)
                await send(socket, *vendor.audio(Reply(), piece))
        except ConnectionClosed:
            answers.cancel()

    info, episode = call(tmp_path, vendor, stream)
    assert (info.outcome, vendor.goodbye) == (Outcome.COMPLETED, True), info.reason
    replies = audible(episode, "endpoint")
    assert [round(end - start, 3) for start, end in replies] == [1.0, 1.0]
    said = [turn.intended for turn in episode.turns if turn.side == "endpoint"]
    assert said == ["answer 1", "answer 2"]
    # it tells what the session has cost in its answer to our goodbye
    (usage,) = (event for event in episode.events if isinstance(event, UsageReported))
    assert (usage.values, usage.t) == ({"seconds": 60}, info.duration_s)


def test_a_call_goes_on_over_another_connection_and_the_record_says_so(tmp_path: Path) -> None:
    vendor = GeminiVendor(handles=True)
    plain = burst(vendor)

    async def answer(socket: ServerConnection, number: int) -> None:
        if len(vendor.setups) == 1:
            await send(socket, *vendor.ending(10.0))
        await plain(socket, number)

    info, episode = call(tmp_path, vendor, answering(vendor, answer), turns=3)
    assert info.outcome is Outcome.COMPLETED, info.reason
    assert len(vendor.setups) == 2
    (announced,) = (event for event in episode.events if isinstance(event, EndAnnounced))
    assert announced.resumable
    (resumed,) = (event for event in episode.events if isinstance(event, SessionResumed))
    left = [event.code for event in episode.events if isinstance(event, Noticed)]
    assert left == ["connection_left"]
    assert resumed.t >= announced.t
    assert len(audible(episode, "endpoint")) == 3
    all_was_heard(vendor, episode)


def test_a_call_whose_session_cannot_be_taken_up_ends_at_the_endpoints_limit(tmp_path: Path) -> None:
    vendor = GeminiVendor()

    async def answer(socket: ServerConnection, number: int) -> None:
        await send(socket, *vendor.ending(2.0))

    info, episode = call(tmp_path, vendor, answering(vendor, answer))
    assert info.outcome is Outcome.SESSION_LIMIT
    (announced,) = (event for event in episode.events if isinstance(event, EndAnnounced))
    assert not announced.resumable
    # we hang up 0.3 s before the announced end, on the next tick
    assert info.duration_s == pytest.approx(announced.t + 1.7, abs=0.021)


def test_what_was_heard_of_a_cut_reply_is_told_in_whole_milliseconds(tmp_path: Path) -> None:
    vendor = DoubaoVendor()

    async def answer(socket: ServerConnection, number: int) -> None:
        reply = Reply(f"response-{number}", "")
        await send(socket, *vendor.begin(reply), *vendor.audio(reply, tone(2.0, rate=24000)))
        if number == 1:
            await asyncio.sleep(0.5)
            await send(socket, *vendor.flush())
        await send(socket, *vendor.end(reply, ResponseStatus.COMPLETED))

    info, episode = call(tmp_path, vendor, answering(vendor, answer))
    assert info.outcome is Outcome.COMPLETED, info.reason
    (cut,) = (event for event in episode.events if isinstance(event, Flushed) and event.items)
    ((item, heard, received),) = cut.items
    assert (item, received) == ("response-1", 48000)
    assert [(told.item, told.samples) for told in vendor.told] == [(item, heard * 1000 // 24000 * 24)]
