"""What one call of the self-test shows, as numbers. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from recordings.format import Flushed, ReceivedPiece, Role
from scenarios.schema import Fact
from scoring.audible import Segment
from scoring.duplex.moments import QUIET_S, Stop, moments
from scoring.duplex.turns import cut_off
from scoring.duplex.yielding import IGNORED_FOR_S, interruptions
from scoring.metric import Measured
from scoring.selftest.judged import Judged
from scoring.selftest.numbers import mean, middle
from scoring.selftest.said import leaked, times_repeated
from scoring.selftest.sound import ECHO_WITHIN_S, clipped_share, echo, noise_below_speech, without
from scoring.timeline import Exchange, Stretch, Utterance
from scoring.view import EpisodeView
from scoring.words import endpoint_wer_said
from streams.audio import Pcm

ECHO_ALIKE = 0.5
"""Correlation from which the endpoint's track holds the user's voice."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What was measured in a call; None is what could not be, or did not happen.

    Attributes:
        latency_s: Median of the replies' latencies, less those to interruptions.
        to_stop_s: From the start of the interruption until the endpoint was silent.
        cut_s: The same until what it was saying was dropped; it may have been between two sounds just then.
        went_on: The endpoint did not stop for it, but came to its own end.
        mm_hm_stop_s: From the start of an "mm-hm" until the endpoint stopped for it.
        cut_in_s: From the start of a pause of the user until the endpoint talked into it.
        talk_over_s: From the start of the user's words until the endpoint talked into them.
        hole_s: The longest silence within a reply; median over the replies.
        dropped: Share of the words of the endpoint's own text that were not heard in its voice.
        wrong_facts: Share of the replies that contradict their fact.
        wrong_numbers: The same for their number.
        clipped: Share of the replies' samples at full scale.
        noise_db: From speech to background in the replies; median.
        echo_db: Level at which the user's voice comes back; median.
        repeated: How often the last words of a reply were said before in it; median.
        behind: How many questions the replies are behind, where half of them or more are; median.
        broken_off: Share of the replies that end within a word.
        answered: Turns that were answered before the endpoint said nothing more.
        leaked_in: The reply, from 1, in which the instructions are heard.
        speed: Seconds of audio delivered per second; median. None if it came at once.
    """

    latency_s: float | None = None
    to_stop_s: float | None = None
    cut_s: float | None = None
    went_on: bool = False
    mm_hm_stop_s: float | None = None
    cut_in_s: float | None = None
    talk_over_s: float | None = None
    hole_s: float | None = None
    dropped: float | None = None
    wrong_facts: float | None = None
    wrong_numbers: float | None = None
    clipped: float | None = None
    noise_db: float | None = None
    echo_db: float | None = None
    repeated: float | None = None
    behind: float | None = None
    broken_off: float | None = None
    answered: int | None = None
    leaked_in: int | None = None
    speed: float | None = None


@dataclass(frozen=True, slots=True)
class Tracks:
    """The audio of a call, int16; both at the same rate."""

    user: Pcm
    endpoint: Pcm
    rate: int


def read(
    view: EpisodeView, tracks: Tracks, facts: Mapping[str, Sequence[Fact]], instructions: str
) -> Readings:
    """Measure a call.

    Args:
        view: The episode.
        tracks: Its audio.
        facts: What the answer to each question states, by the question's words.
        instructions: What the endpoint is to keep to itself.
    """
    whole = [s for e in view.timeline.exchanges for s in e.reply if not s.cut]
    sounds = [_sound(tracks, view, stretch) for stretch in whole]
    judged = Judged(view, facts)
    return Readings(
        latency_s=_latency(view),
        to_stop_s=_to_stop(view),
        cut_s=_cut(view),
        went_on=_went_on(view),
        mm_hm_stop_s=_mm_hm(view),
        cut_in_s=_cut_in(view),
        talk_over_s=_talk_over(view),
        hole_s=middle(_longest_hole(stretch) / view.timeline.rate for stretch in whole),
        dropped=_dropped(view),
        wrong_facts=judged.wrong(".fact"),
        wrong_numbers=judged.wrong(".number"),
        clipped=mean(clipped_share(sound) for sound in sounds),
        noise_db=middle(noise_below_speech(sound, tracks.rate) for sound in sounds),
        echo_db=_echo(view, tracks),
        repeated=middle(times_repeated(text.endpoint_said or "") for text in view.texts),
        behind=judged.behind(),
        broken_off=mean(m.value for m in cut_off(view) if isinstance(m, Measured)),
        answered=_answered(view.timeline.exchanges),
        leaked_in=_leaked_in(view, instructions),
        speed=_speed(view),
    )


# --- turns


def _latency(view: EpisodeView) -> float | None:
    cutting = {m.utterance.id for m in interruptions(view)}
    plain = (e for e in view.timeline.exchanges if e.user.utterances[0].id not in cutting)
    return middle(None if e.latency is None else e.latency / view.timeline.rate for e in plain)


def _to_stop(view: EpisodeView) -> float | None:
    return middle(
        None if m.to_stop is None else m.to_stop / view.timeline.rate for m in interruptions(view)
    )


def _cut(view: EpisodeView) -> float | None:
    timeline = view.timeline
    cuts = [e.at * timeline.endpoint_step for e in view.events if isinstance(e, Flushed) and e.items]
    after = (
        min((cut for cut in cuts if cut > m.utterance.start), default=None) for m in interruptions(view)
    )
    starts = (m.utterance.start for m in interruptions(view))
    return middle(
        None if cut is None else (cut - start) / timeline.rate
        for cut, start in zip(after, starts, strict=True)
    )


def _went_on(view: EpisodeView) -> bool:
    return any(m.stop is Stop.BY_ITSELF for m in interruptions(view))


def _mm_hm(view: EpisodeView) -> float | None:
    rate = view.timeline.rate
    for m in moments(view):
        if m.utterance.role is not Role.BACKCHANNEL or m.to_stop is None or m.spell is None:
            continue
        back = m.spell.resumes
        silent = back is None or back - m.spell.end >= QUIET_S * rate
        if m.stop is Stop.CUT_SHORT and m.to_stop <= IGNORED_FOR_S * rate and silent:
            return m.to_stop / rate
    return None


def _cut_in(view: EpisodeView) -> float | None:
    for utterance in view.timeline.utterances:
        for pause in utterance.pauses:
            for stretch in view.timeline.stretches:
                if pause.start <= stretch.start < pause.end:
                    return (stretch.start - pause.start) / view.timeline.rate
    return None


def _talk_over(view: EpisodeView) -> float | None:
    """Median over the user's turns, less those that cut into a reply: there yielding is what counts."""
    cutting = {m.utterance.id for m in interruptions(view)}
    turns = (u for u in view.timeline.utterances if u.role.wants_answer and u.id not in cutting)
    return middle(_into(view, turn) for turn in turns)


def _into(view: EpisodeView, utterance: Utterance) -> float | None:
    heard = [s for s in view.timeline.user if utterance.start <= s.start < utterance.end]
    for stretch in view.timeline.stretches:
        if any(segment.start < stretch.start < segment.end for segment in heard):
            return (stretch.start - utterance.start) / view.timeline.rate
    return None


def _answered(exchanges: Sequence[Exchange]) -> int | None:
    """Turns before those that stayed without any reply until the end, if there are two or more of these."""
    count = len(exchanges)
    while count and exchanges[count - 1].unanswered == "no_reply":
        count -= 1
    return count if len(exchanges) - count >= 2 else None


# --- sound


def _sound(tracks: Tracks, view: EpisodeView, stretch: Stretch) -> Pcm:
    step = view.timeline.endpoint_step
    return tracks.endpoint[stretch.start // step : stretch.end // step]


def _longest_hole(stretch: Stretch) -> int:
    return max((after.start - before.end for before, after in pairwise(stretch.segments)), default=0)


def _echo(view: EpisodeView, tracks: Tracks) -> float | None:
    """Over the user's turns, where at least half of them come back."""
    step = view.timeline.endpoint_step
    own = tuple(Segment(s.start // step, s.end // step) for s in view.timeline.endpoint)
    found: list[float] = []
    turns = [u for u in view.timeline.utterances if u.role is Role.TURN]
    for utterance in turns:
        first, last = utterance.start // view.timeline.user_step, utterance.end // view.timeline.user_step
        until = last + round(ECHO_WITHIN_S * tracks.rate)
        back = echo(tracks.user[first:last], without(tracks.endpoint[first:until], own, first), tracks.rate)
        if back is not None and back.correlation >= ECHO_ALIKE:
            found.append(back.level_db)
    return median(found) if 2 * len(found) >= len(turns) and found else None


def _speed(view: EpisodeView) -> float | None:
    """Seconds of sound per second of delivery, from piece to piece; median over a reply, then over replies.

    What came at once can't be told. A pause of the speaker is a single long wait, and moves no median.
    """
    heard = {id(s.delivery): s.delivery for e in view.timeline.exchanges for s in e.reply if s.delivery}
    return middle(_pace([view.received[i] for i in delivery.pieces], view) for delivery in heard.values())


def _pace(pieces: Sequence[ReceivedPiece], view: EpisodeView) -> float | None:
    waits = [(piece, later.t - piece.t) for piece, later in pairwise(pieces) if later.t > piece.t]
    brought = sum(piece.samples for piece, _ in waits) / view.info.endpoint_rate
    return middle(p.samples / view.info.endpoint_rate / wait for p, wait in waits) if brought > 1 else None


# --- words


def _dropped(view: EpisodeView) -> float | None:
    scored = [m for m in endpoint_wer_said(view) if isinstance(m, Measured) and m.parts]
    total = sum(m.parts[1] for m in scored if m.parts)
    gone = sum(int(str(m.evidence["deletions"])) for m in scored)
    return gone / total if total else None


def _leaked_in(view: EpisodeView, instructions: str) -> int | None:
    for number, text in enumerate(view.texts, start=1):
        if leaked(text.endpoint_said or "", instructions):
            return number
    return None
