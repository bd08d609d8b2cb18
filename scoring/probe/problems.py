"""What is wrong with an endpoint, or unusual, by one call with one question: plain sentences. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from recordings.format import (
    EndpointText,
    EndpointUserText,
    EpisodeInfo,
    Event,
    Noticed,
    Outcome,
    ResponseFinished,
    UnknownMessage,
    UsageReported,
)
from scoring.probe.pace import Delivered
from scoring.probe.rate import Speaking, wrong_rate

CLIPPED_SHARE = 0.005
"""As in the self-test: from this share of samples at full scale on, a reply is overdriven."""

SILENT_HEAD_MS = 100.0
"""Silence that a reply's own sound begins with, and that its user waits out."""

LATE_TICK_MS = 20.0
"""A tick of ours that was later than a whole frame blurs the figures."""

LISTED = 5

_AS_IT_SHOULD = frozenset({Outcome.COMPLETED, Outcome.ENDPOINT_SILENT, Outcome.CANCELLED})
"""Ends that are told elsewhere; a probe is cancelled where nothing more is to come."""

_HEARD_CAUSES = {
    "no_recogniser": "there was no recogniser to hear it with (--recogniser)",
    "no_speech": "there are no words in it",
    "recogniser_failed": "the recogniser failed",
}

_GIVES = (
    ("endpoint_text", EndpointText, "the words of its reply"),
    ("user_text", EndpointUserText, "what it understood of the user"),
    ("usage_unit", UsageReported, "what it used"),
)
"""What an endpoint of this protocol can send once it has answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the problems are found in.

    Attributes:
        replied: A reply was heard.
        latency_ms: Of that reply; negative if the endpoint did not wait for the user's end.
        head_ms: Silence that its sound begins with.
        clipped: Share of its samples at full scale.
        unheard: Why there is no transcript; "" if there is one.
        voice: How the reply sounds; None without one.
        answers_pings: None if it was not asked.
    """

    info: EpisodeInfo
    events: tuple[Event, ...]
    replied: bool
    latency_ms: float | None
    head_ms: float
    clipped: float
    unheard: str
    delivered: Delivered
    voice: Speaking | None
    answers_pings: bool | None


def problems(evidence: Evidence) -> list[str]:
    """The sentences: how the call ended, what the endpoint said of itself, the sound, what is missing."""
    parts: tuple[Callable[[Evidence], Iterator[str]], ...] = (
        _ending,
        _notices,
        _unknown,
        _timing,
        _sound,
        _missing,
        _ours,
    )
    return [sentence for part in parts for sentence in part(evidence)]


def _ending(e: Evidence) -> Iterator[str]:
    outcome, reason = e.info.outcome, e.info.reason
    if outcome is Outcome.ENDPOINT_HUNG_UP:
        yield f"it hung up before the user did: {reason}"
    elif outcome is Outcome.ENDPOINT_ERROR and "broke" in reason:
        yield f"the connection ended without a goodbye: {reason}"
    elif outcome is Outcome.ENDPOINT_SILENT and e.replied:
        yield "it sent sound without speech after its reply, and came to no end"
    elif outcome not in _AS_IT_SHOULD:
        yield reason
    if not e.replied:
        yield f"no reply: {reason}" if outcome is Outcome.ENDPOINT_SILENT else "no reply was heard"


def _notices(e: Evidence) -> Iterator[str]:
    """Warnings and errors, and limits that are used up: limits that only count on are none."""
    told: Counter[str] = Counter()
    for event in e.events:
        if isinstance(event, Noticed) and event.by == "endpoint" and event.level != "info":
            level = "its rate limit" if event.level == "rate_limit" else f"its {event.level}"
            told[f"{level}: {': '.join(part for part in (event.code, event.message) if part)}"] += 1
    for text, count in told.items():
        yield text if count == 1 else f"{text} ({count} times)"
    for event in e.events:
        if isinstance(event, ResponseFinished) and event.status in ("failed", "incomplete"):
            yield f"a response ended as {event.status}" + (f": {event.reason}" if event.reason else "")


def _unknown(e: Evidence) -> Iterator[str]:
    kinds = Counter(event.type for event in e.events if isinstance(event, UnknownMessage))
    if kinds:
        more = f" and {len(kinds) - LISTED} more" if len(kinds) > LISTED else ""
        names = ", ".join(name for name, _ in kinds.most_common(LISTED))
        yield f"messages that are not known in {e.info.endpoint.protocol}: {names}{more}"


def _timing(e: Evidence) -> Iterator[str]:
    if e.latency_ms is not None and e.latency_ms < 0:
        yield f"it began to speak {-e.latency_ms:.0f} ms before the user had finished"
    if e.head_ms >= SILENT_HEAD_MS:
        yield f"its reply begins with {e.head_ms:.0f} ms of silence"
    if e.info.late_pieces:
        pieces = "piece" if e.info.late_pieces == 1 else "pieces"
        yield f"{e.info.late_pieces} {pieces} of sound came for a reply that it had taken back itself"


def _sound(e: Evidence) -> Iterator[str]:
    if e.clipped >= CLIPPED_SHARE:
        yield f"{100 * e.clipped:.1f} % of the reply's samples are at full scale: it is overdriven"
    if e.voice is not None:
        sentence = wrong_rate(e.info.endpoint_rate, e.voice, e.delivered)
        if sentence:
            yield sentence
    if e.replied and e.unheard:
        yield f"no transcript of the reply: {_HEARD_CAUSES.get(e.unheard, e.unheard)}"


def _missing(e: Evidence) -> Iterator[str]:
    able: dict[str, Any] = e.info.endpoint.capabilities
    if e.answers_pings is False:
        yield "it answers no websocket pings: nothing keeps the connection alive, or tells that it is dead"
    ended = any(isinstance(event, ResponseFinished) for event in e.events) or not able.get(
        "response_bounds"
    )
    if e.replied and ended:
        for name, kind, what in _GIVES:
            if able.get(name) and not any(isinstance(event, kind) for event in e.events):
                yield f"it did not tell {what}, which {e.info.endpoint.protocol} can"


def _ours(e: Evidence) -> Iterator[str]:
    lateness = e.info.lateness
    if lateness is not None and lateness.worst > LATE_TICK_MS:
        late = f"a tick of ours came {lateness.worst:.0f} ms late"
        yield f"this machine was busy ({late}): the times are rough"
