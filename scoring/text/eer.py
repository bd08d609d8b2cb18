"""Entity error rate: terms that were not heard, over terms that were to be heard. Pure.

S3-Bench names the metric and gives no formula; ours is per occurrence. *Aligned*: an occurrence is right if
all its words are matched in the word alignment and nothing is inserted inside it. *Unordered*: as many
occurrences are right as the hypothesis has, wherever they stand. Surface forms count: a plural is another
word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scoring.text.normaliser import tokens
from scoring.text.wer import Block, Op


@dataclass(frozen=True, slots=True)
class TermErrors:
    """Terms of one reference.

    Attributes:
        errors: Occurrences that the aligned rule does not find.
        unordered: Occurrences that are missing wherever one looks; never more than `errors`.
        terms: Occurrences in the reference.
        absent: Terms that were asked for and do not occur in the reference.
    """

    errors: int
    unordered: int
    terms: int
    absent: tuple[str, ...] = ()


def aligned_term_errors(
    before: Sequence[str], after: Sequence[str], blocks: Sequence[Block], terms: Iterable[str]
) -> TermErrors:
    """Compare the terms of two texts.

    Args:
        before: Words of the reference, normalised.
        after: Words of the hypothesis, normalised with it (`paired_tokens`).
        blocks: Their alignment.
        terms: To look for in the reference; of one word or several. Case and order do not matter.
    """
    wanted = {term: _form(term) for term in terms}
    forms = sorted({words for words in wanted.values() if words}, key=len, reverse=True)
    places = list(_places(before, forms))
    if not places:
        return TermErrors(0, 0, 0, tuple(wanted))
    hit = {at for block in blocks if block.op is Op.HIT for at in range(block.start, block.end)}
    inserted = {block.start for block in blocks if block.op is Op.INSERTION}
    right = sum(_is_right(start, end, hit, inserted) for start, end in places)
    found = Counter(tuple(before[start:end]) for start, end in places)
    return TermErrors(
        errors=len(places) - right,
        unordered=sum(max(0, count - len(list(_places(after, [form])))) for form, count in found.items()),
        terms=len(places),
        absent=tuple(term for term, words in wanted.items() if words not in found),
    )


@lru_cache(maxsize=100_000)
def _form(term: str) -> tuple[str, ...]:
    return tuple(tokens(term))


def _places(words: Sequence[str], forms: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, int]]:
    """Where the forms stand, from left to right, the longest first; no word is used twice."""
    firsts = {form[0] for form in forms}
    at = 0
    while at < len(words):
        form = None
        if words[at] in firsts:
            form = next((f for f in forms if tuple(words[at : at + len(f)]) == f), None)
        if form is None:
            at += 1
        else:
            yield at, at + len(form)
            at += len(form)


def _is_right(start: int, end: int, hit: Collection[int], inserted: Collection[int]) -> bool:
    return all(at in hit for at in range(start, end)) and not any(
        at in inserted for at in range(start + 1, end)
    )
