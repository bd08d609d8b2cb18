"""Judges by name, as on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scoring.judge.answers import AnswerCache
from scoring.judge.ask import Asker
from scoring.judge.budget import Budget
from scoring.judge.contract import Judge, JudgeUnfit
from scoring.judge.llm import LlmJudge
from scoring.judge.rules import RulesJudge
from streams.language.sentences import EncoderMissing, MiniLm, SentenceEncoder, SentenceTransformerEncoder

MINILM = "minilm-l6-v2"
"""The sentence model of the rules judge, as in the list of models."""


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A judge as it was named.

    Attributes:
        spec: "rules" (with MiniLM if it is installed), "rules:none" (keywords alone), "rules:MODEL" (any
            sentence-transformers id or folder), "llm", or "none".
        llm: The language model, e.g. "http://HOST:PORT/v1#MODEL"; needed for "llm".
        cache: Folder where its answers are kept; None keeps none.
        tokens: Budget in tokens; None is no limit.
        usd: Budget in US dollars; None is no limit.
    """

    spec: str = "rules"
    llm: str = ""
    cache: Path | None = None
    tokens: int | None = None
    usd: float | None = None


class JudgeMisnamed(JudgeUnfit):
    """A name that is no judge, or a judge without what it needs."""

    def __init__(self, spec: str, found: str, remedy: str) -> None:
        self.spec = spec
        super().__init__(f"judge {spec!r}: {found}. {remedy}")


def budget_of(choice: JudgeChoice) -> Budget:
    """The budget that a choice sets."""
    return Budget(choice.tokens, choice.usd)


def judge(choice: JudgeChoice, environ: Mapping[str, str], budget: Budget | None = None) -> Judge | None:
    """Make a judge; None for "none".

    Args:
        choice: Which.
        environ: Where keys are.
        budget: To share with other judges; by default one of its own, as chosen.

    Raises:
        JudgeMisnamed: It is not known, or lacks its language model.
        EncoderMissing: The sentence model that was named can't be used.
        LanguageError: The language model's name is none, or its key is not set.
        PriceUnknown: A budget in US dollars, and no known price.
    """
    kind, _, model = choice.spec.partition(":")
    match kind:
        case "none":
            return None
        case "rules":
            return RulesJudge(encoder(model))
        case "llm" if not choice.llm:
            raise JudgeMisnamed(
                choice.spec, "it needs a language model", "Add --judge-llm http://HOST:PORT/v1#MODEL."
            )
        case "llm":
            from streams.language.client import language_model

            cache = AnswerCache(choice.cache) if choice.cache else None
            asked = language_model(choice.llm, environ)
            return LlmJudge(Asker(asked, cache=cache, budget=budget or budget_of(choice)))
    raise JudgeMisnamed(
        choice.spec, "there is no such judge", "Known: rules, llm, trace-rules, trace-llm, none."
    )


def encoder(model: str = "") -> SentenceEncoder | None:
    """The sentence model of the rules judge.

    Args:
        model: "" for MiniLM if it is installed, else nothing; "none"; or an id or folder.

    Raises:
        EncoderMissing: The model that was named can't be used.
    """
    if model == "none":
        return None
    if model:
        return SentenceTransformerEncoder(model)
    from streams.speech.models import status, verify

    folder = status(MINILM).path
    try:
        return MiniLm(folder, lambda: verify(MINILM)) if folder else None
    except EncoderMissing:
        return None
