"""The metrics of a call, value by value, and the latencies between its turns. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from recordings.format import Side
from scoring.episode_view.axis import Axis
from scoring.episode_view.model import Figure, ShownMetric, ShownTurn
from scoring.episode_view.spans import Bracket, BracketKind, Part
from scoring.metric import Aggregate, Measured, Measurement, Metric, Statistic
from scoring.report.figures import NOTHING, number, title, topic_of, value_text
from scoring.timeline import Exchange, Timeline

PARTS = ("first_byte", "leading_silence", "endpoint_wait", "endpoint_think")
"""What a latency is made of, and the server's own stamps beside it."""

_AT = ("at_s", "endpoint_start_s", "user_end_s")
"""Evidence that says where something happened."""

Measurements = Mapping[str, Sequence[Measurement]]


def brackets(
    timeline: Timeline, turns: Sequence[ShownTurn], measurements: Measurements
) -> tuple[Bracket, ...]:
    """The latency of every turn of the user that wants an answer."""
    asked = {turn.exchange: turn for turn in turns if turn.side is Side.USER and turn.exchange is not None}
    replied = {
        turn.exchange: turn for turn in turns if turn.side is Side.ENDPOINT and turn.exchange is not None
    }
    return tuple(
        _bracket(timeline, exchange, asked[exchange.index], replied.get(exchange.index), measurements)
        for exchange in timeline.exchanges
    )


def _bracket(
    timeline: Timeline,
    exchange: Exchange,
    asked: ShownTurn,
    replied: ShownTurn | None,
    measurements: Measurements,
) -> Bracket:
    start, latency = exchange.user.end, exchange.latency
    if latency is None:
        later = [e.user.start for e in timeline.exchanges if e.index == exchange.index + 1]
        kind, end, ms = BracketKind.UNANSWERED, min([timeline.duration, *later]), None
        text = "no reply" if exchange.unanswered == "no_reply" else "call ended"
    else:
        kind = BracketKind.CUT_IN if latency < 0 else BracketKind.WAIT
        end, ms = start + latency, timeline.milliseconds(latency)
        text = number(ms, "ms")
    return Bracket(
        turn=asked.number,
        reply=replied.number if replied else None,
        start=start,
        end=end,
        kind=kind,
        ms=ms,
        text=text,
        parts=tuple(_parts(exchange.index, measurements)) if exchange.reply else (),
    )


def _parts(exchange: int, measurements: Measurements) -> Iterator[Part]:
    for name in PARTS:
        for item in measurements.get(name, ()):
            if item.where == exchange:
                value, cause = _told(item)
                yield Part(name=name, title=title(name), ms=value, unscored=cause)


def _told(item: Measurement) -> tuple[float | None, str]:
    """A value, or why there is none."""
    if not isinstance(item, Measured):
        return None, item.cause
    return (item.value, "") if math.isfinite(item.value) else (None, "not_finite")


def shown_metrics(
    metrics: Sequence[Metric],
    found: Mapping[str, Aggregate],
    measurements: Measurements,
    turns: Sequence[ShownTurn],
    axis: Axis,
) -> tuple[ShownMetric, ...]:
    """Every metric that had an occasion in the call."""
    numbers = {t.exchange: t.number for t in turns if t.side is Side.USER and t.exchange is not None}
    shown = []
    for metric in metrics:
        result = found[metric.name]
        if result.n or result.unscored:
            shown.append(
                ShownMetric(
                    name=metric.name,
                    title=title(metric.name),
                    topic=topic_of(metric.name),
                    description=metric.description,
                    unit=result.unit,
                    version=result.version,
                    value=result.value,
                    text=_text(metric, result, measurements[metric.name]),
                    n=result.n,
                    unscored=dict(result.unscored),
                    values=tuple(
                        _figure(item, metric.unit, numbers, axis) for item in measurements[metric.name]
                    ),
                )
            )
    return tuple(shown)


def _text(metric: Metric, result: Aggregate, found: Sequence[Measurement]) -> str:
    """A value for people; of a rate over a single call, which is withheld, its counts."""
    if result.value is None and result.n and metric.statistic is Statistic.RATE:
        hits = round(math.fsum(value for value, _ in map(_told, found) if value is not None))
        return f"{hits} of {result.n}"
    return value_text(result)


def _figure(item: Measurement, unit: str, numbers: Mapping[int, int], axis: Axis) -> Figure:
    turn = None if item.where is None else numbers.get(item.where)
    value, cause = _told(item)
    if value is None or not isinstance(item, Measured):
        return Figure(turn=turn, text=NOTHING, unscored=cause)
    at = next((item.evidence[name] for name in _AT if name in item.evidence), None)
    text = number(value, unit)
    return Figure(
        turn=turn,
        at=axis.seconds(at) if isinstance(at, int | float) else None,
        value=value,
        text=f"at least {text}" if item.censored else text,
    )
