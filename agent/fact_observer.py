"""A live judge without any model: did the reply state the facts that the scenario expects?"""

from __future__ import annotations

from agent.observers import FinishedTurn, Judgement
from recordings.format import Verdict
from user_sim.facts import check_facts

NAME = "facts"


class FactObserver:
    """Labels a reply `complete`, `partial`, `missing` or `wrong` by the scenario's facts.

    `wrong` means that a reply holds a phrase which contradicts a fact. A turn that expects no fact, or
    of which nothing was understood, is unscored.
    """

    name = NAME

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        """Judge a turn."""
        if not turn.facts:
            return Judgement(Verdict(judge=NAME, unscored="no_facts_expected"))
        if not turn.heard:
            return Judgement(Verdict(judge=NAME, unscored="nothing_heard"))
        found = check_facts(turn.facts, turn.heard)
        if found.contradicted:
            label = "wrong"
        elif not found.missing:
            label = "complete"
        else:
            label = "partial" if found.stated else "missing"
        names = {
            "stated": [finding.fact.id for finding in found.stated],
            "missing": [fact.id for fact in found.missing],
            "contradicted": [finding.fact.id for finding in found.contradicted],
        }
        reason = "; ".join(f"{what}: {', '.join(ids)}" for what, ids in names.items() if ids)
        return Judgement(Verdict(judge=NAME, label=label, reason=reason))
