"""The timeline of an episode as a picture: positions and paths for the template to draw. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from recordings.format import Event, Flushed, TickLate
from scoring.audible import Segment
from scoring.report.figures import clock, number
from scoring.timeline import Exchange, Timeline
from streams.audio import FULL_SCALE, Pcm

LEFT, RIGHT = 74, 16
"""Room beside the time axis, in pixels."""

NARROWEST, WIDEST, PIXELS_PER_S = 1060, 12000, 24

USER_Y, ENDPOINT_Y, LANE = 62, 158, 30
"""Middle of the two lanes, and half their height."""

GAP_Y = 110
"""Where the latencies stand, between the lanes."""

HEIGHT = 214

_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600)
_COLUMN = 2


@dataclass(frozen=True, slots=True)
class Box:
    """A stretch of time, from x on; `label` is its tooltip."""

    x: float
    width: float
    label: str


@dataclass(frozen=True, slots=True)
class Bracket:
    """A latency, from the user's last sample to the reply's first.

    Attributes:
        text_x: Middle of its text, which stays inside the picture.
    """

    x: float
    width: float
    text: str
    text_x: float
    label: str
    kind: str  # "wait", "cut-in" or "unanswered"


@dataclass(frozen=True, slots=True)
class Mark:
    """An instant."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is drawn, in pixels.

    Attributes:
        scale: Pixels per second, for seeking.
        user_wave: SVG path of the user's envelope.
        turns: Where the user's turns begin; their numbers are those of the transcript.
        description: The picture in words.
    """

    width: float
    scale: float
    user_wave: str
    endpoint_wave: str
    user: tuple[Box, ...]
    endpoint: tuple[Box, ...]
    overlaps: tuple[Box, ...]
    dead_air: tuple[Box, ...]
    brackets: tuple[Bracket, ...]
    flushes: tuple[Mark, ...]
    late: tuple[Mark, ...]
    turns: tuple[Mark, ...]
    axis: tuple[Mark, ...]
    description: str


def draw(timeline: Timeline, user: Pcm, endpoint: Pcm, events: Sequence[Event]) -> Picture:
    """Draw an episode.

    Args:
        timeline: Of the episode.
        user: The user's track, at its rate.
        endpoint: The endpoint's track as heard, at its rate.
        events: For flushes and late ticks.
    """
    seconds = max(timeline.seconds(timeline.duration), 0.1)
    width = min(max(seconds * PIXELS_PER_S, NARROWEST), WIDEST)
    scale = width / seconds
    rates = (timeline.rate / timeline.user_step, timeline.rate / timeline.endpoint_step)

    def x(ticks: int) -> float:
        return round(LEFT + timeline.seconds(ticks) * scale, 1)

    def boxes(segments: Iterable[Segment], name: str) -> tuple[Box, ...]:
        return tuple(
            Box(x(s.start), max(round(x(s.end) - x(s.start), 1), 1.0), _span_text(timeline, s, name))
            for s in segments
        )

    flushed = [event for event in events if isinstance(event, Flushed) and event.items]
    late = [event for event in events if isinstance(event, TickLate)]
    return Picture(
        width=round(LEFT + width + RIGHT),
        scale=scale,
        user_wave=envelope(user, rates[0], scale, USER_Y),
        endpoint_wave=envelope(endpoint, rates[1], scale, ENDPOINT_Y),
        user=boxes(timeline.user, "user talks"),
        endpoint=boxes(timeline.endpoint, "endpoint talks"),
        overlaps=boxes(timeline.overlaps, "both talk"),
        dead_air=boxes(timeline.dead_air, "nobody talks"),
        brackets=tuple(_bracket(timeline, exchange, x) for exchange in timeline.exchanges),
        flushes=tuple(
            Mark(round(LEFT + event.at / rates[1] * scale, 1), f"playback cut by the {event.by}")
            for event in flushed
        ),
        late=tuple(
            Mark(round(LEFT + event.t * scale, 1), f"tick {event.lateness_ms:.1f} ms late")
            for event in late
        ),
        turns=tuple(Mark(x(e.user.start), str(e.index + 1)) for e in timeline.exchanges),
        axis=_axis(seconds, scale),
        description=_description(timeline, len(flushed), len(late)),
    )


def envelope(pcm: Pcm, rate: float, scale: float, middle: float) -> str:
    """A track as an SVG path: mirrored peaks, one closed shape for each stretch that is not silent.

    Heights are the square root of the peaks, so that soft speech can be seen.
    """
    per_column = max(int(rate * _COLUMN / scale), 1)
    columns = -(-pcm.size // per_column)
    if not columns:
        return ""
    padded = np.pad(np.abs(pcm.astype(np.int32)), (0, columns * per_column - pcm.size))
    peaks = padded.reshape(columns, per_column).max(axis=1)
    heights = np.round(np.sqrt(peaks / FULL_SCALE) * LANE, 1)
    heights[heights < 0.3] = 0.0
    edges = np.flatnonzero(np.diff((heights > 0).astype(np.int8), prepend=0, append=0))
    pixel = per_column / rate * scale
    shapes = []
    for first, last in edges.reshape(-1, 2).tolist():
        at = [f"{LEFT + (column + 0.5) * pixel:.1f}" for column in range(first, last)]
        up = [f"{a} {middle - h:.1f}" for a, h in zip(at, heights[first:last], strict=True)]
        down = [f"{a} {middle + h:.1f}" for a, h in zip(at, heights[first:last], strict=True)]
        shapes.append("M" + "L".join([*up, *reversed(down)]) + "Z")
    return "".join(shapes)


def _bracket(timeline: Timeline, exchange: Exchange, x: Callable[[int], float]) -> Bracket:
    ends = x(exchange.user.end)
    if exchange.latency is None:
        following = [e.user.start for e in timeline.exchanges if e.index == exchange.index + 1]
        until = x(min([timeline.duration, *following]))
        text = meaning = "no reply" if exchange.unanswered == "no_reply" else "call ended"
        kind = "unanswered"
    else:
        until = x(exchange.reply[0].start)
        text = number(timeline.milliseconds(exchange.latency), "ms")
        kind = "cut-in" if exchange.latency < 0 else "wait"
        meaning = f"{'the endpoint cut in' if exchange.latency < 0 else 'latency'}, {text}"
    left, right = min(ends, until), max(ends, until, ends + 1)
    half = 3.6 * len(text)
    middle = min(max((left + right) / 2, half), x(timeline.duration) + RIGHT - half)
    label = f"turn {exchange.index + 1}: {meaning}"
    return Bracket(left, round(right - left, 1), text, round(middle, 1), label, kind)


def _axis(seconds: float, scale: float) -> tuple[Mark, ...]:
    step = next((step for step in _STEPS if step * scale >= 60), _STEPS[-1])
    marks = range(0, int(seconds) + 1, step)
    return tuple(Mark(round(LEFT + at * scale, 1), f"{at // 60}:{at % 60:02d}") for at in marks)


def _span_text(timeline: Timeline, segment: Segment, name: str) -> str:
    start, end = timeline.seconds(segment.start), timeline.seconds(segment.end)
    return f"{name} {clock(start)} to {clock(end)} ({end - start:.2f} s)"


def _description(timeline: Timeline, flushes: int, late: int) -> str:
    latencies = [
        "no reply" if e.latency is None else number(timeline.milliseconds(e.latency), "ms")
        for e in timeline.exchanges
    ]
    return (
        f"A call of {timeline.seconds(timeline.duration):.1f} s. The upper lane is the user, the lower"
        f" one the endpoint as heard. Latencies turn by turn: {', '.join(latencies) or 'none'}."
        f" Overlaps: {len(timeline.overlaps)}. Dead air: {len(timeline.dead_air)}."
        f" Cuts of playback: {flushes}. Late ticks: {late}."
    )
