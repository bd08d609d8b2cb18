"""Verdicts on the endpoint's turns, and where in the sound their evidence is. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recordings.format import Turn
from scoring.audible import Segment, common, total
from scoring.episode_view.model import Evidence, ShownVerdict
from scoring.judge.dimensions import Dimension
from scoring.judge.rated import Rated

_UNSCORED = "unscored: "


@dataclass(frozen=True, slots=True)
class Judged:
    """What judges said after the call.

    Attributes:
        facts: Verdicts of `scores/judge.json` as they stand there, by recorded turn.
        rater: Who rated in three dimensions.
        ratings: By recorded turn, in the order of the dimensions.
    """

    facts: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    rater: str = ""
    ratings: Mapping[int, Sequence[Rated]] = field(default_factory=dict)


def facts_by_turn(scores: Any) -> dict[int, Mapping[str, Any]]:
    """The verdicts of `scores/judge.json` by turn; of a file that is something else, none."""
    turns = scores.get("turns") if isinstance(scores, Mapping) else None
    entries = (entry for entry in turns if isinstance(entry, Mapping)) if isinstance(turns, list) else ()
    return {
        entry["turn"]: entry["verdict"]
        for entry in entries
        if isinstance(entry.get("turn"), int) and isinstance(entry.get("verdict"), Mapping)
    }


def verdicts(
    recorded: Sequence[Turn], segments: Sequence[Segment], rate: int, judged: Judged
) -> tuple[ShownVerdict, ...]:
    """All verdicts on one turn as it is shown: live ones first, then those of facts, then ratings.

    Args:
        recorded: The turns of turns.jsonl that it is made of.
        segments: Where it is audible, in ticks.
        rate: Ticks per second.
        judged: What judges said after the call.
    """
    found: list[ShownVerdict] = []
    for turn in recorded:
        place = _Place(turn, segments, rate // turn.rate)
        found += _live(turn, place)
        if turn.index in judged.facts:
            found += _facts(judged.facts[turn.index], place, live=False)
        found += _ratings(judged, turn.index)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the words of a turn are to be heard, if they are spoken at an even pace."""

    turn: Turn
    segments: Sequence[Segment]
    step: int

    def of(self, quote: str, start: object = None, end: object = None) -> Evidence:
        """A quote, with its place if it stands in what was heard."""
        heard = self.turn.heard or ""
        if not (isinstance(start, int) and isinstance(end, int) and heard[start:end] == quote):
            start = heard.find(quote) if quote else -1
            end = start + len(quote)
        if not quote or start < 0:
            return Evidence(text=quote)
        span = Segment(self.turn.start * self.step, max(self.turn.start, self.turn.end) * self.step)
        audible = common(self.segments, (span,)) or (span,)
        return Evidence(
            text=quote,
            start=_along(audible, start / len(heard)),
            end=_along(audible, end / len(heard)),
        )


def _along(segments: Sequence[Segment], share: float) -> int:
    """The tick at which a share of some segments has passed."""
    left = round(total(segments) * min(max(share, 0.0), 1.0))
    for segment in segments:
        if left <= segment.samples:
            return segment.start + left
        left -= segment.samples
    return segments[-1].end


def _live(turn: Turn, place: _Place) -> Iterator[ShownVerdict]:
    for verdict in turn.verdicts:
        facts = list(_facts(verdict.detail, place, live=True))
        quoted = [e for fact in facts for e in fact.evidence] or [place.of(q) for q in verdict.evidence]
        yield ShownVerdict(
            judge=verdict.judge,
            label=verdict.label,
            unscored=verdict.unscored or "",
            reason=verdict.reason,
            evidence=tuple(quoted),
            live=True,
        )
        yield from facts


def _facts(verdict: Mapping[str, Any], place: _Place, *, live: bool) -> Iterator[ShownVerdict]:
    judge = str(verdict.get("judge") or "")
    for fact in _mappings(verdict.get("facts")):
        label = fact.get("label")
        quotes = [entry for entry in _mappings(fact.get("evidence")) if isinstance(entry.get("text"), str)]
        yield ShownVerdict(
            judge=judge,
            dimension=f"fact {fact.get('fact') or ''}".strip(),
            label=label if isinstance(label, str) else None,
            unscored="" if isinstance(label, str) else str(fact.get("unscored") or "not_given"),
            reason=str(fact.get("reason") or ""),
            evidence=tuple(
                place.of(entry["text"], entry.get("start"), entry.get("end")) for entry in quotes
            ),
            live=live,
        )


def _ratings(judged: Judged, index: int) -> Iterator[ShownVerdict]:
    for dimension, one in zip(Dimension, judged.ratings.get(index, ()), strict=False):
        unscored = one.label.startswith(_UNSCORED)
        yield ShownVerdict(
            judge=judged.rater,
            dimension=dimension.value,
            label=None if unscored else one.label,
            unscored=one.label.removeprefix(_UNSCORED) if unscored else "",
            reason=one.reason,
        )


def _mappings(value: object) -> Iterable[Mapping[str, Any]]:
    return (entry for entry in value if isinstance(entry, Mapping)) if isinstance(value, list) else ()
