"""What the first process and its workers tell each other. All of it can be pickled."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from agent.observers import Transcribed
from agent.suite.hold import Cost, Order, Result, cost_unknown
from streams.speech.interfaces import ModelIdentity, SpeechError
from streams.speech.voice_cache import VoiceCache

Seen = Literal["event", "turn", "levels"]
"""A method of `Audience`."""


class Service(StrEnum):
    """What a worker may ask the first process for."""

    SPEAK = "speak"
    TRANSCRIBE = "transcribe"
    COMPLETION = "completion"
    COMPOSE = "compose"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker makes its workplace of.

    Attributes:
        detector: Name of the speech detector, as on the command line: each worker has its own.
        voice: Identity and fingerprint of the voice, which is elsewhere.
        recogniser: Identity of the recogniser elsewhere, or None.
        turn_detector: Likewise.
        composes: There is a language model for the user's words.
        cache: Of synthesised speech.
        cost: What a call has cost.
        python_tools: Python functions beside a scenario may be run as its tools.
        simulated: Calls are held in simulated time, one after the other.
        models_apart: The models are in a process of their own: of what they do for a call, the call tells.
        apart: The folder of the run is on another machine.
        store: URL of the run, where recordings are kept if it is; or "".
        lease: Number of the lease under which the run is held there.
    """

    detector: str
    voice: tuple[ModelIdentity, str]
    recogniser: ModelIdentity | None = None
    turn_detector: ModelIdentity | None = None
    composes: bool = False
    cache: VoiceCache | None = None
    cost: Cost = cost_unknown
    python_tools: bool = False
    simulated: bool = False
    models_apart: bool = False
    apart: bool = False
    store: str = ""
    lease: int = 0


@dataclass(frozen=True, slots=True)
class Begin:
    """Hold this call.

    Attributes:
        number: What the call is known by between the two.
        judges: Names of its live judges.
    """

    number: int
    order: Order
    judges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cancel:
    """Break a call off."""

    number: int


@dataclass(frozen=True, slots=True)
class Steer:
    """Ask something of a call: say a text next, or end for a reason."""

    number: int
    what: Literal["say", "stop"]
    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A worker needs a service.

    Attributes:
        number: What the request is known by between the two.
        call: Number of the call that needs it; None if none does.
    """

    number: int
    service: Service
    arguments: tuple[Any, ...]
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Forget:
    """Nobody waits any more for the answer to the `Ask` of this number."""

    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an `Ask`."""

    number: int
    value: Any = None
    failure: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker can take calls."""


@dataclass(frozen=True, slots=True)
class Late:
    """By how many milliseconds one in ten of the worker's last ticks was late, or more."""

    milliseconds: float


@dataclass(frozen=True, slots=True)
class Shown:
    """What happened in calls, for those who look on: number of the call, method, its argument."""

    what: Sequence[tuple[int, Seen, Any]]


@dataclass(frozen=True, slots=True)
class Heard:
    """What a recogniser that the first process knows nothing of has done for the call of this number."""

    number: int
    what: Transcribed


@dataclass(frozen=True, slots=True)
class Ended:
    """A call is over.

    Attributes:
        result: What became of it; None if it was cancelled.
        left: Folder on the worker's machine whose recording is to be fetched; or "".
    """

    number: int
    result: Result | None = None
    left: str = ""


Message = Begin | Cancel | Steer | Answer | Ask | Forget | Ready | Late | Shown | Heard | Ended


def sendable(failure: BaseException) -> BaseException:
    """A failure as another process can take it: itself if it can be pickled, else its words."""
    try:
        pickle.loads(pickle.dumps(failure))  # noqa: S301 - our own, a moment ago
    except (pickle.PickleError, TypeError, AttributeError, ValueError, LookupError, ImportError):
        return SpeechError(type(failure).__name__, str(failure))
    return failure
