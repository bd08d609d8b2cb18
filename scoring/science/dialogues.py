"""Dialogues as they were held: what replies about each aspect came to, by the verdicts on facts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from scenarios.schema import Aspect
from scoring.science.answers import scenario_of, subjects
from scoring.science.audience import Guess, guess_level
from scoring.science.dialogue import AspectUnit, Dialogue
from scoring.texts import Texts
from scoring.timeline import Exchange
from scoring.view import EpisodeView

NOBODY = "no_judge"
"""Judge of replies that nobody judged."""


def dialogue(view: EpisodeView, guess: Guess | None = None) -> Dialogue | None:
    """The dialogue of an episode; None if its user worked through no aspects.

    A turn that got no reply, or no words, leaves its facts missing; a reply without a verdict leaves them
    open. Aspects that the call did not come to are units without replies.

    Args:
        view: The episode.
        guess: Of a judge, for which level the replies are made; by default it is guessed by rule.
    """
    scenario = scenario_of(view)
    if scenario is None or not scenario.aspects:
        return None
    asked = [(e, texts, s.aspect) for e, texts, s in subjects(view) if s.aspect is not None]
    if not asked:
        return None
    replies: dict[str, list[Mapping[str, str | None]]] = {}
    for exchange, texts, aspect in asked:
        replies.setdefault(aspect.id, []).append(_labels(view, exchange, texts, aspect))
    found = guess or guess_level([t.heard for _, t, _ in asked if t.heard], view.language)
    return Dialogue(
        id=view.info.id,
        level=scenario.persona.expertise,
        units=tuple(
            AspectUnit(
                aspect.id, tuple(fact.id for fact in aspect.facts), tuple(replies.get(aspect.id, ()))
            )
            for aspect in scenario.aspects
        ),
        guess=found.level,
        guess_cause=found.cause,
        scenario=scenario.id,
    )


def judge_of(view: EpisodeView) -> str:
    """The judge whose labels count, where several judged the one of most replies."""
    names = Counter(facts.judge for facts in view.judged.values())
    return names.most_common(1)[0][0] if names else NOBODY


def replies_of(view: EpisodeView) -> list[str]:
    """What was heard about the aspects, for a judge of the level; without what it was asked."""
    return [texts.heard for _, texts, subject in subjects(view) if subject.aspect and texts.heard]


def _labels(view: EpisodeView, exchange: Exchange, texts: Texts, aspect: Aspect) -> dict[str, str | None]:
    names = [fact.id for fact in aspect.facts]
    judged = view.judged.get(exchange.index)
    if judged is not None:
        return {name: judged.labels.get(name) for name in names}
    silent = not exchange.reply or texts.heard == "" or texts.unscored.get("heard") == "no_speech"
    return dict.fromkeys(names, "missing" if silent else None)
