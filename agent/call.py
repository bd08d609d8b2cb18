"""What the tasks of one session share: the line, its two tracks, the book of turns, and how it ended."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from agent.line import UserLine
from agent.observers import Audience
from agent.pacing import next_origin
from agent.turn_book import TurnBook
from recordings.format import Event, Flushed, MarkReached, Outcome, PlaybackReported, Turn, Verdict
from recordings.writer import EpisodeWriter
from streams.audio import Frame, sample_at
from streams.clock import now
from streams.endpoints.protocol import Endpoint, PlaybackState, Played
from streams.playback import ItemPlayback, Microphone, Speaker, Spoken


@dataclass(frozen=True, slots=True)
class End:
    """How a session ended.

    Attributes:
        by: "user", "endpoint" or "us".
    """

    outcome: Outcome
    reason: str
    by: str


def nobody_listens(_: bytes) -> None:
    """The user is simulated."""


class UserTrack(Protocol):
    """The user's side of the timeline: a `streams.playback.Microphone`, or what a person says into one.

    Attributes:
        rate: Samples per second.
        position: Samples handed out so far.
    """

    rate: int
    position: int

    @property
    def speaking(self) -> bool:
        """True while something is being said."""

    @property
    def saying(self) -> tuple[str, ...]:
        """Names of the utterances that are being said or will be."""

    def say(self, pcm: bytes, utterance: str) -> int:
        """Queue speech; returns the sample at which it will start."""

    def stop(self) -> list[Spoken]:
        """Break off."""

    def next_frame(self) -> Frame:
        """The audio of the 20 ms that have just passed."""

    def finished(self) -> list[Spoken]:
        """What was said to its end since the last call."""


class Call:
    """One live call. Times named `t` are seconds since sample 0."""

    def __init__(self, endpoint: Endpoint, recorder: EpisodeWriter, audience: Audience) -> None:
        user_rate = endpoint.capabilities.input.rate
        endpoint_rate = endpoint.capabilities.output.rate
        self.endpoint = endpoint
        self.recorder = recorder
        self.audience = audience
        self.microphone: UserTrack = Microphone(user_rate)
        self.on_heard: Callable[[bytes], None] = nobody_listens
        """Gets each heard frame, for the ear of a person."""
        self.speaker = Speaker(endpoint_rate)
        self.book = TurnBook(user_rate, endpoint_rate)
        self.origin = next_origin()
        self.line: UserLine | None = None
        """What is between the user's mouth and the wire; None if nothing is."""
        self.connected = True
        """False once the endpoint has closed; what arrived before is still played."""
        self.closing: End | None = None
        """Once the endpoint has closed: what the end will be when all that arrived has been heard."""
        self.said_everything = asyncio.Event()
        """Set while no user speech waits to be sent."""
        self.said_everything.set()
        self.turns = 0
        """Utterances so far that count in the scenario's `max_turns`."""
        self._utterances = itertools.count()
        self.beside: set[str] = set()
        """Utterances that take no turn: nobody waits for an answer to them."""
        self.keys: set[str] = set()
        """Telephone keys that sound on the user's track."""
        self.awaited: set[str] = set()
        """Tool calls that were not answered yet: what the endpoint says meanwhile is no answer."""
        self._over_at = math.inf
        self.over: asyncio.Future[End] = asyncio.get_running_loop().create_future()

    def next_utterance(self) -> str:
        """A name for what the user says next."""
        return f"u{next(self._utterances)}"

    @property
    def taking_turn(self) -> bool:
        """True while the user says something that it wants answered."""
        if not self.microphone.speaking:
            return False
        return any(name not in self.beside | self.keys for name in self.microphone.saying)

    def t(self, at: float | None = None) -> float:
        """A time of the loop's clock (now by default) on the session's timeline: from 0 to its end."""
        return min(max(0.0, (now() if at is None else at) - self.origin), self._over_at)

    def end(self, outcome: Outcome, reason: str, by: str) -> None:
        """End the session; the first call decides.

        A user who comes to its end on a line that is gone has heard the endpoint out all the same, unless
        the connection broke.
        """
        end = End(outcome, reason, by)
        if self.closing is not None and self.closing.outcome is not Outcome.ENDPOINT_HUNG_UP:
            end = self.closing
        if not self.over.done():
            self._over_at = self.t()
            self.over.set_result(end)

    def log(self, event: Event) -> None:
        """Record an event and show it."""
        self.recorder.event(event)
        self.audience.event(event)
        if self.line is not None:
            self.line.note(event)

    def write_turns(self, *, final: bool = False) -> None:
        """Record the turns that are ripe."""
        for turn in self.book.ripe(final=final):
            self._write(turn)

    def judged(self, turn: int, verdict: Verdict) -> None:
        """Note a verdict; of a turn that is written already a reader takes the line written last."""
        self.book.verdict(turn, verdict)
        if self.book.is_written(turn):
            self.recorder.turn(self.book.peek(turn))

    def _write(self, turn: Turn) -> None:
        self.recorder.turn(turn)
        self.audience.turn(turn)

    async def report(self, playback: ItemPlayback, state: PlaybackState) -> None:
        """Tell the endpoint, and the record, how much of an item was heard."""
        played = Played(playback.item, playback.heard, playback.received, state)
        self.log(
            PlaybackReported(
                t=self.t(), item=played.item, heard=played.heard, received=played.received, state=state
            )
        )
        if self.connected:
            await self.endpoint.played(played)

    async def reach_marks(self) -> None:
        """Tell the record, and the endpoint, which marks playback has come to."""
        for mark in self.speaker.reached():
            self.log(MarkReached(t=self.t(), name=mark.name, at=mark.at))
            if mark.playback is not None:
                await self.report(mark.playback, PlaybackState.PROGRESS)

    async def cut(self, at: float, responses: tuple[str, ...] = ()) -> bool:
        """The endpoint wants what was not heard yet dropped; returns whether there was any."""
        items = self.speaker.flush(at=at, responses=responses)
        self.log(
            Flushed(
                t=at,
                by="endpoint",
                at=sample_at(at, self.speaker.rate),
                items=tuple((item.item, item.heard, item.received) for item in items),
            )
        )
        for item in items:
            if not item.heard:
                self.book.unheard(item.item)
            await self.report(item, PlaybackState.DROPPED)
        return any(item.heard < item.received for item in items)
