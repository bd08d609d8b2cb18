from __future__ import annotations

from itertools import accumulate
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.format import Flushed
from scoring.audible import Segment
from scoring.duplex.moments import FLUSH_REACH_S, Stop, moments, spells, starts_within
from scoring.timeline import Exchange, Stretch, Timeline, UserTurn, Utterance
from scoring.view import EpisodeView

RATE = 100
"""Ticks per second: 59 ticks of silence are part of a spell, 60 are its end."""

INFO: Any = None
"""Moments are of the timeline and the events alone."""


def seen(heard: list[tuple[int, int]], said: list[int], flushed: list[int]) -> EpisodeView:
    """A call of stretches (silence before each, length) and of utterances and flushes at their ticks."""
    edges = list(accumulate(edge for one in heard for edge in one))
    stretches = [Stretch((Segment(a, b),)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    starts = sorted(set(said))
    utterances = [Utterance(f"u{at}", "", "", at, at + 1, Segment(at, at + 1)) for at in starts]
    exchanges = [
        Exchange(n, UserTurn((u,)), tuple(s for s in stretches if u.start <= s.start)[:1])
        for n, u in enumerate(utterances)
    ]
    events = [Flushed(t=at / RATE, by="endpoint", at=at, items=()) for at in flushed]
    timeline = Timeline(
        *(RATE, 1, 1, 10_000, (), tuple(s.segments[0] for s in stretches), ()),
        *(tuple(exchanges), tuple(utterances), tuple(stretches)),
    )
    return EpisodeView(INFO, events, (), timeline, ())


HEARD = st.lists(st.tuples(st.sampled_from([1, 59, 60, 61, 200]), st.integers(1, 400)), max_size=8)
TICKS = st.lists(st.integers(0, 2000), max_size=12)


@given(heard=HEARD, said=TICKS, flushed=TICKS)
@settings(deadline=None)
def test_a_moment_is_in_the_spell_that_goes_on_and_before_the_first_that_begins_later(
    heard: list[tuple[int, int]], said: list[int], flushed: list[int]
) -> None:
    view = seen(heard, said, flushed)
    every = spells(view.timeline)
    for m in moments(view):
        at = m.utterance.start
        assert ([] if m.spell is None else [m.spell]) == [s for s in every if s.start < at < s.end]
        assert m.next_spell == next((s for s in every if s.start >= at), None)
        before = [e for e in view.timeline.exchanges if e.user.start < at]
        answered = not before or any(s.start < at for s in before[-1].reply)
        assert m.reply_due == (m.spell is None and not answered)
        if m.spell is not None:
            until = m.spell.end + FLUSH_REACH_S * RATE
            cut = any(at <= flush <= until for flush in flushed)
            soon = m.spell.end - at <= 2 * RATE  # there are no responses: nothing else tells
            assert (m.stop is Stop.CUT_SHORT) == (cut or soon)


@given(heard=HEARD, first=st.integers(0, 2000), length=st.integers(0, 300))
@settings(deadline=None)
def test_the_first_spell_of_a_span_is_found_among_all(
    heard: list[tuple[int, int]], first: int, length: int
) -> None:
    every = spells(seen(heard, [], []).timeline)
    inside = [spell for spell in every if first <= spell.start < first + length]
    assert starts_within(every, Segment(first, first + length)) == (inside[0] if inside else None)
