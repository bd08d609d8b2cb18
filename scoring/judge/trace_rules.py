"""The rules judge of three dimensions: facts for the content, thresholds for the sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.blueprint.record import Blueprint
from scoring.judge import manner_rules, reaction_rules, sound_rules
from scoring.judge.contract import FactLabel, Judge, ReplyToJudge, Satisfying, TurnVerdict
from scoring.judge.cost import Cost
from scoring.judge.dimensions import (
    NOT_ASKED,
    Dimension,
    Item,
    Labelled,
    Pair,
    Rating,
    Reply,
    Task,
    Verdict,
    by_both,
)
from scoring.judge.sound_rules import Finding
from streams.clock import now

VERSION = 3
"""Raised whenever a verdict changes: a threshold, a rule."""

CLEARLY_BETTER = 0.3
"""Points of DNSMOS (P.835, overall) between two replies, both acceptable, from which one sounds better."""

_CONTENT = {
    Satisfying.YES: Rating.GOOD,
    Satisfying.PARTLY: Rating.ACCEPTABLE,
    Satisfying.NO: Rating.BAD,
}


@dataclass(frozen=True, slots=True)
class _Rated:
    labels: dict[Dimension, Labelled]
    facts: TurnVerdict
    findings: dict[Dimension, list[Finding]]

    def evidence(self) -> dict[str, Any]:
        found = {name.value: [f.to_json() for f in findings] for name, findings in self.findings.items()}
        return {"facts": self.facts.to_json(), "measures": found}


class TraceRules:
    """Rates by rules; compares by rating both.

    Content is what the facts judge says: every fact stated is good, some acceptable, none or a contradicted
    one bad; demands in words that no facts stand for are not read, and unscored. Voice quality is the worst
    of `sound_rules.QUALITY`. Paralinguistics is the worst of melody and pace (`sound_rules.DELIVERY`), the
    manner that is asked for (`manner_rules`), and the reaction to the user's (`reaction_rules`); if one of
    these two is asked for and cannot be told, it is unscored. Of two acceptable contents that is better
    which states more facts; of two acceptable sounds the one that is `CLEARLY_BETTER`.

    Args:
        facts: Judges the content.
    """

    version = VERSION

    def __init__(self, facts: Judge) -> None:
        self._facts = facts
        self.name = "trace-rules"

    async def warm_up(self) -> None:
        """Load the facts judge's model."""
        await self._facts.warm_up()

    async def rate(self, item: Item) -> Verdict:
        """Rate one reply."""
        started = now()
        found = await self._rate(item.task, item.reply)
        return self._made(found.labels, found.evidence(), now() - started)

    async def compare(self, pair: Pair) -> Verdict:
        """Compare two replies by rating each; the order shown decides nothing."""
        started = now()
        one, two = await self._rate(pair.task, pair.first), await self._rate(pair.task, pair.second)
        better = {
            Dimension.CONTENT: _sign(_stated(one), _stated(two), 0.0),
            Dimension.VOICE_QUALITY: _sign(_overall(pair.first), _overall(pair.second), CLEARLY_BETTER),
        }
        labels = {
            dimension: by_both(
                one.labels[dimension], two.labels[dimension], better=better.get(dimension, 0)
            )
            for dimension in Dimension
        }
        return self._made(labels, {"1": one.evidence(), "2": two.evidence()}, now() - started)

    def estimate(self, asked: Item | Pair) -> Cost:
        """Nothing is spent."""
        return Cost()

    def _made(self, labels: dict[Dimension, Labelled], evidence: dict[str, Any], seconds: float) -> Verdict:
        return Verdict(self.name, self.version, labels, evidence, Cost(compute_s=seconds))

    async def _rate(self, task: Task, reply: Reply) -> _Rated:
        facts = await self._facts.judge(ReplyToJudge.of(task.question, reply.spoken.words))
        labels = {Dimension.CONTENT: content_label(facts, bool(task.wanted))}
        findings: dict[Dimension, list[Finding]] = {}
        for dimension in (Dimension.PARALINGUISTICS, Dimension.VOICE_QUALITY):
            blueprint = reply.spoken.blueprint
            if blueprint is None:
                labels[dimension] = Labelled(None, "no_blueprint")
            elif dimension is Dimension.VOICE_QUALITY:
                findings[dimension] = sound_rules.measured(blueprint, sound_rules.QUALITY)
                labels[dimension] = sound_rules.verdict(findings[dimension], dimension.value)
            else:
                findings[dimension] = delivery(blueprint, reply.neutral, task.manner)
                findings[dimension] += reaction_rules.findings(task, reply)
                labels[dimension] = delivery_label(findings[dimension])
        return _Rated(labels, facts, findings)


def content_label(facts: TurnVerdict, demands: bool = False) -> Labelled:
    """The facts judge's verdict as a rating.

    Args:
        facts: The verdict.
        demands: Whether the task says in words what a good answer does: without facts no rule reads that.
    """
    if not facts.facts:
        return Labelled(None, "demands_not_read" if demands else NOT_ASKED)
    if facts.satisfying is None:
        return Labelled(None, facts.cause)
    counts = (f"{len(facts.having(label))} {label.value}" for label in FactLabel if facts.having(label))
    return Labelled(_CONTENT[facts.satisfying].value, reason=", ".join(counts))


def delivery(blueprint: Blueprint, neutral: Sequence[Blueprint], manner: str) -> list[Finding]:
    """Melody and pace; and the manner that was asked for, change by change and as a whole."""
    if not manner:
        return sound_rules.measured(blueprint, sound_rules.DELIVERY)
    found = sound_rules.measured(blueprint, manner_rules.delivery_bands(manner))
    changes = manner_rules.findings(blueprint, neutral, manner)
    return [*found, manner_rules.rated(changes)]


def delivery_label(findings: Sequence[Finding]) -> Labelled:
    """The worst of it; unscored if the manner that was asked for, or the reaction, could not be told."""
    for finding in findings:
        if finding.measure in ("manner", reaction_rules.REACTION) and finding.rating is None:
            return Labelled(None, finding.cause, f"{finding.measure} was not told: {finding.expected}")
    of_reply = [finding for finding in findings if finding.measure != reaction_rules.USER]
    return sound_rules.verdict(of_reply, Dimension.PARALINGUISTICS.value)


def _stated(rated: _Rated) -> float | None:
    facts = rated.facts.facts
    return len(rated.facts.having(FactLabel.STATED)) / len(facts) if facts else None


def _overall(reply: Reply) -> float | None:
    blueprint = reply.spoken.blueprint
    if blueprint is None or blueprint.quality is None:
        return None
    return blueprint.quality.plain.overall


def _sign(one: float | None, two: float | None, margin: float) -> int:
    """1 or 2 for the greater, if by more than the margin; else 0."""
    if one is None or two is None or abs(one - two) <= margin:
        return 0
    return 1 if one > two else 2
