"""OpenTelemetry: spans of the run, its calls, their turns, and the work of ears and judges.

Off unless an OTLP endpoint is named: then nothing of this is made, nor anything of OpenTelemetry imported.
Spans carry the time of the session's own clock, mapped to calendar time: turns of a run in simulated time
are as long as in its recordings. A thread sends the spans; no call waits for a collector.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from agent.cli.onlookers.metrics import NOTHING_TO_JUDGE
from agent.cli.onlookers.traced_call import TracedCall, WallClock
from agent.observers import Audience, FinishedTurn, Judgement, Transcribed, TurnObserver
from agent.session import Engines
from agent.suite.plan import Job
from streams.audio import Samples
from streams.endpoints.secrets import redact_url
from streams.speech.interfaces import SPEECH_RATE, ModelIdentity, Recogniser, Transcript

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.trace import Span, Tracer
    from opentelemetry.util.types import AttributeValue

OF_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"

FLUSH_S = 3.0
"""The end of a run waits so long for a collector."""


class TracingUnfit(ValueError):
    """Tracing is asked for and can't be done: said, and the run goes on without."""


def traces_endpoint(otlp: str, environ: Mapping[str, str]) -> str:
    """Where spans go, or "" if nobody wants them.

    Args:
        otlp: Base address of a collector, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it; "" is none.
        environ: The environment: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` names the whole address.

    Raises:
        TracingUnfit: The address is none of HTTP, or another protocol is asked for.
    """
    address = environ.get(OF_TRACES) or (otlp and otlp.rstrip("/") + "/v1/traces")
    if not address or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return ""
    protocol = environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    if protocol != "http/protobuf":
        found = f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol!r}; http/protobuf alone is spoken here"
        raise TracingUnfit(found)
    if urlsplit(address).scheme not in ("http", "https"):
        found = redact_url(address)
        raise TracingUnfit(f"{found!r} is no address of OTLP over HTTP, such as http://127.0.0.1:4318")
    return address


class Collector:
    """Sends spans to a collector, and counts those that it did not take.

    Args:
        address: Whole address; headers, compression and certificates are those of `OTEL_EXPORTER_OTLP_*`.
    """

    def __init__(self, address: str) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        except ModuleNotFoundError as error:
            raise TracingUnfit("OpenTelemetry is not installed: pip install 'vivavoce[otel]'") from error
        # it says each failure; we say how many there were
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        self._exporter = OTLPSpanExporter(address)
        self.lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send some."""
        from opentelemetry.sdk.trace.export import SpanExportResult

        result = self._exporter.export(spans)
        if result is not SpanExportResult.SUCCESS:
            self.lost += len(spans)
        return result

    def shutdown(self) -> None:
        """Send no more."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def force_flush(self, timeout_millis: int = 0) -> bool:
        """Nothing waits here."""
        return True


class Tracing:
    """The spans of one run. Made on its loop.

    Args:
        exporter: Where spans go.
        run: Id of the run.
    """

    def __init__(self, exporter: SpanExporter | Collector, run: str) -> None:
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        from agent.episode_info import version

        resource = Resource.create({SERVICE_NAME: "vivavoce", SERVICE_VERSION: version()})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(cast("SpanExporter", exporter)))
        self._tracer = self._provider.get_tracer("vivavoce", version())
        self._clock = WallClock()
        names: dict[str, AttributeValue] = {"test.suite.name": run}
        self._run = self._tracer.start_span("run", attributes=names, start_time=self._clock.ns())

    def audience(self, job: Job) -> Audience:
        """The audience of a call; what the task that asks for it does then belongs to its span."""
        from opentelemetry import context, trace

        call = TracedCall(job, self._tracer, self._clock, self._run)
        context.attach(trace.set_span_in_context(call.span))
        return call

    def engines(self, engines: Engines) -> Engines:
        """The same engines, whose recogniser leaves spans."""
        if engines.recogniser is None:
            return engines
        traced = TracedRecogniser(engines.recogniser, self._tracer, self._clock)
        return dataclasses.replace(engines, recogniser=traced)

    def transcribed(self, what: Transcribed) -> None:
        """A recogniser elsewhere has just worked for the call whose context this is."""
        from opentelemetry import context

        end, attributes = self._clock.ns(), _of_transcription(what.model, what.audio_s)
        start = end - round(what.took_s * 1e9)
        span = self._tracer.start_span(
            "transcribe", context=context.get_current(), attributes=attributes, start_time=start
        )
        _failed(span, what.failure, given_up=what.given_up)
        span.end(end)

    def observers(self, observers: Sequence[TurnObserver]) -> Sequence[TurnObserver]:
        """The same judges, which leave spans within that of the call whose task asks for them."""
        from opentelemetry import context

        call = context.get_current()
        return [TracedObserver(observer, self._tracer, self._clock, call) for observer in observers]

    async def close(self, *, whole: bool) -> bool:
        """The run is over; `whole` if it was held to its end.

        Returns:
            Whether the collector has answered for every span, be it with an error, within a moment.
        """
        self._run.set_attribute("test.suite.run.status", "success" if whole else "aborted")
        self._run.end(self._clock.ns())
        return await asyncio.to_thread(self._flush)

    def _flush(self) -> bool:
        # of a collector that is away the library waits for its own time, whatever it is asked for
        last = threading.Thread(target=self._provider.shutdown, name="last spans", daemon=True)
        last.start()
        last.join(FLUSH_S)
        return not last.is_alive()


@contextlib.contextmanager
def _spanned(
    tracer: Tracer, clock: WallClock, name: str, attributes: dict[str, AttributeValue], call: Context
) -> Iterator[Span]:
    """A span around some work, within that of its call; what the work raises is its error."""
    span = tracer.start_span(name, context=call, attributes=attributes, start_time=clock.ns())
    try:
        yield span
    finally:
        kind = sys.exc_info()[0]
        given_up = kind is asyncio.CancelledError  # a draft of a turn that went on, or the call is over
        _failed(span, "" if kind is None else kind.__name__, given_up=given_up)
        span.end(clock.ns())


def _failed(span: Span, failure: str, *, given_up: bool) -> None:
    """What became of some work, unless it came to its end."""
    if given_up:
        span.set_attribute("vivavoce.given_up", True)
    elif failure:
        span.set_attribute("error.type", failure)


def _of_transcription(model: ModelIdentity, audio_s: float) -> dict[str, AttributeValue]:
    return {
        "gen_ai.operation.name": "transcribe",
        "gen_ai.provider.name": model.family,
        "gen_ai.request.model": model.name,
        "vivavoce.audio_s": audio_s,
    }


@dataclass(frozen=True, slots=True)
class TracedRecogniser:
    """A recogniser whose work leaves spans."""

    inner: Recogniser
    tracer: Tracer
    clock: WallClock

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""
        return self.inner.identity

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """As the recogniser does it."""
        from opentelemetry import context, trace

        attributes = _of_transcription(self.identity, len(samples) / SPEECH_RATE)
        if not trace.get_current_span().get_span_context().is_valid:  # nobody knows for which call it is
            return await self.inner.transcribe(samples, language=language)
        with _spanned(self.tracer, self.clock, "transcribe", attributes, context.get_current()):
            return await self.inner.transcribe(samples, language=language)


@dataclass(frozen=True, slots=True)
class TracedObserver:
    """A live judge whose work leaves spans."""

    inner: TurnObserver
    tracer: Tracer
    clock: WallClock
    call: Context

    @property
    def name(self) -> str:
        """The judge's name."""
        return self.inner.name

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        """As the judge does it."""
        attributes: dict[str, AttributeValue] = {
            "gen_ai.operation.name": "evaluate",
            "gen_ai.evaluation.name": self.name,
            "vivavoce.turn": turn.turn,
        }
        with _spanned(self.tracer, self.clock, "judge", attributes, self.call) as span:
            judgement = await self.inner.turn_finished(turn)
            verdict = judgement.verdict
            if verdict.label is not None:
                span.set_attribute("gen_ai.evaluation.score.label", verdict.label)
                span.set_attribute("gen_ai.evaluation.explanation", verdict.reason)
            else:
                cause = verdict.unscored or "unknown"
                span.set_attribute("vivavoce.unscored", cause)
                if cause not in NOTHING_TO_JUDGE:
                    span.set_attribute("error.type", cause)
            return judgement
