"""What happens when the user talks while the endpoint does: interruptions, and what is none."""

from __future__ import annotations

from collections.abc import Sequence

from recordings.format import Role
from scoring.audible import Segment, common, total
from scoring.duplex.moments import STOPS_WITHIN_S, Moment, Spell, Stop, moments, spells, starts_within
from scoring.metric import Measured, Measurement, Unscored
from scoring.view import EpisodeView

IGNORED_FOR_S = 1.0
"""Who stops so soon after a backchannel has yielded to it (tau-voice, S_BC)."""

SILENT_FOR_S = 2.0
"""Who begins to talk so soon after what was not meant for it has answered it (tau-voice, S_ND)."""

GRACE_S = 0.6
"""Overlap that is forgiven at an interruption: nobody stops at once (callback-voice, time_to_yield)."""

RESUMED_S = 0.5
"""The old reply has come back if so much of it is heard after the interruption."""


def interruptions(view: EpisodeView) -> list[Moment]:
    """Moments in which the user began to talk, and wanted an answer, while the endpoint was talking."""
    return [m for m in moments(view) if m.utterance.role.wants_answer and m.over_speech]


def time_to_yield(view: EpisodeView) -> list[Measurement]:
    """From the first audible sample of an interruption to the last one of the reply it cuts into.

    Right-censored where the reply ended by itself, or the call ended first: it had not stopped by then.
    callback-voice (time_to_yield) and Full-Duplex-Bench v1.5 (stop latency) drop what never stopped.
    """
    return [
        Measured(
            _ms(view, _to_stop(m)),
            evidence=_evidence(view, m),
            censored=m.stop is not Stop.CUT_SHORT,
        )
        for m in interruptions(view)
    ]


def yield_rate(view: EpisodeView) -> list[Measurement]:
    """R_Y: share of interruptions at which the endpoint stops within 2.0 s (tau-voice).

    Where the reply ended by itself within the 2.0 s nobody knows: unscored.
    """
    measurements: list[Measurement] = []
    for m in interruptions(view):
        soon = _to_stop(m) <= STOPS_WITHIN_S * view.timeline.rate
        if soon and m.stop is not Stop.CUT_SHORT:
            cause = "reply_ended_by_itself" if m.stop is Stop.BY_ITSELF else "session_ended"
            measurements.append(Unscored(cause))
        else:
            measurements.append(Measured(float(soon), evidence=_evidence(view, m)))
    return measurements


def yield_latency(view: EpisodeView) -> list[Measurement]:
    """L_Y: mean time to stop at interruptions, over those that made it stop (tau-voice)."""
    return [
        Measured(_to_stop(m) / view.timeline.rate)
        if m.stop is Stop.CUT_SHORT
        else Unscored("did_not_yield")
        for m in interruptions(view)
    ]


def backchannels_ignored(view: EpisodeView) -> list[Measurement]:
    """S_BC: share of the user's backchannels at which the endpoint goes on (tau-voice)."""
    return _ignored(view, Role.BACKCHANNEL)


def tics_ignored(view: EpisodeView) -> list[Measurement]:
    """S_VT: share of the user's coughs at which the endpoint goes on (tau-voice)."""
    return _ignored(view, Role.TIC)


def asides_ignored(view: EpisodeView) -> list[Measurement]:
    """S_ND: share of words to somebody else that the endpoint does not take up (tau-voice)."""
    return _ignored(view, Role.ASIDE)


def false_yields(view: EpisodeView) -> list[Measurement]:
    """Share of backchannels in a reply at which the endpoint stops within 1.0 s, for 0.6 s or more.

    callback-voice, false_yield.
    """
    found = [m for m in moments(view) if m.utterance.role is Role.BACKCHANNEL and m.over_speech]
    return [_scored(view, m, stopped=True) for m in found]


def _ignored(view: EpisodeView, role: Role) -> list[Measurement]:
    found = [moment for moment in moments(view) if moment.utterance.role is role]
    every = spells(view.timeline) if found else ()
    return [_went_on(view, moment, every) for moment in found]


def _went_on(view: EpisodeView, moment: Moment, every: Sequence[Spell]) -> Measurement:
    """1 if the endpoint took no notice: it neither stopped within 1.0 s, nor answered within 2.0 s."""
    if moment.over_speech:
        return _scored(view, moment, stopped=False)
    if moment.reply_due:
        return Unscored("reply_was_due")
    timeline, utterance = view.timeline, moment.utterance
    wait = utterance.end + round(SILENT_FOR_S * timeline.rate)
    turns = (turn.start for turn in timeline.utterances if turn.role.wants_answer)
    next_turn = min((start for start in turns if start > utterance.start), default=wait)
    until = min(wait, next_turn, timeline.duration)
    answered = starts_within(every, Segment(utterance.start, max(until, utterance.start)))
    if answered is None and until < wait:
        return Unscored("session_ended" if until == timeline.duration else "user_spoke_next")
    return Measured(float(answered is None), evidence=_evidence(view, moment))


def _scored(view: EpisodeView, moment: Moment, *, stopped: bool) -> Measurement:
    soon = _to_stop(moment) <= IGNORED_FOR_S * view.timeline.rate
    if soon and moment.stop is not Stop.CUT_SHORT:
        ended = moment.stop is Stop.CALL_ENDED
        return Unscored("session_ended" if ended else "reply_ended_by_itself")
    return Measured(float(soon is stopped), evidence=_evidence(view, moment))


def talk_over(view: EpisodeView) -> list[Measurement]:
    """Share of the user's speech that the endpoint talks over, beyond 0.6 s of grace at an interruption.

    callback-voice, talk_over. Only speech that wants an answer counts.
    """
    timeline = view.timeline
    wanting = [u for u in timeline.utterances if u.role.wants_answer]
    if not wanting:
        return [Unscored("user_never_spoke")]
    over = round(GRACE_S * timeline.rate)
    interrupting = {m.utterance.id for m in interruptions(view)}
    counted = [
        Segment(min(u.start + over, u.end) if u.id in interrupting else u.start, u.end) for u in wanting
    ]
    both, spoken = (
        total(common(counted, timeline.endpoint)),
        total(Segment(u.start, u.end) for u in wanting),
    )
    return [Measured(both / spoken, parts=(both, spoken))]


def interruptions_answered(view: EpisodeView) -> list[Measurement]:
    """Share of interruptions whose new question gets an answer of its own."""
    by_start = {exchange.user.start: exchange for exchange in view.timeline.exchanges}
    measurements: list[Measurement] = []
    for m in interruptions(view):
        exchange = by_start.get(m.utterance.start)
        if exchange is None:
            measurements.append(Unscored("part_of_an_earlier_turn"))
        elif exchange.unanswered == "session_ended":
            measurements.append(Unscored("session_ended"))
        else:
            measurements.append(Measured(float(bool(exchange.reply)), exchange.index))
    return measurements


def old_reply_resumed(view: EpisodeView) -> list[Measurement]:
    """Share of interruptions after which the interrupted reply comes back: 0.5 s or more of it is heard.

    Told by the response that the audio belongs to; without responses it can't be told.
    """
    timeline = view.timeline
    measurements: list[Measurement] = []
    for m in interruptions(view):
        stretch = m.spell.stretch if m.spell else None
        if stretch is None or stretch.delivery is None or not stretch.delivery.response:
            measurements.append(Unscored("no_responses"))
            continue
        after = Segment(m.utterance.end, max(timeline.duration, m.utterance.end))
        same = (one for one in timeline.stretches if one.delivery is stretch.delivery)
        again = total(common([part for one in same for part in one.segments], (after,)))
        resumed = again >= RESUMED_S * timeline.rate
        measurements.append(Measured(float(resumed), evidence=_evidence(view, m)))
    return measurements


def _to_stop(moment: Moment) -> int:
    assert moment.to_stop is not None, "only moments in which the endpoint was talking"
    return moment.to_stop


def _ms(view: EpisodeView, ticks: int) -> float:
    return view.timeline.milliseconds(ticks)


def _evidence(view: EpisodeView, moment: Moment) -> dict[str, object]:
    timeline, utterance = view.timeline, moment.utterance
    evidence: dict[str, object] = {
        "at_s": timeline.seconds(utterance.start),
        "utterance": utterance.id,
        "behaviour": utterance.behaviour,
    }
    if moment.spell is not None and moment.stop is not None:
        evidence["endpoint_until_s"] = timeline.seconds(moment.spell.end)
        evidence["stop"] = moment.stop.name.lower()
    return evidence
