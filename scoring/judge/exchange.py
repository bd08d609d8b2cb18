"""What passed between a judge and a language model: kept as evidence, with what it cost."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from scoring.judge.budget import estimated
from streams.language.client import Completion, Message, TokenUsage
from streams.language.errors import Malformed
from streams.language.prices import Price


class Asks(Protocol):
    """Of a language model what is used here."""

    model: str
    temperature: float | None
    max_tokens: int | None

    @property
    def base_url(self) -> str:
        """Its server."""

    async def formatted(self, chat: Sequence[Message], schema: type[BaseModel]) -> Completion:
        """One reply; see `LanguageModel.formatted`."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What led to an answer, or to none: kept as evidence.

    Attributes:
        model: The model, as it was named in the request.
        answered_by: As the server named it, or "".
        prompt: The messages of the last try.
        raw: Every reply as it came.
        tokens: All tries together; None if nothing was asked.
        estimated: Tokens were not counted by the server but estimated.
        usd: Price in US dollars; None if it is not known.
        price_as_of: Day of the price list, or "".
        cached: Nothing was asked: the answer was known.
        problems: What was wrong with each try that failed.
    """

    model: str
    server: str
    temperature: float | None
    prompt: tuple[Message, ...] = ()
    raw: tuple[str, ...] = ()
    answered_by: str = ""
    tokens: TokenUsage | None = None
    estimated: bool = False
    usd: float | None = None
    price_as_of: str = ""
    seconds: float = 0.0
    cached: bool = False
    problems: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As in files."""
        return {
            "model": self.model,
            "answered_by": self.answered_by,
            "server": self.server,
            "temperature": self.temperature,
            "prompt": [_shown(message) for message in self.prompt],
            "raw": list(self.raw),
            "problems": list(self.problems),
            "prompt_tokens": self.tokens.prompt if self.tokens else None,
            "completion_tokens": self.tokens.completion if self.tokens else None,
            "tokens_estimated": self.estimated,
            "usd": self.usd,
            "price_as_of": self.price_as_of,
            "seconds": round(self.seconds, 3),
            "cached": self.cached,
        }


def _shown(message: Message) -> dict[str, Any]:
    """A message for a file: its sounds by their hashes, since the recording holds them."""
    shown: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.audio:
        shown["audio_sha256"] = [hashlib.sha256(wav).hexdigest() for wav in message.audio]
    return shown


class Log:
    """Adds up what the tries of one question cost."""

    def __init__(self, model: Asks, price: Price | None) -> None:
        self._model = model
        self._price = price
        self.replies: list[Completion] = []
        self.problems: list[str] = []
        self._usages: list[TokenUsage] = []
        self._estimated = False

    def add(self, chat: list[Message], reply: Completion) -> TokenUsage:
        """Note a reply; returns its tokens, estimated if the server did not count them."""
        usage = reply.usage or estimated(chat, reply)
        self._estimated |= reply.usage is None
        self.replies.append(reply)
        self._usages.append(usage)
        return usage

    def exchange(self, chat: Sequence[Message], failure: Exception | None = None) -> Exchange:
        """Everything so far, as evidence."""
        tokens = TokenUsage(sum(u.prompt for u in self._usages), sum(u.completion for u in self._usages))
        raw = [reply.text for reply in self.replies]
        if isinstance(failure, Malformed) and failure.raw:
            raw.append(failure.raw)
        return Exchange(
            model=self._model.model,
            server=self._model.base_url,
            temperature=self._model.temperature,
            prompt=tuple(chat),
            raw=tuple(raw),
            answered_by=self.replies[-1].model if self.replies else "",
            tokens=tokens if self.replies else None,
            estimated=self._estimated,
            usd=self._price.of(tokens) if self._price and self.replies else None,
            price_as_of=self._price.as_of if self._price else "",
            seconds=sum(reply.seconds for reply in self.replies),
            problems=(*self.problems, *([str(failure)] if failure else [])),
        )
