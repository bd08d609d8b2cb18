"""A reply cut into sentences, each with what it does: assert, hedge, ask, or speak to the judge. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from scenarios.facts.matching import Token, tokens
from scoring.judge.addressed import addresses_judge

MAX_WORDS = 40
"""Longer sentences are cut: recognisers may write no full stop for a minute."""

_END = re.compile(r"[.!?。！？]+(?=\s|$|[\"”'])|[。！？]|\n+")
_WORD = re.compile(r"\S+")

_HEDGE = re.compile(
    r"\b(?:might|perhaps|maybe|possibly|presumably|supposedly|allegedly|reportedly|conceivably|arguably"
    r"|(?:could|may)(?: also| well| even)? (?:be|have)|i (?:guess|suppose|doubt)|guessing|i would guess"
    r"|(?:not|isn't|never)(?: \w+)? (?:sure|certain)|unsure|uncertain|unclear|not convinced"
    r"|(?:can(?:'t|not)|can not|could(?:n't| not))(?: \w+)? (?:say|tell|remember|recall|promise|confirm)"
    r"|(?:do not|don't|didn't|did not)(?: \w+)? (?:know|remember|recall|quote)|no idea|who knows"
    r"|(?:some|many|most|other|certain|few)(?: \w+)? (?:say|says|claim|argue|believe|think|suggest)"
    r"|(?:people|they|it is|it's) (?:say|claim|claimed|said|rumou?red|disputed|debated|alleged)"
    r"|heard (?:people|that|it)|would(?:n't| not) bet|if i remember|look it up|one of the two"
    r"|hard to say)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:may|might|can|could)\b", re.IGNORECASE)
_POSSIBLE = re.compile(r"\b(?:may|might|could|possibly)\b", re.IGNORECASE)
_COMMITTED = re.compile(
    r"\b(?:no doubt|without doubt|i am sure|i'm sure|certainly|definitely)\b", re.IGNORECASE
)


class Mode(Enum):
    """What a sentence does."""

    ASSERTS = auto()
    HEDGES = auto()  # says it and does not vouch for it
    ASKS = auto()
    ADDRESSES_JUDGE = auto()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a reply.

    Attributes:
        start: Its first character in the reply.
        end: One past its last.
        tokens: Its tokens; their places count from the sentence's own start.
    """

    text: str
    start: int
    end: int
    mode: Mode
    tokens: tuple[Token, ...]


def sentences(reply: str, *, may_be_possible: bool = False) -> list[Sentence]:
    """The sentences of a reply, in order.

    Args:
        reply: What was heard.
        may_be_possible: The fact in question is about what may or can be: then "may" and "could" hedge
            nothing.
    """
    return [
        Sentence(text := reply[start:end], start, end, _mode(text, may_be_possible), tuple(tokens(text)))
        for start, end in _spans(reply)
    ]


def speaks_of_possibility(fact: str) -> bool:
    """True if a fact itself is about what may or can be."""
    return _MODAL.search(fact) is not None


def _spans(reply: str) -> Iterator[tuple[int, int]]:
    begin = 0
    ends = [found.end() for found in _END.finditer(reply)]
    for end in [*ends, len(reply)]:
        words = list(_WORD.finditer(reply, begin, end))
        for first in range(0, len(words), MAX_WORDS):
            part = words[first : first + MAX_WORDS]
            yield part[0].start(), part[-1].end()
        begin = end


def _mode(text: str, may_be_possible: bool) -> Mode:
    if addresses_judge(text):
        return Mode.ADDRESSES_JUDGE
    if text.rstrip("\"”' ").endswith(("?", "？")):
        return Mode.ASKS
    judged = _POSSIBLE.sub("", text) if may_be_possible else text
    if _HEDGE.search(judged.replace("’", "'")) and not _COMMITTED.search(text):
        return Mode.HEDGES
    return Mode.ASSERTS
