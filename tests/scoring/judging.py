"""What tests of judges share: facts, replies, and language models that answer as they are told."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from scenarios.schema import Fact
from scoring.judge.ask import Asker
from scoring.judge.contract import Question, ReplyToJudge, TurnVerdict
from scoring.judge.llm import LlmJudge
from streams.language.client import Completion, Message, TokenUsage

DATA = Path(__file__).parents[1] / "data"

GUIDE = Fact(
    id="guide",
    text="A guide RNA leads Cas9 to a matching DNA sequence.",
    keywords=(("guide rna", "guide"), ("matching", "matches", "complementary")),
    wrong=("protein finds the target",),
)
INSULIN = Fact(
    id="insulin",
    text="Insulin lowers blood sugar by letting cells take up glucose.",
    keywords=(("lower", "lowers", "reduces"), ("blood sugar", "glucose")),
    wrong=("raises blood sugar",),
)

SAID = "A guide RNA leads Cas9 to a matching DNA sequence."


def to_judge(heard: str, *facts: Fact) -> ReplyToJudge:
    return ReplyToJudge.of(Question("How does it work?", facts or (GUIDE,)), heard)


def hostile() -> list[dict[str, str]]:
    lines = (DATA / "hostile_replies.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


class Model:
    """A language model whose replies a test makes from the chat."""

    def __init__(self, *replies: Callable[[Sequence[Message]], str] | str | Exception) -> None:
        self.replies = list(replies)
        self.chats: list[list[Message]] = []
        self.schemas: list[Any] = []
        self.model = "m"
        self.base_url = "http://127.0.0.1:1/v1"
        self.temperature: float | None = 0.0
        self.max_tokens: int | None = None
        self.usage: TokenUsage | None = TokenUsage(100, 10)

    async def formatted(self, chat: Sequence[Message], schema: type[BaseModel]) -> Completion:
        self.chats.append(list(chat))
        self.schemas.append(schema.model_json_schema())
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else reply(chat)
        return Completion(text, self.usage, "served", 0.5)


def nonce_in(chat: Sequence[Message]) -> str:
    found = re.search(r"<<<DATA (\S+)\n", chat[-1].content)
    assert found is not None
    return found[1]


def data_in(chat: Sequence[Message]) -> Any:
    """What a prompt gives as data, read strictly from the one line between its two markers."""
    nonce = re.escape(nonce_in(chat))
    found = re.search(rf"^<<<DATA {nonce}\n(.*)\nDATA {nonce}>>>$", chat[-1].content, re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


def answering(*facts: tuple[str, str], **changes: Any) -> Callable[[Sequence[Message]], str]:
    """An answer with a (label, quote) for each fact."""

    def answer(chat: Sequence[Message]) -> str:
        listed = {f"f{i}": {"label": la, "quote": q} for i, (la, q) in enumerate(facts, 1)}
        return json.dumps({"nonce": nonce_in(chat), "facts": listed} | changes)

    return answer


def judged(model: Model, heard: str, *facts: Fact, asker: Asker | None = None) -> TurnVerdict:
    judge = LlmJudge(asker or Asker(model))
    return asyncio.run(judge.judge(to_judge(heard, *facts)))
