"""What can be told of a call without listening to it, so that a page has something to show at once.

An hour of sound takes seconds to be gone through; the live turns and the events say most of it before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from recordings.format import Side, Turn
from recordings.reader import Episode, Track
from recordings.studio.tracks import open_track
from scoring.audible import Segment, merge
from scoring.episode_view.axis import Axis
from scoring.episode_view.model import ShownText, TextKind
from scoring.episode_view.spans import Lane
from scoring.episode_view.turns import AFTERWARDS, CALL_EARS, ENDPOINT, SCENARIO, Contribution
from scoring.timeline import Timeline

_LATER = {TextKind.SAID: "not_read_yet"}
"""What takes its time: the row is there, so that nothing moves when it comes."""


def promised_length(episode: Episode, name: Track) -> tuple[int, int]:
    """Samples and rate of a track by its header: nothing is unpacked.

    Raises:
        RecordingError: It is not there, or is no track.
    """
    track = open_track(episode.path, name)
    return track.samples, track.rate


def outline_timeline(episode: Episode) -> Timeline:
    """Both sides on one axis, by the turns of the call alone: no replies, no latencies.

    Raises:
        RecordingError: A track or the turns cannot be read.
    """
    info = episode.info
    rate = math.lcm(info.user_rate, info.endpoint_rate)
    heard, endpoint_rate = promised_length(episode, "endpoint")
    duration = max(round(info.duration_s * rate), heard * rate // endpoint_rate)
    spoken: dict[Side, list[Segment]] = {Side.USER: [], Side.ENDPOINT: []}
    for turn in episode.turns:
        spoken[turn.side].append(_segment(turn, rate))
    return Timeline(
        rate=rate,
        user_step=rate // info.user_rate,
        endpoint_step=rate // info.endpoint_rate,
        duration=duration,
        user=merge(spoken[Side.USER]),
        endpoint=merge(spoken[Side.ENDPOINT]),
        greeting=(),
        exchanges=(),
    )


def outline_turns(turns: list[Turn], axis: Axis) -> list[Contribution]:
    """The turns of the call as they were noted while it went on; nothing is compared."""
    found = [
        Contribution(
            turn.side,
            (_segment(turn, axis.timeline.rate),),
            role=turn.role,
            label=turn.label,
            interrupted=turn.interrupted,
            recorded=(turn,),
            texts=_texts(turn),
        )
        for turn in turns
    ]
    return sorted(found, key=lambda one: one.start)


def known_lanes(lanes: Iterable[Lane]) -> tuple[Lane, ...]:
    """The lanes without what depends on exact edges, which turns alone would tell wrongly."""
    return tuple(
        one.model_copy(update={"spans": ()}) if one.name in ("overlaps", "dead_air") else one
        for one in lanes
    )


def _segment(turn: Turn, rate: int) -> Segment:
    step = rate // turn.rate
    return Segment(turn.start * step, max(turn.start, turn.end) * step)


def _texts(turn: Turn) -> tuple[ShownText, ...]:
    mine = turn.side is Side.USER
    return tuple(
        ShownText(
            kind=kind,
            by=by,
            text=text or "",
            unscored=""
            if text is not None
            else turn.unscored.get(kind.value, _LATER.get(kind, "not_given")),
        )
        for kind, by, text in (
            (TextKind.INTENDED, SCENARIO if mine else ENDPOINT, turn.intended),
            (TextKind.SAID, AFTERWARDS, None),
            (TextKind.HEARD, ENDPOINT if mine else CALL_EARS, turn.heard),
        )
    )
