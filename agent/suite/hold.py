"""One planned episode: an entry of the plan in, a result out. Both can be pickled.

This is the seam to other ways of working: `hold` needs nothing of the run but its arguments. What cannot be
sent anywhere (engines, connections, a screen) is the `Workplace`, which every process makes for itself. So
a pool of processes, or a cluster, may hold the same entries as the loop of `agent.suite.run` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.control import Control
from agent.observers import Audience, Nobody, Transcribed, TurnObserver
from agent.outcome import end_for, first_cause
from agent.session import Engines, Session, SessionPlan
from agent.suite.budget import Meter
from agent.suite.plan import Job
from agent.take_over import OpenDevice
from recordings.errors import RecordingError
from recordings.format import EpisodeInfo, Outcome, UsageReported
from recordings.raw import RawLogging
from streams.endpoints.errors import AuthenticationFailed, ConnectFailed
from streams.endpoints.protocol import Endpoint

Cost = Callable[[EpisodeInfo, Sequence[UsageReported]], float | None]
"""US dollars of a call, by what its endpoint reported; None if unknown."""


def cost_unknown(*_: object) -> None:
    """Nobody knows what a call costs."""


Connect = Callable[[str], Endpoint]
"""Makes an endpoint of its address; not yet open."""

_MAY_PASS = frozenset(
    {
        Outcome.CONNECT_FAILED,
        Outcome.RATE_LIMITED,
        Outcome.BEHIND_REAL_TIME,
        Outcome.USER_FAILED,
        Outcome.HARNESS_FAILED,
    }
)
"""Outcomes that say nothing about the endpoint, and may be others at the next try."""


class HolderUnfit(Exception):
    """What is to hold the calls cannot be started."""


class HolderLost(Exception):
    """The process that held a call is gone: our fault, and the call is held again."""

    def __init__(self, found: str) -> None:
        self.found = found
        super().__init__(found)


@dataclass(frozen=True, slots=True)
class Order:
    """One call to be held.

    Attributes:
        run: Id of the run.
        folder: Where it is recorded; its name is the episode's id.
        max_lateness_s: A 20 ms tick later than this makes the episode void.
        raw_log: What is kept of the raw traffic.
    """

    job: Job
    run: str
    folder: Path
    max_lateness_s: float = 0.25
    raw_log: RawLogging = RawLogging.OFF


@dataclass(frozen=True, slots=True)
class Workplace:
    """What a process holds calls with.

    Attributes:
        connect: Makes the endpoint of an address.
        engines: The user's voice and ears.
        audience: Who looks on at a call.
        observers: Makes the live judges of one call.
        cost: What a call has cost.
        python_tools: Python functions beside a scenario may be run as its tools.
        control: Takes what is asked of a call from outside.
        microphone: By which a person may take a call over; None if there is none here.
        transcribed: Told, in a call's context, what a recogniser has done for it that is not in `engines`.
    """

    connect: Connect
    engines: Engines
    audience: Callable[[Job], Audience] = lambda _: Nobody()
    observers: Callable[[], Sequence[TurnObserver]] = tuple
    cost: Cost = cost_unknown
    python_tools: bool = False
    control: Callable[[Job], Control | None] = lambda _: None
    microphone: OpenDevice | None = None
    transcribed: Callable[[Transcribed], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a call.

    Attributes:
        episode: Id of the episode; the name of its folder.
        reason: A sentence for people about the outcome.
        recorded: False if there is no episode, or one that could not be written to its end.
        tokens: As the endpoint counted them; 0 if it counts none.
        usd: What the call cost; None if unknown.
        may_pass: Void, but may be otherwise at the next try.
        wait_s: What the endpoint asks to wait before that, if it asks.
        disk_trouble: The disk is full or fails: others would fail too.
        lost: The process that held it is gone.
    """

    job: Job
    episode: str
    outcome: Outcome
    reason: str = ""
    recorded: bool = True
    duration_s: float = 0.0
    tokens: int = 0
    usd: float | None = 0.0
    may_pass: bool = False
    wait_s: float | None = None
    disk_trouble: bool = False
    lost: bool = False


async def hold(order: Order, here: Workplace) -> Result:
    """Hold one planned call and record it.

    Raises:
        RecordingError: The episode could not be written.
        AddressInvalid: The address names no endpoint.
        asyncio.CancelledError: It was cancelled; the episode is complete all the same.
    """
    job, meter = order.job, Meter(here.audience(order.job))
    plan = SessionPlan(
        id=order.folder.name,
        scenario=job.scenario,
        run=order.run,
        seed=job.seed,
        repeat=job.repeat,
        max_lateness_s=order.max_lateness_s,
        raw_log=order.raw_log,
        observers=here.observers(),
        python_tools=here.python_tools,
        control=here.control(job),
        microphone=here.microphone,
    )
    session = Session(plan, here.connect(job.endpoint), here.engines, order.folder, meter)
    info = await session.run()
    cause = None if session.failure is None else first_cause(session.failure)
    return Result(
        job=job,
        episode=info.id,
        outcome=info.outcome,
        reason=info.reason,
        duration_s=info.duration_s,
        tokens=meter.tokens,
        usd=here.cost(info, meter.reports),
        may_pass=info.outcome in _MAY_PASS and not isinstance(cause, AuthenticationFailed),
        wait_s=cause.retry_after_s if isinstance(cause, ConnectFailed) else None,
        disk_trouble=isinstance(cause, RecordingError) and cause.disk_trouble,
    )


def broken(job: Job, failure: BaseException) -> Result:
    """What became of a call that did not get so far as to say so itself."""
    cause = first_cause(failure)
    return Result(
        job=job,
        episode=job.id,
        outcome=Outcome.HARNESS_FAILED,
        reason=end_for(failure).reason,
        recorded=False,
        may_pass=True,
        lost=isinstance(cause, HolderLost),
        disk_trouble=isinstance(cause, RecordingError) and cause.disk_trouble,
    )
