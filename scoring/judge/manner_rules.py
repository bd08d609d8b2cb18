"""The manner that was asked for against the manner that is measured, relative to the speaker's own neutral.

A style (`scenarios.manners`) says how a voice changes: so many semitones higher, so much faster. Whether a
reply does it is seen by comparing it with the same speaker's other replies of the call, for which no manner
was asked: the median of each measure is its neutral voice. Without such replies the manner is unscored
(`no_neutral`), since a low voice is not a sad one. Only a whisper shows by itself: nothing in it is voiced.

A change counts as done from half of what the style asks for, in its direction; it is counted at all where
the style asks for enough to be heard. Two thirds of the changes done is good, one third acceptable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType

from scenarios.manners import Manner, MannerError, style
from scoring.blueprint.record import Blueprint
from scoring.judge.dimensions import Rating
from scoring.judge.sound_rules import DELIVERY, Band, Finding, value_at

DONE = 0.5
"""Share of a change that is enough."""

GOOD_FROM, ACCEPTABLE_FROM = 2 / 3, 1 / 3
"""Shares of the changes that are done."""

WHISPERED = "pitch.voiced_share"
"""The measure that tells a whisper."""

WHISPER_BREATH, WHISPER_VOICED = 0.8, 0.4
"""A style with so much breath is a whisper; of a whisper at most such a share of the time is voiced.

Pitch tracking finds voice in 0.21 to 0.30 of our own whispers, and in 0.53 to 0.72 of plain speech.
"""


@dataclass(frozen=True, slots=True)
class Change:
    """How a parameter of a style shows in a blueprint.

    Attributes:
        place: The measure.
        asked: What the style asks for, as a number that is 0 for no change.
        found: The change of the measure from its neutral value, on the same scale.
        heard_from: Smaller changes cannot be heard, and are not counted.
    """

    place: str
    asked: Callable[[Manner], float]
    found: Callable[[float, float], float]
    heard_from: float


LEAST = 0.05
"""Values below count as this in a ratio: a melody of 0 semitones is far less than one of 8, not as much."""


def _ratio(value: float, neutral: float) -> float:
    return math.log2(max(value, LEAST) / max(neutral, LEAST))


CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "higher": Change("pitch.mean_hz", lambda m: m.pitch, lambda v, n: 12 * _ratio(v, n), 1.5),
        "wider melody": Change(
            "pitch.range_semitones", lambda m: math.log2(m.range) if m.range else -2.0, _ratio, 0.4
        ),
        "faster": Change("pace.articulation_wpm", lambda m: math.log2(m.rate), _ratio, 0.12),
        "louder": Change("loudness.integrated_lufs", lambda m: m.loudness, lambda v, n: v - n, 3.0),
    }
)
"""Semitones, octaves of melody, octaves of pace, LU."""


def findings(blueprint: Blueprint, neutral: Sequence[Blueprint], asked: str) -> list[Finding]:
    """Each change that the manner asks for, done or not; one without a value if nothing can be said."""
    try:
        manner = style(asked)
    except MannerError:
        return [Finding("manner", None, None, "manner_unknown", asked)]
    if manner.breath >= WHISPER_BREATH:
        return [_whisper(blueprint)]
    wanted = {name: c for name, c in CHANGES.items() if abs(c.asked(manner)) >= c.heard_from}
    if not wanted:
        return [Finding("manner", None, None, "manner_not_measurable", asked)]
    return [_change(name, change, manner, blueprint, neutral) for name, change in wanted.items()]


def rated(found: Sequence[Finding]) -> Finding:
    """All changes as one finding: the share of them that are done."""
    missing = next((finding for finding in found if finding.rating is None), None)
    if missing is not None:
        return Finding("manner", None, None, missing.cause, missing.expected)
    share = sum(finding.rating is Rating.GOOD for finding in found) / len(found)
    band = Band("", (GOOD_FROM - 1e-9, None), (ACCEPTABLE_FROM - 1e-9, None))
    expected = ", ".join(finding.expected for finding in found)
    return Finding("manner", share, band.rate(share), expected=expected)


def delivery_bands(asked: str) -> Mapping[str, Band]:
    """The absolute bands of melody and pace, without those that the manner itself is about."""
    try:
        manner = style(asked)
    except MannerError:
        return DELIVERY
    dropped = set()
    if manner.range < 1 or manner.breath >= WHISPER_BREATH:
        dropped.add("pitch.range_semitones")
    if manner.rate != 1:
        dropped.add("pace.articulation_wpm")
    if manner.pauses > 1 or manner.rate < 1:
        dropped.add("pace.pause_longest_s")
    return {place: band for place, band in DELIVERY.items() if place not in dropped}


def _whisper(blueprint: Blueprint) -> Finding:
    value, cause = value_at(blueprint, WHISPERED)
    expected = f"whispered: voiced at most {WHISPER_VOICED:g} of the time"
    done = None if value is None else Rating.GOOD if value <= WHISPER_VOICED else Rating.BAD
    return Finding(WHISPERED, value, done, cause, expected)


def _change(
    name: str, change: Change, manner: Manner, blueprint: Blueprint, neutral: Sequence[Blueprint]
) -> Finding:
    asked = change.asked(manner)
    expected = f"{name} by {asked:+.2f}, at least {DONE * asked:+.2f}"
    value, cause = value_at(blueprint, change.place)
    if value is None:
        return Finding(name, None, None, cause, expected)
    usual = [v for v, _ in (value_at(other, change.place) for other in neutral) if v is not None]
    if not usual:
        return Finding(name, None, None, "no_neutral", expected)
    found = change.found(value, median(usual))
    done = found / asked >= DONE
    said = f"{expected}: {found:+.2f}"
    return Finding(name, found, Rating.GOOD if done else Rating.BAD, expected=said)
