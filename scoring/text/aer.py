"""Abbreviation error rate, strict and loose (S3-Bench). Pure.

The abbreviations are those of the reference as it is written, not normalised, each as often as it occurs.
*Strict*: the hypothesis has the same run of letters and digits, case and all. *Loose*: neighbouring runs of
the hypothesis give it in capitals ("d n a", "D. N. A.", "dna"), never a part of one ("BADNAME"). Each run
is used once; what is right strictly is right loosely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scenarios.spoken.abbreviations import abbreviations, runs

_SPOKEN_DIGITS = {
    word: str(digit)
    for digit, word in enumerate(
        ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
    )
}


@dataclass(frozen=True, slots=True)
class AbbreviationErrors:
    """Abbreviations of one reference.

    Attributes:
        strict: Occurrences that are not there as written.
        loose: Occurrences that are not there in any case or spacing; never more than `strict`.
        abbreviations: Occurrences in the reference.
    """

    strict: int
    loose: int
    abbreviations: int


def abbreviation_errors(
    reference: str, hypothesis: str, *, spoken_digits: bool = True
) -> AbbreviationErrors:
    """Compare the abbreviations of two texts as they are written.

    Args:
        reference: What was to be heard.
        hypothesis: What was heard.
        spoken_digits: In the loose rule "H two O" is H2O. The paper does not say so.
    """
    wanted = abbreviations(reference)
    if not wanted:
        return AbbreviationErrors(0, 0, 0)
    heard = runs(hypothesis)
    free = [True] * len(heard)
    left = [item for item in wanted if not _take_equal(item, heard, free)]
    strict = len(left)
    if left:
        heard = [run.upper() for run in heard]
        left = [item.upper() for item in left]
        # whole runs first, so that no span takes what another abbreviation needs
        left = [item for item in left if not _take_equal(item, heard, free)]
        left = [item for item in left if not _take_span(item, heard, free, spoken_digits)]
    return AbbreviationErrors(strict, len(left), len(wanted))


def _take_equal(item: str, heard: Sequence[str], free: list[bool]) -> bool:
    """Use the first free run that is the item."""
    if item in heard:
        for at, run in enumerate(heard):
            if free[at] and run == item:
                free[at] = False
                return True
    return False


def _take_span(item: str, heard: Sequence[str], free: list[bool], spoken_digits: bool) -> bool:
    """Use the first free neighbours that together are the item."""
    for start, run in enumerate(heard):
        if item.startswith(run) or (spoken_digits and run in _SPOKEN_DIGITS):
            end = _span_end(item, heard, free, start, spoken_digits)
            if end is not None:
                free[start:end] = [False] * (end - start)
                return True
    return False


def _span_end(
    item: str, heard: Sequence[str], free: Sequence[bool], start: int, spoken_digits: bool
) -> int | None:
    """One past the last of the runs that from `start` on are the item; None if they are not."""
    at, rest = start, item
    while rest:
        if at == len(heard) or not free[at]:
            return None
        run = heard[at]
        digit = _SPOKEN_DIGITS.get(run, "") if spoken_digits else ""
        if rest.startswith(run):
            rest = rest[len(run) :]
        elif digit and rest.startswith(digit):
            rest = rest[1:]
        else:
            return None
        at += 1
    return at
