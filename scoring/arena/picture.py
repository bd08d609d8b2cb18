"""Ratings with their intervals as a picture: positions for the template to draw. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.arena.leaderboard import Standing, Table

LEFT, WIDTH, RIGHT = 260, 820, 60
"""Room for the names, the axis and the numbers, in pixels."""

TOP, ROW, APART = 30, 26, 14
"""Where the first row begins, the height of a row, and the gap between groups."""

_LETTERS = 34
_TICKS = (10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000)
_MOST_TICKS = 9


@dataclass(frozen=True, slots=True)
class Line:
    """One system.

    Attributes:
        name: Shortened to the room there is; `label` has all of it.
        x: Of the Bradley-Terry rating.
        low: Of its interval's lower end; equal to `x` if there is no interval.
        high: Of its upper end.
        elo: Of the running Elo.
        elo_low: One standard deviation of the order below it.
        elo_high: One above.
    """

    y: float
    name: str
    label: str
    text: str
    x: float
    low: float
    high: float
    elo: float
    elo_low: float
    elo_high: float


@dataclass(frozen=True, slots=True)
class Picture:
    """All rated systems on one axis; `axis` holds positions and numbers."""

    width: int
    height: float
    axis: tuple[tuple[float, str], ...]
    lines: tuple[Line, ...]
    description: str


def draw(table: Table) -> Picture:
    """The picture of a table."""
    rated = [standing for standing in table.standings if standing.bradley_terry and standing.elo]
    ends = [value for standing in rated for value in _extent(standing)] or [1000.0]
    step = next(
        (tick for tick in _TICKS if (max(ends) - min(ends)) / tick <= _MOST_TICKS - 2), 10 * _TICKS[-1]
    )
    low, high = math.floor(min(ends) / step) * step, math.ceil(max(ends) / step) * step
    scale = WIDTH / max(high - low, step)

    def x(value: float) -> float:
        return round(LEFT + (value - low) * scale, 1)

    lines = []
    for index, standing in enumerate(rated):
        assert standing.bradley_terry and standing.elo
        y = TOP + ROW / 2 + ROW * index + APART * standing.bradley_terry.group
        lines.append(_line(standing, y, [x(value) for value in _extent(standing)]))
    axis = tuple((x(value), str(value)) for value in range(low, high + 1, step))
    height = TOP + ROW * len(rated) + APART * max(table.fit.groups - 1, 0) + 6
    description = "; ".join(line.label for line in lines)
    return Picture(LEFT + WIDTH + RIGHT, height, axis, tuple(lines), description)


def interval_text(standing: Standing) -> str:
    """The interval for people: "1194 to 1382"; nothing if there is none."""
    rating = standing.bradley_terry
    if rating is None or rating.low is None or rating.high is None:
        return ""
    return f"{rating.low:.0f} to {rating.high:.0f}".replace("-", "\N{MINUS SIGN}")


def rating_text(value: float) -> str:
    """A rating for people."""
    return f"{value:.0f}".replace("-", "\N{MINUS SIGN}")


def _extent(standing: Standing) -> tuple[float, ...]:
    """Rating, low, high, Elo, and Elo less and plus the noise of its order."""
    rating, elo = standing.bradley_terry, standing.elo
    assert rating and elo
    noise = elo.order_sd or 0.0
    low = rating.rating if rating.low is None else rating.low
    high = rating.rating if rating.high is None else rating.high
    return rating.rating, low, high, elo.rating, elo.rating - noise, elo.rating + noise


def _line(standing: Standing, y: float, xs: Sequence[float]) -> Line:
    rating, elo = standing.bradley_terry, standing.elo
    assert rating and elo
    name = standing.system
    between = interval_text(standing)
    label = f"{name}: {rating_text(rating.rating)}{f', {between}' if between else ''}, Elo {elo.rating:.0f}"
    short = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
    return Line(y, f"{rating.rank}  {short}", label, rating_text(rating.rating), *xs)
