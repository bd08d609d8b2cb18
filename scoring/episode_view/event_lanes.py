"""Lanes of what the events say: decisions, cuts, tools, the line, our own lateness. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from recordings.format import (
    EndAnnounced,
    EndpointUserSpeech,
    Event,
    Flushed,
    KeysPressed,
    LineCondition,
    LineReport,
    MarkReached,
    Noticed,
    ResponseBegan,
    ResponseFinished,
    SessionResumed,
    TickLate,
    ToolAnswered,
    ToolCall,
    TurnEnded,
    UserThinking,
)
from scoring.episode_view.axis import Axis, lane, span
from scoring.episode_view.spans import Lane, Span
from scoring.episode_view.unheard import unheard_lane
from scoring.view import EpisodeView

TOGETHER_S = 0.25
"""Late ticks so close together are one span: a stall makes dozens."""

T = TypeVar("T", bound=Event)


def event_lanes(view: EpisodeView, axis: Axis) -> tuple[Lane, ...]:
    """What the events say, one lane a meaning."""
    events = view.events
    return (
        lane("turn_ends", (_turn_end(event, axis) for event in _of(events, TurnEnded))),
        lane("server_hears", (_server_hears(event, axis) for event in _of(events, EndpointUserSpeech))),
        lane("responses", _responses(events, axis)),
        lane("flushes", (_flush(event, axis) for event in _of(events, Flushed))),
        unheard_lane(view, axis),
        lane("marks", (_mark(event, axis) for event in _of(events, MarkReached))),
        lane("tools", _tools(events, axis)),
        lane("keys", (_keys(event, axis) for event in _of(events, KeysPressed))),
        lane("conditions", _conditions(view, axis)),
        lane("thinking", (_thinking(event, axis) for event in _of(events, UserThinking))),
        lane("connection", _connection(events, axis)),
        lane("ticks", _ticks(list(_of(events, TickLate)), axis)),
        lane("notices", (_notice(event, axis) for event in _of(events, Noticed))),
    )


def _of(events: Iterable[Event], kind: type[T]) -> Iterator[T]:
    return (event for event in events if isinstance(event, kind))


def _turn_end(event: TurnEnded, axis: Axis) -> Span:
    decided, last = axis.seconds(event.t), axis.endpoint(event.end)
    begin = min(last, decided) if event.end else decided
    detail = {
        "decided by": event.by,
        "probability": None if event.probability is None else f"{event.probability:.2f}",
        "after silence of": axis.text(decided - begin),
        "heard": event.heard,
    }
    return span(begin, decided, event.by, f"end of turn, by {event.by.replace('_', ' ')}", detail)


def _server_hears(event: EndpointUserSpeech, axis: Axis) -> Span:
    at = axis.seconds(event.t)
    what = "begin" if event.edge == "start" else "stop"
    stamp = None if event.server_ms is None else f"{event.server_ms:g} ms"
    detail = {"its own stamp": stamp, "item": event.item}
    return span(at, at, event.edge, f"the endpoint hears the user {what}", detail)


def _responses(events: Sequence[Event], axis: Axis) -> Iterator[Span]:
    begun = {event.response: event.t for event in _of(events, ResponseBegan)}
    for event in _of(events, ResponseFinished):
        start, end = axis.seconds(begun.pop(event.response, event.t)), axis.seconds(event.t)
        detail = {"response": event.response, "reason": event.reason}
        yield span(start, end, event.status, f"response {event.status}", detail)
    for response, t in begun.items():
        yield span(axis.seconds(t), axis.timeline.duration, "pending", "response", {"response": response})


def _flush(event: Flushed, axis: Axis) -> Span:
    at = min(axis.endpoint(event.at), axis.timeline.duration)
    lost = sum(received - heard for _, heard, received in event.items)
    what = f"playback cut by the {event.by}"
    detail = {
        "items": ", ".join(item for item, _, _ in event.items),
        "received and not heard then": axis.text(axis.endpoint(lost)) if event.items else "",
        "note": "" if event.items else "nothing was playing",
    }
    return span(at, at, event.by, what, detail)


def _mark(event: MarkReached, axis: Axis) -> Span:
    at = axis.seconds(event.t) if event.at is None else axis.endpoint(event.at)
    return span(at, at, "mark", f"mark {event.name}")


def _tools(events: Sequence[Event], axis: Axis) -> Iterator[Span]:
    answers = {event.call: event for event in _of(events, ToolAnswered)}
    cancelled = {event.call: event.t for event in _of(events, ToolCall) if event.cancelled}
    for event in _of(events, ToolCall):
        if event.cancelled:
            continue
        start, answer = axis.seconds(event.t), answers.get(event.call)
        detail: dict[str, object] = {"arguments": event.arguments}
        kind, end = "pending", start
        if answer is not None:
            kind, end = ("error" if answer.error else "answered"), axis.seconds(answer.t)
            detail |= {"answer": answer.output, "fault": answer.fault, "took": axis.text(end - start)}
        elif event.call in cancelled:
            kind, end = "cancelled", axis.seconds(cancelled[event.call])
        yield span(start, end, kind, f"{event.name}: {kind}", detail)


def _keys(event: KeysPressed, axis: Axis) -> Span:
    at = axis.user(event.start) if event.samples else axis.seconds(event.t)
    how = "as tones" if event.by == "tones" else "as a message"
    return span(at, at + axis.user(event.samples), "keys", f"keys {event.digits}, {how}")


def _conditions(view: EpisodeView, axis: Axis) -> Iterator[Span]:
    for event in _of(view.events, LineCondition):
        told = {name: found for name, found in event.settings.items() if name != "seed"}
        for name, found in told.items():
            for part in found if isinstance(found, list) else [found]:
                yield span(0, axis.timeline.duration, name, _named(name, part), _details(part))
    utterances = {utterance.id: utterance for utterance in axis.timeline.utterances}
    for report in _of(view.events, LineReport):
        for entry in report.values.get("utterances", ()):
            one = utterances.get(entry.get("utterance", "")) if isinstance(entry, dict) else None
            if one is not None and entry.get("snr_db") is not None:
                yield span(one.start, one.end, "measured", f"SNR {entry['snr_db']} dB", _details(entry))


def _named(name: str, part: Any) -> str:
    words = name.replace("_", " ")
    if isinstance(part, dict):
        bed, snr = part.get("bed"), part.get("snr_db")
        return f"{bed} {words} at {snr} dB" if bed else words
    return f"{words}: {part}"


def _details(part: Any) -> dict[str, object]:
    return {str(name): value for name, value in part.items()} if isinstance(part, dict) else {}


def _thinking(event: UserThinking, axis: Axis) -> Span:
    end = axis.seconds(event.t)
    text = f"the user thinks, {event.seconds:.2f} s"
    return span(axis.seconds(event.t - event.seconds), end, "thinking", text)


def _connection(events: Sequence[Event], axis: Axis) -> Iterator[Span]:
    for event in _of(events, SessionResumed):
        start = axis.seconds(event.t - event.gap_s)
        text = f"connected again after {event.gap_s:.2f} s"
        yield span(start, axis.seconds(event.t), "resumed", text, {"messages that waited": event.held})
    for ending in _of(events, EndAnnounced):
        at = axis.seconds(ending.t)
        left = None if ending.time_left_s is None else f"{ending.time_left_s:g} s"
        yield span(at, at, "ending", "the endpoint announces its end", {"left": left, "why": ending.reason})


def _ticks(late: Sequence[TickLate], axis: Axis) -> Iterator[Span]:
    groups: list[list[TickLate]] = []
    for event in late:
        if groups and event.t - groups[-1][-1].t <= TOGETHER_S:
            groups[-1].append(event)
        else:
            groups.append([event])
    for group in groups:
        worst, skipped = max(event.lateness_ms for event in group), sum(event.skipped for event in group)
        count = f"{len(group)} ticks, the worst" if len(group) > 1 else "a tick"
        start, end = axis.seconds(group[0].t), axis.seconds(group[-1].t)
        detail = {"skipped in silence": skipped or None}
        yield span(start, end, "skipped" if skipped else "late", f"{count} {worst:.1f} ms late", detail)


def _notice(event: Noticed, axis: Axis) -> Span:
    at = axis.seconds(event.t)
    who = "the endpoint" if event.by == "endpoint" else "vivavoce"
    text = f"{event.code}: {event.message}" if event.code else event.message
    return span(at, at, event.level, text, {"by": who})
