"""Whether a sentence affirms or denies the keywords of a fact. Pure.

A negator denies what follows it in its clause, up to the next subject; two of them cancel out. A form of
"to be" with a negator right after the words denies them too ("the tilt of the axis is not what makes the
seasons"), unless a new subject stands between. Negators inside a keyword ("not used up") belong to it. What
the fact itself denies ("no resistance", "error-free") is affirmed by denying it. A verb like "get rid of"
cancels the negator before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from scenarios.facts.matching import Token, find_all, tokens
from scenarios.schema import Fact
from scoring.judge import words
from scoring.judge.sentences import Sentence

AFTER = 4
"""Tokens after the words among which a negator still denies them."""


class Polarity(Enum):
    """What a sentence does with words."""

    AFFIRMED = auto()
    DENIED = auto()


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a sentence, characters `start` to `end` of it."""

    start: int
    end: int
    polarity: Polarity


def mentions(fact: Fact, sentence: Sentence) -> tuple[Mention | None, ...]:
    """For each keyword group where the sentence affirms it, else where it denies it, else None."""
    return tuple(_group(group, fact.text, sentence) for group in fact.keywords)


def _group(group: Sequence[str], fact: str, sentence: Sentence) -> Mention | None:
    denied: Mention | None = None
    for phrase in group:
        for match in find_all(phrase, sentence.tokens):
            negated = _negated(sentence.tokens, match.start, match.end)
            if negated == _denied_by_fact(phrase, fact):
                return Mention(match.start, match.end, Polarity.AFFIRMED)
            if not negated and any(token.negator or token.form in words.LACK for token in sentence.tokens):
                return Mention(match.start, match.end, Polarity.AFFIRMED)  # denied in other words
            denied = denied or Mention(match.start, match.end, Polarity.DENIED)
    return denied


@lru_cache(maxsize=4096)
def _denied_by_fact(phrase: str, fact: str) -> bool:
    """True if the fact's own text denies the words."""
    text = tuple(tokens(fact))
    return any(
        _negated(text, match.start, match.end) or _free_of(text, match.start, match.end)
        for match in find_all(phrase, text)
    )


def _free_of(text: Sequence[Token], start: int, end: int) -> bool:
    """True of the errors in "error-free", "free of errors", "few errors" and the like."""
    after = next((token.form for token in text if token.start >= end), "")
    before = [token.form for token in text if token.end <= start and token.form != "of"][-1:]
    return after == "free" or bool(words.SCARCE & set(before))


def _negated(text: Sequence[Token], start: int, end: int) -> bool:
    """True if an odd number of negators denies the words at characters `start` to `end`."""
    first = next(i for i, token in enumerate(text) if token.start >= start)
    last = next(i for i in range(len(text), 0, -1) if text[i - 1].end <= end)
    before = 0
    for token in reversed(text[:first]):
        if token.clause != text[first].clause or (
            token.form in words.SUBJECTS and token.form not in words.JOINING
        ):
            break
        if token.form in words.IMPLICIT:
            before -= 1
        before += token.negator
    after = 0
    for i in range(last, min(last + AFTER, len(text))):
        token = text[i]
        if token.clause != text[first].clause or token.form in words.SUBJECTS:
            break
        copular = token.form in words.COPULAS or text[i - 1].form in words.COPULAS
        after += token.negator and (copular or before > 0)  # "it is not true that the guide never ..."
    # of "non-polar" the prefix denies the next word alone
    return (max(0, before) + after + text[first].denied) % 2 == 1
