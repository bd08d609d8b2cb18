"""What judging may cost: tokens, or money. Once it is spent nothing more is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from scoring.judge.contract import JudgeUnfit
from streams.language.client import Completion, Message, TokenUsage
from streams.language.prices import Price

CHARACTERS_PER_TOKEN = 3
"""Servers that count no tokens are counted by characters, on the safe side (English has about four)."""


class BudgetSpent(RuntimeError):
    """The budget is used up: nothing was asked.

    Attributes:
        spent: What was spent, in words.
        limit: The limit, in words.
    """

    def __init__(self, spent: str, limit: str) -> None:
        self.spent = spent
        self.limit = limit
        super().__init__(f"the judge's budget is spent: {spent} of {limit}")


class PriceUnknown(JudgeUnfit):
    """A budget in money needs a price, and the model has none in the table."""

    def __init__(self, model: str, base_url: str) -> None:
        self.model = model
        super().__init__(
            f"{model} at {base_url} has no known price, so a budget in US dollars cannot be kept."
            " Give a budget in tokens instead."
        )


@dataclass(slots=True)
class Budget:
    """Counts what is spent, for one judge or several.

    The answer that crosses the limit is still taken, so that a limit is overrun by one answer at most for
    each question that is under way.

    Attributes:
        tokens: Limit of prompt and completion tokens together; None is no limit.
        usd: Limit in US dollars; None is no limit.
    """

    tokens: int | None = None
    usd: float | None = None
    spent_tokens: int = field(default=0, init=False)
    spent_usd: float = field(default=0.0, init=False)

    def check(self) -> None:
        """Before a question is asked.

        Raises:
            BudgetSpent: Nothing may be asked any more.
        """
        if self.tokens is not None and self.spent_tokens >= self.tokens:
            raise BudgetSpent(f"{self.spent_tokens} tokens", f"{self.tokens} tokens")
        if self.usd is not None and self.spent_usd >= self.usd:
            raise BudgetSpent(f"{self.spent_usd:.4f} US dollars", f"{self.usd:g} US dollars")

    @property
    def spent(self) -> bool:
        """True if nothing may be asked any more."""
        try:
            self.check()
        except BudgetSpent:
            return True
        return False

    def spend(self, usage: TokenUsage, price: Price | None) -> None:
        """Count an answer.

        Raises:
            ValueError: There is a limit in money, and the price is not known.
        """
        if price is None and self.usd is not None:
            raise ValueError("a budget in US dollars needs a price")
        self.spent_tokens += usage.prompt + usage.completion
        self.spent_usd += price.of(usage) if price else 0.0


def estimated(chat: list[Message], reply: Completion) -> TokenUsage:
    """Tokens of an exchange that the server did not count, rounded up."""
    prompt = sum(len(message.content) for message in chat)
    return TokenUsage(-(-prompt // CHARACTERS_PER_TOKEN), -(-len(reply.text) // CHARACTERS_PER_TOKEN))
