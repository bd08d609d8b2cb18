"""How names and abbreviations are said: as a word, or letter by letter. A user's file adds to ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from scenarios.document import Document, read_document
from scenarios.problems import Problem, ScenarioError
from scenarios.spoken.expressions import is_formula

LEXICON = "lexicon.yaml"
"""The file beside scenarios that says how their names are said."""

SHIPPED = Path(__file__).with_name(LEXICON)
"""Our own lexicon; it says what the keys mean."""

SHOUTED = 6
"""Capitals of this length with a vowel among them are a shouted word, not an abbreviation."""

_KEYS = ("said", "words", "letters")
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_SMALL_THEN_CAPITALS = re.compile(r"[a-z]{1,3}[A-Z]{2,}")
_CAMEL = re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]+)+")
_BACTERIAL = re.compile(r"([A-Za-z][a-z]{2})([A-Z])")


@dataclass(frozen=True)
class Lexicon:
    """Says names and abbreviations.

    Attributes:
        said: Spoken forms by name, case as written.
        words: Abbreviations that are read as a word.
        letters: Abbreviations that are spelled, whatever the rules say.
    """

    said: Mapping[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()

    @classmethod
    def shipped(cls) -> Lexicon:
        """Our own."""
        return _shipped()

    def extended(self, file: Path) -> Lexicon:
        """This lexicon with a file of one's own, which wins where both know a name.

        Raises:
            ScenarioError: The file is not a lexicon; with file, line and what was expected.
        """
        problems = lexicon_problems(file)
        if problems:
            raise ScenarioError(problems)
        data: Mapping[str, Any] = read_document(file).data
        said = {str(name): str(spoken) for name, spoken in (data.get("said") or {}).items()}
        words = frozenset(data.get("words") or ())
        letters = frozenset(data.get("letters") or ())
        named = frozenset(said) | words | letters
        return Lexicon(
            {**{name: spoken for name, spoken in self.said.items() if name not in named}, **said},
            (self.words - named) | words,
            (self.letters - named) | letters,
        )

    @cached_property
    def phrases(self) -> re.Pattern[str]:
        """Finds the names that are more than letters and digits: "m/z", "e.g."."""
        names = sorted((name for name in self.said if re.search(r"\W", name)), key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names)) or '(?!)'})(?!\w)")

    def say(self, name: str) -> str:
        """A name of letters alone: "DNA" is "D N A", "NASA" is "nasa", "RNAs" is "R N A's".

        Words with no capital but the first, and names like "AlphaFold", are left as they are. An
        abbreviation without a vowel is spelled (S3-Bench); so is one of up to five letters that the lexicon
        does not know as a word. Longer ones are shouted words.
        """
        if name in self.said:
            return self.said[name]
        if name in self.letters:
            return spelled(name)
        if name in self.words:
            return name.lower()
        if len(name) > 2 and name.endswith("s") and name[:-1].isupper():
            singular = self.say(name[:-1])
            return f"{singular}'s" if singular[-1].isupper() else f"{singular}s"
        if len(name) < 2 or not re.search(r"[A-Z]", name[1:]):
            return name
        return self._abbreviation(name)

    def _abbreviation(self, name: str) -> str:
        if name.isupper():
            is_word = len(name) >= SHOUTED and has_vowel(name)
            return name.lower() if is_word else spelled(name)
        if is_formula(name) or _SMALL_THEN_CAPITALS.fullmatch(name):
            return spelled(name)
        bacterial = _BACTERIAL.fullmatch(name)
        if bacterial:
            return f"{bacterial[1].lower()} {bacterial[2]}"
        return name if _CAMEL.fullmatch(name) or len(name) > SHOUTED else spelled(name)


def lexicon_problems(file: Path) -> list[Problem]:
    """Everything that is wrong with the file of a lexicon."""
    document = read_document(file)
    return document.problems or _problems(document)


def has_vowel(name: str) -> bool:
    """Whether a name could be read as a word; y counts."""
    return bool(_VOWEL.search(name))


def spelled(name: str) -> str:
    """Letter by letter, for a voice: "E D T A"."""
    return " ".join(character.upper() for character in name if character.isalnum())


@cache
def _shipped() -> Lexicon:
    return Lexicon().extended(SHIPPED)


def _problems(document: Document) -> list[Problem]:
    data = document.data
    if not isinstance(data, dict):
        return [document.problem((), type(data).__name__, "a mapping with said, words, letters")]
    found = [
        document.problem((key,), repr(key), "said, words or letters", key=True)
        for key in data
        if key not in _KEYS
    ]
    said = data.get("said") or {}
    if not isinstance(said, dict) or not all(isinstance(v, str) and v.strip() for v in said.values()):
        found.append(
            document.problem(("said",), "something else", "names with their spoken forms, as text")
        )
    for key in ("words", "letters"):
        names = data.get(key) or []
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            found.append(document.problem((key,), "something else", "a list of abbreviations"))
    return found
