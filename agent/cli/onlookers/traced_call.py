"""One call as spans: the call, and each of its turns, in calendar time."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agent.cli.runs.call_view import CallView
from agent.observers import Audience, Levels
from agent.suite.plan import Job
from recordings import format as record
from streams.clock import now, utc_now

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer
    from opentelemetry.util.types import AttributeValue

    _Attributes = dict[str, AttributeValue]


class WallClock:
    """Calendar time of the session's clock, in ns since 1970, as it was when this was made."""

    def __init__(self) -> None:
        self._now = now()
        self._ns = round(utc_now().timestamp() * 1e9)

    def ns(self, at: float | None = None) -> int:
        """Of a time of the loop's clock, or of now."""
        return self._ns + round(((now() if at is None else at) - self._now) * 1e9)


class TracedCall(Audience):
    """The span of one call, and a span for each of its turns."""

    def __init__(self, job: Job, tracer: Tracer, clock: WallClock, run: Span) -> None:
        from opentelemetry import trace

        self._tracer, self._clock = tracer, clock
        self._view = CallView(job.id, job.shown)
        self._origin: float | None = None
        self._saying: dict[str, record.UtteranceStarted] = {}
        parts = urlsplit(job.shown)
        attributes: _Attributes = {
            "test.case.name": job.id,
            "gen_ai.operation.name": "chat",
            "gen_ai.output.type": "speech",
            "gen_ai.request.seed": job.seed,
            "vivavoce.scenario": job.scenario.name,
            "vivavoce.endpoint": job.shown,
        }
        if parts.hostname:
            attributes["server.address"] = parts.hostname
        self.span = tracer.start_span(
            "session",
            context=trace.set_span_in_context(run),
            kind=trace.SpanKind.CLIENT,
            attributes=attributes,
            start_time=clock.ns(),
        )

    def event(self, event: record.Event) -> None:
        """Begin and end spans as the call goes on."""
        # no event is later than now: of all that they say about sample 0, the earliest is right
        origin = now() - event.t
        self._origin = origin if self._origin is None else min(self._origin, origin)
        answered = len(self._view.latencies)
        self._view.take(event)
        match event:
            case record.SessionStarted(session=session, model=model):
                self.span.add_event("open", timestamp=self._clock.ns())
                named = {"gen_ai.conversation.id": session, "gen_ai.response.model": model}
                self.span.set_attributes({name: value for name, value in named.items() if value})
            case record.UtteranceStarted():
                self._saying[event.utterance] = event
            case record.UtteranceEnded(utterance=utterance) if utterance in self._saying:
                self._said(self._saying.pop(utterance), event.samples)
            case record.TurnEnded():
                rate = self._view.endpoint_rate
                what: _Attributes = {"vivavoce.side": "endpoint", "vivavoce.turn": event.turn}
                if len(self._view.latencies) > answered:
                    what["vivavoce.latency_ms"] = self._view.latencies[-1]
                self._turn(event.start / rate, event.end / rate, what)
            case record.SessionEnded():
                self._end(event)
            case _:
                pass

    def turn(self, turn: record.Turn) -> None:
        """The events have said it already."""

    def levels(self, levels: Levels) -> None:
        """No span is made of them."""

    def _said(self, began: record.UtteranceStarted, samples: int) -> None:
        rate = self._view.user_rate
        end = min(began.audible_end, began.start + samples)  # it may have been broken off
        what: _Attributes = {"vivavoce.side": "user", "vivavoce.role": began.role.value}
        self._turn(began.audible_start / rate, max(end, began.audible_start) / rate, what)

    def _turn(self, start_s: float, end_s: float, attributes: _Attributes) -> None:
        from opentelemetry import trace

        assert self._origin is not None
        span = self._tracer.start_span(
            "turn",
            context=trace.set_span_in_context(self.span),
            attributes=attributes,
            start_time=self._clock.ns(self._origin + start_s),
        )
        span.end(self._clock.ns(self._origin + end_s))

    def _end(self, event: record.SessionEnded) -> None:
        from opentelemetry.trace import StatusCode

        outcome = event.outcome
        self.span.set_attribute("vivavoce.outcome", outcome.value)
        if not outcome.void:  # a void call says nothing about the endpoint
            passed = outcome.fault is record.Fault.NOBODY
            self.span.set_attribute("test.case.result.status", "pass" if passed else "fail")
        if outcome.void or outcome.fault is not record.Fault.NOBODY:
            self.span.set_attribute("error.type", outcome.value)
            self.span.set_status(StatusCode.ERROR, event.reason)
        self.span.end(self._clock.ns())
