"""From written to spoken form, for an English voice: "5 mM EDTA" is "five millimolar E D T A". Pure.

Rules run one after the other, the most particular first; what no rule knows stays as it is. So plain
prose is unchanged, and so is what has been verbalised. Letters that are spelled come out as capitals with
spaces.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

from scenarios.spoken.elements import ELEMENTS
from scenarios.spoken.expressions import FORMULA, ISOTOPE, SEQUENCE, is_formula
from scenarios.spoken.lexicon import LEXICON, Lexicon, has_vowel, spelled
from scenarios.spoken.numerals import in_name
from scenarios.spoken.quantities import NUMBERS, QUANTITIES, power_words
from scenarios.spoken.units import UNIT, unit_words

_POWER = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_SIGNS = {"⁺": "plus", "⁻": "minus", "ⁿ": "N"}
_TO_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹", "01234567890123456789")
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ"

GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"
    " upsilon phi chi psi omega"
)
_GREEK = {
    **dict(zip("αβγδεζηθικλμνξοπρστυφχψω", GREEK_NAMES.split(), strict=True)),
    "ς": "sigma",
    "ϕ": "phi",
    "ϵ": "epsilon",
    "µ": "mu",
    "∆": "delta",
}
_LONE_GREEK = re.compile(r"(?<![\u0370-\u03ff])[Α-Ωα-ωϕϵµ∆](?![\u0370-\u03ff])")

_SYMBOLS = {
    "=": "equals",
    "≠": "is not equal to",
    "≈": "approximately equals",
    "≡": "is equivalent to",
    "≥": "greater than or equal to",
    "≤": "less than or equal to",
    "±": "plus or minus",
    "+": "plus",
    "−": "minus",
    "×": "times",
    "÷": "divided by",
    "·": "times",
    "⋅": "times",
    "∝": "is proportional to",
    "→": "to",
    "⇌": "is in equilibrium with",
    "∞": "infinity",
    "√": "the square root of",
    "∑": "the sum of",
    "∫": "the integral of",
    "∂": "partial",
    "∇": "del",
    "&": "and",
    "%": "percent",
    "Å": "angstroms",
    "°C": "degrees Celsius",
    "°F": "degrees Fahrenheit",
    "°": "degrees",
    "′": "prime",
    "ħ": "h bar",
}
_SYMBOL = re.compile("|".join(map(re.escape, _SYMBOLS)))
_COMPARED = re.compile(r"[<>](?=\s?[-−]?\.?\d)|(?<=\s)[<>](?=\s)")
_COMPARISONS = {"<": "less than", ">": "greater than"}

_INITIALS = re.compile(r"(?<![\w.])(?:[A-Z]\.){2,}")
_SPECIES = re.compile(r"(?<![\w.])([A-Z])\. (?=[a-z]{3,})")
_SLASHED = re.compile(r"(?<=[A-Z0-9])/(?=[A-Z0-9])")
_PRODUCT = re.compile(r"(?<=[=+−×·])(\s?)([a-z]{2})(?![\w.])")
_TRIGONOMETRY = re.compile(r"\b(sin|cos|tan)(?=\s?[(θαβφωx-z\d])")
_TRIGONOMETRIC = {"sin": "sine ", "cos": "cosine ", "tan": "tangent "}
_COMPOUND = re.compile(r"(?<![\w-])\w+(?:[-–]\w+)+")
_LONG_FORMULA = re.compile(rf"(?<![\w)])(?:{FORMULA})")
_NAME = re.compile(r"(?<!\w)\w[\w⁺⁻]*(?:(?<=\d)\.\d+)?")
_PIECE = re.compile(
    rf"(?P<raised>[{_SUPERSCRIPT}]+)|(?P<digits>\d+(?:\.\d+)?)|(?P<letters>[^\W\d{_SUPERSCRIPT}]+)"
)
_CHARGE = re.compile(r"(\d*)([⁺⁻])")


def verbalise(text: str, lexicon: Lexicon | None = None) -> str:
    """How an English text is said aloud.

    Args:
        text: As it is written.
        lexicon: How names are said; None takes our own.

    Returns:
        The spoken form; the text itself where nothing in it is said otherwise than it is written.
    """
    return _Speaker(lexicon or Lexicon.shipped()).say(text)


def spoken_form(language: str, folder: Path) -> Callable[[str], str]:
    """How the texts of a scenario are said aloud where it gives no spoken form itself.

    Args:
        language: Of the scenario; other languages than English are spoken as they are written.
        folder: Of the scenario; a `lexicon.yaml` there adds to our own.

    Raises:
        ScenarioError: That file is not a lexicon.
    """
    if importlib.util.find_spec("num2words") is None:
        return str  # a voice from elsewhere, without our extra `speak`: it reads numbers as it likes
    if language.lower().split("-")[0] != "en":
        return str
    own = folder / LEXICON
    if own.is_file():
        return _remembering(Lexicon.shipped().extended(own))
    return _shipped()


@cache
def _shipped() -> Callable[[str], str]:
    return _remembering(Lexicon.shipped())


def _remembering(lexicon: Lexicon) -> Callable[[str], str]:
    """The calls of a process say the same lines, each of which is asked for several times."""
    say = lru_cache(maxsize=4096)(_Speaker(lexicon).say)
    say("1")  # loads num2words now: the first number of a call shall make no tick late
    return say


class _Speaker:
    """Applies the rules with one lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def say(self, text: str) -> str:
        said = self._lexicon.phrases.sub(lambda found: self._lexicon.said[found[0]], text)
        said = _INITIALS.sub(lambda found: spelled(found[0]), said)
        said = _SPECIES.sub(r"\1 ", said)
        said = re.sub(SEQUENCE, _sequence, said)
        said = re.sub(rf"(?<![\w-])(?:{ISOTOPE})", _isotope, said)
        said = _TRIGONOMETRY.sub(lambda found: _TRIGONOMETRIC[found[1]], said)
        for pattern, rule in QUANTITIES:
            said = pattern.sub(rule, said)
        said = _LONG_FORMULA.sub(self._formula, said)
        said = _COMPOUND.sub(self._compound, _SLASHED.sub(" ", said))
        said = _PRODUCT.sub(lambda found: f"{found[1]}{spelled(found[2])}", said)
        said = _LONE_GREEK.sub(_greek, said)
        said = _NAME.sub(self._name, said)
        said = _COMPARED.sub(lambda found: f" {_COMPARISONS[found[0]]} ", said)
        for pattern, rule in NUMBERS:
            said = pattern.sub(rule, said)
        said = _SYMBOL.sub(lambda found: f" {_SYMBOLS[found[0]]} ", said)
        return text if said == text else _tidy(said)

    def _formula(self, found: re.Match[str]) -> str:
        """A formula that is more than letters and digits: "Ca(OH)2", "CuSO4·5H2O", "Na+"."""
        if not re.search(r"[(·⋅+]", found[0]) or not is_formula(found[0]):
            return found[0]
        return " ".join(self._pieces(found[0], formula=True)) + (" plus" if found[0].endswith("+") else "")

    def _compound(self, found: re.Match[str]) -> str:
        """Words with hyphens: apart, if one of them is special ("IL-6", "α-helix"); "X-ray" stays."""
        parts = re.split("[-–]", found[0])
        if all(part.isdecimal() for part in parts) or not any(map(self._is_special, parts)):
            return found[0]
        return " ".join(in_name(part) if part.isdecimal() else part for part in parts)

    def _is_special(self, word: str) -> bool:
        if word in self._lexicon.said or word in self._lexicon.words:
            return True
        return bool(re.search(r"[A-Z]", word[1:]) or re.search(r"\d", word) or _LONE_GREEK.search(word))

    def _name(self, found: re.Match[str]) -> str:
        """A word with capitals inside, digits or superscripts; numbers and other words stay."""
        name = found[0]
        if re.fullmatch(r"\d[\d.]*", name):
            return name
        if not (self._is_special(name) or re.search(rf"[₀-₉{_SUPERSCRIPT}]", name)):
            return name
        if name in self._lexicon.said:
            return self._lexicon.said[name]
        if len(name) > 1 and not name.isupper() and re.fullmatch(UNIT, name):
            before = found.string[: found.start()].rstrip()
            return unit_words(name, many=not before.endswith("per"))
        if name.isalpha() and name.isascii():
            return self._lexicon.say(name)
        return " ".join(self._pieces(name, formula=is_formula(name)))

    def _pieces(self, name: str, formula: bool) -> list[str]:
        """Letters, digits and superscripts of a name, one after the other."""
        said: list[str] = []
        for piece in _PIECE.finditer(name.translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789"))):
            if piece["digits"]:
                said.append(in_name(piece["digits"]))
            elif piece["letters"]:
                said.append(spelled(piece["letters"]) if formula else self._letters(piece["letters"]))
            else:
                said.append(_raised(piece["raised"], first=not said))
        return said

    def _letters(self, letters: str) -> str:
        """Letters beside digits: "cas" of Cas9, but "B C L" of Bcl2, "P" of p53."""
        if letters in self._lexicon.said:
            return self._lexicon.said[letters]
        if len(letters) == 1 or (len(letters) == 2 and letters.islower()):
            return spelled(letters)
        if letters.istitle():
            return letters.lower() if len(letters) > 2 and has_vowel(letters) else spelled(letters)
        return self._lexicon.say(letters)


def _greek(found: re.Match[str]) -> str:
    """A letter's name; a number behind it stays with it: "χ²", "β2"."""
    after = found.string[found.end() : found.end() + 1]
    joined = after.isalnum() and not after.isalpha()
    return f" {_GREEK.get(found[0].lower(), found[0])}{'' if joined else ' '}"


def _raised(written: str, first: bool) -> str:
    """A superscript: a power, or the charge of an ion."""
    charge = _CHARGE.fullmatch(written.translate(_TO_DIGITS))
    if charge:
        sign = "plus" if charge[2] == "⁺" else "minus"
        return f"{in_name(charge[1])} {sign}" if charge[1] else sign
    if not _POWER.fullmatch(written):
        return " ".join(["to the", *(_SIGNS.get(one) or one.translate(_TO_DIGITS) for one in written)])
    return in_name(written.translate(_TO_DIGITS)) if first else power_words(written)


def _sequence(found: re.Match[str]) -> str:
    """Each base by its letter, and the ends: "five prime A T G C three prime"."""
    ends = {"3": "three prime", "5": "five prime"}
    parts = re.findall(r"[35]|[A-Z]+", found[0])
    return " ".join(ends.get(part) or spelled(part) for part in parts)


def _isotope(found: re.Match[str]) -> str:
    symbol = re.sub(r"[^A-Za-z]", "", found[0])
    mass = re.sub(r"\D", "", found[0].translate(_TO_DIGITS))
    atomic_number = list(ELEMENTS).index(symbol) + 1
    written_with_hyphen = "-" in found[0]
    if written_with_hyphen and (symbol == "B" or not 1.8 * atomic_number < int(mass) < 2.7 * atomic_number):
        return found[0]  # E. coli K-12, vitamin B-12
    return f"{ELEMENTS[symbol]} {in_name(mass)}"


def _tidy(said: str) -> str:
    said = re.sub(r"[ \t\u00a0]{2,}", " ", said.strip())
    said = re.sub(r"(?<=\w)\((?=\w\))", " (", said)  # log two (x)
    return re.sub(r"(?<=[(\[]) | (?=[)\],.;:?!])", "", said)
