"""Where a sentence says something else than a fact: another number, the opposite, roles exchanged. Pure.

Embeddings do not see these: "harder" and "softer", 300 and 30, "hydrogen into helium" and "helium into
hydrogen" are near neighbours. Each check compares the tokens of a fact with those of a sentence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scenarios.facts.matching import Token, tokens
from scoring.judge import words
from scoring.judge.quantities import Number, numbers

_SIDE = 5
"""Content words on each side of "into", or of an antonym, that are compared."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Where a sentence differs from the fact.

    Attributes:
        start: First character in the sentence.
        end: One past the last.
        reason: Why, in words.
        instead: Tokens of the fact in whose place it stands.
    """

    start: int
    end: int
    reason: str
    instead: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Asserted:
    """What a reply asserts: its numbers, its words, and those of them that it does not deny."""

    numbers: tuple[Number, ...]
    forms: frozenset[str]
    affirmed: frozenset[str]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[Token]]) -> Asserted:
        """Gather them from sentences."""
        said = list(sentences)
        return cls(
            tuple(number for sentence in said for number in numbers(sentence)),
            frozenset(token.form for sentence in said for token in sentence),
            frozenset(form for sentence in said for form in _affirmed(sentence)),
        )


@dataclass(frozen=True, slots=True)
class Contrast:
    """A fact, ready to be compared with sentences.

    Attributes:
        text: The fact's tokens.
        allowed: Tokens and numbers that say the fact in other words: they never conflict.
    """

    text: tuple[Token, ...]
    allowed: tuple[Token, ...]

    @classmethod
    def of(cls, fact: str, other_words: Iterable[str]) -> Contrast:
        """Prepare a fact with its keywords."""
        return cls(tuple(tokens(fact)), tuple(token for phrase in other_words for token in tokens(phrase)))

    def conflict(self, sentence: Sequence[Token], reply: Asserted | None = None) -> Conflict | None:
        """The first place where a sentence says something else, or None.

        Args:
            sentence: The sentence.
            reply: All that is asserted with it: a number or word of the fact that stands there was not
                replaced by another one. By default the sentence alone.
        """
        whole = Asserted.of([sentence]) if reply is None else reply
        found = self._number(sentence, whole) or self._opposite(sentence, whole)
        if found is not None:
            return found
        checks = (self._exchange, self._refusal, self._restriction)
        return next(filter(None, (check(sentence) for check in checks)), None)

    def _number(self, sentence: Sequence[Token], reply: Asserted) -> Conflict | None:
        wanted = [number for number in numbers(self.text) if number.value != 1]
        known = [*wanted, *numbers(self.allowed)]
        lacking = [w for w in wanted if not any(w.agrees(s) for s in reply.numbers)]
        for said in numbers(sentence):
            other = next((w for w in lacking if w.same_thing(said)), None)
            if said.value == 1 or other is None:
                continue
            unit_differs = other.value == said.value
            if unit_differs or not any(k.agrees(said) for k in known):
                reason = f"{said}, not {other}"
                return Conflict(said.start, said.end, reason, self._within(other))
        return None

    def _within(self, number: Number) -> frozenset[str]:
        forms = {t.form for t in self.text if number.start <= t.start < number.end}
        return frozenset({*forms, f"{number.value:g}"} - {"point"})

    def _opposite(self, sentence: Sequence[Token], reply: Asserted) -> Conflict | None:
        fact = {token.form for token in self.text} - _bounding(self.text)
        allowed = fact | {token.form for token in self.allowed}
        denied = {token.form for token in self.text if _negated(token, self.text)}
        everywhere = reply.affirmed | (denied & reply.forms)
        for sides in _PAIRS:
            for here, there in (sides, sides[::-1]):
                if not fact & here or fact & there or everywhere & here:
                    continue
                for token in sentence:
                    opposite = token.form in there - allowed and not _set_aside(token, sentence)
                    if opposite and self._beside(here) & _around(sentence, frozenset({token.form})):
                        word = next(iter(sorted(fact & here)))
                        return Conflict(token.start, token.end, f"{token.form}, not {word}", here)
        return None

    def _beside(self, forms: frozenset[str]) -> set[str]:
        return _around(self.text, forms)

    def _exchange(self, sentence: Sequence[Token]) -> Conflict | None:
        """Two opposites of the fact each with the other's word, or the two sides of "into" exchanged."""
        mine, theirs = _content(self.text), _content(sentence)
        for here, there in _PAIRS:
            heads = _followers(mine, here), _followers(mine, there)
            said = _followers(theirs, here), _followers(theirs, there)
            for head, wrong in (
                (heads[0] - heads[1], said[1] - said[0]),
                (heads[1] - heads[0], said[0] - said[1]),
            ):
                if heads[0] and heads[1] and head & wrong:
                    return _at(theirs, head & wrong, "the opposites are exchanged")
        before, after = _around_into(mine)
        said_before, said_after = _around_into(theirs)
        if before & said_after and after & said_before:
            return _at(theirs, before & said_after, "the sides are exchanged")
        return None

    def _refusal(self, sentence: Sequence[Token]) -> Conflict | None:
        """A word of the fact is ruled out: "..., not to DNA", "without any RNA"."""
        denied_from = next((t.start for t in self.text if t.negator), math.inf)
        lacking = _beside_scarce(self.text)
        affirmed = {
            t.form
            for t in _content(self.text)
            if len(t.form) >= 3 and t.start < denied_from and t.form not in lacking
        }
        for i, token in enumerate(sentence):
            if token.form not in words.RULING_OUT:
                continue
            after = next((t for t in sentence[i + 1 :] if t.form not in words.BETWEEN), None)
            if after is not None and after.clause == token.clause and after.form in affirmed:
                elsewhere = [t for t in sentence if t.form == after.form and t is not after]
                if all(_negated(t, sentence) for t in elsewhere):
                    return Conflict(
                        token.start, after.end, f"rules out {after.form}", frozenset({after.form})
                    )
        return None

    def _restriction(self, sentence: Sequence[Token]) -> Conflict | None:
        """What the fact says of all is said of some."""
        if not words.UNIVERSAL & {token.form for token in self.text}:
            return None
        for pair in itertools.pairwise(sentence):
            if tuple(token.form for token in pair) in words.RESTRICTING:
                return Conflict(pair[0].start, pair[1].end, "a restriction that the fact does not have")
        return None


def _negated(word: Token, sentence: Sequence[Token]) -> bool:
    return any(t.negator and t.clause == word.clause and t.start < word.start for t in sentence)


def _bounding(text: Sequence[Token]) -> set[str]:
    """The "less" of "less than five"."""
    triples = zip(text, text[1:], text[2:], strict=False)
    return {a.form for a, b, c in triples if b.form == "than" and c.form.isdecimal()}


def _beside_scarce(text: Sequence[Token]) -> set[str]:
    """The errors of "error-free" and "lack of errors"."""
    content = [token for token in text if token.form != "of"]
    pairs = [(a.form, b.form) for a, b in itertools.pairwise(content)]
    return {a for a, b in pairs if b in words.SCARCE} | {b for a, b in pairs if a in words.SCARCE}


def _affirmed(text: Sequence[Token]) -> Iterator[str]:
    """Forms without a negator before them in their clause or right after them."""
    denied_in = -1
    for token, after in itertools.zip_longest(text, text[1:]):
        if token.negator:
            denied_in = token.clause
        if token.clause != denied_in and not (after and after.negator):
            yield token.form


def _set_aside(word: Token, sentence: Sequence[Token]) -> bool:
    """True if a word is denied, or said of what something is compared with."""
    return any(
        t.clause == word.clause and t.start < word.start and (t.negator or t.form in words.ELSEWHERE)
        for t in sentence
    )


def _around(text: Sequence[Token], forms: frozenset[str]) -> set[str]:
    """Content words up to `_SIDE` before and after one of the forms."""
    content = _content(text)
    near: set[str] = set()
    for i, token in enumerate(content):
        if token.form in forms:
            near |= {other.form for other in content[max(0, i - _SIDE) : i + 1 + _SIDE]} - forms
    return near


def _content(text: Sequence[Token]) -> list[Token]:
    return [token for token in text if token.form not in words.EMPTY]


def _followers(content: Sequence[Token], leaders: frozenset[str]) -> set[str]:
    """What stands right after one of the leaders."""
    pairs = itertools.pairwise(content)
    return {after.form for word, after in pairs if word.form in leaders}


def _around_into(content: Sequence[Token]) -> tuple[set[str], set[str]]:
    place = next((i for i, token in enumerate(content) if token.form == "into"), None)
    if place is None:
        return set(), set()
    before = {token.form for token in content[max(0, place - _SIDE) : place]}
    after = {token.form for token in content[place + 1 : place + 1 + _SIDE]}
    return before - after, after - before


def _at(content: Sequence[Token], forms: set[str], reason: str) -> Conflict:
    token = next(token for token in content if token.form in forms)
    return Conflict(token.start, token.end, reason)


def _forms(side: str) -> frozenset[str]:
    return frozenset(token.form for token in tokens(side))


_PAIRS = tuple((_forms(one), _forms(other)) for one, other in words.OPPOSITES)
