"""What can be told of a call without listening to it, so that a page has something to show at once.

An hour of sound takes seconds to be gone through; the live turns and the events say most of it before.
"""

from __future__ import annotations

import math

from recordings.format import Side, Turn
from recordings.reader import Episode
from scoring.audible import Segment, merge
from scoring.episode_view.axis import Axis
from scoring.episode_view.model import ShownText, TextKind
from scoring.episode_view.turns import CALL_EARS, ENDPOINT, SCENARIO, Contribution
from scoring.timeline import Timeline


def outline_timeline(episode: Episode) -> Timeline:
    """Both sides on one axis, by the turns of the call alone: no replies, no latencies.

    Raises:
        RecordingError: A track or the turns cannot be read.
    """
    info = episode.info
    rate = math.lcm(info.user_rate, info.endpoint_rate)
    heard, endpoint_rate = episode.track("endpoint")
    duration = max(round(info.duration_s * rate), heard.size * rate // endpoint_rate)
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
            unscored="" if text is not None else turn.unscored.get(kind.value, "not_given"),
        )
        for kind, by, text in (
            (TextKind.INTENDED, SCENARIO if mine else ENDPOINT, turn.intended),
            (TextKind.HEARD, ENDPOINT if mine else CALL_EARS, turn.heard),
        )
    )
