"""Asking a language model for an answer that fits a schema, with everything kept that led to it.

For judges of any kind. What is judged goes into the prompt as data (`data_block`), never as instructions.
An answer counts only if it is one JSON object that fits the schema, holds the nonce of its prompt, is none
that the data hold, and passes the judge's own check; otherwise it is asked for again, and in the end it is
no answer, with a cause.

The nonce is the only word that the schema allows in its field: a server that keeps to schemas writes it
there itself, and of other models those that read the prompt copy it. (OpenAI prepares each new schema for
seconds before it answers: there the schema stays the same, and the model must copy.) A model that copies an
answer which somebody said has no nonce where schemas are only asked for; where they are kept to, it is
known by the object that it copied.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field, ValidationError, create_model

from scoring.judge.answers import AnswerCache, KeptAnswer, content_key
from scoring.judge.budget import Budget, BudgetSpent, PriceUnknown
from scoring.judge.exchange import Asks, Exchange, Log
from streams.language.client import Completion, Message, TokenUsage, asking_for
from streams.language.errors import LanguageError, Malformed, Refused, TimedOut, Unreachable
from streams.language.prices import Price, price
from streams.language.server import is_vendor
from streams.language.structured import objects, parse, strict_schema

TRIES = 3
"""Answers that are asked for before there is none."""

_NONCE = "<nonce>"


class Answer(BaseModel):
    """Base of what a model is asked for: it answers this prompt if it holds its nonce."""

    nonce: str


A = TypeVar("A", bound=Answer)

Prompt = Callable[[str], Sequence[Message]]
"""Makes the messages for a nonce."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[A]):
    """What became of a question.

    Attributes:
        value: The answer, or None.
        cause: Why there is none; "" if there is one.
    """

    value: A | None
    cause: str
    exchange: Exchange


class Asker:
    """Asks one language model, within a budget, and remembers.

    Args:
        model: Who is asked; its temperature should be 0.
        cache: Where answers are kept; None keeps none.
        budget: What may be spent; None is no limit.
        tries: Answers that are asked for before there is none.
        nonce: Makes a word that what is judged cannot know.

    Raises:
        PriceUnknown: The budget is in money and the model has no known price.
    """

    def __init__(
        self,
        model: Asks,
        *,
        cache: AnswerCache | None = None,
        budget: Budget | None = None,
        tries: int = TRIES,
        nonce: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._model = model
        self._cache = cache
        self.budget = budget or Budget()
        self._tries = tries
        self._nonce = nonce
        self._price: Price | None = price(model.model, model.base_url)
        if self.budget.usd is not None and self._price is None:
            raise PriceUnknown(model.model, model.base_url)

    @property
    def model(self) -> str:
        """The model's name on its server."""
        return self._model.model

    @property
    def base_url(self) -> str:
        """Its server."""
        return self._model.base_url

    @property
    def price(self) -> Price | None:
        """The model's price; None if it is not known."""
        return self._price

    async def ask(
        self, prompt: Prompt, schema: type[A], check: Callable[[A], str], *, version: int
    ) -> Asked[A]:
        """Ask until an answer passes.

        Args:
            prompt: Makes the messages; the nonce must stand in them.
            schema: What to answer with.
            check: What is wrong with an answer that fits the schema: a cause ("evidence_not_heard"), or "".
            version: Of the judge that asks; answers of other versions are not remembered.

        Returns:
            The answer, or a cause: that of the check, "nonce_wrong", "malformed", "two_objects",
            "label_unknown", "repeats_data", "timeout", "http_429", "unreachable", "budget_spent".
        """
        key = self._key(prompt, schema, version)
        if self._cache is not None and (kept := await asyncio.to_thread(self._cache.get, key)) is not None:
            value, cause = _read(kept.raw, schema, kept.nonce, check)
            if value is not None:
                return Asked(value, cause, self._remembered(kept))
        return await self._fresh(prompt, schema, check, key)

    async def _fresh(
        self, prompt: Prompt, schema: type[A], check: Callable[[A], str], key: str
    ) -> Asked[A]:
        log = Log(self._model, self._price)
        cause = "malformed"
        for _ in range(self._tries):
            nonce = self._nonce()
            bound = schema if is_vendor(self.base_url) else _with_nonce(schema, nonce)
            chat = asking_for(bound, _with_complaint(prompt(nonce), cause if log.replies else ""))
            try:
                self.budget.check()
                reply = await self._model.formatted(chat, bound)
            except (BudgetSpent, LanguageError) as failure:
                return Asked(None, cause_of(failure), log.exchange(chat, failure))
            self.budget.spend(log.add(chat, reply), self._price)
            value, cause = _read(reply.text, schema, nonce, check)
            if value is not None and _repeats(value, nonce, chat):
                value, cause = None, "repeats_data"
            if value is not None:
                await self._keep(key, nonce, chat, reply)
                return Asked(value, "", log.exchange(chat))
            log.problems.append(cause)
        return Asked(None, cause, log.exchange(chat))

    async def _keep(self, key: str, nonce: str, chat: Sequence[Message], reply: Completion) -> None:
        if self._cache is None:
            return
        kept = KeptAnswer(
            nonce=nonce,
            prompt=tuple((message.role, message.content) for message in chat),
            raw=reply.text,
            model=reply.model,
            prompt_tokens=reply.usage.prompt if reply.usage else None,
            completion_tokens=reply.usage.completion if reply.usage else None,
        )
        await asyncio.to_thread(self._cache.put, key, kept)

    def _remembered(self, kept: KeptAnswer) -> Exchange:
        return Exchange(
            model=self.model,
            server=self._model.base_url,
            temperature=self._model.temperature,
            prompt=tuple(Message(role, content) for role, content in kept.prompt),  # type: ignore[arg-type]
            raw=(kept.raw,),
            answered_by=kept.model,
            tokens=TokenUsage(0, 0),
            usd=0.0,
            cached=True,
        )

    def _key(self, prompt: Prompt, schema: type[BaseModel], version: int) -> str:
        model = self._model
        return content_key(
            {
                "server": model.base_url,
                "model": model.model,
                "temperature": model.temperature,
                "max_tokens": model.max_tokens,
                "messages": [_hashed(message) for message in prompt(_NONCE)],
                "schema": strict_schema(schema),
                "version": version,
            }
        )


def _hashed(message: Message) -> list[str]:
    """A message as it goes into a key: sound by its hash."""
    return [message.role, message.content, *(hashlib.sha256(wav).hexdigest() for wav in message.audio)]


def data_block(nonce: str, data: dict[str, Any]) -> str:
    """What is judged, as one line of JSON between two lines that it cannot hold.

    Its strings are ASCII, angle brackets escaped: nothing inside can end the JSON, the block, or a role.
    """
    text = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<<<DATA {nonce}\n{text}\nDATA {nonce}>>>"


def _with_nonce(schema: type[A], nonce: str) -> type[A]:
    """A schema that allows one nonce alone."""
    field: Any = (str, Field(json_schema_extra={"enum": [nonce]}))
    return create_model(schema.__name__, __base__=schema, nonce=field)


def _repeats(value: Answer, nonce: str, chat: Sequence[Message]) -> bool:
    """Whether an answer but for its nonce is an object that stands in the data: then the data gave it."""
    own = value.model_dump(exclude={"nonce"})
    lines = chat[-1].content.partition(f"<<<DATA {nonce}\n")[2].splitlines()
    said = _strings(json.loads(lines[0])) if lines else ()
    return any(own == found for text in said for found in _objects(text))


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from _strings(part)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for found in objects(text):
        yield {name: part for name, part in json.loads(found).items() if name != "nonce"}


def cause_of(failure: Exception) -> str:
    """A failure as the cause of an unscored verdict."""
    match failure:
        case BudgetSpent():
            return "budget_spent"
        case TimedOut():
            return "timeout"
        case Refused(status=status):
            return f"http_{status}"
        case Unreachable():
            return "unreachable"
        case Malformed():
            return "malformed"
    return "judge_failed"


def of_server(cause: str) -> bool:
    """Whether a cause says that there was no answer at all, rather than one that is none."""
    return cause in ("budget_spent", "timeout", "unreachable", "judge_failed") or cause.startswith("http_")


def _read(raw: str, schema: type[A], nonce: str, check: Callable[[A], str]) -> tuple[A | None, str]:
    """The answer in a reply, or why it is none."""
    try:
        value = parse(raw, schema)
    except ValidationError as error:
        if len(objects(raw)) > 1:
            return None, "two_objects"
        kinds = {problem["type"] for problem in error.errors(include_input=False, include_url=False)}
        return None, "label_unknown" if kinds <= {"literal_error", "enum"} else "malformed"
    if value.nonce != nonce:
        return None, "nonce_wrong"
    wrong = check(value)
    return (None, wrong) if wrong else (value, "")


_COMPLAINTS = {
    "two_objects": "it held more than one JSON object",
    "label_unknown": "a label was not one of those allowed",
    "nonce_wrong": "it did not repeat the nonce",
    "repeats_data": "it was copied from the data",
    "evidence_not_heard": "a quote was not copied word for word from the reply",
}


def _with_complaint(messages: Sequence[Message], cause: str) -> Sequence[Message]:
    """The prompt with what was wrong with the last answer, in our words: its own are not repeated."""
    if not cause:
        return messages
    *before, last = messages
    wrong = _COMPLAINTS.get(cause, "it was not the JSON object asked for")
    return [*before, replace(last, content=f"{last.content}\n\nYour last answer was not valid: {wrong}.")]
