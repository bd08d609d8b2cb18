"""One call as it is published: what happens in it becomes messages. Pure: events in, messages out."""

from __future__ import annotations

from collections.abc import Callable

from agent.cli.runs.call_view import CallView
from agent.cli.runs.call_view import Line as Shown
from agent.observers import Audience, Levels
from agent.suite.plan import Job
from recordings import format as record
from streams.audio import dbfs
from streams.events.messages import (
    LINES,
    Header,
    Latency,
    LevelsShown,
    Line,
    Note,
    SessionState,
    TurnSpoken,
    VerdictSpoken,
)

EVERY_OTHER = 2
"""Levels come ten times a second, and are published five times."""


class PublishedCall(Audience):
    """An audience that publishes what it sees.

    Args:
        job: The call.
        put: Publishes a message; returns at once.
        ended: Told its outcome when it is over.
    """

    def __init__(
        self,
        job: Job,
        put: Callable[[Header], None],
        ended: Callable[[record.Outcome], None] = lambda _: None,
    ) -> None:
        self._job = job
        self._put = put
        self._ended = ended
        self._view = CallView(job.id, job.shown)
        self._open = False
        self._t = 0.0
        self._beats = 0
        self._publish_state()

    def event(self, event: record.Event) -> None:
        """Publish what comes of an event."""
        self._t = event.t
        answered = len(self._view.latencies)
        line = self._view.take(event)
        name = self._job.id
        match event:
            case record.SessionStarted():
                self._open = True
            case record.UtteranceStarted():
                self._put(self._said(event))
            case record.TurnEnded():
                self._put(self._heard(event))
                if len(self._view.latencies) > answered:
                    latency = round(self._view.latencies[-1], 3)
                    self._put(Latency(episode=name, turn=event.turn, latency_ms=latency))
            case record.VerdictGiven():
                self._put(_verdict(name, event))
            case record.Noticed(level=level) if level != "info":
                self._put(_notice(name, event))
            case record.HeardSpeech():
                pass
            case _ if line is None:
                return  # nothing that shows
        self._publish_state()
        if isinstance(event, record.SessionEnded):
            self._ended(event.outcome)

    def turn(self, turn: record.Turn) -> None:
        """The events have said it already."""

    def levels(self, levels: Levels) -> None:
        """Publish every other one."""
        self._beats += 1
        if self._beats % EVERY_OTHER:
            self._put(
                LevelsShown(
                    episode=self._job.id,
                    t=round(levels.t, 3),
                    user_db=_db(levels.user),
                    endpoint_db=_db(levels.endpoint),
                )
            )

    def _publish_state(self) -> None:
        view, median = self._view, self._view.median_latency_ms
        state = "ended" if view.outcome is not None else "talking" if self._open else "calling"
        lines = [line for line in view.lines if line.side != "end"]
        self._put(
            SessionState(
                episode=self._job.id,
                state=state,
                scenario=self._job.scenario.scenario.id,
                endpoint=view.endpoint,
                t=round(self._t, 3),
                endpoint_speaks=view.endpoint_speaking,
                replies=len(view.latencies),
                median_latency_ms=None if median is None else round(median, 3),
                outcome=None if view.outcome is None else view.outcome.value,
                fault=None if view.outcome is None else view.outcome.fault.value,
                reason=view.reason,
                lines=tuple(_line(line) for line in lines[-LINES:]),
            )
        )

    def _said(self, event: record.UtteranceStarted) -> TurnSpoken:
        rate = self._view.user_rate
        return TurnSpoken(
            episode=self._job.id,
            side="user",
            text=event.text,
            role=event.role.value,
            start_s=round(event.audible_start / rate, 3),
            end_s=round(event.audible_end / rate, 3),
        )

    def _heard(self, event: record.TurnEnded) -> TurnSpoken:
        rate = self._view.endpoint_rate
        return TurnSpoken(
            episode=self._job.id,
            side="endpoint",
            turn=event.turn,
            text=event.heard,
            start_s=round(event.start / rate, 3),
            end_s=round(event.end / rate, 3),
        )


def _verdict(episode: str, event: record.VerdictGiven) -> VerdictSpoken:
    return VerdictSpoken(
        episode=episode,
        turn=event.turn,
        judge=event.judge,
        label=event.label,
        unscored=event.unscored,
        reason=event.reason,
    )


def _notice(episode: str, event: record.Noticed) -> Note:
    return Note(
        episode=episode,
        t=event.t,
        by=event.by,
        level=event.level,
        code=event.code,
        message=event.message,
    )


def _line(line: Shown) -> Line:
    return Line(
        t=round(line.t, 3),
        side=line.side,
        text=line.text,
        latency_ms=None if line.latency_ms is None else round(line.latency_ms, 3),
        verdicts={judge: given.label for judge, given in line.verdicts.items() if given.label is not None},
        note=line.note,
    )


def _db(level: int) -> float | None:
    return round(dbfs(level), 1) if level else None
