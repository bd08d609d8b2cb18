"""From audio and events to a timeline: which endpoint speech answers which turn of the user. Pure.

The rules:

1. Utterances of the user that follow each other within 2 s, before the endpoint has answered, are one turn.
   What wants no answer (a backchannel, a cough, a word to somebody else) is part of no turn.
2. Endpoint speech of one response is one *stretch*. Where the protocol has no responses, speech is, over
   pauses of up to 1 s in which the user neither began nor finished.
3. A stretch belongs to the turn that had begun last when its first audible sample *arrived*: what was under
   way before the user spoke can't answer it, however late it is played. What came before the first turn is
   the greeting.
4. The reply is the first stretch of a turn that lasts beyond the user's last sample; if it began before,
   its latency is negative. What began and ended while the user talked cut in, and is no reply.
5. A turn without a reply is unanswered (`no_reply`). If the call ended before the scenario's reply timeout,
   and not by the endpoint's doing, nobody knows: the turn is censored (`session_ended`).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recordings.format import Event, Flushed, ReceivedPiece, UtteranceEnded, UtteranceStarted
from scoring.audible import Segment, audible_segments, common, merge
from scoring.delivery import Deliveries
from scoring.timeline import Exchange, Stretch, Timeline, UserTurn, Utterance
from streams.audio import Pcm

USER_PAUSE_S = 2.0
ENDPOINT_PAUSE_S = 1.0
MERGE_GAP_S = 0.2
SHORTEST_S = 0.02
TAIL_WINDOW_S = 0.01
TAIL_WINDOWS = 3


@dataclass(frozen=True, slots=True)
class Tracks:
    """The audio a timeline is read from.

    Attributes:
        endpoint: As heard, int16.
        user: The user's clean track, or None. Only pauses inside an utterance are read from it, unless
            there are no events.
    """

    endpoint: Pcm
    endpoint_rate: int
    user_rate: int
    user: Pcm | None = None


def build_timeline(
    tracks: Tracks,
    events: Sequence[Event],
    pieces: Sequence[ReceivedPiece] = (),
    *,
    duration_s: float = 0.0,
    reply_timeout_s: float = 20.0,
    ended_by_endpoint: bool = False,
) -> Timeline:
    """Put an episode on one axis.

    Args:
        tracks: The audio.
        events: In order; the user's edges come from `UtteranceStarted` wherever there is one.
        pieces: The index of what arrived, in order of arrival.
        duration_s: Length of the call; at least that of the endpoint's track is taken.
        reply_timeout_s: Silence after which a turn counts as unanswered at the end of the call.
        ended_by_endpoint: The endpoint ended the call, or kept silent until it ended.
    """
    rate = math.lcm(tracks.user_rate, tracks.endpoint_rate)
    duration = max(round(duration_s * rate), tracks.endpoint.size * rate // tracks.endpoint_rate)
    utterances = _utterances(tracks, events, rate, duration)
    wanting = [utterance for utterance in utterances if utterance.role.wants_answer]
    stretches = _Stretches(tracks, pieces, wanting, rate).find()
    turns = _turns(wanting, stretches, rate)
    flushed = {item for event in events if isinstance(event, Flushed) for item, _, _ in event.items}
    greeting, *owned = _assign(stretches, turns, flushed, duration, rate, rate // tracks.endpoint_rate)
    exchanges = []
    for index, (turn, own) in enumerate(zip(turns, owned, strict=True)):
        reply = _from_reply_on(own, turn)
        waited = (duration - turn.end) / rate
        censored = index == len(turns) - 1 and waited < reply_timeout_s and not ended_by_endpoint
        cause = "" if reply else "session_ended" if censored else "no_reply"
        cut_ins = sum(stretch.start < turn.end for stretch in own)
        exchanges.append(Exchange(index, turn, reply, cut_ins, cause))
    return Timeline(
        rate=rate,
        user_step=rate // tracks.user_rate,
        endpoint_step=rate // tracks.endpoint_rate,
        duration=duration,
        user=_user_segments(tracks, utterances, rate),
        endpoint=merge(segment for stretch, _ in stretches for segment in stretch.segments),
        greeting=tuple(greeting),
        exchanges=tuple(exchanges),
        utterances=tuple(utterances),
        stretches=tuple(stretch for own in (greeting, *owned) for stretch in own),
    )


@dataclass(frozen=True, slots=True)
class _Sound:
    """A loud part of the endpoint's track, in its samples, and where it comes from."""

    segment: Segment
    delivery: int | None
    response: str
    first_known: int
    last_known: int


class _Stretches:
    """Puts the endpoint's speech together to stretches."""

    def __init__(
        self,
        tracks: Tracks,
        pieces: Sequence[ReceivedPiece],
        utterances: Sequence[Utterance],
        rate: int,
    ) -> None:
        self._track, self._track_rate = tracks.endpoint, tracks.endpoint_rate
        self._step = rate // tracks.endpoint_rate
        self._deliveries = Deliveries(pieces, tracks.endpoint_rate)
        self._user_edges = sorted(
            edge // self._step for utterance in utterances for edge in (utterance.start, utterance.end)
        )

    def find(self) -> list[tuple[Stretch, int]]:
        """All stretches, each with the tick at which its first audible sample was there."""
        heard = audible_segments(self._track, self._track_rate, merge_gap_s=0, min_s=0)
        groups: list[list[_Sound]] = []
        for segment in heard:
            for part in self._deliveries.split(segment):
                sound = self._sound(part)
                if groups and self._goes_on(groups[-1][-1], sound):
                    groups[-1].append(sound)
                else:
                    groups.append([sound])
        return [stretch for group in groups for stretch in self._stretch(group)]

    def _sound(self, segment: Segment) -> _Sound:
        first = self._deliveries.at(segment.start)
        response = "" if first is None else self._deliveries.all[first.delivery].response
        return _Sound(
            segment=segment,
            delivery=None if first is None else first.delivery,
            response=response,
            first_known=self._known(segment.start),
            last_known=self._known(segment.end - 1),
        )

    def _known(self, sample: int) -> int:
        """When a sample was there to be heard: on arrival, or, without an index, when it was heard."""
        origin = self._deliveries.at(sample)
        return sample if origin is None else min(sample, math.floor(origin.arrival * self._track_rate))

    def _goes_on(self, last: _Sound, sound: _Sound) -> bool:
        if last.response or sound.response:
            return last.response == sound.response
        pause = sound.segment.start - last.segment.end
        edges = bisect_right(self._user_edges, sound.first_known)
        return (
            pause <= ENDPOINT_PAUSE_S * self._track_rate
            and bisect_right(self._user_edges, last.last_known) == edges
        )

    def _stretch(self, group: Sequence[_Sound]) -> list[tuple[Stretch, int]]:
        """One stretch, or none if there were only clicks."""
        merged = merge((sound.segment for sound in group), round(MERGE_GAP_S * self._track_rate))
        loud = [segment for segment in merged if segment.samples >= SHORTEST_S * self._track_rate]
        if not loud:
            return []
        first = next(sound for sound in group if sound.segment.start == loud[0].start)
        step = self._step
        stretch = Stretch(
            segments=tuple(Segment(segment.start * step, segment.end * step) for segment in loud),
            delivery=None if first.delivery is None else self._deliveries.all[first.delivery],
            tail_db=_tail_db(self._track, loud, self._track_rate),
        )
        return [(stretch, first.first_known * step)]


def _tail_db(track: Pcm, loud: Sequence[Segment], rate: int) -> float | None:
    """The lowest level of the last 10 ms windows: one of them has faded at a natural end, however loud."""
    last, window = loud[-1], round(TAIL_WINDOW_S * rate)
    tail = track[max(last.start, last.end - TAIL_WINDOWS * window) : last.end]
    if tail.size < TAIL_WINDOWS * window:
        return None
    whole = np.concatenate([track[segment.start : segment.end] for segment in loud])
    level = float(np.std(whole, dtype=np.float64))
    lowest = float(np.std(tail.reshape(TAIL_WINDOWS, window), axis=1, dtype=np.float64).min())
    return 20 * math.log10(max(lowest, 0.5) / level) if level > 0 else None


def _turns(
    utterances: Sequence[Utterance], stretches: Sequence[tuple[Stretch, int]], rate: int
) -> list[UserTurn]:
    groups: list[list[Utterance]] = []
    for utterance in utterances:
        if groups:
            start, end = groups[-1][0].start, groups[-1][-1].end
            answered = any(start <= s.start < utterance.start and s.end > end for s, _ in stretches)
            if utterance.start - end <= USER_PAUSE_S * rate and not answered:
                groups[-1].append(utterance)
                continue
        groups.append([utterance])
    return [UserTurn(tuple(group)) for group in groups]


def _assign(
    stretches: Sequence[tuple[Stretch, int]],
    turns: Sequence[UserTurn],
    flushed: set[str],
    duration: int,
    rate: int,
    step: int,
) -> list[list[Stretch]]:
    """The greeting's stretches, then those of each turn, marked; every stretch is used once."""
    starts = [turn.start for turn in turns]
    owned: list[list[Stretch]] = [[] for _ in range(len(turns) + 1)]
    seen: set[int] = set()
    for stretch, known in stretches:
        owner = bisect_right(starts, known)
        delivery = stretch.delivery
        cut = stretch.end >= duration or any(stretch.start < start < stretch.end for start in starts)
        endless = False
        if delivery is not None:
            asked = starts[owner - 1] if owner else 0
            cut = cut or any(item in flushed for item in delivery.items) or delivery.end * step > duration
            endless = id(delivery) in seen or delivery.arrival * rate < asked
            seen.add(id(delivery))
        owned[owner].append(replace(stretch, endless=endless, cut=cut))
    return owned


def _from_reply_on(stretches: Sequence[Stretch], turn: UserTurn) -> tuple[Stretch, ...]:
    for position, stretch in enumerate(stretches):
        if stretch.end > turn.end:
            return tuple(stretches[position:])
    return ()


def _utterances(tracks: Tracks, events: Sequence[Event], rate: int, duration: int) -> list[Utterance]:
    """The user's speech with exact edges; from the audio only if there are no events at all."""
    step = rate // tracks.user_rate
    sent = {event.utterance: event.samples for event in events if isinstance(event, UtteranceEnded)}
    begun = [event for event in events if isinstance(event, UtteranceStarted)]
    if not begun and tracks.user is not None:
        found = audible_segments(tracks.user, tracks.user_rate)
        return [Utterance("", "", "", s.start * step, s.end * step, s) for s in found]
    utterances = []
    for event in sorted(begun, key=lambda event: event.start):
        last = min(event.start + sent.get(event.utterance, event.samples), duration // step)
        start, end = event.audible_start, min(event.audible_end, last)
        if end > start:
            utterances.append(
                Utterance(
                    id=event.utterance,
                    text=event.text,
                    spoken=event.spoken,
                    start=start * step,
                    end=end * step,
                    clip=Segment(event.start, last),
                    cut=end < event.audible_end,
                    role=event.role,
                    behaviour=event.behaviour,
                    pauses=tuple(
                        Segment(first * step, past * step) for first, past in event.pauses if past <= end
                    ),
                )
            )
    return utterances


def _user_segments(tracks: Tracks, utterances: Sequence[Utterance], rate: int) -> tuple[Segment, ...]:
    """The user's utterances less the pauses inside them, which are found as on the endpoint's track.

    The outer edges stay those of the events, whatever the level of the first and last sound.
    """
    spans = [Segment(utterance.start, utterance.end) for utterance in utterances]
    if tracks.user is None:
        return merge(spans)
    step = rate // tracks.user_rate
    found = [Segment(s.start * step, s.end * step) for s in audible_segments(tracks.user, tracks.user_rate)]
    segments: list[Segment] = []
    for span in spans:
        inner = list(common(found, (span,))) or [span]
        inner[0] = Segment(span.start, inner[0].end)
        inner[-1] = Segment(inner[-1].start, span.end)
        segments += inner
    return merge(segments)
