"""Words and word errors: one pinned normaliser, applied alike to both sides.

Numbers are compared as they are written: digits are never changed and never lost, and "three" is not "3".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

NORMALISER = "vivavoce-words-1"
"""Name and version of the normaliser; scores made with different ones are not comparable."""

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘‛ʼ＇`´", "'"))
_INITIALISM = re.compile(r"\b(?:[^\W\d_]\.){2,}(?!\w)|\b(?:[^\W\d_]\. ?){2,}(?=\W|$)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_QUOTES = re.compile(r"(?<!\w)'+|'+(?!\w)")
_NO_WORD_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo", "yue"})
_LETTERS_THAT_ARE_WORDS = frozenset({"a", "i"})


class Op(StrEnum):
    """What happened to a word."""

    HIT = "hit"
    SUBSTITUTION = "substitution"
    DELETION = "deletion"
    INSERTION = "insertion"


@dataclass(frozen=True, slots=True)
class AlignedWord:
    """One step of an alignment; an insertion has no reference word, a deletion no hypothesis word."""

    op: Op
    reference: str | None
    hypothesis: str | None


@dataclass(frozen=True, slots=True)
class WordErrors:
    """The fewest word edits that turn a reference into a hypothesis.

    Attributes:
        reference_words: Words of the reference: hits + substitutions + deletions.
        emptied: A text that said something held no word after normalising ("?!").
    """

    substitutions: int
    deletions: int
    insertions: int
    hits: int
    reference_words: int
    alignment: tuple[AlignedWord, ...] = ()
    emptied: bool = False

    @property
    def errors(self) -> int:
        """All edits."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float:
        """Errors per reference word: may exceed 1; without reference words the number of insertions."""
        return self.errors / self.reference_words if self.reference_words else float(self.errors)


def corpus_rate(errors: Iterable[WordErrors]) -> float:
    """All errors over all reference words, not a mean of rates."""
    wrong = words = 0
    for item in errors:
        wrong += item.errors
        words += item.reference_words
    return wrong / words if words else float(wrong)


def has_word_spaces(language: str) -> bool:
    """False for languages written without spaces: word errors say nothing about them."""
    return language.lower().split("-")[0] not in _NO_WORD_SPACES


def normalise(text: str) -> str:
    """Words in lower case with single spaces.

    NFKC and case folding; apostrophes inside words stay; other punctuation and symbols, hyphens among
    them, separate words; a decimal point stays, a comma between thousands goes; spelled letters are joined
    ("D. N. A.", "d n a" and "DNA" are one word), combining marks stay.
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    text = text.translate(_APOSTROPHES)
    text = _INITIALISM.sub(lambda match: re.sub(r"[. ]", "", match[0]) + " ", text)
    text = _QUOTES.sub(" ", _THOUSANDS.sub("", text))
    spaced = "".join(_kept(text, position) for position in range(len(text)))
    return " ".join(_join_letters(spaced.split()))


def word_errors(reference: str, hypothesis: str) -> WordErrors:
    """Compare two texts word by word, after `normalise`; either may be empty."""
    import jiwer

    wanted, got = normalise(reference), normalise(hypothesis)
    out = jiwer.process_words(wanted, got)
    before, after = out.references[0], out.hypotheses[0]
    aligned: list[AlignedWord] = []
    for chunk in out.alignments[0]:
        left = before[chunk.ref_start_idx : chunk.ref_end_idx]
        right = after[chunk.hyp_start_idx : chunk.hyp_end_idx]
        match chunk.type:
            case "equal":
                aligned += [AlignedWord(Op.HIT, a, b) for a, b in zip(left, right, strict=True)]
            case "substitute":
                aligned += [AlignedWord(Op.SUBSTITUTION, a, b) for a, b in zip(left, right, strict=True)]
            case "delete":
                aligned += [AlignedWord(Op.DELETION, a, None) for a in left]
            case _:
                aligned += [AlignedWord(Op.INSERTION, None, b) for b in right]
    return WordErrors(
        substitutions=out.substitutions,
        deletions=out.deletions,
        insertions=out.insertions,
        hits=out.hits,
        reference_words=len(wanted.split()),
        alignment=tuple(aligned),
        emptied=bool((reference.strip() and not wanted) or (hypothesis.strip() and not got)),
    )


def fewest_errors(references: Iterable[str], hypothesis: str) -> WordErrors:
    """The comparison with the nearest of several forms of the same words ("BRCA1", "bracka one").

    Raises:
        ValueError: There is no reference.
    """
    return min((word_errors(reference, hypothesis) for reference in references), key=lambda e: e.rate)


def _kept(text: str, position: int) -> str:
    """A character of the normal form: itself, a space, or nothing."""
    character = text[position]
    category = unicodedata.category(character)
    if character == "'":
        return character
    if (
        character == "."
        and text[position - 1 : position].isdigit()
        and text[position + 1 : position + 2].isdigit()
    ):
        return character
    if category[0] in "PSZ" or category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs", "Co", "Cn") else character


def _join_letters(words: list[str]) -> list[str]:
    """Join runs of single letters and digits: codes and initials, read out or written.

    A run needs a letter, and a run of two must not hold "a" or "i", which are words.
    """
    joined: list[str] = []
    run: list[str] = []
    for word in [*words, ""]:
        if len(word) == 1 and word.isalnum():
            run.append(word)
            continue
        joined += ["".join(run)] if _spelled(run) else run
        run = []
        joined += [word] if word else []
    return joined


def _spelled(run: list[str]) -> bool:
    if not any(character.isalpha() for character in run):
        return False
    return len(run) > 2 or (len(run) == 2 and not _LETTERS_THAT_ARE_WORDS & set(run))
