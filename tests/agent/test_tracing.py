"""Spans of a run, a call, its turns, ear and judge: in memory, and over OTLP/HTTP to a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.cli.onlookers.traced_call import WallClock
from agent.cli.onlookers.tracing import Tracing, TracingUnfit, traces_endpoint
from agent.connect import connect
from agent.observers import FinishedTurn, Judgement, Transcribed
from agent.session import Engines
from agent.suite.hold import Order, Workplace, hold
from agent.suite.plan import Job
from agent.suite.workers.messages import Setup
from agent.suite.workers.pool import WorkerPool
from recordings.format import Verdict
from recordings.reader import Episode
from scenarios.load import from_scenario
from streams import clock
from streams.endpoints.errors import ConnectFailed, EndpointError
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from tests.agent.calls import scripted
from tests.agent.cli_calls import Viva
from tests.agent.span_collector import collector, span_names

pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed (extra otel)")

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Likes:
    """A judge that takes a quarter of a second, and likes everything but the second reply."""

    name = "likes"

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        await clock.sleep_until(clock.now() + 0.25)
        if turn.turn > 1:
            return Judgement(Verdict(judge=self.name, unscored="timeout"))
        return Judgement(Verdict(judge=self.name, label="complete", reason="it is all there"))


def traced(tmp_path: Path, refuses: EndpointError | None = None) -> tuple[Sequence[ReadableSpan], Episode]:
    """Two calls at the same time in simulated time; the spans of the first, and its episode."""
    exporter = InMemorySpanExporter()
    engines = Engines(ToneVoice(0.2), EnergyDetector(), recogniser=ScriptedRecogniser(["one", "two"] * 2))

    def endpoint(_: str) -> FakeEndpoint:
        return FakeEndpoint([FakeReply(pcm=tone(0.3), delay_s=0.2)] * 2, refuses=refuses)

    async def main() -> None:
        tracing = Tracing(exporter, "a run")
        here = Workplace(
            endpoint,
            tracing.engines(engines),
            audience=tracing.audience,
            observers=lambda: tracing.observers([Likes()]),
        )
        loaded = from_scenario(scripted(2))
        jobs = [
            Job(id, loaded, "pcm+ws://host.example:8765/x?key=secret", 0, 7) for id in ("first", "second")
        ]
        async with asyncio.TaskGroup() as group:
            for job in jobs:
                group.create_task(hold(Order(job, "a run", tmp_path / job.id), here))
        await tracing.close(whole=True)

    clock.run(main(), simulate=True)
    return exporter.get_finished_spans(), Episode.load(tmp_path / "first")


def traced_in_a_worker(tmp_path: Path, *, models_apart: bool) -> Sequence[ReadableSpan]:
    """The spans of two such calls, which another process holds; a recogniser that is apart leaves none."""
    exporter = InMemorySpanExporter()
    voice, ear = ToneVoice(0.2), ScriptedRecogniser(["one", "two"] * 2)
    setup = Setup(
        "energy",
        (voice.identity, voice.fingerprint),
        recogniser=ear.identity,
        simulated=True,
        models_apart=models_apart,
    )

    async def main() -> None:
        tracing = Tracing(exporter, "a run")
        engines = Engines(voice, EnergyDetector(), recogniser=ear)
        here = Workplace(
            lambda address: connect(address, {}),
            engines if models_apart else tracing.engines(engines),
            audience=tracing.audience,
            observers=lambda: tracing.observers([Likes()]),
            transcribed=tracing.transcribed,
        )
        pool = WorkerPool(here, setup, 1)
        try:
            await pool.start()
            fake = "fake://?replies=2&seconds=0.3&delay=0.2&rate=8000"
            jobs = [Job(id, from_scenario(scripted(2)), fake, 0, 7) for id in ("first", "second")]
            async with asyncio.TaskGroup() as group:
                for job in jobs:
                    group.create_task(pool.hold(Order(job, "a run", tmp_path / job.id)))
        finally:
            await pool.close()
        await tracing.close(whole=True)

    clock.run(main())
    return exporter.get_finished_spans()


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def named(
    spans: Sequence[ReadableSpan], name: str, above: ReadableSpan | None = None
) -> list[ReadableSpan]:
    def belongs(span: ReadableSpan) -> bool:
        if above is None or above.context is None:
            return True
        return span.parent is not None and span.parent.span_id == above.context.span_id

    found = [span for span in spans if span.name == name and belongs(span)]
    return sorted(found, key=lambda span: span.start_time or 0)


def seconds(span: ReadableSpan, since: ReadableSpan) -> tuple[float, float]:
    """Begin and end of a span, counted from sample 0 of a session."""
    (opened,) = since.events
    assert span.start_time is not None and span.end_time is not None
    begin, end = (round((at - opened.timestamp) / 1e9, 3) for at in (span.start_time, span.end_time))
    return begin, end


def test_turns_stand_where_the_recording_has_them_and_under_their_own_call(tmp_path: Path) -> None:
    spans, episode = traced(tmp_path)
    (run,) = named(spans, "run")
    sessions = named(spans, "session", run)
    assert [attributes(one)["test.case.name"] for one in sessions] == ["first", "second"]
    for session in sessions:
        turns = [seconds(turn, session) for turn in named(spans, "turn", session)]
        expected = [(round(turn.start_s, 3), round(turn.end_s, 3)) for turn in episode.turns]
        assert turns == expected  # both calls are the same
        assert len(named(spans, "transcribe", session)) == 2
        assert len(named(spans, "judge", session)) == 2
    assert len(spans) == 1 + 2 + 2 * (4 + 2 + 2)  # run, sessions; and of each its turns, ears and judges


@pytest.mark.parametrize("models_apart", [False, True])
def test_a_worker_process_leaves_the_spans_that_this_one_does(tmp_path: Path, models_apart: bool) -> None:
    spans = traced_in_a_worker(tmp_path, models_apart=models_apart)
    (run,) = named(spans, "run")
    sessions = {attributes(one)["test.case.name"]: one for one in named(spans, "session", run)}
    assert sorted(sessions) == ["first", "second"]
    for session in sessions.values():
        assert attributes(session)["test.case.result.status"] == "pass"
        sides = [attributes(turn)["vivavoce.side"] for turn in named(spans, "turn", session)]
        assert sorted(sides) == ["endpoint", "endpoint", "user", "user"]
        heard = [attributes(each) for each in named(spans, "transcribe", session)]
        assert [each["gen_ai.request.model"] for each in heard] == ["scripted"] * 2
        assert all(each["vivavoce.audio_s"] > 0.2 for each in heard)  # replies of 0.3 s, as they were heard
        assert len(named(spans, "judge", session)) == 2
    assert len(spans) == 1 + 2 + 2 * (4 + 2 + 2)


def test_what_a_recogniser_elsewhere_took_is_what_its_span_takes() -> None:
    exporter = InMemorySpanExporter()
    model = ScriptedRecogniser([]).identity

    async def main() -> None:
        tracing = Tracing(exporter, "a run")
        await clock.sleep_until(clock.now() + 5)
        for what in (
            Transcribed(model, 2.0, 0.25),
            Transcribed(model, 2.0, 0.25, failure="SpeechError"),
            Transcribed(model, 2.0, 0.25, given_up=True),
        ):
            tracing.transcribed(what)
        await tracing.close(whole=True)

    clock.run(main(), simulate=True)
    whole, failed, given_up = named(exporter.get_finished_spans(), "transcribe")
    (run,) = named(exporter.get_finished_spans(), "run")
    assert run.start_time is not None
    for span in (whole, failed, given_up):
        times = [at - run.start_time for at in (span.start_time, span.end_time) if at is not None]
        assert times == [4_750_000_000, 5_000_000_000]
    assert not {"error.type", "vivavoce.given_up"} & attributes(whole).keys()
    assert attributes(failed)["error.type"] == "SpeechError"
    assert attributes(given_up)["vivavoce.given_up"] is True


def test_spans_say_what_the_conventions_name(tmp_path: Path) -> None:
    spans, _ = traced(tmp_path)
    (run,) = named(spans, "run")
    session, _ = named(spans, "session")
    assert run.resource.attributes["service.name"] == "vivavoce"
    assert attributes(run) == {"test.suite.name": "a run", "test.suite.run.status": "success"}
    said = attributes(session)
    assert said["test.case.result.status"] == "pass"
    assert said["server.address"] == "host.example"
    assert said["gen_ai.request.seed"] == 7
    assert "secret" not in str(said)
    judged = [attributes(judge) for judge in named(spans, "judge", session)]
    assert judged[0]["gen_ai.evaluation.name"] == "likes"
    assert judged[0]["gen_ai.evaluation.score.label"] == "complete"
    assert judged[1]["error.type"] == "timeout"
    judge = named(spans, "judge", session)[0]
    assert (judge.end_time or 0) - (judge.start_time or 0) == 250_000_000  # as long as it took
    heard = attributes(named(spans, "transcribe", session)[0])
    assert heard["gen_ai.request.model"] == "scripted"
    reply = named(spans, "turn", session)[1]
    assert attributes(reply)["vivavoce.latency_ms"] > 0


def test_a_call_that_could_not_be_made_is_an_error_and_no_failed_test(tmp_path: Path) -> None:
    spans, _ = traced(tmp_path, ConnectFailed("pcm+ws://host.example", "nothing listens"))
    said = attributes(named(spans, "session")[0])
    assert said["error.type"] == said["vivavoce.outcome"] == "connect_failed"
    assert "test.case.result.status" not in said  # it says nothing about the endpoint


def test_simulated_seconds_are_seconds_of_the_calendar() -> None:
    async def main() -> int:
        calendar = WallClock()
        before = calendar.ns()
        await clock.sleep_until(clock.now() + 3600)
        return calendar.ns() - before

    assert clock.run(main(), simulate=True) == 3600 * 10**9


@pytest.mark.parametrize(
    ("otlp", "environ", "address"),
    [
        ("", {}, ""),
        ("http://c:4318", {}, "http://c:4318/v1/traces"),
        ("http://c:4318/", {}, "http://c:4318/v1/traces"),
        ("http://c:4318", {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/x"}, "http://t/x"),
        ("http://c:4318", {"OTEL_SDK_DISABLED": "true"}, ""),
    ],
)
def test_spans_go_where_the_variables_say(otlp: str, environ: dict[str, str], address: str) -> None:
    assert traces_endpoint(otlp, environ) == address


@pytest.mark.parametrize(
    ("otlp", "environ"), [("c:4318", {}), ("http://c:4317", {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})]
)
def test_what_is_not_spoken_is_said(otlp: str, environ: dict[str, str]) -> None:
    with pytest.raises(TracingUnfit):
        traces_endpoint(otlp, environ)


@pytest.mark.wall_clock
def test_a_collector_gets_the_spans_of_a_run_over_http(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    with collector(zipped=True) as (address, taken):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        assert viva.simulated("fake://?replies=3", "--no-report").code == 0
    assert {path for path, _ in taken} == {"/v1/traces"}
    names = span_names(taken)
    assert sorted(set(names)) == ["judge", "run", "session", "turn"]  # nobody hears: --recogniser none
    assert (names.count("run"), names.count("session"), names.count("turn")) == (1, 1, 4)


@pytest.mark.wall_clock
def test_a_run_outlives_a_collector_that_is_not_there(viva: Viva) -> None:
    done = viva.simulated("fake://?replies=3", "--no-report", "--otlp", "http://127.0.0.1:9")
    assert done.code == 0
    assert "tracing: the collector does not answer; spans are lost" in done.err
    done = viva.simulated("fake://?replies=3", "--no-report", "--otlp", "127.0.0.1:9", out="other")
    assert done.code == 0
    assert "This run is not traced" in done.err
