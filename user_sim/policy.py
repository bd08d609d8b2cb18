"""The whole interface of a user policy: percepts in, actions out. Pure: no I/O, no clock.

A policy never sees an endpoint, an event or a sample; so the same user calls every endpoint, and a
policy is tested without audio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Ending(StrEnum):
    """Why the user ends the call."""

    DONE = "done"  # everything was asked and answered, or given up politely
    IMPATIENT = "impatient"  # the endpoint did not answer
    ADVISED = "advised"  # the judge said that the call is lost
    FAILED = "failed"  # no words could be found: our own failure, the episode is void


# --- percepts: what the user hears -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The line is open."""


@dataclass(frozen=True, slots=True)
class EndpointBegan:
    """The endpoint began to talk (at least one speech segment is being heard)."""


@dataclass(frozen=True, slots=True)
class HeardSoFar:
    """The endpoint paused; what was heard of this turn so far. More may come."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnHeard:
    """The endpoint's turn is over.

    Attributes:
        text: What was heard; "" if it could not be understood.
        understood: False if there was speech that no recogniser made words of, or hearing failed.
        interrupted: True if the turn ended because the user talked or playback was cut.
    """

    text: str
    understood: bool = True
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class SaidAll:
    """The user's own words are out."""


@dataclass(frozen=True, slots=True)
class Silence:
    """Nobody has talked since the user's last word (or the start of the call).

    Attributes:
        seconds: For how long. The session reports it once per `patience_s`.
    """

    seconds: float


@dataclass(frozen=True, slots=True)
class Composed:
    """Words that were asked for with `Compose` are ready.

    Attributes:
        request: The number of the request they answer.
        text: The words, or "" if no words could be made.
    """

    request: int
    text: str


class Move(StrEnum):
    """What a live judge advises."""

    PRESS = "press"  # ask again about `point`
    MOVE_ON = "move_on"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Advice:
    """A live judge's advice on the turn that was just heard."""

    move: Move
    point: str = ""


Percept = CallStarted | EndpointBegan | HeardSoFar | TurnHeard | SaidAll | Silence | Composed | Advice


# --- actions: what the user does ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """Words to say.

    Attributes:
        text: Written form.
        spoken: Spoken form where it differs ("BRCA1" / "bracka one"); else "".
        style: Named manner of speaking; "" is the persona's own.
        audio: Path of a recording to play instead of synthesising, or "".
    """

    text: str
    spoken: str = ""
    style: str = ""
    audio: str = ""

    @property
    def aloud(self) -> str:
        """The form that is spoken."""
        return self.spoken or self.text


@dataclass(frozen=True, slots=True)
class Say:
    """Say a line.

    Attributes:
        line: The words.
        label: What this turn is for, for the record ("aspect mechanism, try 2").
        delay_s: Seconds to wait first.
        expected: Ids of the facts the reply should hold, for the judge and the record.
    """

    line: Line
    label: str = ""
    delay_s: float = 0.0
    expected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StopTalking:
    """Break off."""


@dataclass(frozen=True, slots=True)
class PressKeys:
    """Telephone keys."""

    digits: str


@dataclass(frozen=True, slots=True)
class Compose:
    """Ask the language model for words; answered by `Composed` with the same number."""

    request: int
    messages: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HangUp:
    """End the call."""

    ending: Ending


Action = Say | StopTalking | PressKeys | Compose | HangUp


class Policy(Protocol):
    """Decides what the user does.

    `lines_ahead` lets the voice be prepared before it is needed: the session speaks those lines into
    its cache while the endpoint talks.
    """

    def observe(self, percept: Percept) -> Sequence[Action]:
        """Take note of a percept; returns what to do now, perhaps nothing."""

    def lines_ahead(self) -> Sequence[Line]:
        """Lines that may come next, likeliest first."""


@dataclass(slots=True)
class Unresponsive:
    """Base for tests and examples: a policy that does nothing."""

    seen: list[Percept] = field(default_factory=list)

    def observe(self, percept: Percept) -> Sequence[Action]:
        """Remember the percept."""
        self.seen.append(percept)
        return ()

    def lines_ahead(self) -> Sequence[Line]:
        """Nothing."""
        return ()
