"""Numbers in words, by num2words, which is loaded when the first number comes. English."""

from __future__ import annotations

import re
from functools import lru_cache

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_MOST_DIGITS = 15
"""Longer runs of digits are read one by one."""

_PARTS = {2: "half", 4: "quarter"}


def cardinal(digits: str) -> str:
    """A number as it is counted: "7.4", "1,000", "2.5.1"; leading zeros are read one by one."""
    whole, *decimals = digits.replace(",", "").split(".")
    return " point ".join([_whole(whole), *(one_by_one(part) for part in decimals)])


def one_by_one(digits: str) -> str:
    """Digit by digit: "0042"."""
    return " ".join(_DIGITS[int(digit)] for digit in digits)


def ordinal(number: int) -> str:
    """As in "first", "twenty-first"."""
    return _words(number, "ordinal")


def year(number: int) -> str:
    """As years are read: "nineteen eighty-four", "two thousand and five"."""
    return _words(number, "year")


def counting(digits: str) -> str:
    """A number in running text: 1984 as a year, 1,984 and 19840 as a quantity."""
    if re.fullmatch(r"1[1-9]\d\d|20\d\d", digits):
        return year(int(digits))
    return cardinal(digits)


def in_name(digits: str) -> str:
    """A number that is part of a name: "fifty-three", "two thirty-five", "three point five"."""
    if "." in digits:
        return cardinal(digits)
    if digits[0] == "0" or len(digits) > 4:
        return one_by_one(digits)
    if len(digits) < 3 or digits.endswith("00"):
        return cardinal(digits)
    if len(digits) == 4:
        return counting(digits)
    first, rest = digits[:-2], digits[-2:]
    tail = f"oh {_DIGITS[int(rest[1])]}" if rest[0] == "0" else _words(int(rest), "cardinal")
    return f"{_words(int(first), 'cardinal')} {tail}"


def decade(digits: str) -> str:
    """The years from a round one on: "nineteen nineties", "nineties"."""
    tens = _words(int(digits[-2:]), "cardinal") if digits[-2:] != "00" else ""
    century = _words(int(digits[:-2]), "cardinal") if len(digits) > 2 else ""
    plural = f"{tens[:-1]}ies" if tens else "hundreds"
    if digits == "2000":
        return "two thousands"
    return f"{century} {plural}".strip()


def fraction(above: int, below: int) -> str:
    """As in "one third", "three quarters", "two over one hundred"."""
    if not 2 <= below <= 20 or not 1 <= above < below:
        return f"{cardinal(str(above))} over {cardinal(str(below))}"
    part = _PARTS.get(below) or ordinal(below)
    return f"{cardinal(str(above))} {part}{'' if above == 1 else 's'}"


def date(day: int, month: int, written_year: str = "") -> str:
    """As in "the twelfth of March twenty twenty-one"."""
    said = f"the {ordinal(day)} of {MONTHS[month - 1]}"
    return f"{said} {year(int(written_year))}" if written_year else said


def time(hours: int, minutes: int) -> str:
    """As in "three thirty", "three oh five", "three o'clock"."""
    said = _words(hours, "cardinal")
    if minutes == 0:
        return f"{said} o'clock"
    return f"{said} oh {_DIGITS[minutes]}" if minutes < 10 else f"{said} {_words(minutes, 'cardinal')}"


def _whole(digits: str) -> str:
    if len(digits) > _MOST_DIGITS or (len(digits) > 1 and digits[0] == "0"):
        return one_by_one(digits)
    return _words(int(digits), "cardinal")


@lru_cache(maxsize=4096)
def _words(number: int, kind: str) -> str:
    from num2words import num2words

    words: str = num2words(number, lang="en", to=kind)
    return words.replace(",", "")
