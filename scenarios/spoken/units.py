"""Units of measurement and how they are said: "mM" is "millimolar", "m/s" "metres per second". Pure."""

from __future__ import annotations

import re
from functools import lru_cache

_PREFIXES = {
    "f": "femto",
    "p": "pico",
    "n": "nano",
    "µ": "micro",
    "m": "milli",
    "c": "centi",
    "d": "deci",
    "h": "hecto",
    "k": "kilo",
    "M": "mega",
    "G": "giga",
    "T": "tera",
}

_BASES = {
    # symbol: name, and the prefixes that are in use with it
    "g": ("gram", "fpnµmk"),
    "m": ("metre", "fpnµmcdk"),
    "L": ("litre", "fpnµmcdk"),
    "l": ("litre", "µmcd"),
    "mol": ("mole", "fpnµmk"),
    "M": ("molar", "fpnµm"),
    "s": ("second", "fpnµm"),
    "Hz": ("hertz", "mkMGT"),
    "eV": ("electronvolt", "mkMGT"),
    "V": ("volt", "nµmkM"),
    "A": ("ampere", "pnµmk"),
    "W": ("watt", "nµmkMGT"),
    "Wh": ("watt hour", "mkMGT"),
    "J": ("joule", "fpnµmkMGT"),
    "N": ("newton", "pnµmkM"),
    "Pa": ("pascal", "µmhkMG"),
    "bar": ("bar", "µmk"),
    "Da": ("dalton", "kM"),
    "Ω": ("ohm", "µmkMG"),
    "T": ("tesla", "pnµm"),
    "F": ("farad", "fpnµm"),
    "K": ("kelvin", "nµm"),
    "Bq": ("becquerel", "mkMGT"),
    "Sv": ("sievert", "nµm"),
    "Gy": ("gray", "µmc"),
    "B": ("byte", "kMGT"),
    "bit": ("bit", "kMG"),
    "pc": ("parsec", "kMG"),
    "cal": ("calorie", "k"),
    "Ci": ("curie", "pnµm"),
    "S": ("siemens", "pnµm"),
}

_OTHERS = {
    "%": "percent",
    "‰": "per thousand",
    "°": "degree",
    "°C": "degree Celsius",
    "°F": "degree Fahrenheit",
    "Å": "angstrom",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "atm": "atmosphere",
    "mmHg": "millimetre of mercury",
    "ppm": "part per million",
    "ppb": "part per billion",
    "rpm": "revolution per minute",
    "bp": "base pair",
    "kb": "kilobase",
    "Mb": "megabase",
    "Gb": "gigabase",
    "nt": "nucleotide",
    "AU": "astronomical unit",
    "ly": "light year",
    "dB": "decibel",
    "lx": "lux",
    "lm": "lumen",
    "cd": "candela",
    "ha": "hectare",
    "IU": "international unit",
    "mph": "mile per hour",
    "wt%": "weight percent",
}

_NEEDS_PREFIX = ("B", "S")

UNITS: dict[str, str] = {
    **{symbol: name for symbol, (name, _) in _BASES.items() if symbol not in _NEEDS_PREFIX},
    **{
        prefix + symbol: _PREFIXES[prefix] + name
        for symbol, (name, prefixes) in _BASES.items()
        for prefix in prefixes
    },
    **_OTHERS,
}
"""The name of one, by symbol; µ is U+00B5."""

_NO_PLURAL = ("molar", "hertz", "siemens", "lux", "percent", "kelvin", "bar", "tesla")
_SYMBOL = "|".join(
    (
        *(
            f"[{prefixes}]{'' if symbol in _NEEDS_PREFIX else '?'}{symbol}"
            for symbol, (_, prefixes) in _BASES.items()
        ),
        *map(re.escape, _OTHERS),
    )
).replace("µ", "µμ")
_BELOW = r"(?:[⁻−][¹²³⁴]|\^?[-−][1-4](?![\w.]))"
_POWER = rf"(?:{_BELOW}|[¹²³⁴]|\^[1-4](?![\w.]))"
_ONE = rf"(?:{_SYMBOL}){_POWER}?"
_SLASHED = rf" ?/ ?\(?{_ONE}\)?"
_END = r"(?![\w′])(?!(?<=[AT])[ -]cells?\b)"

UNIT = rf"{_ONE}(?:{_SLASHED}|[·⋅]{_ONE}\)?| (?:{_SYMBOL}){_BELOW})*{_END}"
"""A pattern for a unit or a compound of units, right after a number: "mol/L", "m s⁻²", "J mol⁻¹ K⁻¹"."""

RATIO = rf"{_ONE}(?:/{_ONE})+{_END}"
"""A pattern for a compound of units that needs no number to be known: "km/h"."""

_PARTS = re.compile(
    rf"(?P<over> ?/ ?\(?)?(?P<unit>{_SYMBOL})(?P<power>{_POWER})?(?P<closed>\))?(?![^\W\d])"
)
_DIGITS = str.maketrans("¹²³⁴⁻−", "1234--", "^")
_RAISED = ("", "", "squared", "cubed", "to the four")
_SIDES = {2: "square", 3: "cubic"}


@lru_cache(maxsize=4096)
def unit_words(written: str, many: bool) -> str:
    """How a unit is said after a number.

    Args:
        written: As `UNIT` matches it.
        many: The number is not one.
    """
    said: list[str] = []
    bracket = False
    for part in _PARTS.finditer(written):
        name = UNITS[part["unit"].replace("μ", "µ")]
        power = int((part["power"] or "1").translate(_DIGITS))
        bracket = bracket or "(" in (part["over"] or "")
        if power < 0 or part["over"] or bracket:
            said += ["per", _raised(name, abs(power))]
        else:
            said.append(_raised(_plural(name) if many else name, power))
        bracket = bracket and not part["closed"]
    return " ".join(said)


def _raised(name: str, power: int) -> str:
    if power in _SIDES and re.search(r"metres?$", name):
        return f"{_SIDES[power]} {name}"
    return f"{name} {_RAISED[power]}".rstrip()


def _plural(name: str) -> str:
    """Of "degree Celsius" the first word, of "light year" the last, of "millimolar" none."""
    first, space, rest = name.partition(" ")
    if first.endswith(_NO_PLURAL) or first in ("per", "weight"):
        return name
    if space and not rest.startswith(("C", "F", "of ", "per ")):
        return f"{name}s"
    return f"{first}s{space}{rest}"
