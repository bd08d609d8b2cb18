"""Who looks on while a session goes on: judges of finished turns, and the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from recordings.format import Event, Turn, Verdict
from scenarios.expression_task import Expression
from scenarios.schema import Fact, Item
from streams.audio import Pcm
from streams.speech.interfaces import ModelIdentity
from user_sim.policy import Advice


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """What a live judge sees of a turn of the endpoint.

    Attributes:
        turn: Position in the call.
        asked: The user's words before it.
        heard: What the user heard of it.
        audio: The heard audio, int16 at `rate`.
        latency_s: From the user's last spoken sample to the first audible one, if the user had spoken.
        facts: What the scenario expects the reply to state.
        item: The question of knowledge that was asked, with its key, if it was one.
        expression: What the answer must do in content and manner, if the scenario says.
        fusion: The policy of the scenario's pack for making one label of three; "" if it names none.
    """

    turn: int
    asked: str
    heard: str
    audio: Pcm
    rate: int
    latency_s: float | None
    facts: Sequence[Fact]
    item: Item | None = None
    expression: Expression | None = None
    fusion: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's verdict on a turn, and what it advises the user to do, if anything."""

    verdict: Verdict
    advice: Advice | None = None


class TurnObserver(Protocol):
    """A live judge. It may be slow: the call goes on meanwhile, and late advice is late advice."""

    @property
    def name(self) -> str:
        """The judge's name, as in its verdicts."""

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        """Judge a turn; a failure is an unscored verdict with its cause, never an exception."""


@dataclass(slots=True)
class Levels:
    """What a meter shows: peak of the last frames, 0 to 32768.

    Attributes:
        t: Session time of the tick.
        lateness_ms: Of the ticks since the levels before.
    """

    user: int = 0
    endpoint: int = 0
    t: float = 0.0
    lateness_ms: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcribed:
    """What a recogniser did for a call, both of them in other processes than the run.

    Attributes:
        audio_s: Length of the clip.
        took_s: From the request to the answer, which was a moment ago.
        failure: Kind of the error that it ended with; "" if it did not.
        given_up: The words were wanted no longer.
    """

    model: ModelIdentity
    audio_s: float
    took_s: float
    failure: str = ""
    given_up: bool = False


class Audience(Protocol):
    """Something that shows a session while it goes on; called from the media path: it must be cheap."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def turn(self, turn: Turn) -> None:
        """A turn is complete as far as it is known by now."""

    def levels(self, levels: Levels) -> None:
        """A tick has passed."""


class Nobody:
    """An audience that does not look."""

    def event(self, event: Event) -> None:
        """Ignore it."""

    def turn(self, turn: Turn) -> None:
        """Ignore it."""

    def levels(self, levels: Levels) -> None:
        """Ignore them."""
