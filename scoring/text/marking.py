"""Texts word by word, for pages: errors by alignment, and terms and abbreviations. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from scenarios.spoken.abbreviations import abbreviations
from scenarios.spoken.terms import Rarity, terms
from scoring.text.normaliser import tokens
from scoring.text.rates import Rate, TextPair, compare
from scoring.text.wer import AlignedWord, Op, word_errors


class Mark(StrEnum):
    """What is special about a word."""

    TERM = "term"
    ABBREVIATION = "abbreviation"


@dataclass(frozen=True, slots=True)
class MarkedWord:
    """A word of a text as it is shown.

    Attributes:
        text: The word; of a deletion the word that is missing.
        expected: Of a substitution, what it should have been.
        mark: Of the word that was to be heard.
    """

    text: str
    op: Op = Op.HIT
    expected: str = ""
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """A text beside what it should have been.

    Attributes:
        words: In order, normalised.
        errors: Word errors over words.
        terms: Lost terms over terms; None if nobody can say which words are terms.
        abbreviations: Lost abbreviations over abbreviations, in any case and spacing.
    """

    words: tuple[MarkedWord, ...]
    errors: Rate
    terms: Rate | None
    abbreviations: Rate


def marked(text: str, rarity: Rarity | None = None, wanted: Sequence[str] = ()) -> tuple[MarkedWord, ...]:
    """A text as it stands, cut at its spaces, with its terms and abbreviations; () if it has none.

    Args:
        text: To mark.
        rarity: Says which words are terms; None knows none but those wanted.
        wanted: Further terms.
    """
    known = _marks(text, rarity, wanted)
    if not known:
        return ()
    return tuple(MarkedWord(piece, mark=_mark(tokens(piece), known)) for piece in text.split())


def compared(
    references: Sequence[str], hypothesis: str, rarity: Rarity | None = None, wanted: Sequence[str] = ()
) -> Compared:
    """A text beside the nearest of several forms of the words it should have.

    Args:
        references: Forms of the same words ("BRCA1", "bracka one"); the first is how they are written.
        hypothesis: The text.
        rarity: Says which words are terms.
        wanted: Further terms.

    Raises:
        ValueError: There is no reference.
    """
    pairs = [(word_errors(reference, hypothesis), reference) for reference in references]
    found, nearest = min(pairs, key=lambda pair: pair[0].rate)
    written = references[0]
    named = [*wanted, *(terms(written, rarity) if rarity else ())]
    asked = TextPair("", nearest, hypothesis, tuple(dict.fromkeys(named)) if rarity or wanted else None)
    errors = compare(asked)
    known = _marks(written, rarity, wanted) | _marks(nearest, None, wanted)
    short = compare(TextPair("", written, hypothesis, ())).abbreviations
    return Compared(
        tuple(_word(step, known) for step in found.alignment),
        Rate(found.errors, found.reference_words),
        Rate(errors.terms.errors, errors.terms.terms) if errors.terms else None,
        Rate(short.loose, short.abbreviations),
    )


def _word(step: AlignedWord, known: dict[str, Mark]) -> MarkedWord:
    expected = step.reference or ""
    return MarkedWord(
        text=step.hypothesis or expected,
        op=step.op,
        expected=expected if step.op is Op.SUBSTITUTION else "",
        mark=known.get(expected) if expected else None,
    )


def _marks(text: str, rarity: Rarity | None, wanted: Sequence[str]) -> dict[str, Mark]:
    """The words of the terms and abbreviations of a text, normalised."""
    named = [*wanted, *(terms(text, rarity) if rarity else ())]
    found = {word: Mark.TERM for term in named for word in tokens(term) if len(word) > 1}
    return found | {word: Mark.ABBREVIATION for short in abbreviations(text) for word in tokens(short)}


def _mark(words: Collection[str], known: dict[str, Mark]) -> Mark | None:
    return next((known[word] for word in words if word in known), None)
