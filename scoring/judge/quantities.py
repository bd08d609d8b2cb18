"""Numbers of a text, each with what it counts or measures, and whether two of them disagree. Pure.

Two numbers disagree only if they are about the same thing: two years, two values of one dimension, or two
counts with a word in common beside them. "Three old sightings" says nothing against "every 76 years".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scenarios.facts.matching import Token
from scoring.judge import words

EXACT = 0.01
"""Numbers that differ by less than this share are the same: 6.02 and 6.022."""

ABOUT = 0.1
"""The same, for a number with "about" before it."""

YEARS = 5
"""Years that "around" leaves before and after a date."""

_BESIDE = 3
"""Content words after a number, or before it, that may say what it counts."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text.

    Attributes:
        value: As it is said.
        unit: The unit after it; "" if none is known.
        start: Its first character.
        end: One past its last.
        low: Least value, in the unit, that it allows: "more than five" allows any from five on.
        high: Greatest value.
        year: It is a date.
        after: Content words after it in its clause, before the next number.
        before: The ones before it.
    """

    value: float
    unit: str
    start: int
    end: int
    low: float
    high: float
    year: bool
    after: frozenset[str]
    before: frozenset[str]

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}".rstrip()

    @property
    def dimension(self) -> str:
        """What its unit measures; "" without a known unit."""
        return words.UNITS[self.unit][0] if self.unit else ""

    def agrees(self, other: Number) -> bool:
        """True if both may be true of the same thing; units of one dimension are converted."""
        if self.dimension and other.dimension and self.dimension != other.dimension:
            return False
        mine, theirs = self._factor(other), other._factor(self)
        return self.low * mine <= other.high * theirs and other.low * theirs <= self.high * mine

    def same_thing(self, other: Number) -> bool:
        """True if both say how many, how much or when of the same."""
        if self.year or other.year:
            return self.year and other.year
        if self.unit and other.unit:
            return self.dimension == other.dimension
        if self.after and other.after:
            return bool(self.after & other.after) and not (self.unit or other.unit)
        return bool(self.before & other.before)

    def _factor(self, other: Number) -> float:
        return words.UNITS[self.unit][1] if self.unit and other.unit else 1.0


def numbers(text: Sequence[Token]) -> list[Number]:
    """Numbers of a text: digits and number words, decimals, ordinals after tens, years, ranges, bounds."""
    spans = list(_spans(text))
    taken = {i for first, end, _, _ in spans for i in range(first, end)}
    found: list[Number] = []
    for first, end, value, year in spans:
        unit = _unit(text, end)
        year = year or (not unit and _dated(text, first, value))
        low, high = _bounds(text, first, value, year)
        found.append(
            Number(
                value,
                unit,
                text[first].start,
                text[end - 1].end,
                low,
                high,
                year,
                _beside(text, range(end, len(text)), first, taken),
                _beside(text, range(first - 1, -1, -1), first, taken),
            )
        )
    return _with_ranges(text, spans, found)


def _spans(text: Sequence[Token]) -> list[tuple[int, int, float, bool]]:
    """First token, one past the last, value, and whether it is said as a year."""
    found = []
    i = 0
    while i < len(text):
        if not text[i].form.isdecimal():
            i += 1
            continue
        end, value, year = _year(text, i) or _number(text, i)
        found.append((i, end, value, year))
        i = end
    return found


def _year(text: Sequence[Token], i: int) -> tuple[int, float, bool] | None:
    """A year in two halves: "nineteen sixty-one", "nineteen oh five"."""
    last = i + 1 + (i + 1 < len(text) and text[i + 1].form in ("oh", "o"))
    if last >= len(text) or not text[last].form.isdecimal() or text[last].clause != text[i].clause:
        return None
    century, rest = int(text[i].form), int(text[last].form)
    spelt = all(t.end - t.start > len(t.form) for t in (text[i], text[last]))
    if spelt and 10 <= century <= 20 and (10 if last == i + 1 else 1) <= rest <= 99:
        alone = last + 1 == len(text) or text[last + 1].clause != text[last].clause
        return last + 1, float(100 * century + rest), alone or _after_date_word(text, i)
    return None


def _number(text: Sequence[Token], first: int) -> tuple[int, float, bool]:
    digits, decimals, scale, i = text[first].form, "", 1, first + 1
    if i + 1 < len(text) and text[i].form == "point" and text[i + 1].form.isdecimal():
        i += 1
        spelt = text[i].end - text[i].start > len(text[i].form)  # "zero two": one word a digit
        while i < len(text) and text[i].form.isdecimal() and (not decimals or spelt):
            decimals += text[i].form
            i += 1
        scale = _scale(text[i - 1])
    elif i < len(text) and _ordinal(text[i]) and int(digits) % 10 == 0 and digits != "0":
        digits = str(int(digits) + words.ORDINALS[text[i].form])
        i += 1
    return i, float(f"{digits}.{decimals or 0}") * scale, False


def _ordinal(token: Token) -> bool:
    """True of the third in "twenty third", not of the plural in "twenty seconds"."""
    return token.form in words.ORDINALS and token.end - token.start == len(token.form)


def _scale(decimals: Token) -> int:
    """What "13.8 billion" is multiplied with: its tokens are 13, point, 8000000000."""
    written = decimals.end - decimals.start == len(decimals.form)
    zeros = len(decimals.form) - len(decimals.form.rstrip("0"))
    return 10**zeros if not written and zeros >= 3 else 1


def _bounds(text: Sequence[Token], first: int, value: float, year: bool) -> tuple[float, float]:
    before = [token.form for token in text[max(0, first - 3) : first] if token.form != "minus"][-2:]
    one, two = before[-1:], tuple(before)
    if two in words.AT_LEAST or (one and one[0] in words.OVER):
        return value * (1 - EXACT), math.inf
    if two in words.AT_MOST or (one and one[0] in words.UNDER):
        return -math.inf, value * (1 + EXACT)
    about = bool(words.ABOUT & set(one))
    width = (YEARS if about else 0) if year else value * (ABOUT if about else EXACT)
    return value - width, value + width


def _dated(text: Sequence[Token], first: int, value: float) -> bool:
    whole = value.is_integer() and 1000 <= value <= 2100
    return whole and _after_date_word(text, first)


def _after_date_word(text: Sequence[Token], first: int) -> bool:
    return first > 0 and text[first - 1].form in words.DATING


def _unit(text: Sequence[Token], i: int) -> str:
    if i >= len(text):
        return ""
    form = text[i].form
    if form == "electron" and i + 1 < len(text):
        form += text[i + 1].form
    for american, british in words.SPELLINGS.items():
        form = form.replace(american, british) if form.endswith(american) else form
    return form if form in words.UNITS else ""


def _beside(text: Sequence[Token], places: range, at: int, taken: set[int]) -> frozenset[str]:
    """The nearest content words in one direction, up to the next number or the end of the clause."""
    found: list[str] = []
    for i in places:
        if i in taken or text[i].clause != text[at].clause or len(found) == _BESIDE:
            break
        if text[i].form not in words.EMPTY | words.ABOUT:
            found.append(text[i].form)
    return frozenset(found)


def _with_ranges(
    text: Sequence[Token], spans: Sequence[tuple[int, int, float, bool]], found: Sequence[Number]
) -> list[Number]:
    """In "400 to 500 degrees" both ends have the unit and allow what lies between."""
    made = list(found)
    for n in range(len(found) - 1, 0, -1):
        joint = text[spans[n - 1][1] : spans[n][0]]
        if len(joint) != 1 or joint[0].form not in words.RANGE or found[n - 1].unit:
            continue
        a, b = found[n - 1], made[n]
        if joint[0].form == "and" and not (spans[n - 1][0] and text[spans[n - 1][0] - 1].form == "between"):
            continue
        low, high = min(a.low, b.low), max(a.high, b.high)
        first = Number(a.value, b.unit, a.start, a.end, low, high, b.year, b.after, a.before)
        last = Number(b.value, b.unit, b.start, b.end, low, high, b.year, b.after, a.before)
        made[n - 1 : n + 1] = [first, last]
    return made
