"""What is audible and what is written, put together: the audio says when, the transcript says what. Pure.

The edges of speech are always those of the audio, exact to the sample; times of a transcript only decide
which words belong to which sound. Sounds that a transcript does not know are no speech; lines without a
sound are no speech either. Both are counted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from recordings.format import Role, Side
from recordings.importing.lines import Line

PAUSE_S = 1.0
"""A silence of one side up to this long does not end what it says, unless the other side says all it has to
say in it."""

REACH_S = 0.3
"""How far the times of a transcript may lie beside the sound."""

EDGE_S = 0.15
"""How far a speech detector's edges may lie beside those of the sound."""

BACKCHANNEL_S = 1.0
"""Longer than this is no backchannel (Full-Duplex-Bench v1)."""

_NODS = "ah aha good got great hm hmm huh i it mhm mm mm-hm mm-hmm mmhm oh ok okay really right see sure"

BACKCHANNELS = frozenset(f"{_NODS} uh uh-huh uhuh wow yeah yep yes yup".split())
"""Words that a backchannel is made of, and nothing else."""

Span = tuple[int, int]
"""[first sample, one past the last)."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one side said in one go.

    Attributes:
        start: First audible sample on its track.
        end: One past the last audible sample.
        text: The words, or None if nobody wrote them down.
        own: Of the endpoint: they are its own text, not what was heard of it.
        role: What it was for; None if nothing says so.
        recognised: What a recogniser of ours makes of it.
        cause: Why it makes nothing of it; "" if it was not asked.
    """

    side: Side
    start: int
    end: int
    text: str | None = None
    own: bool = False
    role: Role | None = None
    recognised: str | None = None
    cause: str = ""

    @property
    def words(self) -> str | None:
        """The best that is known of its words."""
        return self.text if self.text is not None else self.recognised


@dataclass(frozen=True, slots=True)
class Sounds:
    """Where a side is audible, in samples of its track, in order; pauses of up to 0.2 s are inside."""

    side: Side
    rate: int
    spans: tuple[Span, ...]

    def times(self) -> list[tuple[float, float]]:
        """The same in seconds."""
        return [(start / self.rate, end / self.rate) for start, end in self.spans]


def spoken(own: Sounds, speech: Sequence[Span]) -> Sounds:
    """The sounds that are speech: where a detector finds some, with the edges of the sound itself.

    An edge of the sound counts if it is near that of the detector, which only knows windows. It is not in
    noise, which sounds all the time: there the detector's own edge stays.

    Args:
        own: Everything audible.
        speech: What the detector takes for speech, in samples of the same track.
    """
    near = round(EDGE_S * own.rate)
    spans: list[Span] = []
    for start, end in speech:
        audible = [span for span in own.spans if span[0] < end + near and start - near < span[1]]
        if audible:
            first, last = audible[0][0], audible[-1][1]
            start = first if abs(first - start) <= near else start
            end = last if abs(last - end) <= near else end
        if spans and start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        elif end > start:
            spans.append((start, end))
    return Sounds(own.side, own.rate, tuple(spans))


def said_without_words(own: Sounds, other: Sounds) -> list[Said]:
    """Sounds as utterances: pauses of up to a second are inside them."""
    others = other.times()
    groups: list[list[Span]] = []
    for span in own.spans:
        if groups and _goes_on(groups[-1][-1][1] / own.rate, span[0] / own.rate, others):
            groups[-1].append(span)
        else:
            groups.append([span])
    return [Said(own.side, group[0][0], group[-1][1]) for group in groups]


def _goes_on(end: float, start: float, others: Sequence[tuple[float, float]]) -> bool:
    answered = any(end <= begin and over <= start for begin, over in others)
    return start - end <= PAUSE_S and not answered


def said_with_words(own: Sounds, lines: Sequence[Line]) -> tuple[list[Said], list[str]]:
    """Lines as utterances, with the edges of the sound they stand on; and notes of what did not fit."""
    ordered = sorted(lines, key=lambda line: (line.start_s, line.end_s))
    held: list[list[Span]] = [[] for _ in ordered]
    silent = 0
    strange: list[Span] = []
    for span in own.spans:
        near = _near(span, own.rate, ordered)
        if not near:
            strange.append(span)
            continue
        for number, piece in zip(near, _cut(span, own.rate, [ordered[n] for n in near]), strict=True):
            if piece[1] > piece[0]:
                held[number].append(piece)
    said = []
    for line, spans in zip(ordered, held, strict=True):
        if spans:
            said.append(Said(own.side, spans[0][0], spans[-1][1], line.text, role=line.role))
        else:
            silent += 1
    return said, _notes(own, silent, strange)


def _near(span: Span, rate: int, lines: Sequence[Line]) -> list[int]:
    """Lines that a sound overlaps; the nearest within reach if there is none."""
    start, end = span[0] / rate, span[1] / rate
    inside = [n for n, line in enumerate(lines) if line.start_s < end and start < line.end_s]
    if inside:
        return inside
    gaps = [(max(line.start_s - end, start - line.end_s), n) for n, line in enumerate(lines)]
    gap, nearest = min(gaps, default=(REACH_S + 1, 0))
    return [nearest] if gap <= REACH_S else []


def _cut(span: Span, rate: int, lines: Sequence[Line]) -> list[Span]:
    """A sound over several lines, cut half way between them."""
    borders = [(before.end_s + after.start_s) / 2 for before, after in pairwise(lines)]
    cuts = [min(max(round(border * rate), span[0]), span[1]) for border in borders]
    return list(pairwise([span[0], *sorted(cuts), span[1]]))


def _notes(own: Sounds, silent: int, strange: Sequence[Span]) -> list[str]:
    seconds = sum(end - start for start, end in strange) / own.rate
    notes = []
    if silent:
        notes.append(f"{own.side}: {silent} lines of the transcript stand on silence and were left out")
    if strange:
        notes.append(
            f"{own.side}: {len(strange)} sounds ({seconds:.1f} s) stand in no line of the transcript and "
            "were taken for no speech"
        )
    return notes


def with_roles(user: Sequence[Said], endpoint: Sounds, user_rate: int) -> tuple[list[Said], int]:
    """What the user's words were for, where nothing says so; and how many of them were inferred.

    Words of the list above alone, at most a second, begun while the endpoint was talking: a backchannel.
    All else is a turn.
    """
    times = endpoint.times()
    starts = [start for start, _ in times]
    found, inferred = [], 0
    for one in user:
        if one.role is None:
            at = one.start / user_rate
            place = bisect_right(starts, at) - 1
            over = place >= 0 and at < times[place][1]
            short = one.end - one.start <= BACKCHANNEL_S * user_rate
            nods = over and short and _nods(one.words)
            inferred += nods
            one = replace(one, role=Role.BACKCHANNEL if nods else Role.TURN)
        found.append(one)
    return found, inferred


def _nods(text: str | None) -> bool:
    words = re.findall(r"[\w'-]+", (text or "").casefold())
    return bool(words) and all(word in BACKCHANNELS for word in words)
