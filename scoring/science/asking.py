"""The same questions as text: what a language model answers where nothing is spoken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from scenarios.schema import Item, Scenario
from scoring.judge.ask import cause_of
from scoring.science.answers import Condition, items_of
from scoring.science.imported import Result
from streams.language.client import Completion, Message
from streams.language.errors import LanguageError


class Completes(Protocol):
    """Of a language model what is used here."""

    model: str

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """Answer a chat; see `LanguageModel.complete`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of knowledge, in the words in which the user of a call asks it."""

    id: str
    text: str
    item: Item
    domain: str


def questions_of(scenarios: Iterable[Scenario]) -> list[Question]:
    """Every question that has a key, in order."""
    return [
        Question(name, text, item, scenario.domain)
        for scenario in scenarios
        for name, text, item in items_of(scenario)
    ]


async def ask(
    questions: Sequence[Question], model: Completes, *, instructions: str = "", concurrency: int = 1
) -> AsyncIterator[Result]:
    """Ask every question in a chat of its own; results come as they are ready.

    A question that the server fails is a result without text, with its cause.

    Args:
        questions: To ask.
        model: Who is asked.
        instructions: A system message before each question; "" for none.
        concurrency: Questions at the same time.
    """
    free = asyncio.Semaphore(concurrency)
    before = [Message("system", instructions)] if instructions else []

    async def one(question: Question) -> Result:
        text, cause = None, ""
        async with free:
            try:
                text = (await model.complete([*before, Message("user", question.text)])).text
            except LanguageError as failure:
                cause = cause_of(failure)
        return Result(
            id=question.id,
            system=model.model,
            text=text,
            question=question.text,
            domain=question.domain,
            condition=Condition.TEXT,
            item=question.item,
            unscored=cause,
        )

    tasks = [asyncio.create_task(one(question)) for question in questions]
    try:
        for task in asyncio.as_completed(tasks):
            yield await task
    finally:
        for task in tasks:
            task.cancel()
