"""Which facts were stated, left out or contradicted in what was heard. Pure; `matching` finds phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scenarios.facts.matching import Match, Token, find, tokens
from scenarios.schema import Fact


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words that were heard.

    Attributes:
        reply: Index of the reply that holds them.
        start: First character in that reply.
        end: One past the last character.
        text: The words themselves.
    """

    reply: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact that was stated or contradicted, and the words that show it, in the order of its groups."""

    fact: Fact
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class FactCheck:
    """Every fact is in exactly one of the three, in the scenario's order."""

    stated: tuple[Finding, ...]
    missing: tuple[Fact, ...]
    contradicted: tuple[Finding, ...]

    @property
    def satisfied(self) -> bool:
        """True if every fact is stated."""
        return not self.missing and not self.contradicted


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    tokens: list[Token]

    def find(self, index: int, phrases: Sequence[str]) -> Evidence | None:
        """The first of several phrases that is said here and not negated."""
        for phrase in phrases:
            match = find(phrase, self.tokens)
            if match is not None and not match.negated:
                return _evidence(index, self.text, match)
        return None


def check_facts(facts: Sequence[Fact], *replies: str) -> FactCheck:
    """Check facts against one reply or several in a row.

    A fact is stated if an alternative of each of its groups is heard, perhaps in different replies. It
    is contradicted by a `wrong` phrase, until a later reply states it without one: what was said up to a
    contradiction no longer counts. A negated phrase ("does not cut") says nothing.
    """
    heard = [_Reply(text, tokens(text)) for text in replies]
    stated: list[Finding] = []
    missing: list[Fact] = []
    contradicted: list[Finding] = []
    for fact in facts:
        wrong = _last(fact.wrong, heard)
        evidence = _all_groups(fact, heard, since=wrong.reply + 1 if wrong else 0)
        if evidence:
            stated.append(Finding(fact, evidence))
        elif wrong:
            contradicted.append(Finding(fact, (wrong,)))
        else:
            missing.append(fact)
    return FactCheck(tuple(stated), tuple(missing), tuple(contradicted))


def point_of(fact: Fact) -> str:
    """What the user calls a fact when it asks again: its `point`, else the words of its id."""
    return fact.point or " ".join(fact.id.replace("_", "-").replace(".", "-").split("-")).strip()


def _last(phrases: Sequence[str], heard: Sequence[_Reply]) -> Evidence | None:
    for index in range(len(heard) - 1, -1, -1):
        found = heard[index].find(index, phrases)
        if found is not None:
            return found
    return None


def _all_groups(fact: Fact, heard: Sequence[_Reply], since: int) -> tuple[Evidence, ...]:
    """One piece of evidence per group, or nothing if a group is not heard."""
    evidence: list[Evidence] = []
    for group in fact.keywords:
        found = (heard[index].find(index, group) for index in range(since, len(heard)))
        first = next((words for words in found if words is not None), None)
        if first is None:
            return ()
        evidence.append(first)
    return tuple(evidence)


def _evidence(reply: int, text: str, match: Match) -> Evidence:
    return Evidence(reply, match.start, match.end, text[match.start : match.end])
