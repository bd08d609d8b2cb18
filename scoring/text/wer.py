"""Word errors: substitutions, deletions and insertions over reference words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from scoring.text.normaliser import paired_tokens

_SPACELESS = re.compile(r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_NO_WORD_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my", "bo", "yue"})


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


def is_written_with_spaces(text: str) -> bool:
    """False if most letters of a text are Chinese, Japanese, Thai, Lao, Khmer, Burmese or Tibetan."""
    if text.isascii():
        return True
    letters = sum(map(str.isalpha, text))
    return 2 * len(_SPACELESS.findall(text)) <= letters


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of an alignment in which the same happened to every word.

    Attributes:
        start: First word of the reference.
        end: One past the last; the same as `start` for insertions.
        other_start: First word of the hypothesis.
        other_end: One past the last; the same for deletions.
    """

    op: Op
    start: int
    end: int
    other_start: int
    other_end: int


_OPS = {
    "equal": Op.HIT,
    "replace": Op.SUBSTITUTION,
    "delete": Op.DELETION,
    "insert": Op.INSERTION,
}


def align(reference: Sequence[str], hypothesis: Sequence[str]) -> list[Block]:
    """A shortest way from one list of words to the other, in order."""
    from rapidfuzz.distance import Levenshtein

    return [
        Block(_OPS[step.tag], step.src_start, step.src_end, step.dest_start, step.dest_end)
        for step in Levenshtein.opcodes(reference, hypothesis)
    ]


def word_errors(reference: str, hypothesis: str) -> WordErrors:
    """Compare two texts word by word, after normalising; either may be empty."""
    before, after = paired_tokens(reference, hypothesis)
    blocks = align(before, after)
    aligned = tuple(word for block in blocks for word in _aligned(block, before, after))
    emptied = bool((reference.strip() and not before) or (hypothesis.strip() and not after))
    return counted(blocks, len(before), aligned, emptied)


def counted(
    blocks: Iterable[Block],
    reference_words: int,
    alignment: tuple[AlignedWord, ...] = (),
    emptied: bool = False,
) -> WordErrors:
    """Word errors from an alignment."""
    hits = substitutions = deletions = insertions = 0
    for block in blocks:
        if block.op is Op.HIT:
            hits += block.end - block.start
        elif block.op is Op.SUBSTITUTION:
            substitutions += block.end - block.start
        elif block.op is Op.DELETION:
            deletions += block.end - block.start
        else:
            insertions += block.other_end - block.other_start
    return WordErrors(substitutions, deletions, insertions, hits, reference_words, alignment, emptied)


def fewest_errors(references: Iterable[str], hypothesis: str) -> WordErrors:
    """The comparison with the nearest of several forms of the same words ("BRCA1", "bracka one").

    Raises:
        ValueError: There is no reference.
    """
    return min((word_errors(reference, hypothesis) for reference in references), key=lambda e: e.rate)


def _aligned(block: Block, before: Sequence[str], after: Sequence[str]) -> list[AlignedWord]:
    left = before[block.start : block.end]
    right = after[block.other_start : block.other_end]
    match block.op:
        case Op.DELETION:
            return [AlignedWord(block.op, word, None) for word in left]
        case Op.INSERTION:
            return [AlignedWord(block.op, None, word) for word in right]
        case _:
            return [AlignedWord(block.op, a, b) for a, b in zip(left, right, strict=True)]
