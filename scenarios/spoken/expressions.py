"""Special expressions: what is read otherwise than it is written. Typed, with their places. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from scenarios.spoken.abbreviations import abbreviations
from scenarios.spoken.elements import ELEMENTS, SYMBOL
from scenarios.spoken.terms import Rarity, terms
from scenarios.spoken.units import UNIT


class Kind(StrEnum):
    """What an expression is."""

    FORMULA = "formula"  # H₂SO₄, NaCl
    UNIT = "unit"  # 5 mM, −80 °C
    EQUATION = "equation"  # ΔG = −RT ln K
    ISOTOPE = "isotope"  # ²³⁵U, carbon-14
    SEQUENCE = "sequence"  # 5′-ATGC-3′
    GENE = "gene"  # BRCA1, IL-6, p53: genes and proteins
    EXPONENT = "exponent"  # 10⁻³, 3.5×10⁸


@dataclass(frozen=True, slots=True)
class Expression:
    """A special expression.

    Attributes:
        start: Its first character in the text.
        end: One past the last.
    """

    kind: Kind
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Features:
    """What is special in a text; each as often as it occurs."""

    terminology: tuple[str, ...]
    abbreviation: tuple[str, ...]
    special_expression: tuple[Expression, ...]

    @property
    def present(self) -> frozenset[str]:
        """The names of the features that occur."""
        names = ("terminology", "abbreviation", "special_expression")
        return frozenset(name for name in names if getattr(self, name))


NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
"""A number in digits: "10", "1,000", "7.4"."""

RAISED = "[⁰¹²³⁴⁵⁶⁷⁸⁹]"
_LOWERED = "[₀₁₂₃₄₅₆₇₈₉]"
_GROUP = rf"{SYMBOL}(?:\d+|{_LOWERED}+)?"
_CHARGE = rf"(?:{RAISED}*[⁺⁻]|\d?\+(?!\w))?"

FORMULA = rf"(?:{_GROUP}|\((?:{_GROUP})+\)(?:\d+|{_LOWERED}+)?)+(?:[·⋅]\d*(?:{_GROUP})+)?{_CHARGE}(?![\w-])"
"""Chemical formulas; words and names fit it too: see `is_formula`."""

ISOTOPE = rf"{RAISED}+{SYMBOL}(?![a-z])|{SYMBOL}-\d{{1,3}}(?![\w-])"
"""Isotopes by symbol: "²³⁵U", "U-235"."""

_NAMED_ISOTOPE = rf"(?i:{'|'.join(ELEMENTS.values())}|aluminum|sulfur|cesium)-\d{{1,3}}(?!\w)"

_PRIME = "['′’]"
SEQUENCE = rf"[35]{_PRIME}[-– ]?(?:[ACGTUN]{{2,}}[-– ]?)+[35]{_PRIME}|(?:[ACGT]{{6,}}|[ACGU]{{6,}})(?!\w)"
"""Sequences of nucleic acids: "5′-ATGC-3′"."""

GENE = "|".join(
    (
        r"SARS-CoV-\d",
        r"[A-Z]{2,5}\d{1,2}(?:[A-Z]\d?)?",  # BRCA1, TP53, CD8
        r"p\d{2}",  # p53
        r"(?:CD|GLP|HLA|IFN|IL|NF|PD|TGF|TLR|TNF)-(?:κ?[A-Zα-ω]\d*|\d{1,2})",  # IL-6, TNF-α, NF-κB, PD-L1
        r"[A-Z][a-z]{2}\d{1,2}[a-z]?",  # Cas9
        r"[A-Za-z][a-z]{2}[A-Z]",  # lacZ, RecA
        r"c-[A-Z][a-z]{2}",  # c-Myc
    )
)
"""Genes and proteins, by the usual shapes of their names."""

EXPONENT = "|".join(
    (
        rf"(?:{NUMBER}\s?[×x*·]\s?)?10(?:[⁺⁻]?{RAISED}+|\^[-−+]?\d+)",
        r"\d+(?:\.\d+)?[eE][-−+]?\d{1,3}(?!\w)",
        rf"[A-Za-z]⁻?{RAISED}+(?!\w)",
    )
)
"""Powers: "10⁻³", "3.5×10⁸", "1e-5", "x²"."""

_CAPITAL_FORMULAS = frozenset(
    {"CO", "NO", "HF", "HI", "HCN", "KOH", "KI", "KCN", "KF", "OH", "BN", "CHO", "COOH"}
)
"""Formulas of capitals without a number; others that look so are abbreviations ("HIV")."""

_MOLECULES = frozenset({"H2", "N2", "O2", "O3", "F2", "Cl2", "Br2", "I2", "P4", "S8", "C60", "C70"})
_NOT_FORMULAS = frozenset({"GeV", "NaN", "CoV", "PhD", "IoU", "PoC", "CoA", "LaTeX", "IoT"})
_INFLUENZA = re.compile(r"H\d{1,2}N\d{1,2}")
_TO_ASCII = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

_QUANTITY = rf"(?:[-−–](?=\d))?{NUMBER}(?:\s?(?:±|[-–])\s?{NUMBER})?[\s-]?{UNIT}"

_ORDER = {
    # where two could stand, the first does
    Kind.SEQUENCE: SEQUENCE,
    Kind.ISOTOPE: rf"{_NAMED_ISOTOPE}|{ISOTOPE}",
    Kind.UNIT: rf"(?:{EXPONENT})\s?{UNIT}|{_QUANTITY}",
    Kind.EXPONENT: EXPONENT,
    Kind.GENE: rf"(?:{GENE})(?![\w])",
    Kind.FORMULA: FORMULA,
}
_MATH = re.compile(
    r"(?P<relation>[=≈≠≤≥∝⇌→])|(?P<operator>[-+−±*×/·^()\[\]√∑∫|,])|(?P<number>\d[\d.]*)"
    r"|(?P<word>[^\W\d_]\w*[⁰-⁹⁺⁻′]*)|(?P<other>\S)"
)
_FUNCTIONS = frozenset({"ln", "log", "exp", "sin", "cos", "tan", "max", "min", "lim", "mod"})
_SHORT_WORDS = frozenset(
    {"am", "an", "as", "at", "be", "by", "do", "go", "he", "if", "in", "is", "it", "me", "my", "no", "of"}
    | {"on", "or", "so", "to", "up", "us", "we"}
)


def is_formula(word: str) -> bool:
    """Whether a word is a chemical formula: "H₂SO₄", "NaCl"; not "HIV", "I", "H5N1" or "BRCA1"."""
    word = word.translate(_TO_ASCII)
    if word in _NOT_FORMULAS or _INFLUENZA.fullmatch(word) or not re.fullmatch(FORMULA, word):
        return False
    if word in _MOLECULES or word in _CAPITAL_FORMULAS or re.search(r"[⁺⁻+]$", word):
        return True
    counts = [int(count) for count in re.findall(r"\d+", word)]
    symbols = re.findall(SYMBOL, word)
    numbered = bool(counts) and 1 not in counts and max(counts) < 60
    return len(symbols) > 1 and (numbered or (not counts and any(len(symbol) > 1 for symbol in symbols)))


def expressions(text: str) -> list[Expression]:
    """Every special expression, in order; none overlaps another, except that an equation holds others."""
    found: list[Expression] = []
    for match in _finder().finditer(text):
        kind = Kind(match.lastgroup or "")
        if kind in (Kind.GENE, Kind.FORMULA):
            kind = Kind.FORMULA if is_formula(match[0]) else Kind.GENE
            if kind is Kind.GENE and not re.fullmatch(GENE, match[0]):
                continue
        found.append(Expression(kind, match.start(), match.end(), match[0]))
    found += [Expression(Kind.EQUATION, start, end, text[start:end]) for start, end in _equations(text)]
    return sorted(found, key=lambda expression: (expression.start, -expression.end))


def features(text: str, rarity: Rarity) -> Features:
    """Terminology, abbreviations and special expressions of a text."""
    return Features(tuple(terms(text, rarity)), tuple(abbreviations(text)), tuple(expressions(text)))


@cache
def _finder() -> re.Pattern[str]:
    kinds = (rf"(?P<{kind}>(?<![\w′])(?:{pattern}))" for kind, pattern in _ORDER.items())
    return re.compile("|".join(kinds))


def _equations(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of mathematics around a relation, with something on both of its sides."""
    start = end = -1
    sides = 0
    related = False
    for part in [*_MATH.finditer(text), None]:
        if part is not None and _is_math(part):
            if start < 0:
                start, sides, related = part.start(), 0, False
            if part["relation"]:
                related = related or sides > 0
                sides = 0 if related and sides > 0 else sides
            elif not part["operator"]:
                sides += 1
            end = part.end()
            continue
        if start >= 0 and related and sides:
            yield start, end
        start = -1


def _is_math(part: re.Match[str]) -> bool:
    word = part["word"]
    if word is None:
        return part["other"] is None
    if word in _FUNCTIONS or len(word) == 1 or not word.isascii():
        return True
    return len(word) < 4 and word.lower() not in _SHORT_WORDS and (len(word) == 2 or not word.islower())
