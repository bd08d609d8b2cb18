"""Numbers in running text, with what belongs to them: money, dates, times, units, powers, ranges. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from scenarios.spoken import numerals
from scenarios.spoken.expressions import NUMBER
from scenarios.spoken.numerals import cardinal, counting, one_by_one
from scenarios.spoken.units import RATIO, UNIT, unit_words

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−–", "0123456789+---")
_MINUS = {"-": "minus ", "−": "minus ", "–": "minus ", "": ""}
_MONTH = "|".join(numerals.MONTHS)
_MONEY = {"$": ("dollar", "cent"), "£": ("pound", "penny"), "€": ("euro", "cent")}
_COINS = {"penny": "pence", "cent": "cents"}
_VULGAR = {
    "½": (1, 2),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅕": (1, 5),
    "⅙": (1, 6),
    "⅛": (1, 8),
    "⅜": (3, 8),
    "⅝": (5, 8),
    "⅞": (7, 8),
}
_NEEDS_SPACE = frozenset("AFJKMNT")
"""Units of one letter that are no unit right behind a number: a "5K run", the "3T3" cells."""

_SIGN = r"(?P<sign>(?<![\w)\]])[-−–](?=\d))?"
_POWER = r"10(?:(?P<raised>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|\^(?P<caret>[-−+]?\d+))"


def power_words(exponent: str) -> str:
    """What follows the base: "squared", "to the minus three"."""
    digits = exponent.translate(_RAISED).lstrip("+")
    if digits in ("2", "3"):
        return "squared" if digits == "2" else "cubed"
    sign, number = ("minus ", digits[1:]) if digits[0] == "-" else ("", digits)
    return f"to the {sign}{cardinal(number)}"


def _money(found: re.Match[str]) -> str:
    name, coin = _MONEY[found["currency"]]
    amount, coins, scale = found["amount"], found["coins"], found["scale"]
    one = amount == "1" and not scale and not found["rest"]
    said = f"{cardinal(amount + (found['rest'] or ''))}{scale or ''} {name}{'' if one else 's'}"
    if not coins:
        return said
    return f"{said} and {cardinal(str(int(coins)))} {coin if coins == '01' else _COINS[coin]}"


def _time(found: re.Match[str]) -> str:
    half = found["half"]
    said = numerals.time(int(found["hours"]), int(found["minutes"] or 0))
    return said.removesuffix(" o'clock") + f" {half.upper()} M" if half else said


def _quantity(found: re.Match[str]) -> str:
    number, other, unit = found["number"], found["other"], found["unit"]
    if found["apart"] == "" and unit in _NEEDS_SPACE:
        return found[0]
    said = f"{_MINUS[found['sign'] or '']}{cardinal(number)}"
    if other:
        between = "plus or minus" if "±" in found["between"] else "to"
        said += f" {between} {cardinal(other)}"
    many = (number != "1" or bool(other)) and found["apart"] != "-"
    return f"{said} {unit_words(unit, many)}"


def _power(found: re.Match[str]) -> str:
    times = f"{cardinal(found['factor'])} times " if found["factor"] else ""
    said = f"{_MINUS[found['sign'] or '']}{times}ten {power_words(found['raised'] or found['caret'])}"
    return said if not found["unit"] else f"{said} {unit_words(found['unit'], True)}"


def _scientific(found: re.Match[str]) -> str:
    return f"{cardinal(found[1])} times ten {power_words(found[2])}"


def _range(found: re.Match[str]) -> str:
    """From one number to another, or a number in groups of digits (a telephone's)."""
    first, last = found["first"], found["last"]
    rises = float(first.replace(",", "")) < float(last.replace(",", ""))
    if found["dash"] == "-" and (not rises or last[0] == "0" or (len(first), len(last)) == (3, 4)):
        return f"{one_by_one(first)} {one_by_one(last)}" if (first + last).isdecimal() else found[0]
    return f"{counting(first)} to {counting(last)}"


def _vulgar(found: re.Match[str]) -> str:
    above, below = _VULGAR[found[2]]
    part = numerals.fraction(above, below)
    if not found[1]:
        return part
    return f"{cardinal(found[1])} and {part.replace('one ', 'a ', 1) if below in (2, 4) else part}"


def _month_first(found: re.Match[str]) -> str:
    year = f" {counting(found[3])}" if found[3] else ""
    return f"{found[1]} {numerals.ordinal(int(found[2]))}{year}"


def _number(found: re.Match[str]) -> str:
    return f"{_MINUS[found['sign'] or '']}{counting(found['number'])}"


def _rule(pattern: str, say: Callable[[re.Match[str]], str]) -> Rule:
    return re.compile(pattern), say


QUANTITIES: tuple[Rule, ...] = (
    _rule(r"~\s?(?=\d)", lambda _: "about "),
    _rule(
        r"(?P<currency>[$£€])\s?(?P<amount>\d+(?:,\d{3})*)(?:\.(?P<coins>\d\d)(?!\d)|(?P<rest>\.\d+))?"
        r"(?P<scale>\s(?:thousand|million|billion|trillion)\b)?",
        _money,
    ),
    _rule(
        r"(?<![\w-])(\d{4})-(0\d|1[0-2])-([0-2]\d|3[01])(?![\w-])",
        lambda found: numerals.date(int(found[3]), int(found[2]), found[1]),
    ),
    _rule(
        rf"(?<![\w.])(?:the )?(\d{{1,2}}) ({_MONTH})\b(?: (\d{{4}})\b)?",
        lambda found: numerals.date(int(found[1]), numerals.MONTHS.index(found[2]) + 1, found[3] or ""),
    ),
    _rule(rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?(?![\w.–-])(?:,? (\d{{4}})\b)?", _month_first),
    _rule(
        r"(?<![\w.:])(?P<hours>1?\d|2[0-3]):(?P<minutes>[0-5]\d)(?![\d:])"
        r"(?:\s?(?P<half>[AaPp])\.?[Mm]\b\.?|(?<!1:..)|(?<=\d1:..)|(?<=\b(?:at|by) 1:..))",
        _time,
    ),
    _rule(
        r"(?<![\w.:–-])(?P<hours>[1-9]|1[0-2])(?P<minutes>)\s?(?P<half>[AaPp])(?:m|M|\.m\.)(?![\w/·])",
        _time,
    ),
    _rule(
        r"(?<![\w.:])(\d+):(\d+)(?![\w:])",
        lambda found: f"{cardinal(found[1])} to {cardinal(found[2])}",
    ),
    _rule(
        rf"{_SIGN}(?<![\w.])(?:(?P<factor>{NUMBER})\s?[×x*·⋅]\s?)?{_POWER}(?:\s?(?P<unit>{UNIT}))?", _power
    ),
    _rule(r"(?<![\w.])(\d+(?:\.\d+)?)[eE]([-−+]?\d{1,3})(?!\w)", _scientific),
    _rule(r"(?<![\w.])(?:the |')?(\d0|\d\d\d0)s(?!\w)", lambda found: _decade(found)),
    _rule(
        rf"{_SIGN}(?<![\w.])(?P<number>{NUMBER})(?:(?P<between>\s?(?:±|[-–])\s?)(?P<other>{NUMBER}))?"
        rf"(?P<apart>\s?|-)(?P<unit>{UNIT})",
        _quantity,
    ),
    _rule(r"(?<![\w.])(\d+)(?:st|nd|rd|th)(?!\w)", lambda found: numerals.ordinal(int(found[1]))),
    _rule(rf"(?<![\w.])(\d+)?\s?([{''.join(_VULGAR)}])", _vulgar),
    _rule(
        r"(?<![\w./])(\d{1,2})/(\d{1,3})(?![\w/])",
        lambda found: numerals.fraction(int(found[1]), int(found[2])),
    ),
    _rule(rf"(?<![\w.-])(?P<first>{NUMBER})\s?(?P<dash>[-–‒])\s?(?P<last>{NUMBER})(?![\w-])", _range),
    _rule(rf"(?<![\w/]){RATIO}", lambda found: unit_words(found[0], True)),
    _rule(r"#(?=\d)", lambda _: "number "),
    _rule(r"(?<=\d)\s?[x×](?!\s?[\w(+−*/^=-])", lambda _: " times"),
    _rule(r"(?<=\w)/(?=\d+(?!\w))", lambda _: " over "),
    _rule(r"(?<=\d)′-(?=[^\W\d])", lambda _: "′ "),
)
"""Numbers with what belongs to them, the most particular first."""

NUMBERS: tuple[Rule, ...] = (
    _rule(rf"{_SIGN}(?<![\w.])(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)*)(?!\w)", _number),
    _rule(r"(?<![\w.])\.(\d+)(?!\w)", lambda found: f"point {one_by_one(found[1])}"),
)
"""Numbers that stand alone."""


def _decade(found: re.Match[str]) -> str:
    article = "the " if found[0].startswith("the ") else ""
    return article + numerals.decade(found[1])
