"""What the endpoint did whenever the user spoke: the ground truth beside the heard timeline. Pure.

A *spell* is endpoint speech of one stretch without a silence of 0.6 s: as long as it lasts, the endpoint
"is talking". A spell *was cut short* if there is evidence that it would have gone on: audio of it was
dropped unheard, the endpoint asked for a flush, it gave the response up, or it went on with it later. It
*ended by itself* if its response was completed and heard to the last sample. Where there is no evidence
either way (protocols without responses), stopping within 2 s counts as stopping because of the user.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from recordings.format import Event, Flushed, ResponseFinished
from scoring.audible import Segment, merge
from scoring.timeline import Exchange, Stretch, Timeline, Utterance
from scoring.view import EpisodeView

QUIET_S = 0.6
"""Silence from which the endpoint has stopped talking (callback-voice, false_yield)."""

STOPS_WITHIN_S = 2.0
"""Without other evidence, who stops so soon stopped because of the user (tau-voice, R_Y)."""

FALTERS_WITHIN_S = 1.0
"""Who falls silent so soon and then goes on with the same reply faltered because of the user."""

FLUSH_REACH_S = 0.25
"""A flush so long after the last heard sample still belongs to that stop: playback had run dry."""


class Stop(Enum):
    """Why a spell ended."""

    CUT_SHORT = auto()
    BY_ITSELF = auto()
    CALL_ENDED = auto()


@dataclass(frozen=True, slots=True)
class Spell:
    """Endpoint speech without a silence of 0.6 s, in ticks.

    Attributes:
        resumes: When the same stretch goes on after it, or None.
    """

    start: int
    end: int
    stretch: Stretch
    resumes: int | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """An utterance of the user, and what the endpoint was doing and did.

    Attributes:
        spell: The spell it began in; None if the endpoint was silent.
        stop: Why that spell ended.
        next_spell: The first spell that began after it began.
        reply_due: The endpoint was silent, and owed an answer to an earlier turn.
    """

    utterance: Utterance
    spell: Spell | None
    stop: Stop | None
    next_spell: Spell | None
    reply_due: bool

    @property
    def over_speech(self) -> bool:
        """True if the endpoint was talking when it began."""
        return self.spell is not None

    @property
    def to_stop(self) -> int | None:
        """Ticks from its first audible sample to the last one of the spell it began in."""
        return None if self.spell is None else self.spell.end - self.utterance.start


def spells(timeline: Timeline) -> tuple[Spell, ...]:
    """All spells in order of their start. None overlap: all of a stretch is heard before all of another."""
    gap = round(QUIET_S * timeline.rate) - 1
    found: list[Spell] = []
    for stretch in timeline.stretches:
        parts = merge(stretch.segments, gap)
        later = [part.start for part in parts[1:]]
        found += [
            Spell(part.start, part.end, stretch, resumes)
            for part, resumes in zip(parts, [*later, None], strict=True)
        ]
    return tuple(sorted(found, key=_start))


def moments(view: EpisodeView) -> tuple[Moment, ...]:
    """One for each utterance of the user, in order."""
    timeline, all_spells = view.timeline, spells(view.timeline)
    evidence = _Evidence(view.events, timeline)
    turns = sorted(timeline.exchanges, key=_began)
    return tuple(_moment(utterance, turns, all_spells, evidence) for utterance in timeline.utterances)


def _moment(
    utterance: Utterance, turns: Sequence[Exchange], all_spells: Sequence[Spell], evidence: _Evidence
) -> Moment:
    place = bisect_left(all_spells, utterance.start, key=_start)
    latest = all_spells[place - 1] if place else None
    spell = latest if latest is not None and utterance.start < latest.end else None
    return Moment(
        utterance=utterance,
        spell=spell,
        stop=None if spell is None else evidence.stop(spell, utterance.start),
        next_spell=all_spells[place] if place < len(all_spells) else None,
        reply_due=spell is None and _reply_due(utterance, turns),
    )


def _reply_due(utterance: Utterance, turns: Sequence[Exchange]) -> bool:
    """Whether the turn before an utterance had got no answer yet when it began."""
    place = bisect_left(turns, utterance.start, key=_began)
    return place > 0 and not any(stretch.start < utterance.start for stretch in turns[place - 1].reply)


def _start(spell: Spell) -> int:
    return spell.start


def _began(exchange: Exchange) -> int:
    return exchange.user.start


class _Evidence:
    """What the events say about why speech ended."""

    def __init__(self, events: Sequence[Event], timeline: Timeline) -> None:
        self._timeline = timeline
        flushes = [event for event in events if isinstance(event, Flushed)]
        self._flushed_at = sorted(event.at * timeline.endpoint_step for event in flushes)
        self._dropped = {
            item for event in flushes for item, heard, received in event.items if heard < received
        }
        self._status = {
            event.response: event.status for event in events if isinstance(event, ResponseFinished)
        }

    def stop(self, spell: Spell, onset: int) -> Stop:
        """Why a spell ended in which the user began to talk at `onset`."""
        timeline, delivery = self._timeline, spell.stretch.delivery
        if spell.end >= timeline.duration - timeline.endpoint_step:
            return Stop.CALL_ENDED
        if delivery is not None and any(item in self._dropped for item in delivery.items):
            return Stop.CUT_SHORT
        reach = round(FLUSH_REACH_S * timeline.rate)
        first = bisect_left(self._flushed_at, onset)
        if any(at <= spell.end + reach for at in self._flushed_at[first : first + 1]):
            return Stop.CUT_SHORT
        waited = spell.end - onset
        if spell.resumes is not None and waited <= FALTERS_WITHIN_S * timeline.rate:
            return Stop.CUT_SHORT  # it faltered, and went on with the same reply
        status = self._status.get(delivery.response, "") if delivery and delivery.response else ""
        if status:
            return Stop.BY_ITSELF if status == "completed" else Stop.CUT_SHORT
        return Stop.CUT_SHORT if waited <= STOPS_WITHIN_S * timeline.rate else Stop.BY_ITSELF


def starts_within(all_spells: Sequence[Spell], span: Segment) -> Spell | None:
    """The first spell that begins in a span of ticks, of all in order."""
    place = bisect_left(all_spells, span.start, key=_start)
    return all_spells[place] if place < len(all_spells) and all_spells[place].start < span.end else None
