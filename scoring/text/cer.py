"""Character error rate: for scripts that are written without spaces, and beside word errors. Pure.

Characters are those of the normalised words: letters, digits and combining marks (code points of NFKC),
with the points and apostrophes inside words. Spaces are none: where a word ends is not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoring.text.normaliser import paired_tokens


@dataclass(frozen=True, slots=True)
class CharacterErrors:
    """The fewest edits of characters that turn a reference into a hypothesis.

    Attributes:
        characters: Of the reference.
    """

    errors: int
    characters: int

    @property
    def rate(self) -> float:
        """Errors per character of the reference: may exceed 1; without one the number of insertions."""
        return self.errors / self.characters if self.characters else float(self.errors)


def character_errors(reference: str, hypothesis: str) -> CharacterErrors:
    """Compare two texts character by character, after normalising; either may be empty."""
    return of_words(*paired_tokens(reference, hypothesis))


def of_words(before: Sequence[str], after: Sequence[str]) -> CharacterErrors:
    """The same of words that are normalised already."""
    from rapidfuzz.distance import Levenshtein

    reference = "".join(before)
    return CharacterErrors(Levenshtein.distance(reference, "".join(after)), len(reference))


def fewest_character_errors(references: Iterable[str], hypothesis: str) -> CharacterErrors:
    """The comparison with the nearest of several forms of the same words.

    Raises:
        ValueError: There is no reference.
    """
    return min((character_errors(reference, hypothesis) for reference in references), key=lambda e: e.rate)
