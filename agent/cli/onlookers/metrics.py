"""What is counted of a run for Prometheus: counts and histograms of its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from agent.cli.runs.call_view import CallView
from agent.observers import Audience, Levels
from agent.suite.plan import Job
from recordings import format as record

if TYPE_CHECKING:
    from prometheus_client.core import CounterMetricFamily

LATENESS_S = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
LATENCY_S = (0.0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Upper bounds of the buckets. A reply that cuts in has a latency below 0."""

NOTHING_TO_JUDGE = frozenset({"no_facts_expected", "nothing_heard", "no_audio", "call_ended"})
"""Causes of unscored verdicts for which there was nothing to judge."""


class MetricsUnfit(RuntimeError):
    """The endpoint can't be had: the library is missing, or the port is taken."""


class Metrics:
    """What is counted of one run.

    Args:
        dropped: Events that could not be published, by kind.

    Raises:
        MetricsUnfit: The library is not installed.
    """

    def __init__(self, dropped: Callable[[], Mapping[str, int]] = dict) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        except ModuleNotFoundError as error:
            missing = "--metrics-port needs prometheus-client: pip install 'vivavoce[metrics]'"
            raise MetricsUnfit(missing) from error
        registry = self.registry = CollectorRegistry()
        where = ["endpoint"]
        self._info = Gauge("vivavoce_run_info", "The run; always 1", ["run"], registry=registry)
        self._planned = Gauge("vivavoce_episodes_planned", "Episodes of the plan", registry=registry)
        self.episodes = Counter(
            "vivavoce_episodes", "Calls that have ended", [*where, "outcome"], registry=registry
        )
        self.live = Gauge("vivavoce_sessions_live", "Calls under way", where, registry=registry)
        self.lateness = Histogram(
            "vivavoce_tick_lateness_seconds",
            "How late the 20 ms ticks came",
            buckets=LATENESS_S,
            registry=registry,
        )
        self.latency = Histogram(
            "vivavoce_endpoint_latency_seconds",
            "From the user's last audible sample to the first audible one of the reply",
            where,
            buckets=LATENCY_S,
            registry=registry,
        )
        self.judge_failures = Counter(
            "vivavoce_judge_failures", "Verdicts that failed", ["judge", "cause"], registry=registry
        )
        registry.register(_Dropped(dropped))

    def begin(self, run: str, planned: int) -> None:
        """A run of so many episodes begins."""
        self._info.labels(run).set(1)
        self._planned.set(planned)

    def audience(self, job: Job) -> Audience:
        """The audience of a call that is about to begin."""
        return MeteredCall(job, self)


class MeteredCall(Audience):
    """Counts what happens in one call."""

    def __init__(self, job: Job, metrics: Metrics) -> None:
        self._metrics = metrics
        self._view = CallView(job.id, job.shown)
        self._live = metrics.live.labels(job.shown)
        self._latency = metrics.latency.labels(job.shown)
        self._live.inc()

    def event(self, event: record.Event) -> None:
        """Count it."""
        answered = len(self._view.latencies)
        self._view.take(event)
        for latency_ms in self._view.latencies[answered:]:
            self._latency.observe(latency_ms / 1000)
        match event:
            case record.VerdictGiven(label=None, unscored=cause) if cause not in NOTHING_TO_JUDGE:
                self._metrics.judge_failures.labels(event.judge, cause or "unknown").inc()
            case record.SessionEnded(outcome=outcome):
                self._live.dec()
                self._metrics.episodes.labels(self._view.endpoint, outcome.value).inc()
            case _:
                pass

    def turn(self, turn: record.Turn) -> None:
        """The events have said it already."""

    def levels(self, levels: Levels) -> None:
        """Count how late the ticks were."""
        for late_ms in levels.lateness_ms:
            self._metrics.lateness.observe(late_ms / 1000)


class _Dropped:
    """Events that could not be published, asked for when somebody looks."""

    def __init__(self, dropped: Callable[[], Mapping[str, int]]) -> None:
        self._dropped = dropped

    def collect(self) -> Iterable[CounterMetricFamily]:
        from prometheus_client.core import CounterMetricFamily

        found = CounterMetricFamily(
            "vivavoce_events_dropped", "Events that could not be published over MQTT", labels=["kind"]
        )
        for kind, number in self._dropped().items():
            found.add_metric([kind], number)
        yield found
