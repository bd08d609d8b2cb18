"""Parts of the model that stand on the timeline: tracks, lanes with their spans, latencies. See `model`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from recordings.format import Side
from scoring.report.safe import neutralise

LONGEST = 20_000
"""Characters of a text that are shown; of a longer one is said how long it is."""


def _shown(text: str) -> str:
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} … ({len(text)} characters)"
    return neutralise(text)


Words = Annotated[str, AfterValidator(_shown)]
"""Text of others: cut to `LONGEST`, its control and bidi characters made visible."""


class Shown(BaseModel):
    """A part of the model."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ShownTrack(Shown):
    """An audio file of the episode.

    Attributes:
        name: "user", "user_clean", "endpoint" or "received".
        side: Whose voice it is.
        step: Ticks per sample.
        on_timeline: Sample 0 is tick 0; not so of what was received, which is laid end to end.
        problem: Why it cannot be played; "" if it can.
    """

    name: str
    title: str
    side: Side
    rate: int
    step: int
    samples: int
    on_timeline: bool = True
    problem: Words = ""


class Source(Shown):
    """Where in another track something is to be heard, in samples of that track."""

    track: str
    start: int
    end: int


class Span(Shown):
    """A stretch of the timeline, or an instant (`start == end`).

    Attributes:
        kind: What it is, for its look; each lane has its own kinds, see `lanes`.
        text: What it is, for people: one line.
        detail: More to tell: name, value with its unit.
        turn: Number of the turn it belongs to, or None.
        source: Where to hear it, if not at its place: what was received and never heard.
    """

    start: int
    end: int
    kind: Words
    text: Words
    detail: tuple[tuple[Words, Words], ...] = ()
    turn: int | None = None
    source: Source | None = None


class Lane(Shown):
    """Spans of one meaning; they may overlap.

    Attributes:
        name: Its id, as "overlaps".
        side: Whose doing it is; None is both or neither.
        spans: In order of their start.
    """

    name: str
    title: str
    description: str
    side: Side | None = None
    spans: tuple[Span, ...] = ()


class BracketKind(StrEnum):
    """How a reply came."""

    WAIT = "wait"
    CUT_IN = "cut_in"
    UNANSWERED = "unanswered"


class Part(Shown):
    """A part of a latency in milliseconds, or why it cannot be told."""

    name: str
    title: str
    ms: float | None = None
    unscored: str = ""


class Bracket(Shown):
    """The latency between a user's turn and its reply.

    Attributes:
        turn: Number of the user's turn.
        reply: Number of the reply; None if there is none.
        start: Where the user was heard last.
        end: Where the reply is heard first; smaller than `start` if it cut in. Without reply, where the
            next turn of the user begins, or the call ends.
        ms: The latency; None if there is none.
        text: The same for people: "820 ms", "no reply", "call ended".
        parts: What it is made of.
    """

    turn: int
    reply: int | None
    start: int
    end: int
    kind: BracketKind
    ms: float | None
    text: str
    parts: tuple[Part, ...] = ()
