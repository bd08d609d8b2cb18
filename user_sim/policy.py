"""The whole interface of a user policy: percepts in, actions out. Pure: no I/O, no clock.

A policy never sees an endpoint, an event or a sample; so the same user calls every endpoint, and a
policy is tested without audio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from user_sim.percepts import Advice as Advice
from user_sim.percepts import CallOver as CallOver
from user_sim.percepts import CallStarted as CallStarted
from user_sim.percepts import Composed as Composed
from user_sim.percepts import EndpointBegan as EndpointBegan
from user_sim.percepts import HeardSoFar as HeardSoFar
from user_sim.percepts import Judged as Judged
from user_sim.percepts import Move as Move
from user_sim.percepts import Percept as Percept
from user_sim.percepts import QuietSoFar as QuietSoFar
from user_sim.percepts import ReplyGoesOn as ReplyGoesOn
from user_sim.percepts import SaidAll as SaidAll
from user_sim.percepts import SaidInstead as SaidInstead
from user_sim.percepts import SayNext as SayNext
from user_sim.percepts import Silence as Silence
from user_sim.percepts import SpokenSoFar as SpokenSoFar
from user_sim.percepts import TurnHeard as TurnHeard
from user_sim.percepts import WentOn as WentOn


class Ending(StrEnum):
    """Why the user ends the call."""

    DONE = "done"  # everything was asked and answered, or given up politely
    IMPATIENT = "impatient"  # the endpoint did not answer
    HUNG_UP = "hung_up"  # the scenario makes the user hang up
    ADVISED = "advised"  # the judge said that the call is lost
    FAILED = "failed"  # no words could be found: our own failure, the episode is void


class Role(StrEnum):
    """What words or sounds of the user are for; the first group takes the turn, the second does not."""

    TURN = "turn"
    BARGE_IN = "barge_in"
    CORRECTION = "correction"
    REPROMPT = "reprompt"

    BACKCHANNEL = "backchannel"
    ASIDE = "aside"
    TIC = "tic"
    TALK_OVER = "talk_over"

    @property
    def takes_turn(self) -> bool:
        """True if the user wants an answer and listens for it."""
        return self in _TAKES_TURN


_TAKES_TURN = frozenset({Role.TURN, Role.BARGE_IN, Role.CORRECTION, Role.REPROMPT})


class Since(StrEnum):
    """From when time is counted."""

    REPLY = "reply"  # the first audible sample of the endpoint's turn that is being heard
    QUIET = "quiet"  # the last audible sample of anybody, while nobody speaks


# --- actions: what the user does ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pause:
    """Silence within a line.

    Attributes:
        after_word: It follows this word of the spoken form, from 1.
        seconds: From the last audible sample before it to the first one after it.
    """

    after_word: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Line:
    """Words to say.

    Attributes:
        text: Written form.
        spoken: Spoken form where it differs ("BRCA1" / "bracka one"); else "".
        style: Named manner of speaking; "" is the persona's own.
        audio: Path of a recording to play instead of synthesising, or "".
        noise: Name of a sound to make instead of speaking ("cough"), or "".
        pauses: Silences within it, in order.
        prompt: It is heard from its first sample on: silence around it is cut off.
        as_written: The spoken form is spelt as written: the voice puts numbers and names into words.
    """

    text: str
    spoken: str = ""
    style: str = ""
    audio: str = ""
    noise: str = ""
    pauses: tuple[Pause, ...] = ()
    prompt: bool = False
    as_written: bool = False

    @property
    def aloud(self) -> str:
        """The form that is spoken."""
        return self.spoken or self.text


@dataclass(frozen=True, slots=True)
class Cause:
    """The behaviour of the scenario that made the user do something.

    Attributes:
        behaviour: Its id.
        type: What it is ("barge_in").
        trigger: What set it off, in words ("2.0 s of reply heard").
    """

    behaviour: str
    type: str
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """Say a line.

    What does not take the turn is said beside it: the endpoint's turn goes on in the user's ear, nothing is
    waited for, and no `SaidAll` follows.

    Attributes:
        line: The words.
        label: What this turn is for, for the record ("aspect mechanism, try 2").
        delay_s: Seconds to wait first.
        expected: Ids of the facts the reply should hold, for the judge and the record.
        role: What the words are for.
        causes: Behaviours that made them or changed them.
        again: These words were said before: they are no turn more.
        parting: A goodbye: nothing is wanted after it.
    """

    line: Line
    label: str = ""
    delay_s: float = 0.0
    expected: tuple[str, ...] = ()
    role: Role = Role.TURN
    causes: tuple[Cause, ...] = ()
    again: bool = False
    parting: bool = False


@dataclass(frozen=True, slots=True)
class StopTalking:
    """Break off."""


@dataclass(frozen=True, slots=True)
class PressKeys:
    """Telephone keys."""

    digits: str
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True)
class Compose:
    """Ask the language model for words; answered by `Composed` with the same number."""

    request: int
    messages: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HangUp:
    """End the call."""

    ending: Ending
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True)
class WakeMe:
    """Ask for a percept, exact to the tick: `ReplyGoesOn` or `QuietSoFar`.

    `Since.REPLY` waits for the first tick, from that moment on, at which the endpoint is audible: nobody
    cuts into silence. It is forgotten when the endpoint's turn is over; `Since.QUIET` when anybody speaks.
    """

    since: Since
    seconds: float


@dataclass(frozen=True, slots=True)
class DidNotHappen:
    """A behaviour of the scenario did not happen in this call; the answer to `CallOver`.

    Attributes:
        why: "reply_too_short", "keyword_not_heard" ...
    """

    behaviour: str
    type: str
    why: str


Action = Say | StopTalking | PressKeys | Compose | HangUp | WakeMe | DidNotHappen


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
