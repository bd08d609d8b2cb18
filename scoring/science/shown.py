"""Tables of text and how numbers stand in them, for the terminal and the HTML report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.statistics.intervals import Interval

NOTHING = "\N{EN DASH}"
"""Shown for what has no value."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts; the first column names the rows.

    Attributes:
        heads: Columns at the left that name what their rows have in common.
        shades: By row and column how good a cell is, 0 to 1, in ten steps; None is left plain.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    heads: int = 1
    shades: tuple[tuple[int | None, ...], ...] = ()


def percent(value: float | None) -> str:
    """A share as "12.3 %"."""
    return NOTHING if value is None else f"{100 * value:.1f} %".replace("-", "\N{MINUS SIGN}")


def decimal(value: float | None) -> str:
    """A number as "1.23"."""
    return NOTHING if value is None else f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def between(found: Interval | None, scale: float = 100, digits: int = 1) -> str:
    """An interval as "1.2 to 3.4"; of shares in percent."""
    if found is None:
        return ""
    text = f"{scale * found.low:.{digits}f} to {scale * found.high:.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}")


def plain(name: str) -> str:
    """A name of ours for people."""
    return name.replace("_", " ")


def causes(counts: Mapping[str, int]) -> str:
    """Causes with their counts: "2 no reply"."""
    return ", ".join(f"{count} {plain(cause)}" for cause, count in sorted(counts.items()))
