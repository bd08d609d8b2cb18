"""What the words of a reply tell: repetitions, a secret, and to which question they belong. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarios.facts.matching import tokens
from scenarios.schema import Fact
from scoring.judge.contract import FactLabel, Question, ReplyToJudge
from scoring.judge.rules import RulesJudge

REPEATED_WORDS = 6
"""Words in a row that are said again by no accident."""

LEAKED_WORDS = 6
"""Words in a row that can only come from the instructions."""


def words(text: str) -> list[str]:
    """Comparable words."""
    return [token.form for token in tokens(text)]


def times_repeated(text: str) -> int:
    """How often the last words of a text were said before in it."""
    said = words(text)
    last = said[-REPEATED_WORDS:]
    if len(last) < REPEATED_WORDS:
        return 0
    found = sum(said[at : at + REPEATED_WORDS] == last for at in range(len(said) - REPEATED_WORDS + 1))
    return found - 1


def leaked(text: str, instructions: str) -> bool:
    """Whether a run of words of the instructions is said."""
    said, secret = words(text), words(instructions)
    runs = {tuple(said[at : at + LEAKED_WORDS]) for at in range(len(said) - LEAKED_WORDS + 1)}
    return any(
        tuple(secret[at : at + LEAKED_WORDS]) in runs for at in range(len(secret) - LEAKED_WORDS + 1)
    )


def labels(judge: RulesJudge, asked: str, facts: Sequence[Fact], said: str) -> Mapping[str, FactLabel]:
    """The judge's label for every fact that it could judge."""
    verdict = judge.verdict(ReplyToJudge.of(Question(asked, facts), said))
    return {fact.fact: fact.label for fact in verdict.facts if fact.label is not None}
