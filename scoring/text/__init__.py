"""Words and their errors: one pinned normaliser, and the rates that are made with it."""

from scoring.text.cer import CharacterErrors, character_errors, fewest_character_errors
from scoring.text.normaliser import NORMALISER, normalise, tokens
from scoring.text.wer import (
    AlignedWord,
    Op,
    WordErrors,
    corpus_rate,
    fewest_errors,
    has_word_spaces,
    word_errors,
)

__all__ = [
    "NORMALISER",
    "AlignedWord",
    "CharacterErrors",
    "Op",
    "WordErrors",
    "character_errors",
    "corpus_rate",
    "fewest_character_errors",
    "fewest_errors",
    "has_word_spaces",
    "normalise",
    "tokens",
    "word_errors",
]
