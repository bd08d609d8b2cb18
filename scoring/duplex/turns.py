"""How turns are taken: who answers, who cuts in, how fast, and the scores that other tools make of it."""

from __future__ import annotations

from collections.abc import Iterable

from recordings.format import BehaviourSettled, Role
from scoring.audible import Segment, common, total
from scoring.duplex.moments import Spell, moments, spells, starts_within
from scoring.duplex.yielding import interruptions
from scoring.metric import Measured, Measurement, Unscored
from scoring.timeline import Exchange, Stretch
from scoring.view import EpisodeView

SHORT_S = 1.0
"""Endpoint speech shorter than this is no take-over: it is a backchannel (Full-Duplex-Bench v1)."""

CUT_OFF_DB = -18.0
"""Speech that is louder to its very end did not fade: it was cut off (Full-Duplex-Bench v1.5)."""

EARLY_S, RISEN_S, FALLS_S, LATE_S = -0.5, 0.5, 2.0, 3.5
"""Corners of EVA's latency score: 0 up to the first, 1 between the second and third, 0 from the last on."""

ON_TIME_S, TOO_LATE_S = 0.2, 2.75
"""EVA calls a reply early before the first and late from the second on."""


def answer_latency(view: EpisodeView) -> list[Measurement]:
    """L_R: mean time from the end of the user's turn to the reply, over answered turns (tau-voice)."""
    return [
        Unscored(exchange.unanswered, exchange.index)
        if exchange.latency is None
        else Measured(view.timeline.seconds(exchange.latency), exchange.index)
        for exchange in view.timeline.exchanges
    ]


def answer_rate(view: EpisodeView) -> list[Measurement]:
    """R_R: share of the user's turns that are answered before the user speaks next (tau-voice)."""
    return [
        Unscored("session_ended", exchange.index)
        if exchange.unanswered == "session_ended"
        else Measured(float(bool(exchange.reply)), exchange.index)
        for exchange in view.timeline.exchanges
    ]


def endpoint_cut_ins(view: EpisodeView) -> list[Measurement]:
    """I_A: times the endpoint begins to talk inside the user's turn, per turn; may exceed 1 (tau-voice)."""
    return [Measured(float(len(_cut_ins(view, e))), e.index) for e in view.timeline.exchanges]


def pause_take_over(view: EpisodeView) -> list[Measurement]:
    """Share of the pauses inside the user's turn that the endpoint takes for its end (TOR).

    Full-Duplex-Bench, pause handling: the endpoint begins to talk inside the pause, or before the user's
    next words are over, and goes on for 1 s or more. By duration alone; the source counts words besides.
    """
    every = spells(view.timeline)
    return [
        Measured(
            float(_takes_over(view, starts_within(every, Segment(pause.start, until)))),
            evidence=_at(view, pause.start),
        )
        for pause, until in _pauses(view)
    ]


def smooth_take_over(view: EpisodeView) -> list[Measurement]:
    """Share of finished user turns, without an interruption, at which the endpoint takes over (TOR)."""
    cutting = {m.utterance.id for m in interruptions(view)}
    return _took_turn(view, (e for e in view.timeline.exchanges if e.user.utterances[0].id not in cutting))


def interruption_take_over(view: EpisodeView) -> list[Measurement]:
    """Share of interruptions after which the endpoint takes the turn to answer (Full-Duplex-Bench, TOR)."""
    cutting = {m.utterance.id for m in interruptions(view)}
    return _took_turn(view, (e for e in view.timeline.exchanges if e.user.utterances[0].id in cutting))


def backchannel_take_over(view: EpisodeView) -> list[Measurement]:
    """Share of the user's backchannels, made while the endpoint talks, that it takes for a turn (TOR).

    It stops, and then begins to talk anew for 1 s or more within 2 s.
    """
    measurements: list[Measurement] = []
    for m in moments(view):
        if m.utterance.role is not Role.BACKCHANNEL or m.spell is None:
            continue
        span = Segment(m.utterance.start, m.utterance.end + round(2.0 * view.timeline.rate))
        other = next(
            (s for s in view.timeline.stretches if s is not m.spell.stretch and _begins_in(s, span)), None
        )
        took = other is not None and _long(view, other)
        measurements.append(Measured(float(took), evidence=_at(view, m.utterance.start)))
    return measurements


def endpoint_backchannels(view: EpisodeView) -> list[Measurement]:
    """The endpoint's own backchannels per second of user speech: it talks for less than 1 s, and lets go.

    Full-Duplex-Bench, backchannel frequency; the divergence from people's timing (JSD) needs their corpus.
    """
    timeline = view.timeline
    spoken = total(timeline.user)
    if not spoken:
        return [Unscored("user_never_spoke")]
    short = sum(
        not _long(view, stretch) and not stretch.cut and stretch.end <= exchange.user.end
        for exchange in timeline.exchanges
        for stretch in _cut_ins(view, exchange)
    )
    return [Measured(short * timeline.rate / spoken, parts=(short * timeline.rate, spoken))]


def eva_turn_taking(view: EpisodeView) -> list[Measurement]:
    """EVA's turn-taking score: mean over turns of the worst of latency, cutting in, and yielding; 0 to 1.

    A turn of the user that stays unanswered scores 0; at 0.8 a call passes. Its parts are in the evidence.
    """
    yields = {m.utterance.id: m for m in interruptions(view)}
    measurements: list[Measurement] = []
    for exchange in view.timeline.exchanges:
        if exchange.unanswered == "session_ended":
            measurements.append(Unscored("session_ended", exchange.index))
            continue
        parts = {"latency": _latency_score(view, exchange)}
        cut_ins = _cut_ins(view, exchange)
        if cut_ins:
            parts["cut_in"] = min(_overlap_score(view, exchange, cut_ins), _count_score(len(cut_ins)))
        moment = yields.get(exchange.user.utterances[0].id)
        if moment is not None and moment.to_stop is not None:
            parts["yield"] = max(0.0, 1 - view.timeline.seconds(moment.to_stop) / 2)
        measurements.append(Measured(min(parts.values()), exchange.index, evidence=dict(parts)))
    return measurements


def on_time(view: EpisodeView) -> list[Measurement]:
    """Share of replies that come neither early (before 0.2 s) nor late (from 2.75 s on) (EVA)."""
    return [
        Unscored(exchange.unanswered, exchange.index)
        if exchange.latency is None
        else Measured(
            float(ON_TIME_S <= view.timeline.seconds(exchange.latency) < TOO_LATE_S), exchange.index
        )
        for exchange in view.timeline.exchanges
    ]


def cut_off(view: EpisodeView) -> list[Measurement]:
    """Share of replies, not talked into, that never fall to -18 dB in their last 30 ms: broken off.

    Full-Duplex-Bench v1.5, sudden cut-off, but in each of three windows of 10 ms, since a word may end loud
    and still fade; the level is relative to that of the whole reply.
    """
    measurements: list[Measurement] = []
    for stretch in view.timeline.stretches:
        if stretch.tail_db is None:
            measurements.append(Unscored("too_short"))
        elif stretch.cut:
            measurements.append(Unscored("interrupted"))
        else:
            found = {**_at(view, stretch.end), "tail_db": round(stretch.tail_db, 1)}
            measurements.append(Measured(float(stretch.tail_db > CUT_OFF_DB), evidence=found))
    return measurements


def reprompts(view: EpisodeView) -> list[Measurement]:
    """Times in a call that the user has to ask whether anybody is there."""
    return [Measured(float(sum(u.role is Role.REPROMPT for u in view.timeline.utterances)))]


def behaviours_missed(view: EpisodeView) -> list[Measurement]:
    """Behaviours that the scenario asks for and that did not happen in the call: left out of every rate."""
    settled = [event for event in view.events if isinstance(event, BehaviourSettled)]
    missed = {event.behaviour: event.cause for event in settled if not event.happened}
    return [Measured(float(len(missed)), evidence={"causes": missed})]


# --- parts


def _cut_ins(view: EpisodeView, exchange: Exchange) -> list[Stretch]:
    """Stretches that begin inside the user's turn; speech that was under way belongs to the turn before."""
    turn = Segment(exchange.user.start, exchange.user.end)
    return [stretch for stretch in view.timeline.stretches if _begins_in(stretch, turn)]


def _begins_in(stretch: Stretch, span: Segment) -> bool:
    return span.start <= stretch.start < span.end


def _long(view: EpisodeView, stretch: Stretch) -> bool:
    return stretch.end - stretch.start >= SHORT_S * view.timeline.rate


def _pauses(view: EpisodeView) -> Iterable[tuple[Segment, int]]:
    """The declared pauses inside utterances, and where the words after each end."""
    for utterance in view.timeline.utterances:
        starts = [pause.start for pause in utterance.pauses]
        yield from zip(utterance.pauses, [*starts[1:], utterance.end], strict=False)


def _takes_over(view: EpisodeView, spell: Spell | None) -> bool:
    return spell is not None and (_long(view, spell.stretch) or spell.stretch.cut)


def _took_turn(view: EpisodeView, exchanges: Iterable[Exchange]) -> list[Measurement]:
    measurements: list[Measurement] = []
    for exchange in exchanges:
        if exchange.unanswered == "session_ended":
            measurements.append(Unscored("session_ended", exchange.index))
        else:
            took = any(_long(view, stretch) or stretch.cut for stretch in exchange.reply)
            measurements.append(Measured(float(took), exchange.index))
    return measurements


def _latency_score(view: EpisodeView, exchange: Exchange) -> float:
    if exchange.latency is None:
        return 0.0
    latency = view.timeline.seconds(exchange.latency)
    rising = (latency - EARLY_S) / (RISEN_S - EARLY_S)
    falling = (LATE_S - latency) / (LATE_S - FALLS_S)
    return min(1.0, max(0.0, min(rising, falling)))


def _overlap_score(view: EpisodeView, exchange: Exchange, cut_ins: Iterable[Stretch]) -> float:
    turn = (Segment(exchange.user.start, exchange.user.end),)
    both = common([segment for stretch in cut_ins for segment in stretch.segments], turn)
    return max(0.0, 0.5 * (1 - view.timeline.seconds(total(both)) / 2))


def _count_score(count: int) -> float:
    return max(0.0, 0.5 * (1 - (count - 1) / 2))


def _at(view: EpisodeView, tick: int) -> dict[str, object]:
    return {"at_s": view.timeline.seconds(tick)}
