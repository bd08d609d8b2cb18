"""What a judge is asked and what it answers. Every label is of a declared set, or missing with a cause."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from scenarios.schema import Fact, Item, ItemKind

CONTRACT_VERSION = 1
"""Raised whenever a label or its meaning changes: verdicts of different versions are not comparable."""


class FactLabel(StrEnum):
    """What a reply does with a reference fact."""

    STATED = "stated"  # asserts it, in whatever words
    CONTRADICTED = "contradicted"  # asserts what cannot be true together with it
    MISSING = "missing"  # neither: left out, half said, hedged, off topic


class Satisfying(StrEnum):
    """Whether a reply is what the user needs."""

    YES = "yes"  # every fact is stated
    PARTLY = "partly"  # some are, none is contradicted
    NO = "no"  # one is contradicted, or none is stated


class Next(StrEnum):
    """What the user should do."""

    FOLLOW_UP = "follow_up"  # ask about a missing fact
    PRESS = "press"  # doubt a wrong one
    MOVE_ON = "move_on"


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, and what a good reply states.

    Attributes:
        asked: The user's words.
        facts: The reference facts, each with an id of its own.
        aspect: Id of the aspect that was asked about, or "".
        item: The question of knowledge with its key, if it is one; without facts its answer is the fact.
    """

    asked: str
    facts: Sequence[Fact] = ()
    aspect: str = ""
    item: Item | None = None

    @property
    def reference(self) -> tuple[Fact, ...]:
        """The facts to judge by."""
        if self.facts or self.item is None:
            return tuple(self.facts)
        return (_fact_of(self.item),)


def _fact_of(item: Item) -> Fact:
    right = item.options[item.answer] if item.kind is ItemKind.CHOICE else item.answer
    wrong = tuple(text for letter, text in item.options.items() if letter != item.answer)
    return Fact(id="answer", text=right, keywords=((right, *item.accept),), wrong=wrong, source=item.source)


@dataclass(frozen=True, slots=True)
class ReplyToJudge:
    """A reply as the user heard it: what the endpoint meant to say and nobody heard is not judged.

    Attributes:
        heard: The recogniser's words; spans of evidence count its characters.
    """

    question: Question
    heard: str

    @classmethod
    def of(cls, question: Question, heard: str) -> ReplyToJudge:
        """A reply without the invisible: format and control characters can hide words from a reader."""
        shown = "".join(
            " " if char in "\n\r\t" else char
            for char in heard
            if char in "\n\r\t" or unicodedata.category(char) not in ("Cf", "Cc", "Cs", "Co")
        )
        return cls(question, shown)


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the reply, verbatim: characters `start` to `end` of it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class FactVerdict:
    """A verdict on one fact.

    Attributes:
        fact: Its id.
        label: None if it could not be judged.
        cause: Why not; "" if it was.
        evidence: The words that show it; none for `missing`.
        reason: In words, for people.
    """

    fact: str
    label: FactLabel | None
    cause: str = ""
    evidence: tuple[Span, ...] = ()
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """As in files."""
        return {
            "fact": self.fact,
            "label": self.label.value if self.label else None,
            "unscored": self.cause or None,
            "evidence": [{"start": s.start, "end": s.end, "text": s.text} for s in self.evidence],
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """A verdict on a reply.

    Attributes:
        judge: Who judged: "rules", "llm:MODEL".
        version: Of the judge; with `CONTRACT_VERSION` it says what may be compared.
        facts: One verdict for each reference fact, in their order.
        evidence: How it came about: of a language model the prompt, the raw replies, tokens and price.
    """

    judge: str
    version: int
    facts: tuple[FactVerdict, ...]
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def having(self, label: FactLabel) -> tuple[FactVerdict, ...]:
        """The facts with this label."""
        return tuple(verdict for verdict in self.facts if verdict.label is label)

    @property
    def cause(self) -> str:
        """Why the reply as a whole is unscored: the commonest cause of its facts; "" if it is scored."""
        causes = Counter(verdict.cause for verdict in self.facts if verdict.label is None)
        return causes.most_common(1)[0][0] if causes else ""

    @property
    def satisfying(self) -> Satisfying | None:
        """None if a fact is unscored, or none was expected."""
        if self.cause or not self.facts:
            return None
        stated = self.having(FactLabel.STATED)
        if len(stated) == len(self.facts):
            return Satisfying.YES
        wrong = self.having(FactLabel.CONTRADICTED)
        return Satisfying.PARTLY if stated and not wrong else Satisfying.NO

    def to_json(self) -> dict[str, Any]:
        """As in files."""
        return {
            "judge": self.judge,
            "version": self.version,
            "contract": CONTRACT_VERSION,
            "satisfying": self.satisfying.value if self.satisfying else None,
            "unscored": self.cause or None,
            "facts": [verdict.to_json() for verdict in self.facts],
            "evidence": dict(self.evidence),
        }


def unscored(
    judge: str, version: int, facts: Sequence[Fact], cause: str, evidence: Mapping[str, Any] | None = None
) -> TurnVerdict:
    """A verdict that could not be given, on every fact for the same cause."""
    return TurnVerdict(
        judge, version, tuple(FactVerdict(fact.id, None, cause) for fact in facts), evidence or {}
    )


@dataclass(frozen=True, slots=True)
class NextStep:
    """What the user should do, and about which fact ("" to move on)."""

    next: Next
    fact: str = ""


def next_step(labels: Mapping[str, FactLabel | None]) -> NextStep | None:
    """What to ask next, given where each fact stands: wrong facts first, then missing ones.

    None if nothing can be advised, since a fact that would decide it is unscored.
    """
    for label, step in ((FactLabel.CONTRADICTED, Next.PRESS), (FactLabel.MISSING, Next.FOLLOW_UP)):
        first = next((fact for fact, found in labels.items() if found is label), None)
        if first is not None:
            return NextStep(step, first)
    known = bool(labels) and None not in labels.values()
    return NextStep(Next.MOVE_ON) if known else None


class JudgeUnfit(ValueError):
    """A judge that cannot be had as it was asked for; says what to ask for instead."""


class Judge(Protocol):
    """Judges replies. A failure is an unscored verdict with its cause, never an exception."""

    @property
    def name(self) -> str:
        """As in its verdicts."""

    @property
    def version(self) -> int:
        """Raised whenever its verdicts change."""

    async def warm_up(self) -> None:
        """Load what is slow to load, before the first reply."""

    async def judge(self, reply: ReplyToJudge) -> TurnVerdict:
        """Judge a reply."""
