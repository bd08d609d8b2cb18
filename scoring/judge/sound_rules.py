"""How a reply sounds, by thresholds on its blueprint: voice quality, and melody and pace.

The bands are absolute. They are declared here with what they were set by: clean speech of the shipped voice
has DNSMOS 3.3 (overall), 4.1 (background) and a melody of 9 semitones; with white noise at a
signal-to-noise ratio of 15 dB it has 2.6 and 2.8; with its melody taken away 0.6 semitones are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scoring.blueprint.record import Blueprint, Cause
from scoring.judge.dimensions import Labelled, Rating


@dataclass(frozen=True, slots=True)
class Band:
    """What values of a measure are good, and which are still acceptable; bounds belong to the band.

    Attributes:
        good: Lowest and highest good value; None is no bound.
        acceptable: The same for acceptable values.
    """

    unit: str
    good: tuple[float | None, float | None]
    acceptable: tuple[float | None, float | None]

    def rate(self, value: float) -> Rating:
        """What a value is worth."""
        for rating, (low, high) in ((Rating.GOOD, self.good), (Rating.ACCEPTABLE, self.acceptable)):
            if (low is None or value >= low) and (high is None or value <= high):
                return rating
        return Rating.BAD


QUALITY: Mapping[str, Band] = MappingProxyType(
    {
        "quality.plain.overall": Band("of 5", (2.9, None), (2.2, None)),
        "quality.plain.background": Band("of 5", (3.5, None), (3.0, None)),
        "signal.snr_db": Band("dB", (25.0, None), (15.0, None)),
        "signal.clipped_share": Band("share", (None, 0.0005), (None, 0.005)),
        "signal.dropouts": Band("", (None, 0.0), (None, 2.0)),
    }
)
"""Voice quality: predicted opinion, noise, overdrive, gaps."""

DELIVERY: Mapping[str, Band] = MappingProxyType(
    {
        "pitch.range_semitones": Band("semitones", (4.0, None), (2.0, None)),
        "pace.articulation_wpm": Band("words per minute", (100.0, 260.0), (70.0, 320.0)),
        "pace.pause_longest_s": Band("s", (None, 1.5), (None, 3.0)),
    }
)
"""Melody and pace, where the task asks for no manner."""

ENOUGH: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "voice_quality": frozenset({"quality.plain.overall"}),
        "paralinguistics": frozenset({"pitch.range_semitones"}),
    }
)
"""The measures without which nothing is said about a dimension."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One measure of a reply, and what it is worth.

    Attributes:
        measure: Its place in the blueprint, or the name of a comparison with the neutral voice.
        value: None if it was not measured.
        rating: None if it was not measured.
        cause: Why not; "" if it was.
        expected: In words.
    """

    measure: str
    value: float | None
    rating: Rating | None
    cause: str = ""
    expected: str = ""

    def to_json(self) -> dict[str, Any]:
        """As in files."""
        return {
            "measure": self.measure,
            "value": None if self.value is None else round(self.value, 4),
            "rating": self.rating.value if self.rating else None,
            "unscored": self.cause or None,
            "expected": self.expected,
        }


def measured(blueprint: Blueprint, bands: Mapping[str, Band]) -> list[Finding]:
    """Every measure of a table, each with its worth or the cause for which it is missing."""
    return [_finding(blueprint, place, band) for place, band in bands.items()]


def _finding(blueprint: Blueprint, place: str, band: Band) -> Finding:
    value, cause = value_at(blueprint, place)
    expected = f"good {_bounds(band.good)}, acceptable {_bounds(band.acceptable)} {band.unit}".rstrip()
    return Finding(place, value, None if value is None else band.rate(value), cause, expected)


def value_at(blueprint: Blueprint, place: str) -> tuple[float | None, str]:
    """A number of a blueprint, or None and the cause for which it is missing."""
    value: Any = blueprint
    for depth, name in enumerate(names := place.split("."), 1):
        value = getattr(value, name)
        if value is None:
            return None, blueprint.unscored[".".join(names[:depth])].value
    return float(value), ""


def verdict(findings: Sequence[Finding], dimension: str) -> Labelled:
    """The worst finding; unscored if a measure is missing that must not be, unless it was withheld."""
    missing = {f.measure: f.cause for f in findings if f.rating is None}
    lacking = sorted(m for m in missing.keys() & ENOUGH[dimension] if missing[m] != Cause.WITHHELD)
    if lacking:
        return Labelled(None, missing[lacking[0]], f"{lacking[0]} was not measured")
    rated = [(f.rating, f) for f in findings if f.rating is not None]
    if not rated:
        return Labelled(None, next(iter(missing.values()), "not_measured"))
    worst = min((rating for rating, _ in rated), key=lambda rating: rating.worth)
    named = list(_named(rated, worst)) if worst is not Rating.GOOD else []
    return Labelled(worst.value, reason="; ".join(named) or "all measures good")


def _named(rated: Sequence[tuple[Rating, Finding]], worst: Rating) -> Iterator[str]:
    for rating, finding in rated:
        if rating is worst and finding.value is not None:
            yield f"{finding.measure} {finding.value:.3g} ({finding.expected})"


def _bounds(bounds: tuple[float | None, float | None]) -> str:
    low, high = bounds
    if low is None:
        return f"to {high:g}"
    return f"from {low:g}" if high is None else f"{low:g} to {high:g}"
