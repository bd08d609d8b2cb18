"""The error rates of pairs of texts, in words, characters, terms and abbreviations. Pure.

What is put together is always errors over words, terms or abbreviations, so that the order of pairs and how
they were cut into files changes nothing. What cannot be measured has a cause and is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scenarios.spoken.terms import Rarity
from scenarios.spoken.terms import terms as terms_of
from scoring.text.aer import AbbreviationErrors, abbreviation_errors
from scoring.text.cer import CharacterErrors, of_words
from scoring.text.eer import TermErrors, aligned_term_errors
from scoring.text.normaliser import paired_tokens
from scoring.text.wer import WordErrors, align, counted, is_written_with_spaces


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts to compare.

    Attributes:
        terms: To be found in both; None looks for terminology in the reference.
    """

    id: str | int
    reference: str
    hypothesis: str
    terms: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PairErrors:
    """What differs between two texts.

    Attributes:
        terms: None if nobody can say which words are terms, or where words end.
        unscored: Causes by metric: "wer", "cer", "eer", "aer".
    """

    id: str | int
    words: WordErrors
    characters: CharacterErrors
    terms: TermErrors | None
    abbreviations: AbbreviationErrors
    unscored: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rate:
    """Errors over what could have been wrong."""

    errors: int = 0
    of: int = 0

    @property
    def value(self) -> float | None:
        """None if there was nothing; the number of errors if there are insertions alone."""
        if self.of:
            return self.errors / self.of
        return float(self.errors) if self.errors else None

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.errors + other.errors, self.of + other.of)


@dataclass(frozen=True, slots=True)
class TextRates:
    """The rates over many pairs.

    Attributes:
        cer: Errors in characters: the rate of scripts without word spaces, for which there is no other.
        unscored: For each cause the number of pairs of which something could not be measured.
        inserted_alone: Insertions of pairs whose reference has no words: they are in `wer.errors`.
    """

    wer: Rate = Rate()
    cer: Rate = Rate()
    eer: Rate = Rate()
    eer_unordered: Rate = Rate()
    aer_strict: Rate = Rate()
    aer_loose: Rate = Rate()
    inserted_alone: int = 0
    unscored: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: TextRates) -> TextRates:
        return TextRates(
            self.wer + other.wer,
            self.cer + other.cer,
            self.eer + other.eer,
            self.eer_unordered + other.eer_unordered,
            self.aer_strict + other.aer_strict,
            self.aer_loose + other.aer_loose,
            self.inserted_alone + other.inserted_alone,
            Counter(self.unscored) + Counter(other.unscored),
        )


def compare(pair: TextPair, rarity: Rarity | None = None, *, spoken_digits: bool = True) -> PairErrors:
    """Everything that differs between two texts.

    Args:
        pair: The texts.
        rarity: Says which words of the reference are terms, where the pair does not.
        spoken_digits: See `abbreviation_errors`.
    """
    before, after = paired_tokens(pair.reference, pair.hypothesis)
    blocks = align(before, after)
    emptied = bool((pair.reference.strip() and not before) or (pair.hypothesis.strip() and not after))
    words = counted(blocks, len(before), emptied=emptied)
    spaced = is_written_with_spaces(pair.reference)
    wanted = pair.terms
    if wanted is None and rarity is not None:
        wanted = tuple(terms_of(pair.reference, rarity))
    found = aligned_term_errors(before, after, blocks, wanted) if spaced and wanted is not None else None
    short = abbreviation_errors(pair.reference, pair.hypothesis, spoken_digits=spoken_digits)
    unscored: dict[str, str] = {}
    if not before and not after:
        empty = "empty_after_normalisation" if emptied else "empty_reference"
        unscored = dict.fromkeys(("wer", "cer"), empty)
    if not spaced:
        unscored |= dict.fromkeys(("wer", "eer"), "script_without_word_spaces")
    if spaced and found is None:
        unscored["eer"] = "no_frequency_list"
    elif found is not None and not found.terms:
        unscored["eer"] = "no_terms"
    if not short.abbreviations:
        unscored["aer"] = "no_abbreviations"
    return PairErrors(pair.id, words, of_words(before, after), found, short, unscored)


def combined(pairs: Iterable[PairErrors]) -> TextRates:
    """The rates over many pairs: all errors over all words, terms, abbreviations."""
    every = list(pairs)
    worded = [pair.words for pair in every if "wer" not in pair.unscored]
    spelt = [pair.characters for pair in every if "cer" not in pair.unscored]
    termed = [pair.terms for pair in every if pair.terms]
    short = [pair.abbreviations for pair in every]
    terms, abbreviations = sum(t.terms for t in termed), sum(s.abbreviations for s in short)
    return TextRates(
        wer=Rate(sum(w.errors for w in worded), sum(w.reference_words for w in worded)),
        cer=Rate(sum(c.errors for c in spelt), sum(c.characters for c in spelt)),
        eer=Rate(sum(t.errors for t in termed), terms),
        eer_unordered=Rate(sum(t.unordered for t in termed), terms),
        aer_strict=Rate(sum(s.strict for s in short), abbreviations),
        aer_loose=Rate(sum(s.loose for s in short), abbreviations),
        inserted_alone=sum(w.insertions for w in worded if not w.reference_words),
        unscored=Counter(cause for pair in every for cause in set(pair.unscored.values())),
    )
