"""Whole calls over a loopback websocket in simulated time, with the double of a vendor at the other end."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import numpy as np
from websockets.asyncio.server import ServerConnection

from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo
from recordings.reader import Episode
from scenarios.load import from_scenario
from scenarios.schema import Scenario
from streams import clock
from streams.audio import to_pcm
from streams.endpoints.address import connect
from streams.endpoints.events import Edge
from streams.endpoints.fake import tone
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from tests.agent.calls import scripted
from tests.streams.vendors.serve import serving
from tests.streams.vendors.vendor import Concept, Reply, Vendor

Answer = Callable[[ServerConnection, int], Awaitable[None]]
"""Sends an answer to the user's turn of that number, from 0."""


@dataclasses.dataclass
class WireCall:
    info: EpisodeInfo
    folder: Path
    failure: BaseException | None
    connections: int
    """How often the endpoint was called."""

    @property
    def episode(self) -> Episode:
        return Episode.load(self.folder)


def spoken(vendor: Vendor, seconds: float = 0.5) -> Answer:
    """A reply of a tone, in pieces of 100 ms, at once."""

    async def answer(socket: ServerConnection, turn: int) -> None:
        reply = Reply(f"resp-{turn}", f"item-{turn}")
        if Concept.USAGE in vendor.concepts:
            vendor.usage(tokens=30)
        pcm = tone(seconds, rate=vendor.output_rate)
        size = vendor.output_rate // 10 * 2
        messages = [
            *vendor.begin(reply),
            *(m for at in range(0, len(pcm), size) for m in vendor.audio(reply, pcm[at : at + size])),
        ]
        if Concept.TEXT in vendor.concepts:
            messages += vendor.text(reply, f"answer {turn}", final=True)
        messages += vendor.end(reply)
        if Concept.USER_TEXT in vendor.concepts:
            messages += vendor.user_text(f"question {turn}", item=f"user-{turn}")
        for message in messages:
            await socket.send(message)

    return answer


async def listening(vendor: Vendor, socket: ServerConnection, answer: Answer) -> None:
    """Hear the user's turns by their loudness, and answer each after half a second of silence."""
    turn, begun = 0, False
    while True:
        await asyncio.sleep(0.1)
        recent = to_pcm(bytes(vendor.heard[-vendor.input_rate :]))  # half a second
        loud = bool(recent.size) and int(np.abs(recent.astype(np.int32)).max()) > 500
        if loud and not begun:
            begun = True
            if Concept.USER_SPEECH in vendor.concepts:
                for message in vendor.user_speech(Edge.START):
                    await socket.send(message)
        elif begun and not loud:
            begun = False
            await answer(socket, turn)
            turn += 1


def call(
    tmp_path: Path,
    vendor: Vendor,
    answer: Answer | None = None,
    *,
    scenario: Scenario | None = None,
    address: Callable[[str], str] | None = None,
    environ: dict[str, str] | None = None,
    **plan: object,
) -> WireCall:
    """Hold one call with a vendor.

    Args:
        answer: What it answers; a spoken reply if not given.
        address: The endpoint's address at `HOST:PORT`; the vendor's own if not given.
    """
    connections = 0
    folder = tmp_path / "call"

    async def script(socket: ServerConnection) -> None:
        nonlocal connections
        connections += 1
        await listening(vendor, socket, answer or spoken(vendor))

    async def main() -> tuple[EpisodeInfo, BaseException | None]:
        async with serving(vendor, script=script) as host:
            endpoint = connect((address or vendor.address)(host), environ or {})
            whole = SessionPlan(id="call", scenario=from_scenario(scenario or scripted(2)))
            whole = dataclasses.replace(whole, **plan)  # type: ignore[arg-type]
            session = Session(whole, endpoint, Engines(ToneVoice(), EnergyDetector()), folder)
            return await session.run(), session.failure

    info, failure = clock.run(main(), simulate=True)
    return WireCall(info, folder, failure, connections)


def lines_of(file: Path) -> Sequence[str]:
    """The lines of a text file."""
    return file.read_text(encoding="utf-8").splitlines()
