"""Lanes of who talks when, from the timeline; those of events are in `event_lanes`. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from recordings.format import Role
from scoring.audible import Segment
from scoring.duplex.moments import Moment, Stop
from scoring.duplex.turns import SHORT_S
from scoring.duplex.yielding import interruptions
from scoring.episode_view.axis import Axis, lane, span, stretches
from scoring.episode_view.model import ShownTurn
from scoring.episode_view.spans import Lane, Span
from scoring.timeline import Utterance
from scoring.view import EpisodeView

_STOPS = {
    Stop.CUT_SHORT: "the endpoint stops",
    Stop.BY_ITSELF: "the reply ends by itself",
    Stop.CALL_ENDED: "the call ends",
}
_ROLES = {
    Role.TURN: "the user's turn",
    Role.BARGE_IN: "the user cuts in",
    Role.CORRECTION: "the user corrects itself",
    Role.REPROMPT: "the user asks whether anybody is there",
    Role.BACKCHANNEL: "the user says mm-hm",
    Role.ASIDE: "the user talks to somebody else",
    Role.TIC: "the user coughs",
    Role.TALK_OVER: "the user talks over the endpoint",
}


def speech_lanes(view: EpisodeView, axis: Axis) -> tuple[Lane, ...]:
    """Who is heard, what for, and where the sides meet."""
    timeline = view.timeline
    pauses = [pause for utterance in timeline.utterances for pause in utterance.pauses]
    return (
        lane("user", stretches(timeline.user, "speech", "user talks", axis)),
        lane("endpoint", stretches(timeline.endpoint, "speech", "endpoint talks", axis)),
        lane("utterances", (_utterance(one, axis) for one in timeline.utterances)),
        lane("overlaps", stretches(timeline.overlaps, "overlap", "both talk", axis)),
        lane("dead_air", stretches(timeline.dead_air, "silence", "nobody talks", axis)),
        lane("barge_ins", (_barge_in(moment, axis) for moment in interruptions(view))),
        lane("cut_ins", _cut_ins(view, axis)),
        lane("pauses", stretches(pauses, "pause", "a pause", axis)),
    )


def _utterance(utterance: Utterance, axis: Axis) -> Span:
    detail = {
        "length": axis.text(utterance.end - utterance.start),
        "words": utterance.text,
        "behaviour": utterance.behaviour,
        "broken off": "yes" if utterance.cut else "",
    }
    return span(utterance.start, utterance.end, utterance.role.value, _ROLES[utterance.role], detail)


def _barge_in(moment: Moment, axis: Axis) -> Span:
    assert moment.spell is not None and moment.stop is not None, "only moments over the endpoint's speech"
    start, end = moment.utterance.start, moment.spell.end
    what = f"{_STOPS[moment.stop]} {axis.text(end - start)} after the user cut in"
    detail = {"words": moment.utterance.text, "behaviour": moment.utterance.behaviour}
    return span(start, end, moment.stop.name.lower(), what, detail)


def _cut_ins(view: EpisodeView, axis: Axis) -> Iterable[Span]:
    timeline = view.timeline
    turns = [Segment(e.user.start, e.user.end) for e in timeline.exchanges]
    for stretch in timeline.stretches:
        if any(turn.start <= stretch.start < turn.end for turn in turns):
            short = stretch.end - stretch.start < SHORT_S * timeline.rate
            kind, what = ("backchannel", "a short sound") if short else ("cut_in", "the endpoint cuts in")
            length = axis.text(stretch.end - stretch.start)
            yield span(stretch.start, stretch.end, kind, f"{what}, {length}")


def with_turns(lanes: Iterable[Lane], turns: Sequence[ShownTurn]) -> tuple[Lane, ...]:
    """The same lanes; spans of one side's doing know the turn of that side in which they begin."""
    found = []
    for one in lanes:
        own = [turn for turn in turns if turn.side is one.side]
        starts = [turn.start for turn in own]
        spans = tuple(_with_turn(each, own, bisect_right(starts, each.start) - 1) for each in one.spans)
        found.append(one.model_copy(update={"spans": spans}) if own else one)
    return tuple(found)


def _with_turn(one: Span, turns: Sequence[ShownTurn], place: int) -> Span:
    if place < 0 or one.start >= turns[place].end:
        return one
    return one.model_copy(update={"turn": turns[place].number})
