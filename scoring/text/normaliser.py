"""One pinned normaliser, applied alike to references and hypotheses: ways of writing are no errors.

What is made alike, on both sides:

- Unicode forms (NFKC), case, apostrophes, punctuation, hyphens; what stands in brackets stays;
- signs that are read out ("%", "=", "10⁻³", "$5.50"), numbers in words and digits (`written`, `numbers`);
- letters and digits in one word ("BRCA1", "BRCA 1"), spelled letters ("D. N. A.", "d n a", "DNA");
- British and American spelling, contractions ("it's", "it is").

What is never lost: a letter, a digit, a leading zero, a combining mark. Fillers stay, plurals stay. Pure.
"""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Collection, Sequence
from functools import lru_cache

from scenarios.spoken.units import UNITS, unit_words
from scoring.text.numbers import NUMBER_WORDS, digits_for_words
from scoring.text.spelling import american, spelled_out
from scoring.text.written import NOT_UNITS, plain

NORMALISER = "vivavoce-words-2"
"""Name and version of the normaliser; scores made with different ones are not comparable."""

_WORD = re.compile(r"\d+(?:\.\d+)*(?:(?:st|nd|rd|th|(?<=\d0)s)(?![^\s\d.']))?|[^\s\d.']+(?:'[^\s\d.']+)*")
_DIGIT = re.compile(r"\d")
_UNITS = frozenset(
    symbol for symbol in UNITS if len(symbol) > 1 and symbol.isalpha() and symbol.islower()
).difference(NOT_UNITS)
"""Units that keep their case when all else is in lower case."""

_LETTERS = frozenset(string.ascii_lowercase)
_LAST_LETTERS = frozenset(f"{letter}'s" for letter in _LETTERS)
"""The end of a plural that is spelled: "R N A's"."""

_TRIGGERS = NUMBER_WORDS | {"cent"}
_PHRASES = (
    (re.compile(r"\bper cent\b"), "percent"),
    (re.compile(r"\b(dollars?|pounds?|euros?) and(?= \d+ (?:cents?|pence)\b)"), r"\1"),
    (re.compile(r"(?<=\d )to the power(?: of)?\b"), "to the"),
    (re.compile(r"(?<=10 )to the (\d+)th(?: power)?\b"), r"to the \1"),
)
_IN_PHRASES = {"10", "cent", "cents", "half", "pence", "power", "quarter", "third"}
_PART = re.compile(r"(?<=\d )and a (half|third|quarter)\b")
_PARTS = {"half": "2", "third": "3", "quarter": "4"}


def normalise(text: str) -> str:
    """The words of a text, with single spaces; normalising twice changes nothing."""
    return " ".join(tokens(text))


def tokens(text: str) -> list[str]:
    """The words of a text as they are compared."""
    return _units_named(_letters_joined(_words(text), frozenset()))


def paired_tokens(reference: str, hypothesis: str) -> tuple[list[str], list[str]]:
    """The words of two texts that are compared with each other.

    Where one side spells letters ("a D N A test") and the other writes the word ("a DNA test"), the letters
    are joined as the other side has them. The rule is the same for both sides.
    """
    left, right = _words(reference), _words(hypothesis)
    if _spells(left) or _spells(right):
        words = (
            frozenset(_letters_joined(left, frozenset())),
            frozenset(_letters_joined(right, frozenset())),
        )
        left, right = _letters_joined(left, words[1]), _letters_joined(right, words[0])
    return _units_named(left), _units_named(right)


def _words(text: str) -> list[str]:
    """Normalised words, with spelled letters still apart."""
    readable = plain(text)
    words = _forms_of(readable)
    if _DIGIT.search(readable) or not _TRIGGERS.isdisjoint(words):
        words = digits_for_words(words)
        if not _IN_PHRASES.isdisjoint(words):
            return _phrases(" ".join(words)).split()
    return words


def _phrases(text: str) -> str:
    for pattern, replacement in _PHRASES:
        text = pattern.sub(replacement, text)
    return _PART.sub(lambda found: f"and 1 over {_PARTS[found[1]]}", text)


@lru_cache(maxsize=100_000)
def _forms(piece: str) -> tuple[str, ...]:
    """What stands between two spaces, as words: letters apart from digits, contractions as two words."""
    parts = (part.partition("'") for word in _WORD.findall(piece) for part in spelled_out(word))
    return tuple(american(stem) + mark + ending for stem, mark, ending in parts)


def _units_named(words: list[str]) -> list[str]:
    """Units after a number by their names: "5 mm" is "5 millimeters"."""
    if _UNITS.isdisjoint(words):
        return words
    named: list[str] = []
    for before, word in itertools.pairwise(["", *words]):
        is_unit = word in _UNITS and before[-1:].isdecimal()
        named += _forms_of(unit_words(word, before != "1")) if is_unit else [word]
    return named


def _forms_of(text: str) -> list[str]:
    return [word for piece in text.split() for word in _forms(piece)]


def _spells(words: Sequence[str]) -> bool:
    """Whether two letters stand side by side."""
    single = [at for at, word in enumerate(words) if word in _LETTERS]
    after = (words[at + 1] for at in single if at + 1 < len(words))
    return any(word in _LETTERS or word in _LAST_LETTERS for word in after)


def _letters_joined(words: Sequence[str], others: Collection[str]) -> list[str]:
    """Join runs of single letters: as the others have them, else by `_is_spelled`."""
    if not _spells(words):
        return list(words)
    joined: list[str] = []
    run: list[str] = []
    for word in [*words, ""]:
        is_letter = word in _LETTERS
        ends = bool(run) and word in _LAST_LETTERS
        if is_letter or ends:
            run.append(word.replace("'", ""))
        if run and not is_letter:
            numbered = joined[-1:] + [word][ends:]
            joined += _run_joined(run, others, numbered=any(w[:1].isdecimal() for w in numbered))
            run = []
        if word and not (is_letter or ends):
            joined.append(word)
    return joined


def _run_joined(run: list[str], others: Collection[str], numbered: bool) -> list[str]:
    """One run of letters; `numbered` says that digits stand beside it."""
    whole = "".join(run)
    if not others or whole in others:
        return [american(whole)] if _is_spelled(run, numbered) or whole in others else run
    out: list[str] = []
    rest: list[str] = []
    at = 0
    while at < len(run):
        ends = range(len(run), at + 1, -1)
        end = next((end for end in ends if "".join(run[at:end]) in others), at)
        if end == at:
            rest.append(run[at])
            at += 1
            continue
        out += [*_run_joined(rest, (), numbered=False), "".join(run[at:end])]
        rest, at = [], end
    return [*out, *_run_joined(rest, (), numbered)]


def _is_spelled(run: Sequence[str], numbered: bool) -> bool:
    """Letters of one name, or words of one letter: "a" and "i"?"""
    if len(run) != 2 or numbered or run == ["a", "i"]:
        return len(run) > 1
    return run[1] not in ("a", "i") and run[0] != "a"
