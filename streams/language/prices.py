"""What an answer of a language model costs, from a dated table; what is not in it stays unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from streams.language.client import TokenUsage

TABLE = Path(__file__).with_name("prices.yaml")
"""The table that is shipped."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens.

    Attributes:
        as_of: The day it was looked up, ISO.
    """

    prompt: float
    completion: float
    as_of: str

    def of(self, usage: TokenUsage) -> float:
        """US dollars for an answer."""
        return (usage.prompt * self.prompt + usage.completion * self.completion) / 1e6


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")

    prompt: float
    completion: float


class _Server(BaseModel):
    model_config = ConfigDict(extra="forbid")

    server: str
    as_of: str
    source: str
    models: dict[str, _Model]


def price(model: str, base_url: str, table: Path = TABLE) -> Price | None:
    """The price of a model on a server; None if it is not known."""
    return _read(table).get((base_url.rstrip("/"), model))


@cache
def _read(table: Path) -> Mapping[tuple[str, str], Price]:
    rows = yaml.load(table.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - gives text only
    servers = [_Server.model_validate(row) for row in rows]
    return {
        (server.server.rstrip("/"), name): Price(model.prompt, model.completion, server.as_of)
        for server in servers
        for name, model in server.models.items()
    }
