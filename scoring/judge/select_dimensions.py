"""Judges of three dimensions by name, as on the command line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from scoring.blueprint.episodes import Studio
from scoring.blueprint.measure import Instruments
from scoring.judge.answers import AnswerCache
from scoring.judge.ask import Asker
from scoring.judge.budget import Budget
from scoring.judge.contract import JudgeUnfit
from scoring.judge.dimensions import DimensionJudge
from scoring.judge.rules import RulesJudge
from scoring.judge.select import JudgeChoice, JudgeMisnamed, budget_of, encoder
from scoring.judge.trace_llm import Shown, TraceLlm, View
from scoring.judge.trace_rules import TraceRules
from scoring.judge.withholding import Withholding

RULES, LLM = "trace-rules", "trace-llm"


@dataclass(frozen=True, slots=True)
class DimensionChoice:
    """A judge as it was named.

    Attributes:
        judge: `spec` is "trace-rules" (as for the facts judge: "trace-rules:none" by keywords alone,
            "trace-rules:MODEL" with another sentence model) or "trace-llm".
        view: What the language model is shown.
        full: Blueprints in full, not compact.
        without: Families of the blueprint that no judge sees.
    """

    judge: JudgeChoice
    view: str = View.BLUEPRINT.value
    full: bool = False
    without: Collection[str] = field(default=())


class ViewMisnamed(JudgeUnfit):
    """A view that is not known."""

    def __init__(self, view: str) -> None:
        self.view = view
        super().__init__(f"view {view!r}: there is none of that name. Known: {', '.join(View)}.")


def names_dimensions(spec: str) -> bool:
    """Whether a judge's name is one of those that judge three dimensions."""
    return spec.partition(":")[0] in (RULES, LLM)


def dimension_judge(
    choice: DimensionChoice, environ: Mapping[str, str], budget: Budget | None = None
) -> DimensionJudge:
    """Make a judge.

    Args:
        choice: Which.
        environ: Where keys are.
        budget: To share with other judges; by default one of its own, as chosen.

    Raises:
        JudgeUnfit: It is not known, lacks its language model, or its budget cannot be kept.
        EncoderMissing: The sentence model that was named can't be used.
        LanguageError: The language model's name is none, or its key is not set.
    """
    spec = choice.judge.spec
    kind, _, model = spec.partition(":")
    made: DimensionJudge
    if kind == RULES:
        made = TraceRules(RulesJudge(encoder(model)))
    elif kind == LLM:
        made = _language_model(choice, environ, budget or budget_of(choice.judge))
    else:
        raise JudgeMisnamed(
            spec, "it does not judge content, manner and voice quality", f"Known: {RULES}, {LLM}."
        )
    return Withholding(made, frozenset(choice.without)) if choice.without else made


def _language_model(choice: DimensionChoice, environ: Mapping[str, str], budget: Budget) -> TraceLlm:
    from streams.language.client import language_model

    named = choice.judge
    if not named.llm:
        raise JudgeMisnamed(
            named.spec, "it needs a language model", "Add --judge-llm http://HOST:PORT/v1#MODEL."
        )
    if choice.view not in list(View):
        raise ViewMisnamed(choice.view)
    cache = AnswerCache(named.cache) if named.cache else None
    asker = Asker(language_model(named.llm, environ), cache=cache, budget=budget)
    return TraceLlm(asker, Shown(View(choice.view), choice.full, frozenset(choice.without)))


def default_studio() -> Studio:
    """What blueprints for judges are made with: all that needs no model beyond DNSMOS."""
    from streams.speech.dnsmos import Dnsmos

    return Studio(Instruments(Dnsmos()))
