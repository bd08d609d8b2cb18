"""A run as it is published over MQTT, and the commands that it takes."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.cli.onlookers.published_call import PublishedCall
from agent.cli.runs.control import RunControl
from agent.suite.plan import Job
from agent.suite.progress import Standing
from recordings.format import Outcome
from streams.events.address import Broker, broker_at
from streams.events.bus import Bus
from streams.events.commands import Desk, allowed
from streams.events.connection import check_installed
from streams.events.messages import Header, Progress


@dataclass(frozen=True, slots=True)
class EventOptions:
    """What `--mqtt` and `--mqtt-allow` say."""

    broker: Broker
    allow: frozenset[str]


def event_options(mqtt: str, allow: Sequence[str], environ: Mapping[str, str]) -> EventOptions | None:
    """What the options ask for; None if nothing is to be published.

    Raises:
        BrokerInvalid: The address names no broker.
        NotAllowable: There is no such command.
        BrokerMissing: The library is not installed.
    """
    names = allowed(name for names in allow for name in names.split(","))
    if not mqtt:
        return None
    broker = broker_at(mqtt, environ)
    check_installed()
    return EventOptions(broker, names)


class Publishing:
    """Publishes one run.

    Args:
        put: Publishes a message; returns at once.
        control: The reins of the run.
        total: Episodes of its plan.
        done: Of them before this sitting.
        endpoints: Their addresses, keys masked.
    """

    def __init__(
        self,
        put: Callable[[Header], None],
        control: RunControl,
        total: int,
        done: int,
        endpoints: Sequence[str],
    ) -> None:
        self._put = put
        self._control = control
        self._endpoints = tuple(endpoints)
        self._standing = Standing(total, done, 0, None)
        self._outcomes: Counter[str] = Counter()
        self._live: set[str] = set()
        self._publish()

    def audience(self, job: Job) -> PublishedCall:
        """The audience of a call that is about to begin."""
        self._live.add(job.id)

        def ended(outcome: Outcome) -> None:
            self._live.discard(job.id)
            self._outcomes[outcome.value] += 1
            self._control.ended(job)
            self._publish()

        call = PublishedCall(job, self._put, ended)
        self._publish()
        return call

    def told(self, standing: Standing) -> None:
        """A call has ended: how far the run has come."""
        self._standing = standing
        self._publish()

    def changed(self) -> None:
        """The run was paused, stopped, or goes on."""
        self._publish()

    def over(self) -> None:
        """The run has ended."""
        self._publish(over=True)

    def _publish(self, *, over: bool = False) -> None:
        brake, standing = self._control.brake, self._standing
        state: Literal["running", "paused", "stopping", "ended"] = "running"
        if over:
            state = "ended"
        elif brake.reason:
            state = "stopping"
        elif brake.on:
            state = "paused"
        self._put(
            Progress(
                state=state,
                total=standing.total,
                done=standing.done,
                void=standing.void,
                live=len(self._live),
                left_s=None if standing.left_s is None else round(standing.left_s, 1),
                outcomes=dict(self._outcomes),
                endpoints=self._endpoints,
            )
        )


class LiveEvents:
    """The bus of a run, its publishing and its commands, on the run's own loop.

    Args:
        options: Where, and which commands.
        run: Id of the run.
        control: The reins of the run.
    """

    def __init__(self, options: EventOptions, run: str, control: RunControl) -> None:
        self._loop = asyncio.get_running_loop()
        self._control = control
        self._desk = Desk(options.allow, control.obey)
        self.bus = Bus(options.broker, run, self._arrived, _say)
        self.publishing: Publishing

    def start(self, total: int, done: int, endpoints: Sequence[str]) -> None:
        """Begin to publish; whether there is a broker does not matter."""
        self.bus.start()
        self.publishing = Publishing(self.bus.put, self._control, total, done, endpoints)

    async def close(self) -> None:
        """Say that the run has ended, and what was lost."""
        self.publishing.over()
        lost = await asyncio.to_thread(self.bus.close)
        if lost.dropped:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(lost.dropped.items()))
            _say(f"events: not published, since the broker was away or slow: {kinds}")

    def _arrived(self, payload: bytes, retained: bool) -> None:
        """In the bus's thread: the run's loop answers."""
        self._loop.call_soon_threadsafe(self._answer, payload, retained)

    def _answer(self, payload: bytes, retained: bool) -> None:
        answer = self._desk.take(payload, retained=retained)
        self.bus.put(answer)
        if answer.status == "done" and not answer.repeated:
            self.publishing.changed()


def _say(text: str) -> None:
    sys.stderr.write(f"viva: {text}\n")
