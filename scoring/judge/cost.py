"""What judging takes: questions, tokens, sound, our own computing, and money. What is unknown stays so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scoring.judge.exchange import Exchange
from streams.language.client import TokenUsage
from streams.language.prices import Price


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one verdict, or of many.

    Attributes:
        calls: Questions that were sent to a model; what was remembered counts none.
        prompt_tokens: Sent.
        completion_tokens: Received.
        estimated: Some tokens were not counted by the server but estimated.
        audio_s: Seconds of sound that were sent.
        compute_s: Seconds of our own computing.
        usd: US dollars by the price table; None if a price is not known.
        price_as_of: Days of the price lists, the oldest first.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    audio_s: float = 0.0
    compute_s: float = 0.0
    usd: float | None = 0.0
    price_as_of: tuple[str, ...] = ()

    def __add__(self, other: Cost) -> Cost:
        known = self.usd is not None and other.usd is not None
        return Cost(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            estimated=self.estimated or other.estimated,
            audio_s=self.audio_s + other.audio_s,
            compute_s=self.compute_s + other.compute_s,
            usd=(self.usd or 0.0) + (other.usd or 0.0) if known else None,
            price_as_of=tuple(sorted({*self.price_as_of, *other.price_as_of})),
        )

    def to_json(self) -> dict[str, Any]:
        """As in files."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "tokens_estimated": self.estimated,
            "audio_s": round(self.audio_s, 3),
            "compute_s": round(self.compute_s, 3),
            "usd": None if self.usd is None else round(self.usd, 6),
            "price_as_of": list(self.price_as_of),
        }

    def __str__(self) -> str:
        """In words."""
        money = "price unknown" if self.usd is None else f"{self.usd:.4f} US dollars"
        about = "about " if self.estimated else ""
        parts = [
            f"{self.calls} {'question' if self.calls == 1 else 'questions'}",
            f"{about}{self.prompt_tokens} + {self.completion_tokens} tokens",
            f"{self.audio_s:.0f} s of sound",
            f"{self.compute_s:.1f} s of computing",
            f"{money}{f' (prices of {self.price_as_of[0]})' if self.price_as_of else ''}",
        ]
        return ", ".join(parts)


def total(costs: Iterable[Cost]) -> Cost:
    """All together."""
    return sum(costs, Cost())


def of_exchange(exchange: Exchange, audio_s: float = 0.0) -> Cost:
    """What an exchange with a model took; sound is charged unlike text, so its price is unknown."""
    if exchange.cached:
        return Cost()
    tokens = exchange.tokens or TokenUsage(0, 0)
    sent = audio_s * len(exchange.raw)
    return Cost(
        calls=len(exchange.raw),
        prompt_tokens=tokens.prompt,
        completion_tokens=tokens.completion,
        estimated=exchange.estimated,
        audio_s=sent,
        usd=None if sent else 0.0 if not exchange.raw else exchange.usd,
        price_as_of=(exchange.price_as_of,) if exchange.price_as_of and exchange.raw else (),
    )


def of_estimate(tokens: TokenUsage, price: Price | None, audio_s: float = 0.0) -> Cost:
    """What a question will take."""
    return Cost(
        calls=1,
        prompt_tokens=tokens.prompt,
        completion_tokens=tokens.completion,
        estimated=True,
        audio_s=audio_s,
        usd=price.of(tokens) if price and not audio_s else None,
        price_as_of=(price.as_of,) if price and not audio_s else (),
    )
