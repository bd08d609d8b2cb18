"""What Prometheus is told of a run, and who may ask."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.cli.onlookers.metrics import Metrics, MetricsUnfit
from agent.cli.onlookers.metrics_server import MetricsServer
from agent.observers import Audience, Levels
from agent.suite.plan import Job
from recordings.format import (
    Outcome,
    SessionEnded,
    SessionStarted,
    TurnEnded,
    UtteranceStarted,
    VerdictGiven,
)
from scenarios.load import from_scenario
from tests.agent.calls import scripted
from tests.agent.cli_calls import Viva
from tests.streams.events.brokers import free_port

pytest.importorskip("prometheus_client", reason="prometheus-client is not installed (extra metrics)")

SHOWN = "fake://"


@pytest.fixture
def metrics() -> Metrics:
    made = Metrics(lambda: {"levels": 3})
    made.begin("a run", 9)
    return made


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"vivavoce_{name}", labels)


def call(metrics: Metrics) -> Audience:
    return metrics.audience(Job("e", from_scenario(scripted()), SHOWN, 0, 0))


def test_calls_are_counted_while_they_go_on_and_by_their_outcome(metrics: Metrics) -> None:
    first, second = call(metrics), call(metrics)
    assert value(metrics, "sessions_live", endpoint=SHOWN) == 2
    first.event(SessionEnded(t=1, outcome=Outcome.COMPLETED))
    second.event(SessionEnded(t=1, outcome=Outcome.ENDPOINT_SILENT))
    call(metrics)
    assert value(metrics, "sessions_live", endpoint=SHOWN) == 1
    assert value(metrics, "episodes_total", endpoint=SHOWN, outcome="completed") == 1
    assert value(metrics, "episodes_total", endpoint=SHOWN, outcome="endpoint_silent") == 1
    assert value(metrics, "episodes_planned") == 9
    assert value(metrics, "run_info", run="a run") == 1


def test_every_tick_goes_into_the_histogram_of_lateness(metrics: Metrics) -> None:
    one = call(metrics)
    one.levels(Levels(lateness_ms=(0.1, 0.9, 1.0, 6.0, 300.0)))
    assert value(metrics, "tick_lateness_seconds_count") == 5
    assert value(metrics, "tick_lateness_seconds_bucket", le="0.001") == 3
    assert value(metrics, "tick_lateness_seconds_bucket", le="0.005") == 3
    assert value(metrics, "tick_lateness_seconds_bucket", le="0.01") == 4
    # 0.1 + 0.9 + 1 + 6 + 300 ms
    assert value(metrics, "tick_lateness_seconds_sum") == pytest.approx(0.308)


def test_latency_is_of_the_first_reply_to_a_question_and_may_be_negative(metrics: Metrics) -> None:
    one = call(metrics)
    one.event(SessionStarted(t=0, user_rate=16000, endpoint_rate=16000))
    for number, (ended_s, replied_s) in enumerate([(1.0, 1.7), (5.0, 4.9)]):
        end = round(ended_s * 16000)
        one.event(
            UtteranceStarted(
                t=0,
                utterance=f"u{number}",
                text="?",
                start=end - 8000,
                samples=8000,
                audible_start=end - 8000,
                audible_end=end,
            )
        )
        for later in (0, 8000):  # the second half of a reply has no latency
            start = round(replied_s * 16000) + later
            one.event(TurnEnded(t=9, turn=number, start=start, end=start + 4000, by="silence"))
    name = "endpoint_latency_seconds"
    assert value(metrics, f"{name}_count", endpoint=SHOWN) == 2
    assert value(metrics, f"{name}_bucket", endpoint=SHOWN, le="0.0") == 1  # -0.1 s
    assert value(metrics, f"{name}_bucket", endpoint=SHOWN, le="0.5") == 1
    assert value(metrics, f"{name}_bucket", endpoint=SHOWN, le="0.8") == 2  # 0.7 s


def test_a_judge_that_had_nothing_to_judge_has_not_failed(metrics: Metrics) -> None:
    one = call(metrics)
    for cause in ("no_facts_expected", "timeout", "timeout", "call_ended"):
        one.event(VerdictGiven(t=0, turn=1, judge="rules", unscored=cause))
    one.event(VerdictGiven(t=0, turn=1, judge="rules", label="complete"))
    assert value(metrics, "judge_failures_total", judge="rules", cause="timeout") == 2
    assert value(metrics, "judge_failures_total", judge="rules", cause="call_ended") is None


def test_what_the_bus_dropped_is_counted_when_somebody_asks(metrics: Metrics) -> None:
    assert value(metrics, "events_dropped_total", kind="levels") == 3


@pytest.fixture
def port(metrics: Metrics) -> Iterator[int]:
    server = MetricsServer(metrics.registry, 0)
    yield server.port
    server.close()


def answer(port: int, path: str = "/metrics", host: str | None = None) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    response = connection.getresponse()
    found = response.status, response.read().decode()
    connection.close()
    return found


@pytest.mark.parametrize("host", [None, "localhost", "LOCALHOST:1", "127.0.0.1:9"])
def test_this_machine_is_answered(port: int, host: str | None) -> None:
    status, text = answer(port, host=host)
    assert status == 200
    assert 'vivavoce_events_dropped_total{kind="levels"} 3.0' in text


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:80", "", "localhost.evil.example"]
)
def test_a_page_that_calls_us_by_another_name_is_not(port: int, host: str) -> None:
    status, text = answer(port, host=host)
    assert (status, "vivavoce" in text) == (403, False)


def test_there_is_nothing_else(port: int) -> None:
    assert answer(port, "/")[0] == 404


def test_a_port_that_is_taken_is_said(port: int, metrics: Metrics) -> None:
    with pytest.raises(MetricsUnfit, match=f"--metrics-port {port}: Address already in use"):
        MetricsServer(metrics.registry, port)


@pytest.mark.wall_clock
def test_a_run_serves_its_metrics_while_it_goes_on(viva: Viva) -> None:
    chosen = free_port()
    process = viva.start(
        *("run", "hello.yaml", "--endpoint", "fake://?replies=3", "--out", "run", "--voice", "tone"),
        *("--recogniser", "none", "--detector", "energy", "--turn-detector", "none", "--no-report"),
        *("--metrics-port", str(chosen)),
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "endpoint" in line and "not understood" in line:  # a reply was heard
            break
    status, text = answer(chosen)
    process.communicate(timeout=60)
    assert status == 200
    assert 'vivavoce_sessions_live{endpoint="fake://?replies=3"} 1.0' in text
    ticks = re.search(r"vivavoce_tick_lateness_seconds_count (\d+)", text)
    assert ticks is not None and int(ticks.group(1)) > 50
    assert "vivavoce_endpoint_latency_seconds_count" in text


def test_a_run_on_a_taken_port_is_not_begun(viva: Viva, port: int, tmp_path: Path) -> None:
    done = viva.simulated("fake://?replies=3", "--metrics-port", str(port))
    assert done.code == 2
    assert "Take another, or 0" in done.err
    assert not (tmp_path / "run").exists()
