"""Terminology: words that are rare in everyday speech.

S3-Bench counts a lexical item with fewer than 10 occurrences in the text of GigaSpeech as terminology. That
text is not at hand, so there are two measures of rarity: a counts file of one's own (`term<TAB>count`) with
the threshold 10, or the frequencies of the package `wordfreq` with the threshold that answers to it:
GigaSpeech XL has about 1.1e8 words, 10 of them are 0.09 per million, which is Zipf 1.95.

Surface forms are counted ("mitochondria" and "mitochondrion" are two). Numbers, abbreviations and single
letters are no terms.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Protocol

from scenarios.spoken.abbreviations import abbreviations

RARE_COUNT = 10
"""An item with fewer occurrences in the counts is terminology."""

RARE_ZIPF = 1.95
"""A word below this Zipf frequency (log10 of occurrences per 1e9 words) is terminology."""

_WORD = re.compile(r"(?:[^\W\d_][\u0300-\u036f]*)+")


class CountsUnreadable(ValueError):
    """A counts file with a line that is not `term<TAB>count`, in UTF-8."""

    def __init__(self, path: Path, line: int, found: str) -> None:
        self.path = path
        self.line = line
        self.found = found
        super().__init__(f"{path}:{line}: expected a term, a tab and a whole number, found {found!r}")


class Rarity(Protocol):
    """Says what is rare."""

    def is_rare(self, word: str) -> bool:
        """Whether a word in lower case is terminology."""

    @property
    def phrases(self) -> re.Pattern[str] | None:
        """Finds items of several words that are terminology."""


@dataclass(frozen=True)
class Counts:
    """Occurrences of words in a corpus of one's own; what is not counted occurs 0 times.

    Attributes:
        counts: By item in lower case; an item may have several words.
        rare: Items with fewer occurrences are terminology.
    """

    counts: Mapping[str, int]
    rare: int = RARE_COUNT

    @classmethod
    def read(cls, path: Path, rare: int = RARE_COUNT) -> Counts:
        """Read a file of lines `term<TAB>count`; empty lines are passed over.

        Raises:
            CountsUnreadable: With file and line.
            OSError: The file cannot be read.
        """
        counts: dict[str, int] = {}
        data = path.read_bytes()
        try:
            lines = data.decode("utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            place = data[: error.start].count(b"\n") + 1
            raise CountsUnreadable(path, place, f"byte 0x{data[error.start]:02x}") from error
        for number, line in enumerate(lines, 1):
            if line.strip():
                term, _, count = line.rpartition("\t")
                if not term.strip() or not count.strip().isdecimal():
                    raise CountsUnreadable(path, number, line)
                counts[_folded(term)] = int(count)
        return cls(counts, rare)

    def is_rare(self, word: str) -> bool:
        """Whether a word in lower case is terminology."""
        return self.counts.get(word, 0) < self.rare

    @cached_property
    def phrases(self) -> re.Pattern[str] | None:
        """Finds rare items of several words, the longest first."""
        rare = [item for item, count in self.counts.items() if " " in item and count < self.rare]
        if not rare:
            return None
        longest_first = sorted(rare, key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


@dataclass(frozen=True)
class WordFrequencies:
    """Frequencies of English words from the package `wordfreq`, which must be installed."""

    rare: float = RARE_ZIPF

    def is_rare(self, word: str) -> bool:
        """Whether a word in lower case is terminology."""
        return _frequencies().get(word, 0.0) < 10 ** (self.rare - 9)

    @property
    def phrases(self) -> None:
        """None: `wordfreq` counts single words."""


def terms(text: str, rarity: Rarity, lexicon: Collection[str] | None = None) -> list[str]:
    """Every term of a text as it stands there, in order, as often as it occurs.

    Args:
        text: In its own case.
        rarity: Counts or frequencies.
        lexicon: Words in lower case; a single word that is not among them is a misspelling, not a term.
            None knows no misspellings.
    """
    text = unicodedata.normalize("NFKC", text)
    spans = [found.span() for found in rarity.phrases.finditer(text)] if rarity.phrases else []
    known = {word: _folded(word) for word in set(_WORD.findall(text)).difference(abbreviations(text))}
    rare = {
        word
        for word, folded in known.items()
        if len(word) > 1 and rarity.is_rare(folded) and (lexicon is None or folded in lexicon)
    }
    if rare:
        spans += [
            found.span()
            for found in _WORD.finditer(text)
            if found[0] in rare and _is_whole(text, found, spans)
        ]
    return [text[start:end] for start, end in sorted(spans)]


def _is_whole(text: str, found: re.Match[str], spans: Collection[tuple[int, int]]) -> bool:
    """Whether letters are a word: not a piece of a phrase, nor of a name with digits ("Cas9", "p53")."""
    begin, end = found.span()
    beside = text[max(0, begin - 1) : begin] + text[end : end + 1]
    return not any(map(str.isdigit, beside)) and not any(a <= begin < b for a, b in spans)


def _folded(term: str) -> str:
    return " ".join(term.casefold().split())


@cache
def _frequencies() -> Mapping[str, float]:
    import wordfreq

    frequencies: Mapping[str, float] = wordfreq.get_frequency_dict("en", wordlist="large")
    return frequencies
