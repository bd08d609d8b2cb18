"""What a run may spend: money, tokens, minutes of call. Once it is spent no more calls begin. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from agent.observers import Audience, Levels
from recordings.format import Event, Turn, UsageReported

_TOTALS = ("total_tokens", "totalTokenCount", "total_token_count")
_PARTS = (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens"))


class PriceMissing(ValueError):
    """A budget in money, and an endpoint whose price nobody named."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls have used.

    Attributes:
        minutes: Of call.
        tokens: As the endpoints and the judge counted them.
        usd: US dollars; None if a price is not known.
    """

    minutes: float = 0.0
    tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: Spent) -> Spent:
        known = self.usd is not None and other.usd is not None
        return Spent(
            self.minutes + other.minutes,
            self.tokens + other.tokens,
            (self.usd or 0.0) + (other.usd or 0.0) if known else None,
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits; None is none. Calls that are under way when one is reached are held to their end."""

    usd: float | None = None
    tokens: int | None = None
    minutes: float | None = None

    def exhausted(self, spent: Spent) -> str:
        """Why no more calls may begin, or ""."""
        if self.usd is not None and (spent.usd is None or spent.usd >= self.usd):
            used = "an unknown sum" if spent.usd is None else f"{spent.usd:.2f}"
            return f"the budget is spent: {used} of {self.usd:g} US dollars"
        if self.tokens is not None and spent.tokens >= self.tokens:
            return f"the budget is spent: {spent.tokens} of {self.tokens} tokens"
        if self.minutes is not None and spent.minutes >= self.minutes:
            return f"the budget is spent: {spent.minutes:.1f} of {self.minutes:g} minutes of call"
        return ""


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a minute of call, by address as it is shown; what is not in it is unknown."""

    per_minute: Mapping[str, float]

    def of(self, shown: str, minutes: float) -> float | None:
        """What minutes with an endpoint cost; None if its price is not known."""
        price = self.per_minute.get(shown)
        return None if price is None else price * minutes


class Meter:
    """An audience that counts what a call uses, and passes everything on."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience
        self._summed = 0
        self._cumulative = 0
        self.reports: list[UsageReported] = []
        """What the endpoint said it used."""

    @property
    def tokens(self) -> int:
        """As the endpoint counted them so far; 0 if it counts none."""
        return self._summed + self._cumulative

    def event(self, event: Event) -> None:
        """Count a report of usage."""
        if isinstance(event, UsageReported):
            self.reports.append(event)
            used = tokens_of(event.values) if event.unit == "tokens" else 0
            if event.cumulative:
                self._cumulative = max(self._cumulative, used)
            else:
                self._summed += used
        self._audience.event(event)

    def turn(self, turn: Turn) -> None:
        """Pass it on."""
        self._audience.turn(turn)

    def levels(self, levels: Levels) -> None:
        """Pass them on."""
        self._audience.levels(levels)


def tokens_of(values: Mapping[str, float]) -> int:
    """The tokens of one report: its total, or what went in and came out; transcripts count too."""
    found = 0
    for prefix in ("", "transcription."):
        total = next((values[prefix + name] for name in _TOTALS if prefix + name in values), None)
        if total is None:
            given = [[values[prefix + name] for name in pair if prefix + name in values] for pair in _PARTS]
            total = sum(next((pair for pair in given if pair), []))
        found += round(total) if math.isfinite(total) and total > 0 else 0
    return found
