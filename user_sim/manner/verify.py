"""Is a style what its name says? Its own audio is measured against declared bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import median
from types import MappingProxyType

from user_sim.manner.measure import Change, Traits, change

Band = tuple[float, float]
"""Lowest and highest value that fits."""


@dataclass(frozen=True, slots=True)
class Bands:
    """What a style must do to the machine's voice, as the fields of `Change`; None is not asked for."""

    duration: Band = (0.97, 1.03)
    pitch: Band | None = (-1.0, 1.0)
    range: Band | None = (0.75, 1.3)
    level: Band = (-0.5, 0.5)
    voicing: Band = (0.8, 1.3)


BANDS: Mapping[str, Bands] = MappingProxyType(
    {
        "neutral": Bands(pitch=(-0.1, 0.1), range=(0.99, 1.01), level=(-0.1, 0.1), voicing=(0.99, 1.01)),
        "angry": Bands((0.85, 0.97), (1.0, 3.5), (1.05, 2.0), (5.0, 7.0), (0.75, 1.2)),
        "calm": Bands((1.08, 1.2), (-1.5, 0.3), (0.5, 0.9), (-3.0, -1.0)),
        "cheerful": Bands((0.92, 0.99), (1.5, 3.5), (1.05, 2.0), (1.0, 3.0)),
        "child": Bands((1.02, 1.1), (6.5, 9.5), (0.75, 1.6)),
        "elderly": Bands((1.15, 1.3), (0.3, 2.5), (0.75, 1.4), (-2.0, 0.0)),
        "excited": Bands((0.78, 0.92), (2.5, 6.0), (1.15, 2.5), (3.0, 5.0), (0.7, 1.2)),
        "firm": Bands((1.02, 1.1), (-2.0, -0.3), (0.45, 0.9), (3.0, 5.0)),
        "hesitant": Bands((1.12, 2.0), (-1.0, 1.0), (0.6, 1.1), (-4.0, -2.0)),
        "hurried": Bands((0.65, 0.8), (-0.5, 1.5), level=(0.5, 1.5), voicing=(0.75, 1.2)),
        "nervous": Bands((0.82, 0.92), (1.0, 3.0)),
        "sad": Bands((1.1, 1.25), (-3.0, -0.5), (0.35, 0.8), (-6.0, -4.0)),
        "tired": Bands((1.2, 1.4), (-3.5, -1.0), (0.3, 0.75), (-5.0, -3.0), (0.8, 1.4)),
        "whispering": Bands((1.0, 1.12), None, None, (-11.0, -9.0), (0.0, 0.15)),
    }
)
"""Of every style: wide enough for other words, too narrow to change the style's direction."""


@dataclass(frozen=True, slots=True)
class Check:
    """One trait of a style.

    Attributes:
        trait: A field of `Change`.
        measured: Median over the clips; None if none of them could be measured.
        band: What was declared.
    """

    trait: str
    measured: float | None
    band: Band

    @property
    def fits(self) -> bool:
        """Whether it was measured, and lies within the band."""
        low, high = self.band
        return self.measured is not None and low <= self.measured <= high


def checks(name: str, before: Sequence[Traits | None], after: Sequence[Traits | None]) -> tuple[Check, ...]:
    """What a style did to clips, against its bands.

    Args:
        name: One of `scenarios.manners.STYLES`.
        before: Traits of neutral clips; those without speech are left out.
        after: Traits of the same clips in the style.
    """
    changes = [change(b, a) for b, a in zip(before, after, strict=True) if b and a]
    bands = BANDS[name]
    return tuple(
        Check(field.name, _median([getattr(one, field.name) for one in changes]), band)
        for field in fields(Change)
        if (band := getattr(bands, field.name)) is not None
    )


def _median(values: Sequence[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    return median(measured) if measured else None
