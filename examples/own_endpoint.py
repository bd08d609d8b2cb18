"""An endpoint of one's own, without a socket: a parrot that says back what it heard.

Run:  python examples/own_endpoint.py

For a websocket protocol write a `Codec` instead (`streams/endpoints/protocol.py`): messages in, events
out, no I/O; `WebsocketEndpoint(codec, url, address=...)` gives it a socket. `streams/endpoints/pcm/`
is the smallest one.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo
from scenarios.load import from_scenario
from scenarios.schema import Scenario, Turn
from streams.audio import AudioFormat, Frame
from streams.clock import now, run
from streams.endpoints.events import AudioReceived, Closed, EndpointEvent, ItemEnded, Party, Ready
from streams.endpoints.protocol import Capabilities, Played, Tool
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice

SILENT_FRAMES = 25
"""Half a second of silence ends the user's turn."""


class Parrot:
    """Implements `streams.endpoints.protocol.Endpoint`; what it does not have is a no-op."""

    address = "parrot"
    capabilities = Capabilities(protocol="parrot", input=AudioFormat(24000), output=AudioFormat(24000))

    def __init__(self) -> None:
        self._events: asyncio.Queue[EndpointEvent] = asyncio.Queue()
        self._heard = b""
        self._silent = 0
        self._replies = 0

    async def open(self) -> Ready:
        """Nothing to connect to."""
        return Ready(at=now())

    async def events(self) -> AsyncIterator[EndpointEvent]:
        """What was put into the queue, until the parrot is closed."""
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Closed):
                return

    async def send(self, frame: Frame) -> None:
        """Listen; after half a second of silence say it all back."""
        self._silent = self._silent + 1 if frame.silent else 0
        if not frame.silent:
            self._heard += frame.pcm
        if self._heard and self._silent == SILENT_FRAMES:
            self._replies += 1
            item = f"reply-{self._replies}"
            self._events.put_nowait(AudioReceived(at=now(), pcm=self._heard, item=item))
            self._events.put_nowait(ItemEnded(at=now(), item=item))
            self._heard = b""

    async def played(self, report: Played) -> None:
        """Parrots do not care."""

    async def begin_turn(self) -> None:
        """No push to talk."""

    async def end_turn(self) -> None:
        """No push to talk."""

    async def cancel(self) -> None:
        """Never stops."""

    def offer(self, tools: Sequence[Tool]) -> None:
        """No tools."""

    async def tool_result(self, call: str, output: str, *, error: bool = False) -> None:
        """No tools."""

    async def text(self, text: str) -> None:
        """Cannot read."""

    async def dtmf(self, digit: str) -> None:
        """Has no keys."""

    async def close(self, reason: str = "") -> None:
        """Fly away."""
        self._events.put_nowait(Closed(at=now(), by=Party.US))


async def call(folder: Path) -> EpisodeInfo:
    """Two turns with the parrot."""
    frame = Scenario(
        id="parrot", title="Talks to a parrot", turns=(Turn(text="Hello."), Turn(text="Pretty bird."))
    )
    engines = Engines(voice=ToneVoice(), detector=EnergyDetector())
    plan = SessionPlan(id="parrot", scenario=from_scenario(frame))
    return await Session(plan, Parrot(), engines, folder).run()


def main() -> Path:
    """Hold the call in simulated time; returns the episode's folder."""
    folder = Path(tempfile.mkdtemp()) / "parrot"
    info = run(call(folder), simulate=True)
    print(f"{info.outcome.value} after {info.duration_s:.1f} s; listen to {folder}/endpoint.wav")
    return folder


if __name__ == "__main__":
    main()
