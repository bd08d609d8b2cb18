"""Metrics of time: who waited how long for whom, and who talked when."""

from __future__ import annotations

from collections.abc import Sequence

from recordings.format import (
    EndpointText,
    EndpointUserSpeech,
    EndpointUserText,
    ResponseBegan,
    UserThinking,
)
from scoring.audible import Segment, total
from scoring.metric import FunctionMetric, Measured, Measurement, Statistic, Unscored
from scoring.timeline import Exchange, Timeline
from scoring.view import EpisodeView

HELD_BACK_S = 0.005
"""A server that sends its end-of-speech so close to the next step held it back until then."""


def response_latency(view: EpisodeView) -> list[Measurement]:
    """From the user's last audible sample to the first audible sample of the reply, as heard."""
    measurements: list[Measurement] = []
    for exchange in view.timeline.exchanges:
        latency = exchange.latency
        if latency is None:
            measurements.append(Unscored(exchange.unanswered, exchange.index))
            continue
        evidence: dict[str, object] = {
            "user_end_s": view.timeline.seconds(exchange.user.end),
            "endpoint_start_s": view.timeline.seconds(exchange.reply[0].start),
            "cut_in": latency < 0,
            **_parts(view, exchange),
        }
        measurements.append(Measured(view.timeline.milliseconds(latency), exchange.index, evidence))
    return measurements


def first_byte(view: EpisodeView) -> list[Measurement]:
    """From the user's last audible sample to the arrival of the reply's first audio."""
    return [_part(view, exchange, "first_byte_ms") for exchange in view.timeline.exchanges]


def leading_silence(view: EpisodeView) -> list[Measurement]:
    """From where playback of the reply's first audio began to its first audible sample."""
    return [_part(view, exchange, "leading_silence_ms") for exchange in view.timeline.exchanges]


def endpoint_wait(view: EpisodeView) -> list[Measurement]:
    """From the user's last audible sample to the server's own end-of-speech, as it arrived."""
    return [
        stop
        if isinstance(stop, Unscored)
        else Measured(stop * 1000 - _user_end_ms(view, exchange), exchange.index)
        for exchange, stop in _stops(view)
    ]


def endpoint_think(view: EpisodeView) -> list[Measurement]:
    """From the server's own end-of-speech to the arrival of the reply's first audio."""
    measurements: list[Measurement] = []
    for exchange, stop in _stops(view):
        first = _part(view, exchange, "first_byte_ms")
        if isinstance(stop, Unscored):
            measurements.append(stop)
        elif isinstance(first, Unscored):
            measurements.append(first)
        else:
            waited = stop * 1000 - _user_end_ms(view, exchange)
            measurements.append(Measured(first.value - waited, exchange.index))
    return measurements


def user_thinking(view: EpisodeView) -> list[Measurement]:
    """What our user needed to find and prepare its words."""
    return [Measured(event.seconds * 1000) for event in view.events if isinstance(event, UserThinking)]


def user_turns(view: EpisodeView) -> list[Measurement]:
    """Turns of the user in a call."""
    return [Measured(float(len(view.timeline.exchanges)))]


def endpoint_turns(view: EpisodeView) -> list[Measurement]:
    """Turns of the endpoint in a call: replies, and a greeting."""
    answered = sum(bool(exchange.reply) for exchange in view.timeline.exchanges)
    return [Measured(float(answered + bool(view.timeline.greeting)))]


def user_talk_share(view: EpisodeView) -> list[Measurement]:
    """Share of the call in which the user is audible."""
    return _share(view.timeline, view.timeline.user)


def endpoint_talk_share(view: EpisodeView) -> list[Measurement]:
    """Share of the call in which the endpoint is audible."""
    return _share(view.timeline, view.timeline.endpoint)


def overlap(view: EpisodeView) -> list[Measurement]:
    """Seconds of a call in which both talk."""
    if not view.timeline.user:
        return [Unscored("user_never_spoke")]
    spans = view.timeline.overlaps
    return [Measured(view.timeline.seconds(total(spans)), evidence={"count": len(spans)})]


def dead_air(view: EpisodeView) -> list[Measurement]:
    """Seconds of a call in silences of at least 3 s."""
    return [Measured(view.timeline.seconds(total(view.timeline.dead_air)))]


def dead_air_count(view: EpisodeView) -> list[Measurement]:
    """Silences of at least 3 s in a call."""
    return [Measured(float(len(view.timeline.dead_air)))]


def unanswered_turns(view: EpisodeView) -> list[Measurement]:
    """Share of the user's turns that got no reply."""
    return [
        Unscored(exchange.unanswered, exchange.index)
        if exchange.unanswered == "session_ended"
        else Measured(float(not exchange.reply), exchange.index)
        for exchange in view.timeline.exchanges
    ]


def endpoint_interruptions(view: EpisodeView) -> list[Measurement]:
    """Share of the user's turns in which the endpoint began to talk before the user had finished."""
    return [
        Measured(float(exchange.cut_ins > 0), exchange.index, {"cut_ins": exchange.cut_ins})
        for exchange in view.timeline.exchanges
    ]


def _user_end_ms(view: EpisodeView, exchange: Exchange) -> float:
    return view.timeline.milliseconds(exchange.user.end)


def _parts(view: EpisodeView, exchange: Exchange) -> dict[str, float]:
    """First byte + queued + leading silence = latency, to within a sample; empty if it can't be told."""
    reply = exchange.reply[0]
    delivery = reply.delivery
    if delivery is None or delivery.start is None or reply.endless:
        return {}
    timeline = view.timeline
    played = delivery.start * timeline.endpoint_step
    parts = {
        "first_byte_ms": delivery.arrival * 1000 - _user_end_ms(view, exchange),
        "queued_ms": max(0.0, timeline.milliseconds(played) - delivery.arrival * 1000),
        "leading_silence_ms": timeline.milliseconds(reply.start - played),
    }
    return {name: round(value, 6) for name, value in parts.items()}


def _part(view: EpisodeView, exchange: Exchange, name: str) -> Measured | Unscored:
    if not exchange.reply:
        return Unscored(exchange.unanswered, exchange.index)
    parts = _parts(view, exchange)
    if not parts:
        endless = exchange.reply[0].endless
        return Unscored("endless_stream" if endless else "no_arrivals", exchange.index)
    return Measured(parts[name], exchange.index)


def _stops(view: EpisodeView) -> list[tuple[Exchange, float | Unscored]]:
    """When the server's end-of-speech for each turn arrived, in seconds, if it tells anything."""
    edges = [event for event in view.events if isinstance(event, EndpointUserSpeech)]
    made = [event.t for event in view.events if isinstance(event, EndpointText | EndpointUserText)]
    began = [event.t for event in view.events if isinstance(event, ResponseBegan)]
    exchanges = view.timeline.exchanges
    return [(exchange, _stop(view, exchange, edges, made, began)) for exchange in exchanges]


def _stop(
    view: EpisodeView,
    exchange: Exchange,
    edges: Sequence[EndpointUserSpeech],
    made: Sequence[float],
    began: Sequence[float],
) -> float | Unscored:
    first = _part(view, exchange, "first_byte_ms")
    if isinstance(first, Unscored):
        return first
    start = view.timeline.seconds(exchange.user.start)
    until = exchange.reply[0].delivery.arrival if exchange.reply[0].delivery else 0.0
    own = [edge for edge in edges if start <= edge.t <= until]
    if not own or own[-1].edge != "stop":
        return Unscored("no_server_event", exchange.index)
    stop = own[-1].t
    # no transcript and no answer can be ready in the instant the user falls silent: such a stop was held
    answering = (t for t in began if t <= until)
    told = any(start <= t <= until for t in made) or any(t - stop > HELD_BACK_S for t in answering)
    if not told or any(abs(t - stop) <= HELD_BACK_S for t in [*made, until]):
        return Unscored("not_separable", exchange.index)
    return stop


def _share(timeline: Timeline, segments: Sequence[Segment]) -> list[Measurement]:
    if not timeline.duration:
        return [Unscored("no_audio")]
    return [Measured(total(segments) / timeline.duration)]


def _summary(measure: object) -> str:
    return (getattr(measure, "__doc__", "") or "").strip()


TIMING = tuple(
    FunctionMetric(measure.__name__, unit, statistic, _summary(measure), measure)
    for measure, unit, statistic in (
        (response_latency, "ms", Statistic.MEDIAN),
        (first_byte, "ms", Statistic.MEDIAN),
        (leading_silence, "ms", Statistic.MEDIAN),
        (endpoint_wait, "ms", Statistic.MEDIAN),
        (endpoint_think, "ms", Statistic.MEDIAN),
        (unanswered_turns, "ratio", Statistic.MEAN),
        (endpoint_interruptions, "ratio", Statistic.MEAN),
        (overlap, "s", Statistic.MEAN),
        (dead_air, "s", Statistic.MEAN),
        (dead_air_count, "count", Statistic.MEAN),
        (user_turns, "count", Statistic.MEAN),
        (endpoint_turns, "count", Statistic.MEAN),
        (user_talk_share, "ratio", Statistic.MEAN),
        (endpoint_talk_share, "ratio", Statistic.MEAN),
        (user_thinking, "ms", Statistic.MEDIAN),
    )
)
"""The metrics of `scores/timing.json`."""
