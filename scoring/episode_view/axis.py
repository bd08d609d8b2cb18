"""The one axis that all of a page stands on, and spans made for it. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from recordings.format import Side
from scoring.audible import Segment
from scoring.episode_view.spans import Lane, Source, Span
from scoring.timeline import Timeline

LANES: Mapping[str, tuple[str, str, Side | None]] = {
    "user": ("User speech", "Where the user is audible.", Side.USER),
    "endpoint": (
        "Endpoint speech",
        "Where the endpoint is audible, as the user heard it.",
        Side.ENDPOINT,
    ),
    "utterances": (
        "What for",
        "What the user says, and for what: turns want an answer, backchannels, coughs and asides none.",
        Side.USER,
    ),
    "overlaps": ("Overlaps", "Where both are audible.", None),
    "dead_air": ("Dead air", "Where nobody is audible for at least 3 s.", None),
    "barge_ins": (
        "Barge-ins",
        "From where the user cuts into a reply to where the endpoint falls silent.",
        Side.USER,
    ),
    "cut_ins": (
        "Cut-ins",
        "Where the endpoint begins to talk inside the user's turn; below 1 s it is a backchannel.",
        Side.ENDPOINT,
    ),
    "pauses": (
        "Pauses",
        "Silences inside the user's turn that the scenario asks for: the user has not finished there.",
        Side.USER,
    ),
    "turn_ends": (
        "End of turn",
        "From the endpoint's last sound to where our user decided that its turn is over, and by what.",
        None,
    ),
    "server_hears": (
        "Server hears",
        "Where the endpoint says that it hears the user begin or stop, as that arrived.",
        Side.ENDPOINT,
    ),
    "responses": (
        "Responses",
        "From where the endpoint began a response to where it had delivered it or gave it up.",
        Side.ENDPOINT,
    ),
    "flushes": ("Flushes", "Where playback was cut, by the endpoint or by the user.", None),
    "unheard": (
        "Unheard",
        "What arrived and was never heard, where it would have been; to be played from what arrived.",
        Side.ENDPOINT,
    ),
    "marks": ("Marks", "Where playback reached a mark of the endpoint's.", Side.ENDPOINT),
    "tools": ("Tools", "From a tool call of the endpoint to its answer.", Side.ENDPOINT),
    "keys": ("Keys", "Telephone keys that the user pressed.", Side.USER),
    "conditions": (
        "Room and line",
        "What the room and the line do to the user's voice, and what was measured of it.",
        Side.USER,
    ),
    "thinking": (
        "User thinks",
        "What our user needed to find its words: never the endpoint's time.",
        Side.USER,
    ),
    "connection": (
        "Connection",
        "Where a connection was lost and taken up again, or its end was announced.",
        None,
    ),
    "ticks": ("Late ticks", "Where our own 20 ms ticks came more than 5 ms late.", None),
    "notices": ("Notices", "Errors, warnings and notes, of the endpoint and of our own side.", None),
}
"""Title, description and side of every lane, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Ticks of a call, from seconds and from samples of either side's track."""

    timeline: Timeline

    def seconds(self, t: float) -> int:
        """The tick of a time in seconds, inside the call; of what is no time, its start."""
        last = self.timeline.seconds(self.timeline.duration)
        inside = 0.0 if math.isnan(t) else min(max(t, 0.0), last)
        return min(round(inside * self.timeline.rate), self.timeline.duration)

    def user(self, sample: int) -> int:
        """The tick of a sample of the user's track."""
        return sample * self.timeline.user_step

    def endpoint(self, sample: int) -> int:
        """The tick of a sample of the endpoint's track."""
        return sample * self.timeline.endpoint_step

    def text(self, ticks: int) -> str:
        """A length for people: "0.82 s"."""
        return f"{self.timeline.seconds(ticks):.2f} s"


def stretches(segments: Iterable[Segment], kind: str, text: str, axis: Axis) -> tuple[Span, ...]:
    """Segments of the timeline as spans; the text is followed by their length."""
    return tuple(
        Span(start=s.start, end=s.end, kind=kind, text=f"{text}, {axis.text(s.samples)}") for s in segments
    )


def span(
    start: int,
    end: int,
    kind: str,
    text: str,
    detail: Mapping[str, object] | None = None,
    source: Source | None = None,
) -> Span:
    """A span; of its details those that say something are kept."""
    told = tuple(
        (name, str(value)) for name, value in (detail or {}).items() if value not in (None, "", ())
    )
    return Span(start=start, end=max(start, end), kind=kind, text=text, detail=told, source=source)


def lane(name: str, spans: Iterable[Span]) -> Lane:
    """A lane of `LANES`, its spans in order."""
    title, description, side = LANES[name]
    ordered = tuple(sorted(spans, key=lambda s: (s.start, s.end)))
    return Lane(name=name, title=title, description=description, side=side, spans=ordered)
