"""What a user hears and notices: percepts, one half of the interface of a policy. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The line is open."""


@dataclass(frozen=True, slots=True)
class EndpointBegan:
    """The endpoint began to talk (at least one speech segment is being heard)."""


@dataclass(frozen=True, slots=True)
class HeardSoFar:
    """The endpoint paused; what was heard of this turn so far. More may come.

    Attributes:
        over: Its turn is over, but is no answer: the user was talking.
    """

    text: str
    over: bool = False


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
    DOUBT = "doubt"  # what was said about `point` is wrong: question it
    MOVE_ON = "move_on"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Advice:
    """A live judge's advice on the turn that was just heard."""

    move: Move
    point: str = ""


@dataclass(frozen=True, slots=True)
class ReplyGoesOn:
    """The moment that `WakeMe` asked for has come, and the endpoint is being heard.

    Attributes:
        seconds: Since the first audible sample of its turn.
    """

    seconds: float


@dataclass(frozen=True, slots=True)
class QuietSoFar:
    """The moment that `WakeMe` asked for has come, and nobody has spoken.

    Attributes:
        seconds: Since the last audible sample of anybody.
    """

    seconds: float


@dataclass(frozen=True, slots=True)
class WentOn:
    """The endpoint goes on after a pause within its turn.

    Attributes:
        seconds: Since the first audible sample of its turn.
    """

    seconds: float


@dataclass(frozen=True, slots=True)
class SpokenSoFar:
    """What was heard of the endpoint's turn up to now, while it goes on."""

    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A live judge's verdict on what was heard, also of a turn that still goes on."""

    label: str
    judge: str = ""


@dataclass(frozen=True, slots=True)
class SaidInstead:
    """The user has said something else of its own accord, and wants that answered.

    Attributes:
        text: What it said.
        dropped: The question that was open is given up; else it stays open, and is asked again after the
            answer to what was said instead.
    """

    text: str
    dropped: bool


@dataclass(frozen=True, slots=True)
class SayNext:
    """Somebody outside wants the user to say this when it is next the user's turn.

    Attributes:
        text: Written form.
    """

    text: str


@dataclass(frozen=True, slots=True)
class CallOver:
    """The call has ended; the only action that still counts is `DidNotHappen`."""


Percept = (
    CallStarted
    | EndpointBegan
    | HeardSoFar
    | TurnHeard
    | SaidAll
    | Silence
    | Composed
    | Advice
    | ReplyGoesOn
    | QuietSoFar
    | WentOn
    | SpokenSoFar
    | Judged
    | SaidInstead
    | SayNext
    | CallOver
)
