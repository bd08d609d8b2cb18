"""Who looks on at a run besides the screen: the event bus, a collector of spans, a scraper of metrics.

Without any of them nothing of theirs is imported, and the screen alone looks on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.cli.runs.control import RunControl
from agent.observers import Audience, Levels, Transcribed, TurnObserver
from recordings.format import Event, SessionEnded, Turn

if TYPE_CHECKING:
    from agent.cli.onlookers.metrics import Metrics
    from agent.cli.onlookers.metrics_server import MetricsServer
    from agent.cli.onlookers.publishing import EventOptions, LiveEvents
    from agent.cli.onlookers.tracing import Collector, Tracing
    from agent.session import Engines
    from agent.suite.hold import Result
    from agent.suite.plan import Job
    from agent.suite.progress import Standing
    from recordings.run import Run


@dataclass(frozen=True, slots=True)
class OnlookerOptions:
    """What `viva run` is asked for.

    Attributes:
        mqtt: Address of a broker and prefix, or "".
        allow: Commands that are obeyed, as on the command line.
        otlp: Base address of a collector, or "".
        metrics_port: Port for Prometheus; 0 takes a free one, None is none.
    """

    mqtt: str = ""
    allow: tuple[str, ...] = ()
    otlp: str = ""
    metrics_port: int | None = None

    def lets(self, name: str) -> bool:
        """Whether a command is obeyed, if there is such a command."""
        from streams.events.commands import as_named

        allowed = {as_named(one) for names in self.allow for one in names.split(",")}
        return bool(self.mqtt) and name in allowed

    def checked(self, environ: Mapping[str, str]) -> EventOptions | None:
        """What of it is about events, once it is known to be right.

        Raises:
            BrokerInvalid: The address names no broker.
            NotAllowable: There is no such command.
            BrokerMissing: The library for MQTT is not installed.
        """
        if not self.mqtt and not self.allow:
            return None
        from agent.cli.onlookers.publishing import event_options

        return event_options(self.mqtt, self.allow, environ)


class Onlookers:
    """All who look on at one run. Made on its loop, before anything is loaded or written.

    Args:
        options: Who.
        simulated: The run is held in simulated time.

    Raises:
        MetricsUnfit: The port for Prometheus is taken, or the library missing.
    """

    def __init__(self, options: OnlookerOptions, *, simulated: bool = False) -> None:
        self._options = options
        self.control = RunControl(simulated=simulated)
        self._calls: dict[str, Everybody] = {}
        self._events: LiveEvents | None = None
        self._tracing: Tracing | None = None
        self._collector: Collector | None = None
        self._metrics: Metrics | None = None
        self._server: MetricsServer | None = None
        if options.metrics_port is not None:
            self._serve(options.metrics_port)

    def begin(self, run: Run) -> None:
        """The first call is about to begin."""
        info, left = run.info, len(run.left)
        if self._metrics is not None:
            self._metrics.begin(info.id, len(info.episodes))
        self._trace(info.id)
        if (events := self._options.checked(os.environ)) is not None:
            from agent.cli.onlookers.publishing import LiveEvents

            self._events = LiveEvents(events, info.id, self.control)
            self._events.start(len(info.episodes), len(info.episodes) - left, info.endpoints)

    def audience(self, job: Job, screen: Audience) -> Everybody:
        """Everybody who looks on at a call, the screen included."""
        others = [each.audience(job) for each in (self._tracing, self._metrics) if each is not None]
        if self._events is not None:
            others.append(self._events.publishing.audience(job))
        everybody = self._calls[job.id] = Everybody([screen, *others])
        return everybody

    def ended(self, result: Result) -> None:
        """A call has ended, also one that could not say so itself since its process died."""
        everybody = self._calls.pop(result.job.id, None)
        if everybody is not None and not everybody.over:
            end = SessionEnded(t=everybody.t, outcome=result.outcome, reason=result.reason, by="us")
            everybody.event(end)

    def told(self, screen: Callable[[Standing], None]) -> Callable[[Standing], None]:
        """Tells the screen, and everybody else, how far the run has come."""
        events = self._events
        if events is None:
            return screen

        def told(standing: Standing) -> None:
            screen(standing)
            events.publishing.told(standing)

        return told

    def engines(self, engines: Engines) -> Engines:
        """The engines that calls are held with."""
        return engines if self._tracing is None else self._tracing.engines(engines)

    def transcribed(self, what: Transcribed) -> None:
        """A recogniser elsewhere has worked for the call whose context this is."""
        if self._tracing is not None:
            self._tracing.transcribed(what)

    def observers(self, observers: Sequence[TurnObserver]) -> Sequence[TurnObserver]:
        """The live judges of a call."""
        return observers if self._tracing is None else self._tracing.observers(observers)

    async def close(self, *, whole: bool) -> None:
        """The run is over; `whole` if it was held to its end. Waits a few seconds at most."""
        if self._events is not None:
            await self._events.close()
        if self._tracing is not None and self._collector is not None:
            answered = await self._tracing.close(whole=whole)
            if not answered:
                _say("tracing: the collector does not answer; spans are lost")
            elif self._collector.lost:
                _say(f"tracing: the collector did not take {self._collector.lost} spans")
        if self._server is not None:
            self._server.close()

    def _serve(self, port: int) -> None:
        from agent.cli.onlookers.metrics import Metrics
        from agent.cli.onlookers.metrics_server import MetricsServer

        self._metrics = Metrics(lambda: self._events.bus.lost().dropped if self._events else {})
        self._server = MetricsServer(self._metrics.registry, port)
        _say(f"metrics: http://127.0.0.1:{self._server.port}/metrics")

    def _trace(self, run: str) -> None:
        otlp = self._options.otlp
        if not otlp and not os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
            return
        from agent.cli.onlookers.tracing import Collector, Tracing, TracingUnfit, traces_endpoint

        try:
            address = traces_endpoint(otlp, os.environ)
            if address:
                self._collector = Collector(address)
                self._tracing = Tracing(self._collector, run)
        except TracingUnfit as error:  # the variable may be there for other programs
            _say(f"tracing: {error}. This run is not traced.")


class Everybody(Audience):
    """Several audiences as one.

    Attributes:
        over: The session has ended.
        t: Session time of the last event.
    """

    def __init__(self, audiences: Sequence[Audience]) -> None:
        self._audiences = audiences
        self.over = False
        self.t = 0.0

    def event(self, event: Event) -> None:
        """Tell each."""
        self.over = self.over or isinstance(event, SessionEnded)
        self.t = event.t
        for audience in self._audiences:
            audience.event(event)

    def turn(self, turn: Turn) -> None:
        """Tell each."""
        for audience in self._audiences:
            audience.turn(turn)

    def levels(self, levels: Levels) -> None:
        """Tell each."""
        for audience in self._audiences:
            audience.levels(levels)


def _say(text: str) -> None:
    sys.stderr.write(f"viva: {text}\n")
