"""Signs become the words they are read as. Pure.

"5 %" is "5 percent", "x²" is "x squared", "$5.50" is "5 dollars 50 cents". What is left are letters, marks,
digits, points inside numbers, apostrophes and spaces.
"""

from __future__ import annotations

import re
import unicodedata

from scenarios.spoken.units import UNIT, unit_words
from scenarios.spoken.verbalise import GREEK_NAMES

_VULGAR = {
    ord(sign): f" {unicodedata.normalize('NFKC', sign).replace('⁄', '/')} " for sign in "¼½¾⅐⅑⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
}
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED = re.compile(
    r"(?P<base>(?<=[\w)\]]))?(?P<sign>[⁺⁻]?)(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)(?P<charge>[⁺⁻]?)|[⁺⁻]"
)
_NAMED_POWERS = {"2": "squared", "3": "cubed"}
_SIGN = {"⁺": "plus ", "⁻": "minus ", "+": "plus ", "-": "minus ", "−": "minus ", "": ""}

_GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", GREEK_NAMES.split(), strict=True))
_LONE_GREEK = re.compile(r"(?<![\u0370-\u03ff])[Α-Ωα-ω](?![\u0370-\u03ff\u0300-\u036f])")

_READ_AS = {
    "%": "percent",
    "‰": "per thousand",
    "&": "and",
    "=": "equals",
    "+": "plus",
    "−": "minus",
    "±": "plus or minus",
    "×": "times",
    "÷": "divided by",
    "≥": "greater than or equal to",
    "≤": "less than or equal to",
    "≈": "approximately",
    "°": "degrees",
    "′": "prime",
    "@": "at",
    "→": "to",
}
_READ = re.compile(f"[{''.join(_READ_AS)}]")
_TEMPERATURE = re.compile(r"°\s?([CF])\b")
_COMPARED = re.compile(r"[<>](?=\s?[-−.]?\d)|(?<=\s)[<>](?=\s)")
_CARET = re.compile(r"(?<=[\w)\]])\^[({]?([-−+]?)(\d+(?![.\w])|(?=\w))")
_EN_DASH = re.compile(r"(?<=\d)\s?[–‒]\s?(?=\d)")
_MONEY = {"$": ("dollar", "cents"), "£": ("pound", "pence"), "€": ("euro", "cents")}
_CURRENCY = re.compile(
    r"([$£€])\s?(\d+(?:,\d{3})*)(?:\.(\d\d)(?!\d)|(\.\d+))?(\s(?:thousand|million|billion|trillion)\b)?",
    re.I,
)

# these begin with the sign itself, which is searched for much faster than what stands around it
_MINUS = re.compile(r"-(?<![\w)\]]-)(?=\.?\d)")
_RANGE = re.compile(r"(?<![\w.,/-])([1-9]\d{0,3})-([1-9]\d{0,3})(?![\w/-]|[.,]\d)")
_AND_PART = re.compile(r"(?<=\d)\s+(?=\d{1,2}/\d)")
_OVER = re.compile(r"/(?<=\d/)(?=\d)")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_BARE_POINT = re.compile(r"\.(?<![\w.]\.)(?=\d)")

_UNIT_AFTER_NUMBER = re.compile(rf"(\d[\d.,⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*)([\s-]?)({UNIT})")

NOT_UNITS = frozenset({"pm", "fm"})
"""A time of day and a radio wave, rather than picometres and femtometres."""

_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}")
_OVER_LETTER = re.compile(r"(?<!\w)m/z(?!\w)", re.I)
_SIGNS = re.compile(r"[^\w\s.,;:!?'\"-]")
_DIGIT = re.compile(r"\d")


class _Kept(dict[int, int | str | None]):
    """A table for `str.translate` that fills itself: what each character of a text becomes."""

    def __missing__(self, code: int) -> int | str | None:
        character = chr(code)
        category = unicodedata.category(character)
        kept: int | str | None = code
        if character in "‘’‛ʼ＇`´":
            kept = "'"
        elif category == "Nd":
            kept = str(unicodedata.decimal(character))
        elif character not in "'." and (category[0] in "PSZ" or category == "Cc"):
            kept = " "
        elif category in ("Cf", "Cs", "Co", "Cn"):
            kept = None
        self[code] = kept
        return kept


_KEPT = _Kept()


def plain(text: str) -> str:
    """Letters in lower case, marks, digits with points, apostrophes and spaces; signs are read out."""
    if _DIGIT.search(text):
        text = _UNIT_AFTER_NUMBER.sub(_unit, text)
    if not text.isascii():
        text = _RAISED.sub(_raised, text.translate(_VULGAR))
        text = _LONE_GREEK.sub(_greek, unicodedata.normalize("NFKC", text))
    if _SIGNS.search(text):
        text = _read_out(text)
    if text.count(".") > 1:
        text = _INITIALS.sub(lambda found: found[0].replace(".", "") + " ", text)
    if _DIGIT.search(text):
        text = _numbers(text)
    if text.isascii():
        return text.lower().translate(_KEPT)
    return unicodedata.normalize("NFKC", text.casefold()).translate(_KEPT)


def _raised(found: re.Match[str]) -> str:
    """A superscript: "10⁻³", "x²", "²³⁵U", "Ca²⁺"."""
    power, sign = found["power"], found["sign"]
    if not power:
        return f" {_SIGN[found[0]]}"
    power = power.translate(_RAISED_DIGITS)
    if found["base"] is None or found["charge"]:
        return f" {_SIGN[sign]}{power} {_SIGN[found['charge']]}"
    return f" {_powered(sign, power)} "


def _powered(sign: str, power: str) -> str:
    named = "" if sign else _NAMED_POWERS.get(power, "")
    return named or f"to the {_SIGN[sign]}{power}"


def _greek(found: re.Match[str]) -> str:
    return f" {_GREEK[found[0].lower()]} " if found[0].lower() in _GREEK else found[0]


def _read_out(text: str) -> str:
    text = _CURRENCY.sub(_money, text)
    text = _TEMPERATURE.sub(
        lambda found: f" degrees {'celsius' if found[1] == 'C' else 'fahrenheit'} ", text
    )
    text = _COMPARED.sub(lambda found: " less than " if found[0] == "<" else " greater than ", text)
    text = _CARET.sub(lambda found: f" {_powered(found[1], found[2])} ", text)
    text = _OVER_LETTER.sub("m over z", _EN_DASH.sub(" to ", text))
    return _READ.sub(lambda found: f" {_READ_AS[found[0]]} ", text)


def _numbers(text: str) -> str:
    if "." in text:
        text = _BARE_POINT.sub("0.", text)
    if "-" in text:
        text = _RANGE.sub(_range, _MINUS.sub(" minus ", text))
    if "/" in text:
        text = _OVER.sub(" over ", _AND_PART.sub(" and ", text))
    return _THOUSANDS.sub("", text)


def _money(found: re.Match[str]) -> str:
    name, coins = _MONEY[found[1]]
    plural = "" if found[2] == "1" and not (found[4] or found[5]) else "s"
    amount = f" {found[2]}{found[4] or ''}{found[5] or ''} {name}{plural} "
    return amount if not found[3] else f"{amount}{found[3]} {coins} "


def _unit(found: re.Match[str]) -> str:
    """Units with a number: "5 mM" is "5 millimolar". Of one letter they are too often something else."""
    number, apart, unit = found.groups()
    if unit in NOT_UNITS or (len(unit) == 1 and unit.isascii()):
        return found[0]
    return f"{number} {unit_words(unit, number != '1' and apart != '-')} "


def _range(found: re.Match[str]) -> str:
    """A range, 5-10, or a telephone number, 555-1234?"""
    first, last = found[1], found[2]
    rises = int(first) < int(last) and (len(first), len(last)) != (3, 4)
    return f"{first} to {last}" if rises else found[0]
